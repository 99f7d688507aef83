/** Part 2, resources and their fields. */
import type { Json } from "../../base/json.ts";

export interface Resources {
  /** Definitions with an `id`, in the document's order. */
  readonly resources: Readonly<Record<string, Resource>>;
  /** Embedded values, `types:`. */
  readonly types: Readonly<Record<string, Fields>>;
  /**
   * JSON Schemas with names, `schemas:`. Every `schema:` may refer to them as `#/schemas/Name`, they to one another in
   * circles too, and the wire of a handler by the name alone.
   */
  readonly schemas?: Readonly<Record<string, Json>>;
  /** Projections of resources, `views:`, which `takes` and `gives` name like a type. */
  readonly views?: Readonly<Record<string, ViewDefinition>>;
  /** Rules across fields by resource, `rules:`. */
  readonly rules: Readonly<Record<string, readonly Rule[]>>;
}

export interface Resource {
  readonly fields: Fields;
}

/**
 * `Cook: { of: User, fields: [handle, bio], followers: integer := … }`: some of a resource's fields, and members worked out
 * over the record. A member without an expression is the field of its name, given as the view that is its type.
 */
export interface ViewDefinition {
  readonly of: string;
  readonly fields?: readonly string[];
  readonly members?: Fields;
}

export type Fields = Readonly<Record<string, Field>>;

export interface Field {
  readonly type: FieldType;
  /** `?`: the field may be absent. Absent is null in expressions and left out on the wire. */
  readonly optional: boolean;
  readonly default?: Default;
  /** `:=`, the text of an expression. */
  readonly computed?: string;
  readonly marks: readonly Modifier[];
  readonly note?: string;
  readonly example?: Json;
}

export const scalarNames = [
  "string", "text", "integer", "number", "decimal", "money", "boolean", "date", "time", "datetime", "duration",
  "email", "url", "uuid", "phone", "country", "currency", "language", "timezone", "user", "bytes", "json",
] as const; // biome-ignore format: a table

export type ScalarName = (typeof scalarNames)[number];

export type FieldType =
  /** `string(6..40)`, `decimal(0.1..30)`: bounds on length (text, bytes) or value (numbers); `/regex/` is unanchored, linear time. */
  | {
      readonly kind: "scalar";
      readonly name: ScalarName;
      readonly min?: number;
      readonly max?: number;
      readonly pattern?: string;
    }
  /** `id(par)`: server-made. Without a prefix, or `id(counter)`, see `made`: an id may be counted or given by the client. */
  | {
      readonly kind: "id";
      readonly prefix?: string;
      readonly made: "server" | "client" | "counter";
      readonly of?: FieldType;
    }
  /** `a | b` is closed; `a | b | string` open. */
  | { readonly kind: "one-of"; readonly values: readonly string[]; readonly open: boolean }
  | { readonly kind: "list"; readonly of: FieldType; readonly min?: number; readonly max?: number }
  | { readonly kind: "map"; readonly of: FieldType }
  /** `T | null`: given as null when there is none. */
  | { readonly kind: "nullable"; readonly of: FieldType }
  /** A capitalised name: a resource (then a reference, its id on the wire) or an entry of `types:` (an embedded value). */
  | { readonly kind: "named"; readonly name: string }
  /** `file(..5MB, image/*)`: at most so many bytes, of one of these media types; empty: of any. */
  | { readonly kind: "file"; readonly max: number; readonly media: readonly string[] }
  /** JSON Schema 2020-12, for types that the shorthand cannot express. */
  | { readonly kind: "schema"; readonly schema: Json };

export type Default =
  /** As written; the field's type gives it a value. */
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "now" }
  | { readonly kind: "now-on-change" }
  | { readonly kind: "caller" }
  | { readonly kind: "digits"; readonly length: number }
  | { readonly kind: "token"; readonly length: number }
  | { readonly kind: "counter" }
  | { readonly kind: "uuid" };

export const marks = [
  "read-only", "create-only", "write-only", "unique", "filter", "sort", "search", "secret", "personal",
  "delete with", "clear", "tree",
] as const; // biome-ignore format: a table

/**
 * `delete with` and `clear` declare what happens to this record when the record that it refers to is deleted; `tree`, on a
 * reference to its own resource, forbids cycles.
 */
export type Modifier = (typeof marks)[number];

/** What `absent` of a `unique` rule can be. */
export const absences = ["equal", "distinct"] as const;

export type Rule =
  /** `unique a + b`; `absent`: whether two absent values are equal. Without it they are distinct. */
  | {
      readonly kind: "unique";
      readonly fields: readonly string[];
      readonly absent?: (typeof absences)[number];
      readonly else?: string;
    }
  /** `expression else error` */
  | { readonly kind: "holds"; readonly expression: string; readonly else: string };
