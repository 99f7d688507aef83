/**
 * Compares two OpenAPI descriptions: paths and methods, parameters, statuses, media types, header fields, required members. The
 * import compares its source with the export of the imported document; it does not report Nonet's additions.
 */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { below, entriesOf, itemsOf, textOf } from "./report.ts";
import { localPointer, valueAt } from "./schemas.ts";

export interface Mismatch {
  /** A JSON pointer into the source (RFC 6901). */
  readonly pointer: string;
  /** The method and path: `GET /pets/{id}`. */
  readonly operation: string;
  readonly what: string;
}

export function mismatches(source: JsonObject, exported: JsonObject): readonly Mismatch[] {
  const theirs = new Map(operationsOf(exported).map((one) => [one.route, one]));
  const visited = new Set<string>();
  return operationsOf(source).flatMap((one): readonly Mismatch[] => {
    const other = theirs.get(one.route);
    const found = (pointer: string, what: string): Mismatch => ({ pointer, operation: one.written, what });
    if (visited.has(one.route)) return [found(one.pointer, "has the path and method of another operation")];
    visited.add(one.route);
    if (other === undefined) return [found(one.pointer, "is not there")];
    return [
      ...parameterMismatches(one, other, found),
      ...bodyMismatches({ source, exported, pairs: new Set() }, one, other, found),
      ...responseMismatches({ source, exported, pairs: new Set() }, one, other, found),
    ];
  });
}

interface DescribedOperation {
  /** The method and the path without parameter names, which do not affect requests. */
  readonly route: string;
  readonly written: string;
  readonly pointer: string;
  readonly value: JsonObject;
  readonly item: JsonObject;
  readonly root: JsonObject;
}

type Found = (pointer: string, what: string) => Mismatch;

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

function operationsOf(root: JsonObject): readonly DescribedOperation[] {
  const { paths } = root;
  return entriesOf(paths).flatMap(([path, entry]) => {
    const item = resolved(root, entry);
    if (!isObject(item) || path.startsWith("x-")) return [];
    return methods.flatMap((method): readonly DescribedOperation[] => {
      const value = item[method];
      if (!isObject(value)) return [];
      const route = `${method} ${path.replaceAll(/\{[^{}]*\}/g, "{}")}`;
      return [
        {
          route,
          written: `${method.toUpperCase()} ${path}`,
          pointer: below("", "paths", path, method),
          value,
          item,
          root,
        },
      ];
    });
  });
}

// ── Parameters ─────────────────────────────────────────────────────────────────────────────────────────────────────

function parameterMismatches(one: DescribedOperation, other: DescribedOperation, found: Found): readonly Mismatch[] {
  const mine = parametersOf(one);
  const theirs = parametersOf(other);
  return [...mine].flatMap(([name, required]) => {
    const there = theirs.get(name);
    if (there === undefined) return [found(below(one.pointer, "parameters"), `lacks the ${name}`)];
    return there === required
      ? []
      : [found(below(one.pointer, "parameters"), `has the ${name} ${there ? "required" : "optional"}`)];
  });
}

const ignored: ReadonlySet<string> = new Set(["header accept", "header content-type", "header authorization"]);

/**
 * Returns whether each parameter is required, by location and name. Path parameters are omitted, since they are compared as
 * part of the path.
 */
function parametersOf(operation: DescribedOperation): ReadonlyMap<string, boolean> {
  return new Map(
    parameterList(operation).flatMap(({ in: location, name, required }): readonly (readonly [string, boolean])[] => {
      if (location !== "query" && location !== "header" && location !== "cookie") return [];
      const key = `${location} ${location === "header" ? textOf(name).toLowerCase() : textOf(name)}`;
      return ignored.has(key) ? [] : [[key, required === true]];
    }),
  );
}

function parameterList({ root, item, value }: DescribedOperation): readonly JsonObject[] {
  const lists = [item["parameters"], value["parameters"]].map(itemsOf);
  return lists
    .flat()
    .map((entry) => resolved(root, entry))
    .filter(isObject);
}

// ── Bodies and answers ─────────────────────────────────────────────────────────────────────────────────────────────

interface Both {
  readonly source: JsonObject;
  readonly exported: JsonObject;
  /** Pairs of references that are already compared. */
  readonly pairs: Set<string>;
}

function bodyMismatches(
  both: Both,
  one: DescribedOperation,
  other: DescribedOperation,
  found: Found,
): readonly Mismatch[] {
  const mine = bodyOf(one);
  const theirs = bodyOf(other);
  const at = below(one.pointer, "requestBody");
  if (mine === undefined || theirs === undefined)
    return mine === theirs ? [] : [found(at, mine === undefined ? "takes a body" : "takes no body")];
  if (mine.required !== theirs.required)
    return [found(at, `has a body that is ${theirs.required ? "required" : "optional"}`)];
  return requiredMismatches(both, mine.schema, theirs.schema, "the body").map((what) => found(at, what));
}

function bodyOf(
  operation: DescribedOperation,
): { readonly required: boolean; readonly schema: Json | undefined } | undefined {
  const body = resolved(operation.root, operation.value["requestBody"]);
  if (isObject(body)) return { required: body["required"] === true, schema: mainSchema(body["content"]) };
  const parameters = parameterList(operation);
  const bodyParameter = parameters.findLast((parameter) => parameter["in"] === "body");
  if (bodyParameter !== undefined)
    return { required: bodyParameter["required"] === true, schema: bodyParameter["schema"] };
  const form = parameters.filter((parameter) => parameter["in"] === "formData");
  if (form.length === 0) return undefined;
  const needed = form
    .filter((parameter) => parameter["required"] === true)
    .map((parameter) => textOf(parameter["name"]));
  return { required: needed.length > 0, schema: { type: "object", required: [...new Set(needed)] } };
}

function responseMismatches(
  both: Both,
  one: DescribedOperation,
  other: DescribedOperation,
  found: Found,
): readonly Mismatch[] {
  const mine = responsesOf(one);
  const theirs = responsesOf(other);
  const lacking = [...mine.keys()].filter((status) => !theirs.has(status));
  const added = [...theirs.keys()].filter((status) => !mine.has(status));
  const at = below(one.pointer, "responses");
  return [
    ...lacking.map((status) => found(at, `does not answer ${status}`)),
    ...added.map((status) => found(at, `answers ${status}, too`)),
    ...[...mine].flatMap(([status, response]) => {
      const its = theirs.get(status);
      if (its === undefined) return [];
      const without = [...response.headers].filter(([key]) => !its.headers.has(key));
      const media = response.media.filter((name) => !its.media.includes(name));
      return [
        ...without.map(([, name]) => `answers ${status} without the header ${name}`),
        ...media.map((name) => `does not answer ${status} as ${name}`),
        ...(response.hasExample && !its.hasExample ? [`lacks the example of the answer ${status}`] : []),
        ...requiredMismatches(both, response.schema, its.schema, `the answer ${status}`),
      ].map((what) => found(below(at, status), what));
    }),
  ];
}

interface DescribedResponse {
  readonly schema: Json | undefined;
  readonly media: readonly string[];
  readonly hasExample: boolean;
  /** The header fields by their names in lower case, also those of every response. */
  readonly headers: ReadonlyMap<string, string>;
}

/** Returns the responses by status. */
function responsesOf({ root, value }: DescribedOperation): ReadonlyMap<string, DescribedResponse> {
  const { responses } = value;
  const always = itemsOf(root["x-every-response"]).map(textOf);
  const produced = itemsOf(value["produces"] ?? root["produces"]).map(textOf);
  return new Map(
    entriesOf(responses).flatMap(([status, entry]) => {
      if (status.startsWith("x-")) return [];
      const response = resolved(root, entry);
      const { schema, content, headers } = isObject(response) ? response : {};
      const names = [...entriesOf(headers).map(([name]) => name), ...always];
      const described: DescribedResponse = {
        schema: schema ?? mainSchema(content),
        media: schema === undefined ? entriesOf(content).map(([media]) => media) : produced,
        hasExample: entriesOf(content).some(([, one]) => isObject(one) && ("example" in one || "examples" in one)),
        headers: new Map(names.map((name) => [name.toLowerCase(), name])),
      };
      return [[/^\dxx$/i.test(status) ? status.toUpperCase() : status, described] as const];
    }),
  );
}

/** Selects the schema as the import does: JSON before other media types, else the first. */
function mainSchema(content: Json | undefined): Json | undefined {
  const entries = entriesOf(content).filter(([media]) => media.includes("/"));
  const [, entry] =
    entries.find(([media]) => /^application\/json\b/.test(media)) ??
    entries.find(([media]) => /json/.test(media)) ??
    entries[0] ??
    [];
  return isObject(entry) ? entry["schema"] : undefined;
}

const inside = ["items", "additionalProperties"] as const;
const alternatives = ["allOf", "anyOf", "oneOf"] as const;

/** Reports differences in `required` at any depth. A schema that only one description has is not reported. */
function requiredMismatches(
  both: Both,
  one: Json | undefined,
  other: Json | undefined,
  where: string,
  depth = 0,
): readonly string[] {
  if (depth > 60) return [];
  const key = referenceKey(one, other);
  if (key !== undefined) {
    if (both.pairs.has(key)) return [];
    both.pairs.add(key);
  }
  const mine = resolved(both.source, one);
  const theirs = withoutNull(both.exported, mine, resolved(both.exported, other));
  if (!isObject(mine) || !isObject(theirs)) return [];
  const deeper = (a: Json | undefined, b: Json | undefined, step: string) =>
    requiredMismatches(both, a, b, `${where}${step}`, depth + 1);
  const [needed, declaredRequired] = [requiredOf(mine), requiredOf(theirs)];
  const different =
    needed === declaredRequired
      ? []
      : [
          `requires ${declaredRequired === "" ? "nothing" : declaredRequired} of ${where}, not ${needed === "" ? "nothing" : needed}`,
        ];
  const properties = isObject(mine["properties"]) ? mine["properties"] : {};
  const others = isObject(theirs["properties"]) ? theirs["properties"] : {};
  const removed = Object.keys(properties).filter((name) => !Object.hasOwn(others, name));
  return [
    ...different,
    ...removed.map((name) => `lacks ${name} of ${where}`),
    ...Object.entries(properties).flatMap(([name, schema]) =>
      Object.hasOwn(others, name) ? deeper(schema, others[name], `/${name}`) : [],
    ),
    ...inside.flatMap((keyword) => deeper(mine[keyword], theirs[keyword], "/*")),
    ...alternatives.flatMap((keyword) => {
      const [some, more] = [mine[keyword], theirs[keyword]];
      if (!Array.isArray(some) || !Array.isArray(more)) return [];
      return (some as readonly Json[]).flatMap((schema, index) =>
        deeper(schema, (more as readonly Json[])[index], `/${keyword} ${index}`),
      );
    }),
  ];
}

/** Undoes a conversion of the import: `nullable` without a type becomes `anyOf` with null. Returns the other alternative. */
function withoutNull(root: JsonObject, mine: Json | undefined, theirs: Json | undefined): Json | undefined {
  if (!isObject(mine) || mine["nullable"] !== true || mine["type"] !== undefined || !isObject(theirs)) return theirs;
  const list = theirs["anyOf"];
  return Array.isArray(list) && isObject(list[1]) && list[1]["type"] === "null" ? resolved(root, list[0]) : theirs;
}

function requiredOf({ required }: JsonObject): string {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return [...new Set(names)].toSorted().join(", ");
}

function referenceKey(one: Json | undefined, other: Json | undefined): string | undefined {
  const [a, b] = [one, other].map((schema) =>
    isObject(schema) && typeof schema["$ref"] === "string" ? schema["$ref"] : undefined,
  );
  return a === undefined && b === undefined ? undefined : `${a ?? ""} ${b ?? ""}`;
}

/** Follows references; siblings of a `$ref` are not compared. */
function resolved(root: JsonObject, value: Json | undefined): Json | undefined {
  let found = value;
  for (let hops = 0; hops < 100; hops++) {
    if (!isObject(found) || typeof found["$ref"] !== "string") return found;
    const pointer = localPointer(found["$ref"]);
    found = pointer === undefined ? undefined : valueAt(root, pointer);
  }
  return undefined;
}
