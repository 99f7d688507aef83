/** Converts one operation of OpenAPI 3.x or Swagger 2 to the wire of a handler: its requests and responses. */
import { isObject, isWrittenAlike, type Json, type JsonObject, mapMembers } from "../base/json.ts";
import type {
  ContractBody,
  ContractResponse,
  EndpointContract,
  Parameter,
  SentForm,
} from "../language/endpoints/model.ts";
import type { FieldType } from "../language/resources/model.ts";
import { below, entriesOf, type ImportNotices, itemsOf, textOf } from "./report.ts";
import type { Dialect, Found, Schemas } from "./schemas.ts";
import { deprecatedType, isDeprecationKeyword } from "./deprecations.ts";
import { openapiOf, resolvedMap } from "./openapi-members.ts";

export interface ImportContext {
  readonly dialect: Dialect;
  readonly root: JsonObject;
  readonly schemas: Schemas;
  readonly notices: ImportNotices;
  /** The base URL of the imported document. */
  readonly base?: string;
  /** The names in the document of operations that have another one in the source. */
  readonly renamed?: ReadonlyMap<string, string>;
}

/**
 * Converts an operation to a wire. `item`: the path item of the operation. `rename`: returns the document's name of a path
 * parameter.
 */
export function contractOf(
  source: ImportContext,
  operation: Found,
  item: Found,
  rename: (name: string) => string | undefined,
): EndpointContract {
  const parameters = parametersOf(source, operation, item);
  const groups = parameterLocations.flatMap((location) => {
    const list = parameters.filter(({ value }) => value["in"] === location);
    const read = list.flatMap((one) => parameterOf(source, one, location, rename));
    return read.length === 0 ? [] : [[location, Object.fromEntries(read)] as const];
  });
  const body = source.dialect === "2.0" ? swaggerBody(source, operation, parameters) : requestBody(source, operation);
  const answers = responsesOf(source, operation);
  const { openapi } = operationMembers(source, operation, item);
  return {
    ...Object.fromEntries(groups),
    ...(body === undefined ? {} : { body }),
    ...(answers === undefined ? {} : { answers }),
    ...(openapi === undefined ? {} : { openapi }),
  };
}

/** The members of an operation that become statements of the document, or of its events. */
const operationMembersRead: ReadonlySet<string> = new Set([
  "operationId", "summary", "security", "parameters", "requestBody", "responses", "callbacks", "consumes", "produces",
  "schemes", "deprecated",
]); // biome-ignore format: a table

/** Returns the members of an operation, with the servers of its path, that only the exported description has. */
function operationMembers(
  { dialect, notices }: ImportContext,
  { value, pointer }: Found,
  item: Found,
): { readonly openapi?: JsonObject } {
  if (value["schemes"] !== undefined) notices.lost(below(pointer, "schemes"), "`schemes` of an operation");
  const servers = value["servers"] ?? item.value["servers"];
  const further = servers === undefined || dialect === "2.0" ? {} : { servers };
  return openapiOf(value, operationMembersRead, further);
}

// ── Parameters ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns the parameters. Those of the operation replace those of its path item with the same name and location. */
function parametersOf({ schemas, notices, dialect }: ImportContext, operation: Found, item: Found): readonly Found[] {
  const found = new Map<string, Found>();
  for (const holder of [item, operation]) {
    for (const [index, one] of itemsOf(holder.value["parameters"]).entries()) {
      const at = below(holder.pointer, "parameters", index);
      const parameter = schemas.resolve(one, at);
      if (parameter === undefined) continue;
      const { name, in: location } = parameter.value;
      if (typeof name !== "string" || typeof location !== "string")
        notices.lost(at, "a parameter without a name or a place");
      else if (!isLocation(location, dialect))
        notices.lost(at, "a parameter in a place that the language does not have", `${location} ${name}`);
      else found.set(`${location} ${name}`, parameter);
    }
  }
  return [...found.values()];
}

/** Whether a parameter can be in a place; a body and the members of a form are parameters in Swagger 2. */
function isLocation(location: string, dialect: Dialect): boolean {
  return [...parameterLocations, ...(dialect === "2.0" ? ["body", "formData"] : [])].includes(location);
}

const parameterLocations = ["path", "query", "header", "cookie"] as const;

/** Headers that OpenAPI describes elsewhere; the standard ignores header parameters with these names. */
const ignoredHeaders: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

function parameterOf(
  source: ImportContext,
  { value, pointer }: Found,
  location: "path" | "query" | "header" | "cookie",
  rename: (name: string) => string | undefined,
): readonly (readonly [string, Parameter])[] {
  const { notices } = source;
  const written = value["name"] as string;
  if (location === "header" && ignoredHeaders.has(written.toLowerCase()) && source.dialect !== "2.0") {
    notices.lost(pointer, "a header that the standard ignores as a parameter", written);
    return [];
  }
  const name = location === "path" ? rename(written) : written;
  if (name === undefined || name === "" || name.endsWith("?")) {
    notices.lost(
      pointer,
      location === "path"
        ? "a path parameter that the path does not have"
        : "a parameter by a name that cannot be written",
      written,
    );
    return [];
  }
  const sent = sentOf(source, value, pointer, location);
  const type = parameterType(source, value, pointer);
  const optional = location !== "path" && value["required"] !== true;
  return [[name, { optional, type, ...(sent && { sent }), ...textsOf(source, value, pointer) }]];
}

/** The members of a parameter or header that become statements of the document, or that the report lists. */
const parameterMembersRead: ReadonlySet<string> = new Set([
  "name", "in", "required", "schema", "content", "description", "example", "style", "explode", "allowReserved",
  "allowEmptyValue", "collectionFormat", "deprecated", "$ref",
]); // biome-ignore format: a table

/** Returns the texts and examples of a parameter or header. */
function textsOf(source: ImportContext, value: JsonObject, pointer: string): Omit<Parameter, "optional" | "type"> {
  const read = new Set(parameterMembersRead);
  for (const key of Object.keys(value))
    if (isDeprecationKeyword(key) || (source.dialect === "2.0" && schemaWords.has(key))) read.add(key);
  return {
    ...descriptionMember(value),
    ...exampleOf(source, value, pointer),
    ...openapiOf(value, read, resolvedMap(value, "examples", pointer, source.schemas)),
  };
}

const defaultStyles: Readonly<Record<string, string>> = {
  query: "form",
  cookie: "form",
  path: "simple",
  header: "simple",
};

/** The forms of a query in which a list or an object is one text, by their names in OpenAPI 3 and in Swagger 2. */
const separatedForms: Readonly<Record<string, SentForm>> = {
  form: "commas", spaceDelimited: "spaces", pipeDelimited: "pipes",
  csv: "commas", ssv: "spaces", pipes: "pipes",
}; // biome-ignore format: a table

/** Returns how a query sends a list or an object; reports a form that the document cannot have. */
function sentOf(
  { dialect, notices }: ImportContext,
  value: JsonObject,
  pointer: string,
  location: string,
): SentForm | undefined {
  for (const member of ["allowReserved", "allowEmptyValue"])
    if (value[member] === true) notices.lost(pointer, `\`${member}\` of a parameter`);
  const { style = defaultStyles[location], explode, collectionFormat, type } = value;
  const lost = (detail: string): undefined => {
    notices.lost(pointer, "how a list or an object is written in a parameter", detail);
  };
  if (dialect === "2.0") {
    // Without a form, the items of a list are one text with commas.
    const form = collectionFormat ?? (type === "array" ? "csv" : undefined);
    const isRepeated = location === "query" || location === "formData";
    if (form === undefined || form === (isRepeated ? "multi" : "csv")) return undefined;
    return (location === "query" ? separatedForms[textOf(form)] : undefined) ?? lost(textOf(form));
  }
  const exploded = explode ?? style === "form";
  if (style === defaultStyles[location] && exploded === (style === "form")) return undefined;
  if (location === "query" && style === "deepObject") return "brackets";
  const form = location === "query" && exploded === false ? separatedForms[textOf(style)] : undefined;
  return form ?? lost(`${textOf(style)} explode ${textOf(exploded)}`);
}

function parameterType(source: ImportContext, value: JsonObject, pointer: string): FieldType {
  const { schemas, notices, dialect } = source;
  const typeOf = (schema: Json | undefined, at: string): FieldType =>
    value["deprecated"] === true ? deprecatedType(schemas.convert(schema, at), value) : schemas.typeOf(schema, at);
  if (dialect === "2.0") return typeOf(inlineSchema(value), pointer);
  const { content } = value;
  if (isObject(content)) {
    const [media, entry] = Object.entries(content)[0] ?? [];
    notices.lost(pointer, "that a parameter has a media type of its own", media);
    const at = below(pointer, "content", media ?? "", "schema");
    return typeOf(isObject(entry) ? entry["schema"] : undefined, at);
  }
  return typeOf(value["schema"], below(pointer, "schema"));
}

/** Extracts the schema of a Swagger 2 parameter or header, which has its keywords inline. */
function inlineSchema(value: JsonObject): Json {
  return Object.fromEntries(Object.entries(value).filter(([key]) => schemaWords.has(key)));
}

const schemaWords: ReadonlySet<string> = new Set([
  "type", "format", "items", "default", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
  "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "enum", "multipleOf",
]); // biome-ignore format: a table

function descriptionMember(value: JsonObject): { readonly note?: string } {
  const { description } = value;
  return typeof description === "string" && description !== "" ? { note: description } : {};
}

function exampleOf({ schemas }: ImportContext, value: JsonObject, pointer: string): { readonly example?: Json } {
  if (value["example"] !== undefined) return { example: value["example"] };
  const { examples } = value;
  if (!isObject(examples)) return {};
  const [first] = Object.entries(examples);
  const found = first && schemas.resolve(first[1], below(pointer, "examples", first[0]))?.value["value"];
  return found === undefined ? {} : { example: found };
}

// ── Bodies ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function requestBody(source: ImportContext, operation: Found): ContractBody | undefined {
  const { schemas } = source;
  const at = below(operation.pointer, "requestBody");
  if (operation.value["requestBody"] === undefined) return undefined;
  const body = schemas.resolve(operation.value["requestBody"], at);
  if (body === undefined) return undefined;
  const { members, ...content } = contentOf(source, body.value["content"], below(body.pointer, "content"));
  return {
    optional: body.value["required"] !== true,
    ...content,
    ...descriptionMember(body.value),
    ...openapiOf(body.value, bodyMembersRead, members),
  };
}

const bodyMembersRead: ReadonlySet<string> = new Set(["content", "description", "required", "$ref"]);

function swaggerBody(source: ImportContext, operation: Found, parameters: readonly Found[]): ContractBody | undefined {
  const { schemas, root } = source;
  const consumes = mediaList(operation.value["consumes"] ?? root["consumes"]);
  const body = parameters.find(({ value }) => value["in"] === "body");
  const form = parameters.filter(({ value }) => value["in"] === "formData");
  if (body !== undefined) {
    const type = schemas.typeOf(body.value["schema"], below(body.pointer, "schema"));
    return {
      optional: body.value["required"] !== true,
      type,
      ...mediaMember(consumes),
      ...descriptionMember(body.value),
      ...openapiOf(body.value, swaggerBodyMembersRead),
    };
  }
  const [first] = form;
  if (first === undefined) return undefined;
  const properties = form.map(({ value, pointer }): [string, Json] => {
    sentOf(source, value, pointer, "formData");
    const further = Object.entries(value).filter(([key]) => key === "description" || key.startsWith("x-"));
    return [
      textOf(value["name"]),
      schemas.convert({ ...(inlineSchema(value) as JsonObject), ...Object.fromEntries(further) }, pointer),
    ];
  });
  const required = form.filter(({ value }) => value["required"] === true).map(({ value }) => textOf(value["name"]));
  const files = form.some(({ value }) => value["type"] === "file");
  const schema = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
  const media = consumes.filter((one) => /form/.test(one));
  const usual = files ? "multipart/form-data" : "application/x-www-form-urlencoded";
  return {
    optional: required.length === 0,
    type: { kind: "schema", schema },
    media: media.length === 0 ? [usual] : media,
  };
}

const swaggerBodyMembersRead: ReadonlySet<string> = new Set([
  "name",
  "in",
  "schema",
  "description",
  "required",
  "$ref",
]);

function mediaList(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string" && isMedia(one)) : [];
}

function isMedia(text: string): boolean {
  return /^[^\s/;]+\/[^\s/;]+(?:;.*)?$/.test(text);
}

/** Returns the member `media`; empty for JSON, the default. */
function mediaMember(media: readonly string[]): { readonly media?: readonly string[] } {
  const distinct = [...new Set(media)];
  return distinct.length === 0 || isWrittenAlike(distinct, ["application/json"]) ? {} : { media: distinct };
}

interface ImportedContent extends Pick<ContractBody, "type" | "media" | "others"> {
  /** The members of media types beside their schemas, as of an object with `content`. */
  readonly members: JsonObject;
}

/**
 * Returns the schema of a body and the media types that use it, and the schemas of the others. The first is the schema of JSON,
 * else of the first media type.
 */
function contentOf(source: ImportContext, content: Json | undefined, pointer: string): ImportedContent {
  const { schemas, notices } = source;
  if (!isObject(content)) return { members: {} };
  const entries = Object.entries(content).flatMap(([media, one]): [string, Found][] => {
    const at = below(pointer, media);
    if (isMedia(media)) return [[media, schemas.resolve(one, at) ?? { value: {}, pointer: at }]];
    notices.lost(at, "a media type that is none", media);
    return [];
  });
  const main =
    entries.find(([media]) => /^application\/json\b/.test(media)) ??
    entries.find(([media]) => /json/.test(media)) ??
    entries[0];
  if (main === undefined) return { members: {} };
  const schemaIn = ({ value }: Found): Json | undefined => value["schema"];
  const same = entries.filter(([, entry]) => isWrittenAlike(schemaIn(entry), schemaIn(main[1])));
  const further = entries.filter((entry) => !same.includes(entry));
  const typeIn = (entry: Found): FieldType => schemas.typeOf(schemaIn(entry), below(entry.pointer, "schema"));
  const others = further.map(([media, entry]) => [media, typeIn(entry)] as const);
  const media = same.map(([name]) => name);
  return {
    ...(schemaIn(main[1]) === undefined ? { media } : { type: typeIn(main[1]), ...mediaMember(media) }),
    ...(others.length === 0 ? {} : { others: Object.fromEntries(others) }),
    members: contentMembers(source, entries),
  };
}

function contentMembers({ schemas }: ImportContext, entries: readonly (readonly [string, Found])[]): JsonObject {
  const members = entries.flatMap(([media, { value, pointer }]): [string, JsonObject][] => {
    const examples = resolvedMap(value, "examples", pointer, schemas);
    const { openapi } = openapiOf(value, mediaMembersRead, examples);
    return openapi === undefined ? [] : [[media, openapi]];
  });
  return members.length === 0 ? {} : { content: Object.fromEntries(members) };
}

const mediaMembersRead: ReadonlySet<string> = new Set(["schema"]);

// ── Answers ────────────────────────────────────────────────────────────────────────────────────────────────────────

function responsesOf(source: ImportContext, operation: Found): EndpointContract["answers"] {
  const { notices, schemas } = source;
  const { responses } = operation.value;
  if (!isObject(responses)) return undefined;
  const answers = Object.entries(responses).flatMap(([written, one]): [string, ContractResponse][] => {
    const status = /^[1-5]xx$/i.test(written) ? written.toUpperCase() : written;
    const at = below(operation.pointer, "responses", written);
    if (written.startsWith("x-")) {
      notices.lost(at, "an extension of the answers", written);
      return [];
    }
    if (!/^(?:[1-5](?:[0-9]{2}|XX)|default)$/.test(status)) {
      notices.lost(at, "an answer whose status is none", written);
      return [];
    }
    const response = schemas.resolve(one, at);
    return response === undefined ? [[status, {}]] : [[status, responseOf(source, operation, response)]];
  });
  return Object.fromEntries(answers);
}

function responseOf(source: ImportContext, operation: Found, { value, pointer }: Found): ContractResponse {
  const { dialect } = source;
  const { members, ...content } =
    dialect === "2.0"
      ? swaggerContent(source, operation, { value, pointer })
      : contentOf(source, value["content"], below(pointer, "content"));
  const headers = headersOf(source, value["headers"], below(pointer, "headers"));
  return {
    ...content,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...descriptionMember(value),
    ...openapiOf(value, responseMembersRead, { ...linksOf(source, value, pointer), ...members }),
  };
}

function linksOf({ schemas, renamed }: ImportContext, value: JsonObject, pointer: string): JsonObject {
  return mapMembers(resolvedMap(value, "links", pointer, schemas), (links) =>
    mapMembers(links as JsonObject, (link) => {
      const { operationId } = isObject(link) ? link : {};
      const name = typeof operationId === "string" ? renamed?.get(operationId) : undefined;
      return name === undefined ? link : { ...(link as JsonObject), operationId: name };
    }),
  );
}

const responseMembersRead: ReadonlySet<string> = new Set([
  "content", "description", "headers", "schema", "examples", "$ref",
]); // biome-ignore format: a table

function swaggerContent(source: ImportContext, operation: Found, { value, pointer }: Found): ImportedContent {
  const { schemas, root, notices } = source;
  const isEmpty = value["schema"] === undefined;
  const { media = ["application/json"] } = mediaMember(mediaList(operation.value["produces"] ?? root["produces"]));
  const examples = entriesOf(value["examples"]).filter(([of]) => {
    const isOfIt = !isEmpty && media.includes(of);
    if (!isOfIt)
      notices.lost(below(pointer, "examples", of), "an example of a media type that an answer does not have", of);
    return isOfIt;
  });
  const content = Object.fromEntries(examples.map(([of, example]) => [of, { example }]));
  const members = examples.length === 0 ? {} : { content };
  if (isEmpty) return { members };
  return { type: schemas.typeOf(value["schema"], below(pointer, "schema")), ...mediaMember(media), members };
}

function headersOf(
  source: ImportContext,
  headers: Json | undefined,
  pointer: string,
): Readonly<Record<string, Parameter>> {
  if (!isObject(headers)) return {};
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, one]): [string, Parameter][] => {
      if (/^content-type$/i.test(name) || name.endsWith("?") || name === "") return [];
      const header = source.schemas.resolve(one, below(pointer, name));
      if (header === undefined) return [];
      const type = parameterType(source, header.value, header.pointer);
      const optional = header.value["required"] !== true;
      return [[name, { optional, type, ...textsOf(source, header.value, header.pointer) }]];
    }),
  );
}
