/**
 * Converts the schemas of a description, of any version, to JSON Schema as documents use it: named schemas below `schemas:`,
 * references as `#/schemas/Name`, with cycles. Omits and reports each unsupported keyword.
 *
 * Formats and patterns that Nonet does not validate become `x-format` and `x-pattern`, which are only documentation.
 */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { onceFor } from "../base/once.ts";
import { pascalCase } from "../base/case.ts";
import type { FieldType } from "../language/resources/model.ts";
import { schemaErrors, schemaKeywords } from "../language/resources/schema.ts";
import type { RepeatedSchemas } from "./repeated-schemas.ts";
import { below, entriesOf, keysOf, type ImportNotices, textOf } from "./report.ts";
import { shorthandOf } from "./shorthand.ts";

export type Dialect = "2.0" | "3.0" | "3.1";

export interface Schemas {
  /** Converts a schema for use in the document. */
  convert(value: Json | undefined, pointer: string): Json;
  /** Converts a schema to a type: a name, a one-line type if it is equivalent, else the full schema. */
  typeOf(value: Json | undefined, pointer: string): FieldType;
  /** Adds a schema below `schemas:` and returns its name. */
  named(value: Json, pointer: string, wanted: string): string;
  /** Follows the references of a value; undefined for a missing target or a cycle. */
  resolve(value: Json | undefined, pointer: string): Found | undefined;
  /** Returns all named schemas, in order of first use. */
  all(): Readonly<Record<string, Json>>;
}

export interface Found {
  readonly value: JsonObject;
  readonly pointer: string;
}

type Mutable = Record<string, Json>;

/**
 * The deepest nesting of a schema inside another one; deeper ones become named schemas. The YAML reader allows a depth of 64.
 */
const deepest = 12;
/** The most keywords of a schema inside another one; larger ones become named schemas. A whole schema may have 10,000. */
const largest = 800;

/** `repeated`: schemas that become named ones, wherever they are. */
export function createSchemas(
  root: JsonObject,
  dialect: Dialect,
  notices: ImportNotices,
  repeated: RepeatedSchemas = new Map(),
): Schemas {
  /** The name of each named schema, by its pointer. */
  const names = new Map<string, string>();
  const definitions: Record<string, Json> = {};
  const finished = new Map<string, Json>();
  /** The pointers of references whose other members are reported. */
  const reported = new Set<string>();
  const waiting: { readonly name: string; readonly value: Json; readonly pointer: string }[] = [];

  const named = (value: Json, pointer: string, wanted: string): string => {
    const known = names.get(pointer);
    if (known !== undefined) return known;
    const name = free(typeName(wanted));
    names.set(pointer, name);
    waiting.push({ name, value, pointer });
    return name;
  };
  const nameAt = (pointer: string, value: Json, wanted?: string): string => {
    const keys = keysOf(pointer);
    if (!isComponent(keys)) return named(value, pointer, wanted ?? keys.slice(-3).join(" "));
    const written = keys.at(-1) ?? "";
    const isNew = !names.has(pointer);
    const name = named(value, pointer, written);
    if (isNew && name !== written)
      notices.renamed(pointer, "a schema by a name that a document cannot have", `${written} is ${name}`);
    return name;
  };
  const free = (wanted: string): string => {
    let name = wanted;
    for (let count = 2; Object.hasOwn(definitions, name); count++)
      name = `${wanted}${/\d$/.test(wanted) ? "x" : ""}${count}`;
    definitions[name] = true;
    return name;
  };
  const finish = (): void => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { name, pointer, value } = next;
      const isAlias = !isObject(value) || typeof value["$ref"] === "string";
      finished.set(name, sound(isAlias ? converted(value, pointer, 0) : keywordsOf(value, pointer, 0), pointer));
    }
  };

  const converted = (value: Json | undefined, pointer: string, depth: number): Json => {
    if (typeof value === "boolean") return value;
    if (!isObject(value)) {
      if (value !== undefined && value !== null) notices.lost(pointer, "a schema that is none");
      return {};
    }
    const reference = value["$ref"];
    if (typeof reference === "string") return referring(value, reference, pointer, depth);
    const shared = repeated.get(value);
    if (shared !== undefined) return { $ref: `#/schemas/${nameAt(shared.pointer, shared.value, shared.name)}` };
    if (depth >= deepest && Object.keys(value).length > 1) return { $ref: `#/schemas/${nameAt(pointer, value)}` };
    return keywordsOf(value, pointer, depth);
  };

  const referring = (value: JsonObject, reference: string, pointer: string, depth: number): Json => {
    const { $ref: _, ...rest } = value;
    const found = targetOf(reference);
    const target: JsonObject = found === undefined ? {} : { $ref: `#/schemas/${nameAt(found.pointer, found.value)}` };
    if (found === undefined) lostReference(pointer, reference);
    if (dialect === "3.1") return { ...(keywordsOf(rest, pointer, depth) as JsonObject), ...target };
    const { description } = rest;
    const ignored = Object.keys(rest).filter((key) => key !== "description");
    if (ignored.length > 0)
      notices.lost(pointer, "what stands beside a reference, where the standard ignores it", ignored.join(", "));
    return typeof description === "string" ? { ...target, description } : target;
  };

  const lostReference = (pointer: string, reference: string): void => {
    const inside = reference.startsWith("#");
    const what = inside ? "a reference that leads nowhere" : "a reference to another file, which is not read";
    notices.lost(pointer, what, reference);
  };

  const targetOf = (reference: string): { readonly value: Json; readonly pointer: string } | undefined => {
    const pointer = localPointer(reference);
    const value = pointer === undefined ? undefined : valueAt(root, pointer);
    return pointer === undefined || value === undefined ? undefined : { value, pointer };
  };

  const keywordsOf = (value: JsonObject, pointer: string, depth: number): JsonObject => {
    const result: Mutable = {};
    for (const [keyword, operand] of Object.entries(value))
      keywordOf(result, keyword, operand, below(pointer, keyword), depth);
    afterwards(result, value, pointer);
    return result;
  };

  const inner = (value: Json, pointer: string, depth: number): Json => {
    const schema = converted(value, pointer, depth + 1);
    if (!isObject(schema) || size(schema) <= largest) return schema;
    const name = free(typeName(keysOf(pointer).slice(-3).join(" ")));
    finished.set(name, sound(schema, pointer));
    return { $ref: `#/schemas/${name}` };
  };

  const keywordOf = (result: Mutable, keyword: string, operand: Json, pointer: string, depth: number): void => {
    const lost = (what: string): void => notices.lost(pointer, what);
    switch (keyword) {
      case "properties":
      case "patternProperties":
      case "dependentSchemas":
        if (!isObject(operand)) return lost(`\`${keyword}\` that is no map`);
        result[keyword] = Object.fromEntries(
          Object.entries(operand).map(([name, schema]) => [name, inner(schema, below(pointer, name), depth)]),
        );
        return;
      case "allOf":
      case "anyOf":
      case "oneOf":
      case "prefixItems":
        if (!Array.isArray(operand) || operand.length === 0) return lost(`\`${keyword}\` that is no list of schemas`);
        result[keyword] = (operand as readonly Json[]).map((schema, index) =>
          inner(schema, below(pointer, index), depth),
        );
        return;
      case "items":
        if (Array.isArray(operand)) {
          if (operand.length > 0)
            result["prefixItems"] = (operand as readonly Json[]).map((one, index) =>
              inner(one, below(pointer, index), depth),
            );
          return;
        }
        result[keyword] = inner(operand, pointer, depth);
        return;
      case "additionalProperties":
      case "not":
      case "if":
      case "then":
      case "else":
      case "contains":
      case "propertyNames":
      case "unevaluatedItems":
      case "unevaluatedProperties":
      case "contentSchema":
        result[keyword] = inner(operand, pointer, depth);
        return;
      case "$schema":
        return lost("the dialect of a schema");
      case "$id":
      case "$anchor":
      case "$comment":
        return lost(`\`${keyword}\` of a schema`);
      case "$defs":
      case "definitions":
        for (const [name] of entriesOf(operand))
          if (!referencesIn(root).has(below(pointer, name)))
            notices.lost(below(pointer, name), "a component that nothing refers to");
        return;
      case "nullable":
        return;
      case "exclusiveMinimum":
      case "exclusiveMaximum":
        if (typeof operand === "number") result[keyword] = operand;
        return;
      case "example":
        result["examples"] = [operand];
        return;
      case "examples":
        if (Array.isArray(operand)) result[keyword] = operand;
        else lost("examples that are no list");
        return;
      case "type":
        return typeKeyword(result, operand, pointer);
      case "format":
        if (typeof operand !== "string") return lost("a format that is no text");
        result[heldFormats.has(operand) ? "format" : "x-format"] = operand;
        return;
      case "required":
        if (Array.isArray(operand) && operand.every((one) => typeof one === "string"))
          result[keyword] = [...new Set(operand)];
        else lost("`required` that is no list of names");
        return;
      case "discriminator":
        if (isObject(operand) && typeof operand["propertyName"] === "string")
          result["x-discriminator"] = withMapping(operand, pointer);
        else if (typeof operand === "string") result["x-discriminator"] = { propertyName: operand };
        else lost("a discriminator without the name of a member");
        return;
      case "externalDocs":
      case "xml":
        result[keyword === "xml" ? "x-xml" : "x-external-docs"] = operand;
        return;
      default:
        if (schemaKeywords.has(keyword) || (keyword.startsWith("x-") && !reservedExtensions.has(keyword)))
          result[keyword] = operand;
        else lost(`\`${keyword}\`, which is no keyword of JSON Schema`);
    }
  };

  /** Returns a discriminator with the names of schemas in the document. */
  const withMapping = (discriminator: JsonObject, pointer: string): JsonObject => {
    const { mapping } = discriminator;
    if (!isObject(mapping)) return discriminator;
    const targets = Object.entries(mapping).flatMap(([value, written]): [string, Json][] => {
      const reference = textOf(written);
      const found = targetOf(reference) ?? targetOf(below("#/components/schemas", reference));
      if (found === undefined)
        notices.lost(below(pointer, "mapping", value), "a reference that leads nowhere", reference);
      return found === undefined ? [] : [[value, `#/schemas/${nameAt(found.pointer, found.value)}`]];
    });
    return { ...discriminator, mapping: Object.fromEntries(targets) };
  };

  const typeKeyword = (result: Mutable, operand: Json, pointer: string): void => {
    if (operand === "file") {
      result["type"] = "string";
      result["x-format"] = "binary";
      return;
    }
    const list: readonly Json[] = Array.isArray(operand) ? (operand as readonly Json[]) : [operand];
    const known = [...new Set(list)].filter((one) => typeof one === "string" && jsonTypes.has(one));
    if (known.length < list.length) notices.lost(pointer, "a type that JSON does not have", JSON.stringify(operand));
    const [first] = known;
    if (first !== undefined) result["type"] = Array.isArray(operand) ? known : first;
  };

  /** Converts combinations of keywords of older dialects. */
  const afterwards = (result: Mutable, value: JsonObject, pointer: string): void => {
    for (const [bound, exclusive] of exclusives) {
      if (value[exclusive] !== true) continue;
      if (typeof result[bound] === "number") result[exclusive] = result[bound];
      delete result[bound];
    }
    if (value["nullable"] !== true) return;
    const { type } = result;
    if (typeof type === "string") {
      result["type"] = type === "null" ? type : [type, "null"];
      const values = result["enum"];
      if (Array.isArray(values) && !values.includes(null)) result["enum"] = [...(values as readonly Json[]), null];
    } else if (["allOf", "anyOf", "oneOf"].some((keyword) => result[keyword] !== undefined)) {
      // Without a `type`, the standard ignores `nullable`, but authors mean that null is allowed.
      notices.guessed(pointer, "`nullable` without a type is taken to mean that null is a value");
      const all = { ...result };
      for (const key of Object.keys(result)) if (key !== "description" && key !== "title") delete result[key];
      for (const key of ["description", "title"]) delete all[key];
      result["anyOf"] = [all, { type: "null" }];
    }
  };

  /** Removes what the language does not allow in a schema. */
  const sound = (schema: Json, pointer: string): Json => {
    for (let round = 0; round < 8; round++) {
      const errors = schemaErrors(schema, definitions);
      if (errors.length === 0) return schema;
      for (const { at, message } of errors) {
        if (at.length === 0) break;
        dropped(schema, at);
        notices.lost(
          below(pointer, ...at),
          `a part of a schema that cannot be enforced: it ${message.replace(/`[^`]*`/g, "…")}`,
        );
      }
      if (errors.some(({ at }) => at.length === 0)) break;
    }
    const [error] = schemaErrors(schema, definitions);
    if (error === undefined) return schema;
    notices.lost(pointer, `a schema that cannot be enforced: it ${error.message}`);
    return {};
  };

  /** Returns the target of a reference with the texts beside the reference, which OpenAPI 3.1 allows, and reports other members. */
  const withOwnTexts = ({ $ref: _, ...others }: JsonObject, target: Json, pointer: string): Json => {
    // A description in place of a callback would be an address.
    const [kind] = keysOf(pointer).slice(-2);
    const allowed =
      dialect === "3.1" && kind !== "callbacks" ? ["description", ...(kind === "examples" ? ["summary"] : [])] : [];
    const texts = Object.entries(others).filter(([key, text]) => allowed.includes(key) && typeof text === "string");
    const ignored = Object.keys(others).filter((key) => !texts.some(([name]) => name === key));
    if (ignored.length > 0 && !reported.has(pointer))
      notices.lost(pointer, "what stands beside a reference, where the standard ignores it", ignored.join(", "));
    reported.add(pointer);
    return isObject(target) && texts.length > 0 ? { ...target, ...Object.fromEntries(texts) } : target;
  };

  const convert = (value: Json | undefined, pointer: string): Json => sound(converted(value, pointer, 0), pointer);
  const resolve = (value: Json | undefined, pointer: string): Found | undefined => {
    let found = { value, pointer };
    for (let hops = 0; hops < 100; hops++) {
      if (!isObject(found.value)) return undefined;
      const reference = found.value["$ref"];
      if (typeof reference !== "string") return { value: found.value, pointer: found.pointer };
      const target = targetOf(reference);
      if (target === undefined) {
        lostReference(found.pointer, reference);
        return undefined;
      }
      found = { value: withOwnTexts(found.value, target.value, found.pointer), pointer: target.pointer };
    }
    notices.lost(pointer, "a reference that leads back to itself");
    return undefined;
  };
  return {
    convert,
    resolve,
    typeOf(value, pointer) {
      const schema = convert(value, pointer);
      return shorthandOf(schema) ?? { kind: "schema", schema };
    },
    named,
    all() {
      for (const [pointer, value] of components(root)) nameAt(pointer, value);
      finish();
      return withoutCircles(
        Object.fromEntries([...finished].filter(([, schema]) => schema !== undefined)),
        names,
        notices,
      );
    },
  };
}

/** Whether the pointer is directly below a list of named schemas, such as `/components/schemas`. */
function isComponent(keys: readonly string[]): boolean {
  return (
    (keys.length === 3 && keys[0] === "components" && keys[1] === "schemas") ||
    (keys.length === 2 && keys[0] === "definitions")
  );
}

function components(root: Json): readonly (readonly [pointer: string, value: Json])[] {
  return ["/components/schemas", "/definitions"].flatMap((at) => {
    const found = valueAt(root, at);
    return isObject(found) ? Object.entries(found).map(([name, value]) => [below(at, name), value] as const) : [];
  });
}

/** Returns a valid type name: letters and digits, with a capital first. A valid name stays. */
function typeName(written: string): string {
  if (/^[A-Z][A-Za-z0-9]*$/.test(written)) return written;
  const ascii = written.normalize("NFKD").replaceAll(/[\u0080-\uffff]/g, "");
  const name = /^[A-Za-z][A-Za-z0-9]*$/.test(ascii)
    ? ascii.charAt(0).toUpperCase() + ascii.slice(1)
    : pascalCase(ascii);
  return /^[A-Z]/.test(name) ? name : `Schema${name}`;
}

/** Returns the pointers to which a description refers. */
export const referencesIn: (root: JsonObject) => ReadonlySet<string> = onceFor((root) => {
  const found = JSON.stringify(root).matchAll(/"\$ref":"#((?:[^"\\]|\\.)*)"/g);
  return new Set(found.map(([, pointer = ""]) => pointer));
});

export function localPointer(reference: string): string | undefined {
  if (reference === "#") return "";
  if (!reference.startsWith("#/")) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return reference.slice(1);
  }
}

export function valueAt(root: Json, pointer: string): Json | undefined {
  return keysOf(pointer).reduce<Json | undefined>((value, key) => {
    if (typeof value !== "object" || value === null) return undefined;
    return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
  }, root);
}

const jsonTypes: ReadonlySet<string> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** Formats with the same meaning in Nonet. */
const heldFormats: ReadonlySet<string> = new Set([
  "date-time",
  "date",
  "email",
  "uuid",
  "hostname",
  "ipv4",
  "ipv6",
  "byte",
]);

/** Names of Nonet's own keywords for bounds; an extension of a source with the same name has another meaning. */
const reservedExtensions: ReadonlySet<string> = new Set([
  "x-minimum", "x-maximum", "x-min-bytes", "x-max-bytes", "x-minor-units",
]); // biome-ignore format: a table

const exclusives = [
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
] as const;

function size(value: Json): number {
  if (typeof value !== "object" || value === null) return 0;
  const parts = Array.isArray(value) ? (value as readonly Json[]) : Object.values(value);
  return parts.length + parts.reduce<number>((sum, part) => sum + size(part), 0);
}

/** Removes the value at the path `keys`. */
function dropped(schema: Json, keys: readonly string[]): void {
  let value: Json | undefined = schema;
  for (const key of keys.slice(0, -1))
    value = typeof value === "object" && value !== null ? (value as JsonObject)[key] : undefined;
  const last = keys.at(-1) ?? "";
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    // A removed list item becomes an empty schema, so that the indexes of the other items stay.
    (value as Json[])[Number(last)] = {};
  } else {
    const object = value as Mutable;
    if (last === "pattern" && typeof object[last] === "string") object["x-pattern"] = object[last];
    delete object[last];
  }
}

/**
 * Breaks each cycle of references without a member or item in between, by removing one reference: such a schema restricts
 * nothing, and a validator would not terminate.
 */
function withoutCircles(
  schemas: Readonly<Record<string, Json>>,
  names: ReadonlyMap<string, string>,
  notices: ImportNotices,
): Readonly<Record<string, Json>> {
  const done = new Set<string>();
  const pointers = new Map([...names].map(([pointer, name]) => [name, pointer]));
  const visit = (name: string, around: readonly string[]): void => {
    if (done.has(name)) return;
    cut(schemas[name] ?? true, [...around, name]);
    done.add(name);
  };
  const cut = (schema: Json, around: readonly string[]): void => {
    if (!isObject(schema)) return;
    const reference = schema["$ref"];
    const target = typeof reference === "string" ? reference.slice("#/schemas/".length) : undefined;
    if (target !== undefined && around.includes(target)) {
      delete (schema as Mutable)["$ref"];
      notices.lost(pointers.get(target) ?? "", "a schema that is itself, without a member or an item between", target);
    } else if (target !== undefined) visit(target, around);
    for (const keyword of applicators) {
      const parts = schema[keyword];
      for (const part of Array.isArray(parts) ? (parts as readonly Json[]) : parts === undefined ? [] : [parts])
        cut(part, around);
    }
  };
  for (const name of Object.keys(schemas)) visit(name, []);
  return schemas;
}

const applicators = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"] as const;
