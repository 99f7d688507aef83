/** The model of part 2, resources and their fields. */
import type { Json } from "../../base/json.ts";
import type { UnixUnit } from "../../base/unix-time.ts";
import type { Deprecation } from "../versioning/model.ts";

export interface Resources {
  /** The resources: definitions with an `id`, in the document's order. */
  readonly resources: Readonly<Record<string, Resource>>;
  /** The embedded types, from `types:`. */
  readonly types: Readonly<Record<string, Fields>>;
  /**
   * The named JSON Schemas, from `schemas:`. Every `schema:` and every schema here may refer to them as `#/schemas/Name`, even
   * in cycles; a wire uses the name alone.
   */
  readonly schemas?: Readonly<Record<string, Json>>;
  /** The views, from `views:`: projections of resources. `takes` and `gives` name them like a type. */
  readonly views?: Readonly<Record<string, ViewDefinition>>;
  /** The rules of each resource, from `rules:`. */
  readonly rules: Readonly<Record<string, readonly Rule[]>>;
  /** The existing tables in which the service finds the records of a resource, from `tables:`. */
  readonly tables?: Readonly<Record<string, ExistingTable>>;
}

/** A table that another program has made: `pets`, or `{ name: pets, columns: { id: pet_id } }`. */
export interface ExistingTable {
  readonly name: string;
  /** The columns of fields that have another name. */
  readonly columns?: Readonly<Record<string, string>>;
}

export interface Resource {
  readonly fields: Fields;
}

/**
 * A view, such as `Cook: { of: User, fields: [handle, bio], followers: integer := … }`: some fields of a resource, and members
 * computed from the record. A member without an expression is the field of its name, returned as the view that is its type.
 */
export interface ViewDefinition {
  readonly of: string;
  readonly fields?: readonly string[];
  readonly members?: Fields;
  /** The deprecations that part 9 declares for names of `fields`; only in the model of a plan (`withDeprecatedFields`). */
  readonly deprecated?: Readonly<Record<string, Deprecation>>;
}

export type Fields = Readonly<Record<string, Field>>;

export interface Field {
  readonly type: FieldType;
  /** The `?` after a name: the field may be absent. An absent field is null in expressions and omitted in messages. */
  readonly optional: boolean;
  readonly default?: Default;
  /** The text of the expression after `:=`. */
  readonly computed?: string;
  readonly marks: readonly Modifier[];
  readonly note?: string;
  readonly example?: Json;
  /** The deprecation that part 9 declares for the field; only in the model of a plan (`withDeprecatedFields`). */
  readonly deprecated?: Deprecation;
}

export const scalarNames = [
  "string", "text", "integer", "number", "decimal", "money", "boolean", "date", "time", "datetime", "duration",
  "email", "url", "uuid", "phone", "country", "currency", "language", "timezone", "user", "bytes", "json",
] as const; // biome-ignore format: a table

export type ScalarName = (typeof scalarNames)[number];

export type FieldType =
  /**
   * A scalar, such as `string(6..40)` or `decimal(0.1..30)`, with bounds on length (text, bytes) or value (numbers). `/regex/`
   * matches anywhere in the text, in linear time. `unix`, of a `datetime`: JSON has Unix time in this unit.
   */
  | {
      readonly kind: "scalar";
      readonly name: ScalarName;
      readonly min?: number;
      readonly max?: number;
      readonly pattern?: string;
      readonly unix?: UnixUnit;
    }
  /**
   * An id that the server generates: `id(par)`. Without a prefix, or as `id(counter)`, see `made`: the id may be counted or
   * chosen by the client. `length`: so many random characters of the `alphabet`, a class such as `0-9a-f`.
   */
  | {
      readonly kind: "id";
      readonly prefix?: string;
      readonly made: "server" | "client" | "counter";
      readonly length?: number;
      readonly alphabet?: string;
      readonly of?: FieldType;
    }
  /** A list of values: `a | b` is closed, `a | b | string` open. */
  | { readonly kind: "one-of"; readonly values: readonly string[]; readonly open: boolean }
  | { readonly kind: "list"; readonly of: FieldType; readonly min?: number; readonly max?: number }
  | { readonly kind: "map"; readonly of: FieldType }
  /** `T | null`: the member is null instead of absent. */
  | { readonly kind: "nullable"; readonly of: FieldType }
  /**
   * A capitalised name: a resource (the value is a reference, its id in messages) or an entry of `types:` (an embedded value).
   */
  | { readonly kind: "named"; readonly name: string }
  /**
   * A file, such as `file(..5MB, image/*)`. `max`: the largest size in bytes; `media`: the allowed media types, empty for any.
   */
  | { readonly kind: "file"; readonly max: number; readonly media: readonly string[] }
  /** JSON Schema 2020-12, for types that the shorthand cannot express. */
  | { readonly kind: "schema"; readonly schema: Json };

export type Default =
  /** A literal as written; the field's type determines its value. */
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "now" }
  | { readonly kind: "now-on-change" }
  | { readonly kind: "caller" }
  | { readonly kind: "digits"; readonly length: number }
  | { readonly kind: "token"; readonly length: number }
  | { readonly kind: "counter" }
  /** 1, 2, 3 without gaps among the records with the same value of the reference field `per`. */
  | { readonly kind: "counter-per"; readonly per: string }
  | { readonly kind: "uuid" };

export const marks = [
  "read-only", "create-only", "write-only", "unique", "filter", "sort", "search", "secret", "personal",
  "delete with", "clear", "tree", "repeated", "brackets", "expand", "on request",
] as const; // biome-ignore format: a table

/**
 * `delete with` and `clear` declare what happens to this record if the record that it refers to is deleted; `tree`, on a
 * reference to its own resource, forbids cycles. `repeated` and `brackets` are for query parameters: they declare how a request
 * sends the items of a list, `tags=a&tags=b` or `tags[]=a&tags[]=b`, instead of `tags=a,b`. `expand`: a response contains the
 * record in place of its id if the request asks for it. `on request`: a response has the member of a view only if the request
 * asks for it.
 */
export type Modifier = (typeof marks)[number];

/** The values of `absent` in a `unique` rule. */
export const absences = ["equal", "distinct"] as const;

export type Rule =
  /** A rule `unique a + b`. `absent`: whether two absent values are equal. Default: they are distinct. */
  | {
      readonly kind: "unique";
      readonly fields: readonly string[];
      readonly absent?: (typeof absences)[number];
      readonly else?: string;
    }
  /** A rule `expression else error`: the expression is true after every write. */
  | { readonly kind: "holds"; readonly expression: string; readonly else: string };
