/** Generates the methods of a client: arguments and their order, result, and the row in the table of operations. */
import { uniqueName } from "../../base/case.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { isJson } from "../../language/endpoints/wire-media.ts";
import type { PageShape } from "../../plan/endpoints/types.ts";
import { componentOf, type DescribedBody, type DescribedOperation, type Parameter } from "../described.ts";
import type { Exported } from "./client.ts";
import { methodName, typeName } from "./names.ts";
import { comment, commentOf, memberName, union } from "./types.ts";

export interface Method {
  readonly name: string;
  readonly operation: DescribedOperation;
  /** The signature of the method in the client's interface, with its doc comment. */
  readonly signature: string;
  /** Types that the method needs besides those of components. */
  readonly types: readonly string[];
  /** The row in the table of operations. */
  readonly row: JsonObject;
  /** The result type, which waits for a state also use. */
  readonly resultType: string;
  /** The parameters for the path: `id: string` for each path parameter. */
  readonly keys: readonly string[];
}

/**
 * Names that a method cannot have: a method `then` would make the client a promise, and every object already has the others.
 */
const reserved = ["then", "constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"];

export function methodsOf(exported: Exported): readonly Method[] {
  const usedNames = new Set(reserved);
  return exported.described.operations.flatMap((operation) => {
    const name = uniqueName(usedNames, methodName(operation.name));
    if (!operation.successes.some(({ stream }) => stream)) return [methodOf(exported, operation, name)];
    return [
      followingMethod(exported, operation, name),
      methodOf(exported, operation, uniqueName(usedNames, pagesName(name))),
    ];
  });
}

/**
 * Returns the name of the second method of a `follow…` operation, which lists past events: `followEvents` and `listEvents`.
 */
function pagesName(name: string): string {
  return name.startsWith("follow") ? `list${name.slice("follow".length)}` : `${name}Pages`;
}

function methodOf(exported: Exported, operation: DescribedOperation, name: string): Method {
  const { type } = exported;
  const { successes, body } = operation;
  const query = queryType(exported, operation, name);
  const keys = pathKeys(exported, operation);
  const requestType =
    body !== undefined && acceptsAnything(resolved(exported.described.schemas, body.schema)) ? body : undefined;
  const bytes = returnsBytes(operation);
  const bodies = successes.flatMap(({ schema }) => schema ?? []);
  const responseType = bytes
    ? "Blob"
    : union([...bodies.map((schema) => type(schema)), ...(bodies.length < successes.length ? ["undefined"] : [])]);
  const tagged = bodies.length > 0 && successes.every((one) => one.tagged && one.schema !== undefined);
  const isTagged = tagged || (bytes && operation.contract === undefined);
  const resultType = isTagged ? `Tagged<${responseType}>` : bodies.length === 0 && !bytes ? "void" : responseType;
  const error = `ErrorOf<${JSON.stringify(name)}>`;
  const page = pageOf(exported, operation);
  const before: readonly Argument[] = [
    ...keys.map((text) => ({ text, optional: false })),
    ...(requestType === undefined
      ? []
      : [{ text: `body: ${bodyType(exported, operation, requestType)}`, optional: !requestType.required }]),
    ...(query === undefined ? [] : [{ text: `query: ${query.name}`, optional: !query.required }]),
  ];
  const options = optionsOf(operation);
  const docComment = comment(wordsOf(operation), "  ");
  const line = (last: Argument, result: string): string =>
    `  ${name}(${argumentList([...before, last])}): ${result};\n`;
  const result = page === undefined ? `Call<${resultType}, ${error}>` : `List<${page.item}, ${responseType}, ${error}>`;
  const revalidated = operation.contract === undefined && page === undefined && has(operation, "If-None-Match");
  const unchanged = { text: `options: ${options.type} & { readonly ifNoneMatch: Tag }`, optional: false };
  return {
    name,
    operation,
    types: query?.types ?? [],
    keys,
    resultType,
    signature: `${revalidated ? `${comment(`${wordsOf(operation)}\n\nWith \`ifNoneMatch\` it returns undefined if nothing has changed.`, "  ")}${line(unchanged, `Call<${resultType} | undefined, ${error}>`)}` : docComment}${line({ text: `options: ${options.type}`, optional: options.optional }, result)}`,
    row: {
      method: operation.method,
      path: operation.path,
      ...(requestType === undefined
        ? {}
        : { requestType: acceptsBytes(operation) ? "*/*" : mediaTypeOf(requestType.mediaTypes) }),
      ...(requestType?.form === undefined ? {} : { form: partName(requestType.form) }),
      ...(bytes ? { bytes: true } : {}),
      ...(query === undefined ? {} : { query: true }),
      ...formsIn(operation),
      ...(operation.operation.repeats === undefined ? {} : { key: operation.operation.repeats.header }),
      ...(page === undefined ? {} : { page: page.places }),
      ...eventIn(operation),
    },
  };
}

/** Returns the forms of query parameters that are not the client's usual ones: a list with commas, an object with brackets. */
function formsIn({ parameters }: DescribedOperation): { readonly forms?: Readonly<Record<string, string>> } {
  const forms = parameters.flatMap((parameter): [string, string][] => {
    const form = parameter.in === "query" ? formOf(parameter) : undefined;
    return form === undefined ? [] : [[parameter.name, form]];
  });
  return forms.length === 0 ? {} : { forms: Object.fromEntries(forms) };
}

/** Without a `style`, OpenAPI repeats the name of a list, and makes each member of an object a parameter. */
function formOf({ explode, schema, style = "form" }: DescribedOperation["parameters"][number]): string | undefined {
  if (style === "deepObject") return undefined;
  if (style === "spaceDelimited") return " ";
  if (style === "pipeDelimited") return "|";
  if (explode ?? (mayBe("array", schema) || mayBe("object", schema))) return "repeated";
  return mayBe("object", schema) ? "," : undefined;
}

/** Of a named schema it is not known: to repeat the name changes no single value. */
function mayBe(wanted: "array" | "object", { $ref, type }: JsonObject): boolean {
  return $ref !== undefined || type === wanted || (Array.isArray(type) && type.includes(wanted));
}

/** Returns the event that the request delivers, and the header fields by which the service recognises it. */
function eventIn({ operation: { inbound } }: DescribedOperation): JsonObject {
  if (inbound === undefined) return {};
  const headers = inbound.is.flatMap(({ at, value }) => (at.kind === "header" ? [[at.name, value] as const] : []));
  return { event: inbound.event, ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }) };
}

/** Whether the response is bytes: of a file, or of a contract without JSON; `acceptsBytes` is the same for the request. */
function returnsBytes({ contract, successes, operation: { action, file } }: DescribedOperation): boolean {
  if (contract === true) return successes.some(({ bytes }) => bytes) && successes.every(({ schema }) => !schema);
  return file !== undefined && action === "read";
}

function acceptsBytes({ body, contract, operation: { action, file } }: DescribedOperation): boolean {
  if (contract === true) return body !== undefined && !body.mediaTypes.some(isJson);
  return file !== undefined && action !== "read";
}

/** Returns the type of a body: JSON without files, or a form with files. */
function bodyType({ type }: Exported, operation: DescribedOperation, { schema, form }: DescribedBody): string {
  if (acceptsBytes(operation)) return "Blob";
  return union([type(schema), ...(form === undefined ? [] : [type(form)])]);
}

/** Returns a name for the form part with all other members: a name that no member has. */
function partName({ properties = {} }: JsonObject): string {
  let name = "data";
  while (Object.hasOwn(properties as JsonObject, name)) name = `${name}_`;
  return name;
}

function followingMethod(exported: Exported, operation: DescribedOperation, name: string): Method {
  const { plan, named } = exported;
  const { list, resource } = operation.operation;
  const query = queryType(exported, operation, name, Object.values(list?.names ?? {}));
  const event = named(resource);
  const words = `${operation.summary}\n\nFollows events from now on, or after \`lastEventId\`, reconnecting when needed, until \`signal\` aborts or the loop ends.`;
  const list_ = query === undefined ? "" : `query?: ${query.name}, `;
  return {
    name,
    operation,
    types: query?.types ?? [],
    keys: [],
    resultType: event,
    signature: `${comment(words, "  ")}  ${name}(${list_}options?: FollowOptions): AsyncIterable<${event}>;\n`,
    row: {
      method: operation.method,
      path: operation.path,
      ...(query === undefined ? {} : { query: true }),
      ...formsIn(operation),
      stream: { resume: plan.events.stream?.resume ?? "Last-Event-ID" },
    },
  };
}

// ── Arguments ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface Argument {
  /** The text of the argument: `name: Type`. */
  readonly text: string;
  readonly optional: boolean;
}

/** Returns the argument list. Only trailing optional arguments may be omitted; callers pass undefined for an earlier one. */
function argumentList(all: readonly Argument[]): string {
  const last = all.findLastIndex(({ optional }) => !optional);
  return all
    .map(({ text, optional }, index) => {
      if (!optional) return text;
      return index > last ? text.replace(": ", "?: ") : `${text} | undefined`;
    })
    .join(", ");
}

function pathKeys({ type }: Exported, { path, parameters }: DescribedOperation): readonly string[] {
  const usedNames = new Set(["body", "query", "options"]);
  return [...path.matchAll(/\{(.+?)\}/g)].map(([, name = ""]) => {
    const schema = parameters.find((one) => one.in === "path" && one.name === name)?.schema ?? {};
    let argument = name.replaceAll(/[^\w$]/g, "_").replace(/^(?=[0-9])/, "_");
    while (usedNames.has(argument) || words.has(argument)) argument = `${argument}_`;
    usedNames.add(argument);
    return `${argument}: ${type(schema)}`;
  });
}

const words: ReadonlySet<string> = new Set(
  "break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield await arguments eval".split(
    " ",
  ),
);

function queryType(
  { type, free }: Exported,
  { parameters }: DescribedOperation,
  method: string,
  without: readonly string[] = [],
): { readonly name: string; readonly required: boolean; readonly types: readonly string[] } | undefined {
  // The client sends the version with every request, so it is no argument.
  const usedNames = parameters.filter(({ in: location, name, schema }) => {
    return (
      location === "query" &&
      !without.includes(name) &&
      !(Object.hasOwn(schema, "const") && schema["type"] === "string")
    );
  });
  if (usedNames.length === 0) return undefined;
  const name = free(`${typeName(method)}Query`);
  const members = usedNames.map((parameter) => memberOf(parameter, type(parameter.schema, "  ")));
  return {
    name,
    required: usedNames.some(({ required }) => required === true),
    types: [`export interface ${name} {\n${members.join("")}}\n`],
  };
}

/**
 * Returns a member of the query type. The type includes undefined, so that callers can pass an unset value; the client does
 * not send it.
 */
function memberOf({ name, required, description, deprecated }: Parameter, type: string): string {
  const docComment = commentOf(
    { ...(description === undefined ? {} : { description }), deprecated: deprecated === true },
    "  ",
  );
  return `${docComment}  readonly ${memberName(name)}${required === true ? `: ${type}` : `?: ${type} | undefined`};\n`;
}

function optionsOf({ contract, operation, parameters }: DescribedOperation): {
  readonly type: string;
  readonly optional: boolean;
} {
  if (contract === true) return contractOptions(operation, parameters);
  const match = parameters.find(({ in: location, name }) => location === "header" && name === "If-Match");
  const parts = [
    "CallOptions",
    ...(operation.repeats === undefined ? [] : ["KeyOptions"]),
    ...(match === undefined ? [] : [`{ readonly ifMatch${match.required === true ? "" : "?"}: Tag }`]),
  ];
  return { type: parts.join(" & "), optional: match?.required !== true };
}

/** Returns the options of an operation with a wire: its header fields are callers' to send. */
function contractOptions(
  { repeats }: DescribedOperation["operation"],
  parameters: readonly Parameter[],
): { readonly type: string; readonly optional: boolean } {
  const required = parameters.filter((one) => one.in === "header" && one.required === true);
  const fields = required.map(({ name }) => `readonly ${memberName(name)}: string`);
  const parts = [
    "CallOptions",
    ...(repeats === undefined ? [] : ["KeyOptions"]),
    ...(fields.length === 0 ? [] : [`{ readonly headers: { ${fields.join("; ")} } }`]),
  ];
  return { type: parts.join(" & "), optional: fields.length === 0 };
}

function has({ parameters }: DescribedOperation, header: string): boolean {
  return parameters.some(({ in: location, name }) => location === "header" && name === header);
}

/** Whether the body can have any member. */
function acceptsAnything(schema: JsonObject): boolean {
  return schema["additionalProperties"] !== false || Object.keys((schema["properties"] ?? {}) as JsonObject).length > 0;
}

/** Returns the media type to send. Prefers a specific type: some servers do not treat a merge patch as `application/json`. */
function mediaTypeOf(types: readonly string[]): string {
  return types.find((one) => one === "application/merge-patch+json") ?? types[0] ?? "application/json";
}

function wordsOf({ summary, description, deprecated }: DescribedOperation): string {
  const words = description === "" ? summary : `${summary}\n\n${description}`;
  return deprecated === true ? `${words}\n\n@deprecated` : words;
}

// ── Pages ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface PageOf {
  readonly item: string;
  readonly places: JsonObject;
}

function pageOf({ type, described }: Exported, { operation, successes }: DescribedOperation): PageOf | undefined {
  const { list } = operation;
  const schema = successes.find((one) => one.schema !== undefined)?.schema;
  if (list === undefined || schema === undefined || list.page.kind === "item") return undefined;
  const items = pathIn(list.page, "items") ?? [];
  const next = pathIn(list.page, "next");
  const found = items.reduce<Json>(
    (here, name) => memberAt(described.schemas, here, name),
    resolved(described.schemas, schema),
  );
  const item = (found as JsonObject)["items"] ?? {};
  return {
    item: type(item),
    // A page without a `next` member has a `Link` header field.
    places: {
      items,
      ...(next === undefined || list.kind === "none" ? {} : { next, parameter: list.names[list.kind] }),
    },
  };
}

/** Returns the path to the items of a page, or to the value that selects the next page. */
function pathIn(shape: PageShape, wanted: "items" | "next"): readonly string[] | undefined {
  if (shape.kind === wanted) return [];
  if (shape.kind !== "object") return undefined;
  for (const { name, shape: inner } of shape.members) {
    const nested = pathIn(inner, wanted);
    if (nested !== undefined) return [name, ...nested];
  }
  return undefined;
}

function memberAt(schemas: Exported["described"]["schemas"], schema: Json, name: string): JsonObject {
  const properties = (schema as JsonObject)["properties"] as JsonObject | undefined;
  return resolved(schemas, properties?.[name] ?? {});
}

export function resolved(schemas: Exported["described"]["schemas"], schema: Json): JsonObject {
  const reference = (schema as JsonObject)["$ref"];
  const component = typeof reference === "string" ? componentOf(reference) : undefined;
  return component === undefined ? (schema as JsonObject) : resolved(schemas, schemas[component] ?? {});
}
