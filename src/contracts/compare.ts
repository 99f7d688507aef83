/**
 * Compares the contract that callers of an operation know with the one that Nonet derives for it, by the comparison of `nonet
 * diff`: what callers notice.
 *
 * Callers do not notice Nonet's own maxima (R2.7), the form of generated ids, which they know only from responses, the rejection
 * of undeclared members, further header fields and error statuses, or that the service ignores an optional header field.
 */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { contractDifferences, type ContractPair } from "../diff/contracts.ts";
import { getOrMake } from "../base/once.ts";
import { listText } from "../diff/schema-walk.ts";
import { type Difference, difference, type Site } from "../diff/difference.ts";
import type { ContractBody, ContractResponse, EndpointContract, Parameter } from "../language/endpoints/model.ts";
import type { Model } from "../language/model.ts";
import { referenceIn } from "../import/resources/schema.ts";
import { jsonSchemaOf, maxima } from "../language/resources/json-schema.ts";
import type { FieldType } from "../language/resources/model.ts";
import { mapValues } from "../language/versioning/rename.ts";
import type { DerivedContracts } from "./derived.ts";

type Answers = NonNullable<EndpointContract["answers"]>;

/** A difference that callers notice, and whether it concerns their requests or the responses. */
export interface Noticed {
  readonly difference: Difference;
  readonly use: "request" | "response";
}

/** Returns what callers notice of the operations whose contracts they know. The schemas of these contracts are in the model. */
export function noticed(
  model: Model,
  known: ReadonlyMap<string, EndpointContract>,
  derived: DerivedContracts,
): readonly Noticed[] {
  const { contracts, ids, pages, schemas } = derived;
  const pairs = [...known].flatMap(([name, old]): ContractPair[] => {
    const now = contracts[name];
    return now === undefined ? [] : [{ site: { subject: name, at: `endpoints/endpoints/${name}/wire` }, old, now }];
  });
  const accepts = (schema: Json): Json => accepted(schema, ids);
  const requests = pairs.map(({ site, old, now }) => ({
    site,
    old: knownRequest(old, now),
    now: derivedRequest(now, old, { accepts, page: pages[site.subject] }),
  }));
  const merged = withCommonErrors(derived);
  const responses = pairs.map(({ site, old }) => ({ site, ...responsesOf(old.answers ?? {}, merged(site.subject)) }));
  const all = {
    request: [...contractDifferences(requests, model, modelOf(schemas, accepts), { naming: "old" })],
    response: [
      ...pairs.flatMap(({ site, old, now }) => statusDifferences(site, old.answers ?? {}, now.answers ?? {})),
      ...withErrorsTogether([...contractDifferences(responses, model, modelOf(schemas, returned), { naming: "old" })]),
    ],
  };
  return (["request", "response"] as const).flatMap((use) => all[use].map((difference) => ({ difference, use })));
}

/** Returns a model with the schemas of derived contracts. */
export function modelOf(schemas: DerivedContracts["schemas"], edit: (schema: Json) => Json): Pick<Model, "resources"> {
  return { resources: { resources: {}, types: {}, rules: {}, schemas: mapValues(schemas, edit) } };
}

const nothing = modelOf({}, (schema) => schema) as Model;

/** Returns the type with an edited schema. */
function edited(type: FieldType, edit: (schema: Json) => Json): FieldType {
  if (type.kind === "named") return type;
  return { kind: "schema", schema: edit(type.kind === "schema" ? type.schema : jsonSchemaOf(nothing, type, "input")) };
}

function withType<Content extends { readonly type?: FieldType }>(
  content: Content,
  edit: (schema: Json) => Json,
): Content {
  return content.type === undefined ? content : { ...content, type: edited(content.type, edit) };
}

// ── Requests ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns the request that callers know, without the optional header fields and cookies that the service ignores. */
function knownRequest({ answers: _, ...known }: EndpointContract, derived: EndpointContract): EndpointContract {
  const matters = (location: "header" | "cookie"): NonNullable<EndpointContract["path"]> => {
    const names = new Set(Object.keys(derived[location] ?? {}).map((name) => name.toLowerCase()));
    const all = Object.entries(known[location] ?? {});
    return Object.fromEntries(all.filter(([name, { optional }]) => !optional || names.has(name.toLowerCase())));
  };
  return { ...known, header: matters("header"), cookie: matters("cookie") };
}

/** Returns the derived request, without what callers do not notice. A contract need not have the parameters of the path. */
export function derivedRequest(
  { path = {}, query = {}, header = {}, cookie = {}, body }: EndpointContract,
  known: EndpointContract,
  { accepts, page }: { readonly accepts: (schema: Json) => Json; readonly page: string | undefined },
): EndpointContract {
  const inPath = Object.entries(path).filter(([name]) => Object.hasOwn(known.path ?? {}, name));
  return {
    path: withTypes(Object.fromEntries(inPath), ofAnyForm),
    // No caller knows a cursor but from a response, or a page before the first one.
    query: withTypes(query, (schema, name) => (name === page ? ofAnyForm(schema) : accepts(schema))),
    // Nonet's own header fields: callers know their values from responses, or choose them freely.
    header: withTypes(header, ofAnyForm),
    cookie: withTypes(cookie, ofAnyForm),
    ...(body === undefined ? {} : { body: withType<ContractBody>(body, accepts) }),
  };
}

type Parameters = Readonly<Record<string, Parameter>>;

export function withTypes(parameters: Parameters, edit: (schema: Json, name: string) => Json): Parameters {
  return mapValues(parameters, (one, name) => withType(one, (schema) => edit(schema, name)));
}

/** Returns the types of a schema and its default: a key or a cursor of another form than the generated ones is unknown, whatever its form. */
export function ofAnyForm(schema: Json): Json {
  return mapSchema(schema, ({ default: value, type }) => ({
    ...(type === undefined ? {} : { type }),
    ...(value === undefined ? {} : { default: value }),
  }));
}

/** Returns the schema without the rejection of undeclared members. */
export function open(schema: Json): Json {
  return mapSchema(schema, ({ additionalProperties, ...rest }) =>
    additionalProperties === undefined || additionalProperties === false ? rest : { ...rest, additionalProperties },
  );
}

/** Removes from the schema of a request what callers do not notice. `ids`: the patterns of generated ids. */
function accepted(schema: Json, ids: ReadonlySet<string>): Json {
  return mapSchema(open(schema), (keywords) => {
    const { maxLength, maxItems, maxProperties, minimum, maximum, pattern, ...rest } = keywords;
    const isUsual = maxLength === maxima.string || rest["format"] !== undefined;
    return {
      ...rest,
      ...(maxLength === undefined || isUsual ? {} : { maxLength }),
      ...(maxItems === undefined || maxItems === maxima.list ? {} : { maxItems }),
      ...(maxProperties === undefined || maxProperties === maxima.map ? {} : { maxProperties }),
      ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
      ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
      ...(typeof pattern !== "string" || ids.has(pattern) ? {} : { pattern }),
    };
  });
}

const int32 = 2 ** 31;

/** Adds to the schema of a response the format that all its numbers have: clients know numbers by it. */
function returned(schema: Json): Json {
  return mapSchema(schema, (keywords) => {
    const { format, maximum, minimum, type } = keywords;
    if (format !== undefined) return keywords;
    const limits = Array.isArray(keywords["enum"]) ? keywords["enum"] : [minimum, maximum];
    const isShort = limits.every((one) => typeof one === "number" && one >= -int32 && one < int32);
    const [only, ...more] = [type].flat().filter((one) => one !== "null");
    if (more.length > 0 || (only !== "integer" && only !== "number")) return keywords;
    return { ...keywords, format: only === "number" ? "float" : isShort ? "int32" : "int64" };
  });
}

/** Keywords whose value is data, not a schema. */
const dataKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

/** Edits the keywords of a schema and of all schemas in it. */
function mapSchema(schema: Json, edit: (keywords: JsonObject) => JsonObject): Json {
  if (Array.isArray(schema)) return schema.map((one: Json) => mapSchema(one, edit));
  if (!isObject(schema)) return schema;
  const inner = Object.entries(edit(schema)).map(([keyword, value]): [string, Json] => {
    if (dataKeywords.has(keyword)) return [keyword, value];
    if (keyword !== "properties" && keyword !== "patternProperties") return [keyword, mapSchema(value, edit)];
    return [keyword, isObject(value) ? mapValues(value, (one: Json) => mapSchema(one, edit)) : value];
  });
  return Object.fromEntries(inner);
}

// ── Responses ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Returns a function for the derived responses of an operation, in which the bodies of errors with the same members have one
 * schema: callers who know one schema for all errors then notice a difference once.
 */
export function withCommonErrors({ contracts, schemas }: DerivedContracts): (operation: string) => Answers {
  const common = new Map<string, string>();
  const commonType = (type: FieldType): FieldType => {
    if (type.kind === "schema") return commonOf(type);
    if (type.kind !== "named") return type;
    const members = mapSchema(schemas[type.name] ?? true, ({ type, properties, required = [], items }) => ({
      ...(type === undefined ? {} : { type }),
      ...(properties === undefined ? {} : { properties }),
      ...(items === undefined ? {} : { items }),
      required,
    }));
    return { ...type, name: getOrMake(common, JSON.stringify(members), () => type.name) };
  };
  /** Errors of one status that have the same members are one schema, too. */
  const commonOf = (type: FieldType & { readonly kind: "schema" }): FieldType => {
    const alternatives = isObject(type.schema) && Array.isArray(type.schema["anyOf"]) ? type.schema["anyOf"] : [];
    const names = alternatives.map((one: Json) => referenceIn(one));
    const types = names.flatMap((name) => (name === undefined ? [] : [commonType({ kind: "named", name })]));
    const [first] = types;
    const isOne = types.length === names.length && types.every((one) => JSON.stringify(one) === JSON.stringify(first));
    return isOne && first !== undefined ? first : type;
  };
  return (operation) =>
    mapValues(contracts[operation]?.answers ?? {}, (response, status) =>
      response.type === undefined || !/^[45]/.test(status)
        ? response
        : { ...response, type: commonType(response.type) },
    );
}

/** Pairs the known responses with the derived ones. */
function responsesOf(
  known: Answers,
  derived: Answers,
): { readonly old: EndpointContract; readonly now: EndpointContract } {
  const found = Object.entries(known).flatMap(([status, old]) => {
    const now = derivedFor(status, known, derived);
    return now === undefined ? [] : [[status, old, onlyKnownHeaders(old, now)] as const];
  });
  return {
    old: { answers: Object.fromEntries(found.map(([status, old]) => [status, old])) },
    now: { answers: Object.fromEntries(found.map(([status, , now]) => [status, withType(now, returned)])) },
  };
}

/**
 * Returns the response that takes the place of a known one: that of the status, else the first of its class, or of all errors for
 * `default`. A success with another status is compared, too, if there is no doubt which one is meant.
 */
function derivedFor(status: string, known: Answers, derived: Answers): ContractResponse | undefined {
  const exact = derived[status];
  if (exact !== undefined) return exact;
  const others = Object.keys(derived).filter((one) => known[one] === undefined);
  if (status === "default") return derived[others.find((one) => /^[45]/.test(one)) ?? ""];
  if (status.endsWith("XX")) return derived[others.find((one) => one.startsWith(status.charAt(0))) ?? ""];
  const [other, ...more] = otherSuccesses(known, derived);
  return status.startsWith("2") && more.length === 0 ? derived[other ?? ""] : undefined;
}

/** Returns the derived success statuses that take the place of known ones. */
function otherSuccesses(known: Answers, derived: Answers): readonly string[] {
  return Object.keys(derived).filter((status) => status.startsWith("2") && known[status] === undefined);
}

/** Merges the differences that several errors of an operation have alike, at the first one. */
function withErrorsTogether(all: readonly Difference[]): readonly Difference[] {
  const ofError = /^(`[^`]+`) ([45]\d\d|[45]XX|default) (.*)$/;
  const groups = Map.groupBy(all, ({ effect, message }, index) => {
    const [, operation, , what] = ofError.exec(message) ?? [];
    return what === undefined ? index : `${effect} ${operation} ${what}`;
  });
  return [...groups.values()].map((group) => {
    const [first] = group as [Difference];
    if (group.length === 1) return first;
    const statuses = group.map(({ message }) => ofError.exec(message)?.[2] ?? "");
    const list =
      statuses.length <= mostStatuses
        ? statuses
        : [...statuses.slice(0, mostStatuses - 1), `${statuses.length - mostStatuses + 1} more`];
    return {
      ...first,
      message: first.message.replace(ofError, (_, operation, __, what) => `${operation} ${listText(list)} ${what}`),
    };
  });
}

/** The most statuses that a message names. */
const mostStatuses = 4;

function statusDifferences(site: Site, known: Answers, derived: Answers): readonly Difference[] {
  const lost = Object.keys(known).filter((status) => /^[12]\d\d$/.test(status) && derived[status] === undefined);
  const now = otherSuccesses(known, derived);
  return lost.map((status) => {
    const part = { subject: `${site.subject}.${status}`, at: `${site.at}/answers/${status}` };
    const instead = now.length === 0 ? "" : `, but ${now.join(" or ")}`;
    return difference(
      "breaking",
      "status-removed",
      part,
      `\`${site.subject}\` does not respond with ${status}${instead}`,
    );
  });
}

function onlyKnownHeaders(known: ContractResponse, { headers = {}, ...derived }: ContractResponse): ContractResponse {
  const names = new Set(Object.keys(known.headers ?? {}).map((name) => name.toLowerCase()));
  return {
    ...derived,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => names.has(name.toLowerCase()))),
  };
}
