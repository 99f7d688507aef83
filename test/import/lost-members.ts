/**
 * Finds the members of a description in OpenAPI 3 that the description exported after its import lacks, and that no line of
 * the import's report names. A walk over both, which knows only what OpenAPI itself says twice: references, defaults, the
 * keywords of 3.0.
 */
import { isDeepStrictEqual } from "node:util";
import { isObject, type Json, type JsonObject } from "../../src/base/json.ts";
import type { ImportNotice } from "../../src/import/report.ts";
import { below, entriesOf, itemsOf, textOf } from "../../src/import/report.ts";
import { localPointer, valueAt } from "../../src/import/schemas.ts";

/** Returns the JSON pointers of the lost members. */
export function silentlyLost(
  source: JsonObject,
  exported: JsonObject,
  notes: readonly ImportNotice[],
): readonly string[] {
  // Of an event the report names what no description has; the other kinds of lines are about members that are given back.
  const losses = notes.filter(
    ({ kind, what }) => kind === "renamed" || (kind === "lost" && !what.startsWith("what makes")),
  );
  const reported = new Set(losses.map(({ pointer }) => pointer));
  const lost: string[] = [];
  const walk: Walk = {
    source,
    exported,
    pairs: new Set(),
    lose: (...pointers) => {
      if (!pointers.some((pointer) => isNamed(reported, pointer))) lost.push(pointers[0] ?? "");
    },
  };
  rootMembers(walk);
  return lost;
}

/** Whether the report names the member, or a value that contains it. */
function isNamed(reported: ReadonlySet<string>, pointer: string): boolean {
  for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) if (reported.has(at)) return true;
  return false;
}

interface Walk {
  readonly source: JsonObject;
  readonly exported: JsonObject;
  /** The pairs of references that are already compared. */
  readonly pairs: Set<string>;
  /** The member at a pointer, by one or more ways to it. */
  lose(...pointers: readonly string[]): void;
}

interface Found {
  readonly value: Json | undefined;
  readonly pointer: string;
}

/** Follows references; since version 3.1 the members beside a reference replace those of its target. */
function resolved(root: JsonObject, value: Json | undefined, pointer: string): Found {
  let found: Found = { value, pointer };
  for (let hops = 0; hops < 50 && isObject(found.value) && typeof found.value["$ref"] === "string"; hops++) {
    const at = localPointer(found.value["$ref"]);
    if (at === undefined) return found;
    const { $ref: _, ...beside } = found.value;
    const target = valueAt(root, at);
    const isRead = isObject(target) && !textOf(root["openapi"]).startsWith("3.0");
    found = { value: isRead ? { ...target, ...beside } : target, pointer: at };
  }
  return found;
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

// ── The description ────────────────────────────────────────────────────────────────────────────────────────────────

function rootMembers(walk: Walk): void {
  const { source, exported } = walk;
  for (const [key, value] of Object.entries(source)) {
    const at = below("", key);
    if (key === "openapi" || key === "security" || key === "paths" || key === "components") continue;
    if (key === "servers") servers(walk, value, exported["servers"]);
    else if (key === "webhooks" || key === "x-webhooks") items(walk, value, exported["webhooks"], at);
    else if (key === "tags") tags(walk, value, exported["tags"]);
    else plain(walk, value, exported[key], at);
  }
  items(walk, source["paths"], exported["paths"], "/paths", false);
  const [mine, theirs] = [object(source["components"]), object(exported["components"])];
  for (const [name, one] of entriesOf(mine["schemas"]))
    schemas(walk, one, object(theirs["schemas"])[name], below("/components/schemas", name));
  for (const [name, one] of entriesOf(mine["securitySchemes"])) {
    const at = below("/components/securitySchemes", name);
    const found = resolved(source, one, at);
    plain(walk, found.value, object(theirs["securitySchemes"])[name], found.pointer);
  }
}

function servers(walk: Walk, mine: Json, theirs: Json | undefined): void {
  const others = itemsOf(theirs);
  for (const [index, one] of itemsOf(mine).entries()) {
    const url = textOf(object(one)["url"]);
    // An address without a host is resolved against that of the service, an ending slash says nothing.
    const isRelative = index === 0 && !/^https?:/.test(url);
    const other = object(others[index]);
    if (!isRelative && textOf(other["url"]).replace(/\/$/, "") !== url.replace(/\/$/, ""))
      walk.lose(below("/servers", index, "url"));
    const { url: _, ...rest } = object(one);
    plain(walk, rest, other, below("/servers", index));
  }
}

function tags(walk: Walk, mine: Json, theirs: Json | undefined): void {
  for (const [index, one] of itemsOf(mine).entries()) {
    const other = itemsOf(theirs).find((tag) => object(tag)["name"] === object(one)["name"]);
    plain(walk, one, other, below("/tags", index));
  }
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Path items by path, or by name of a webhook. */
function items(walk: Walk, mine: Json | undefined, theirs: Json | undefined, at: string, isEvent = true): void {
  const shape = (path: string): string => path.replaceAll(/\{[^{}]*\}/g, "{}");
  // The operations of one path may name its parameters differently, and are then at several paths.
  const others = new Map<string, JsonObject>();
  for (const [path, item] of entriesOf(theirs))
    others.set(shape(path), { ...others.get(shape(path)), ...object(item) });
  for (const [path, item] of entriesOf(mine)) {
    const pointer = below(at, path);
    if (path.startsWith("x-")) walk.lose(pointer);
    else pathItem(walk, item, others.get(shape(path)), pointer, isEvent);
  }
}

function pathItem(walk: Walk, mine: Json, theirs: Json | undefined, at: string, isEvent: boolean): void {
  const { value, pointer } = resolved(walk.source, mine, at);
  for (const [key, one] of entriesOf(value)) {
    const here = below(pointer, key);
    if (key === "parameters" || key === "servers") continue;
    const other = object(theirs)[key];
    if (methods.includes(key)) {
      if (!isObject(other)) {
        walk.lose(here);
        continue;
      }
      operation(walk, object(value), object(one), other, here);
      if (!isEvent) security(walk, object(one), other, here);
      else if (object(one)["security"] !== undefined) walk.lose(below(here, "security"));
    } else plain(walk, one, other, here);
  }
}

function operation(walk: Walk, item: JsonObject, mine: JsonObject, theirs: JsonObject, at: string): void {
  for (const [key, one] of Object.entries(mine)) {
    const here = below(at, key);
    switch (key) {
      case "parameters":
      case "security":
        break;
      case "requestBody":
        content(walk, one, theirs[key], here);
        break;
      case "responses":
        for (const [status, response] of entriesOf(one)) {
          const written = /^\dxx$/i.test(status) ? status.toUpperCase() : status;
          content(walk, response, object(theirs[key])[written], below(here, status));
        }
        break;
      case "callbacks":
        for (const [name, callback] of entriesOf(one)) {
          const found = resolved(walk.source, callback, below(here, name));
          items(walk, found.value, object(theirs[key])[name], found.pointer);
        }
        break;
      case "description":
        // Without a summary, its first line is the sentence of the operation, which may be all of it.
        if (textOf(theirs["summary"]).trim() !== textOf(one).trim()) plain(walk, one, theirs[key], here);
        break;
      default:
        plain(walk, one, theirs[key], here);
    }
  }
  if (item["servers"] !== undefined && mine["servers"] === undefined)
    plain(walk, item["servers"], theirs["servers"], below(at, "servers"));
  parameters(walk, item, mine, theirs, at);
}

/** The requirements are alternatives, without an order; none at all, or an empty one, lets anyone in. */
function security(walk: Walk, mine: JsonObject, theirs: JsonObject, at: string): void {
  const textOfOne = (one: Json): string => {
    const schemes = entriesOf(one).map(
      ([name, scopes]) => `${name} ${itemsOf(scopes).map(textOf).toSorted(byText).join(" ")}`,
    );
    return JSON.stringify(schemes.toSorted(byText));
  };
  const others = new Set(itemsOf(theirs["security"]).map(textOfOne));
  const holder = mine["security"] === undefined ? "/security" : below(at, "security");
  const needed = itemsOf(mine["security"] ?? walk.source["security"]);
  const isOpen = needed.length === 0 || needed.some((one) => textOfOne(one) === "[]");
  if (isOpen !== (others.size === 0 || others.has("[]"))) walk.lose(holder, below(holder, 0));
  if (isOpen) return;
  for (const [index, one] of needed.entries())
    if (!others.has(textOfOne(one))) walk.lose(below(holder, index), below(at, "security", index));
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function parameters(walk: Walk, item: JsonObject, mine: JsonObject, theirs: JsonObject, at: string): void {
  const itemAt = at.slice(0, at.lastIndexOf("/"));
  const all = new Map<string, Found>();
  for (const [holder, pointer] of [[item, itemAt], [mine, at]] as const)
    for (const [index, one] of itemsOf(holder["parameters"]).entries()) {
      const found = resolved(walk.source, one, below(pointer, "parameters", index));
      all.set(parameterKey(found.value), found);
    } // biome-ignore format: a table
  const others = new Map(
    itemsOf(theirs["parameters"]).map((one) => {
      const { value } = resolved(walk.exported, one, "");
      return [parameterKey(value), value];
    }),
  );
  for (const [key, { value, pointer }] of all) {
    const other = others.get(key);
    if (other === undefined) walk.lose(pointer, at);
    else valued(walk, object(value), object(other), pointer);
  }
}

function parameterKey(parameter: Json | undefined): string {
  const { in: location, name } = object(parameter);
  return `${textOf(location)} ${location === "header" ? textOf(name).toLowerCase() : textOf(name)}`;
}

/** A parameter or header. */
function valued(walk: Walk, mine: JsonObject, theirs: JsonObject, at: string): void {
  const { style, explode, in: location = "header", name: _, ...rest } = mine;
  const usualStyle = location === "query" || location === "cookie" ? "form" : "simple";
  if (style !== undefined && style !== usualStyle && style !== theirs["style"]) walk.lose(below(at, "style"), at);
  if (explode !== undefined && explode !== ((style ?? usualStyle) === "form") && explode !== theirs["explode"])
    walk.lose(below(at, "explode"), at);
  for (const [key, one] of Object.entries(rest)) {
    if (key === "schema") schemas(walk, one, theirs["schema"], below(at, key));
    else if (key === "required" && location === "path") continue;
    else if (key === "examples") examples(walk, one, theirs, below(at, key));
    else plain(walk, one, theirs[key], below(at, key));
  }
}

/** A request body or a response. */
function content(walk: Walk, mine: Json, theirs: Json | undefined, at: string): void {
  const { value, pointer } = resolved(walk.source, mine, at);
  const other = object(resolved(walk.exported, theirs, "").value);
  for (const [key, one] of entriesOf(value)) {
    const here = below(pointer, key);
    if (key === "headers") headers(walk, one, other[key], here);
    else if (key === "content") {
      for (const [media, entry] of entriesOf(one)) {
        const its = object(other["content"])[media];
        if (its === undefined) walk.lose(below(here, media), at);
        else mediaType(walk, entry, object(its), below(here, media));
      }
    } else if (key === "links") {
      for (const [name, link] of entriesOf(one)) {
        const found = resolved(walk.source, link, below(here, name));
        const its = object(object(other[key])[name]);
        const { operationId, ...rest } = object(found.value);
        if (operationId !== undefined && its["operationId"] === undefined) walk.lose(found.pointer);
        plain(walk, rest, its, found.pointer);
      }
    } else if (key === "description" && textOf(one).trim() === "") continue;
    else plain(walk, one, other[key], here);
  }
}

function mediaType(walk: Walk, mine: Json, theirs: JsonObject, at: string): void {
  for (const [key, one] of entriesOf(mine)) {
    const here = below(at, key);
    if (key === "schema") schemas(walk, one, theirs[key], here);
    else if (key === "examples") examples(walk, one, theirs, here);
    else plain(walk, one, theirs[key], here);
  }
}

function examples(walk: Walk, mine: Json, theirs: JsonObject, at: string): void {
  for (const [name, one] of entriesOf(mine)) {
    const found = resolved(walk.source, one, below(at, name));
    const other = resolved(walk.exported, object(theirs["examples"])[name], "");
    plain(walk, found.value, other.value, found.pointer);
  }
}

function headers(walk: Walk, mine: Json, theirs: Json | undefined, at: string): void {
  for (const [name, one] of entriesOf(mine)) {
    // The standard ignores this one.
    if (/^content-type$/i.test(name)) continue;
    const found = resolved(walk.source, one, below(at, name));
    const other = resolved(walk.exported, object(theirs)[name], "");
    if (other.value === undefined) walk.lose(found.pointer, at);
    else valued(walk, object(found.value), object(other.value), found.pointer);
  }
}

// ── Schemas ────────────────────────────────────────────────────────────────────────────────────────────────────────

const maps = new Set(["properties", "patternProperties", "dependentSchemas"]);
const lists = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const single = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems"]); // biome-ignore format: a table

function schemas(walk: Walk, mine: Json, theirs: Json | undefined, at: string): void {
  const key = `${textOf(object(mine)["$ref"])} ${textOf(object(theirs)["$ref"])}`;
  if (key !== " ") {
    if (walk.pairs.has(key)) return;
    walk.pairs.add(key);
  }
  const found = resolved(walk.source, mine, at);
  const other = resolved(walk.exported, theirs, "").value;
  if (!isObject(found.value)) {
    plain(walk, found.value, other, found.pointer);
    return;
  }
  const schema = found.value;
  const its = nullableOf(schema, object(other));
  if (theirs === undefined) {
    walk.lose(found.pointer, at);
    return;
  }
  for (const [keyword, operand] of Object.entries(schema)) keywords(walk, keyword, operand, schema, its, found.pointer);
}

/** `nullable` without a type is `anyOf` with null after the import. */
function nullableOf({ nullable, type }: JsonObject, theirs: JsonObject): JsonObject {
  const { anyOf, ...rest } = theirs;
  const [first, last] = itemsOf(anyOf);
  const isMade = nullable === true && type === undefined && object(last)["type"] === "null";
  return isMade ? { ...rest, ...object(first), nullable: true } : theirs;
}

/** Definitions inside of a schema are found by the references to them. */
const definitions = new Set(["$defs", "definitions"]);

function keywords(walk: Walk, keyword: string, operand: Json, mine: JsonObject, theirs: JsonObject, at: string): void {
  const here = below(at, keyword);
  const other = theirs[keyword];
  if (definitions.has(keyword)) return;
  if (maps.has(keyword))
    for (const [name, one] of entriesOf(operand)) schemas(walk, one, object(other)[name], below(here, name));
  else if (lists.has(keyword))
    for (const [index, one] of itemsOf(operand).entries())
      schemas(walk, one, itemsOf(other)[index], below(here, index));
  else if (single.has(keyword)) {
    if (!Array.isArray(operand)) schemas(walk, operand, other, here);
  } else if (keyword === "nullable") {
    const types = [theirs["type"]].flat();
    const isNull = theirs["nullable"] === true || types.includes(undefined) || types.includes("null");
    if (operand === true && !isNull) walk.lose(here, at);
  } else if (keyword === "type") {
    const missing = [operand].flat().filter((one) => ![theirs["type"]].flat().includes(one as Json));
    if (missing.length > 0) walk.lose(here, at);
  } else if (keyword === "example") {
    if (!itemsOf(theirs["examples"]).some((one) => isDeepStrictEqual(one, operand))) walk.lose(here, at);
  } else if (keyword === "required") {
    if (itemsOf(operand).some((one) => !itemsOf(other).includes(one))) walk.lose(here, at);
  } else if (keyword === "enum") {
    if (itemsOf(operand).some((one) => !itemsOf(other).some((its) => isDeepStrictEqual(its, one)))) walk.lose(here, at);
  } else if (keyword === "minimum" || keyword === "maximum") {
    const exclusive = keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
    if (operand !== (mine[exclusive] === true ? theirs[exclusive] : other)) walk.lose(here, at);
  } else if (keyword === "discriminator") discriminator(walk, object(operand), object(other), here);
  else if (typeof operand !== "boolean" || !keyword.startsWith("exclusive")) plain(walk, operand, other, here);
}

function discriminator(walk: Walk, mine: JsonObject, theirs: JsonObject, at: string): void {
  plain(walk, mine["propertyName"], theirs["propertyName"], below(at, "propertyName"));
  for (const [name, one] of entriesOf(mine["mapping"])) {
    const other = object(theirs["mapping"])[name];
    const last = (value: Json): string => textOf(value).split("/").at(-1) ?? "";
    const here = below(at, "mapping", name);
    if (other === undefined) walk.lose(here, at);
    // The schema may have another name, which the report says.
    else if (last(other) !== last(one)) walk.lose(here, at, localPointer(textOf(one)) ?? at);
  }
}

// ── Values ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A value that the export gives back as it is; a text may have more text after it. `false` says nothing in OpenAPI. */
function plain(walk: Walk, mine: Json | undefined, theirs: Json | undefined, at: string): void {
  if (mine === undefined || mine === false || isDeepStrictEqual(mine, theirs)) return;
  if (typeof mine === "string" && typeof theirs === "string") {
    const words = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
    if (!words(theirs).startsWith(words(mine))) walk.lose(at);
  } else if (isObject(mine) && isObject(theirs))
    for (const [key, one] of Object.entries(mine)) plain(walk, one, theirs[key], below(at, key));
  else if (!(typeof mine === "string" && mine.trim() === "")) walk.lose(at);
}
