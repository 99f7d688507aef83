/** Builds the component schemas: resources, requests, responses, lists and problems. */
import { capital, withArticle } from "../../base/case.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { bodyOf } from "../../language/errors/decide.ts";
import { bodyFor, type ErrorBody } from "../../language/errors/model.ts";
import { envelopeSchema } from "../../plan/endpoints/envelope.ts";
import type {
  ResponseMember,
  ResponseSource,
  BatchPlan,
  ListPlan,
  Operation,
  PageShape,
  ShapePlan,
  ViewPlan,
} from "../../plan/endpoints/types.ts";
import type { Column, Table, Virtual } from "../../plan/resources/types.ts";
import type { ErrorPlan } from "../../plan/errors/types.ts";
import type { Plan } from "../../plan/plan.ts";
import { grantsText } from "./description.ts";
import type { ComponentNames } from "./names.ts";
import { jsonInput } from "./files.ts";
import { bodyOfShape, oneOrAny } from "./problem-shape.ts";
import { possibleCodes } from "./possible-errors.ts";

export function componentSchemas(plan: Plan, names: ComponentNames): JsonObject {
  const schemas: Record<string, Json> = {};
  for (const table of plan.tables) {
    schemas[names.resource(table.resource)] = resourceSchema(table, names);
    if (table.lifecycle !== undefined) schemas[names.state(table.resource)] = stateSchema(plan, table);
  }
  for (const [name, view] of Object.entries(plan.views ?? {}))
    schemas[names.view(name)] = viewSchema(name, view, names);
  for (const operation of plan.operations) {
    if (jsonOf(operation) !== undefined) schemas[names.input(operation.name)] = inputSchema(operation);
    const { shape, kind, view } = operation.response;
    if (kind === "members" && view === undefined)
      schemas[names.response(operation.name)] = responseSchema(operation, names);
    if (shape !== undefined) schemas[names.response(operation.name)] = shapeSchema(operation, shape, names);
    const { list } = operation;
    if (list !== undefined) schemas[names.list(operation.name)] = pageSchema(operation, list.page, names, list);
  }
  addParts(plan, schemas, names);
  return { ...schemas, ...problemSchemas(plan, names), [names.health]: healthSchema };
}

/** Adds the schemas of records of which a response has only the requested members, and of those inside them. */
function addParts(plan: Plan, schemas: Record<string, Json>, names: ComponentNames): void {
  const records = new Set([
    ...plan.tables.map(({ resource }) => names.resource(resource)),
    ...Object.keys(plan.views ?? {}).map((view) => names.view(view)),
  ]);
  const selecting = plan.operations.filter(({ fields }) => fields !== undefined);
  // The loop also visits the names that it adds to the Set.
  const full = new Set(selecting.map((operation) => itemName(operation, names)));
  const partOf = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(partOf);
    if (!isObject(value)) return value;
    const { $ref, ...rest } = value;
    const name = typeof $ref === "string" ? $ref.slice($ref.lastIndexOf("/") + 1) : "";
    if (records.has(name)) {
      full.add(name);
      return { ...rest, ...refTo(names.part(name)) };
    }
    const { required, ...others } = value;
    const kept = required === undefined || "properties" in value ? others : value;
    return Object.fromEntries(Object.entries(kept).map(([key, inner]) => [key, partOf(inner as Json)]));
  };
  for (const name of full) {
    const description = `The members of a \`${name}\` for which a request asks.`;
    schemas[names.part(name)] = { ...(partOf(schemas[name] as Json) as JsonObject), description };
  }
}

export function refTo(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns the schema of an operation's response body: one record, or a custom shape. */
export function responseOf(operation: Operation, names: ComponentNames): JsonObject {
  const { wrap } = operation.response;
  const inner = itemOf(operation, names);
  return wrap === undefined ? inner : { type: "object", properties: { [wrap]: inner }, required: [wrap] };
}

function itemOf(operation: Operation, names: ComponentNames): JsonObject {
  const full = itemName(operation, names);
  return operation.fields === undefined ? refTo(full) : { anyOf: [refTo(full), refTo(names.part(full))] };
}

function itemName({ name, resource, response }: Operation, names: ComponentNames): string {
  if (response.view !== undefined) return names.view(response.view);
  return response.kind === "members" || response.kind === "shape" ? names.response(name) : names.resource(resource);
}

// ── Resources ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Returns the schema of a resource for any caller: members that some callers cannot see are optional; members that no caller
 * can see are omitted.
 */
function resourceSchema(table: Table, names: ComponentNames): JsonObject {
  const members = [...table.columns, ...table.virtual].filter(
    ({ visibleTo }) => visibleTo === undefined || visibleTo.length > 0,
  );
  const required = members.filter((member) => member.visibleTo === undefined && alwaysThere(member));
  return objectSchema(
    members.map((member) => [member.name, memberSchema(table, member, names)]),
    required,
  );
}

/** Returns the schema of an object with these members, some of which are required. */
export function objectSchema(
  members: readonly (readonly [name: string, schema: JsonObject])[],
  required: readonly { readonly name: string }[],
): JsonObject {
  return {
    type: "object",
    properties: Object.fromEntries(members),
    ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
  };
}

/** Whether every record has the member, for callers who see it. */
export function alwaysThere(member: Column | Virtual): boolean {
  return member.absent === "null" || ("nullable" in member && !member.nullable);
}

function memberSchema(table: Table, member: Column | Virtual, names: ComponentNames): JsonObject {
  const states = member.name === "state" && table.lifecycle !== undefined;
  const content = expandableSchema(member, names) ?? member.schema;
  const schema = states ? refTo(names.state(table.resource)) : withDescription(content, remarksOf(member));
  return setByService(table, member) ? { ...schema, readOnly: true } : schema;
}

/** Returns the schema of a reference in place of which a request may ask for the record. */
function expandableSchema(member: Column | Virtual, names: ComponentNames): JsonObject | undefined {
  if (!("expandableFor" in member) || member.references === undefined) return undefined;
  return { oneOf: [member.schema, refTo(names.resource(member.references.resource))] };
}

function remarksOf(member: Column | Virtual): readonly string[] {
  return [
    ...("references" in member && member.references !== undefined
      ? [
          `The id of ${withArticle(member.references.resource)}${"expandableFor" in member ? ", or the record if the request expands it" : ""}.`,
        ]
      : []),
    ...(member.visibleTo === undefined ? [] : [`Only for ${grantsText(member.visibleTo)}.`]),
  ];
}

function withDescription(schema: JsonObject, remarks: readonly string[]): JsonObject {
  const description = schema["description"];
  const paragraphs = [...(typeof description === "string" ? [description] : []), ...remarks];
  return paragraphs.length === 0 ? schema : { ...schema, description: paragraphs.join(" ") };
}

function setByService(table: Table, member: Column | Virtual): boolean {
  if (!("marks" in member)) return true;
  if (member.name === "id") return table.id.made !== "client";
  return member.marks.includes("read-only") || member.computed !== undefined;
}

function stateSchema({ operations }: Plan, { resource, lifecycle }: Table): JsonObject {
  const { states = [], start = "", final = [] } = lifecycle ?? {};
  const moves = operations
    .filter((operation) => operation.resource === resource)
    .flatMap(({ name, moves }) => moves.map(({ from, to }) => `- \`${name}\`: ${from.join(", ")} → ${to}`));
  const ends = final.length === 0 ? "" : ` Final: ${final.map((state) => `\`${state}\``).join(", ")}.`;
  return {
    type: "string",
    enum: states,
    description: [
      `Starts as \`${start}\`.${ends}`,
      ...(moves.length === 0 ? [] : [[...new Set(moves)].join("\n")]),
    ].join("\n\n"),
  };
}

// ── Operations ─────────────────────────────────────────────────────────────────────────────────────────────────────

function inputSchema(operation: Operation): JsonObject {
  const { batch, body, ignoresUnknown, name } = operation;
  const record = envelopeSchema(body?.envelope, jsonOf(operation) ?? {});
  const schema = batch === undefined ? record : manySchema(batch, record);
  return { description: `What \`${name}\` takes.`, ...(ignoresUnknown === true ? opened(schema) : schema) };
}

/** Returns the schema of a body with an array of records. */
function manySchema({ max, member, min }: BatchPlan, record: JsonObject): JsonObject {
  const many = { type: "array", items: record, minItems: min, maxItems: max };
  if (member === undefined) return many;
  return { type: "object", properties: { [member]: many }, required: [member], additionalProperties: false };
}

/** Returns the schema of the records that one request has created. */
export function createdSchema(operation: Operation, { page }: BatchPlan, names: ComponentNames): JsonObject {
  return pageSchema(operation, page, names);
}

/** Returns the schema of an input whose unknown members are ignored: objects have further members, at any depth. */
function opened(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (key === "additionalProperties" && value === false) return [];
    if (!isObject(value)) return [[key, value as Json]];
    if (key === "properties") {
      const members = Object.entries(value).map(([name, one]) => [name, opened(one as JsonObject)] as const);
      return [[key, Object.fromEntries(members)]];
    }
    return [[key, key === "items" || key === "additionalProperties" ? opened(value) : value]];
  });
  return Object.fromEntries(entries);
}

/** Returns the schema of the JSON request body of an operation, if it has one. */
export function jsonOf({ body, file }: Operation): JsonObject | undefined {
  return body === undefined || file !== undefined ? undefined : jsonInput(body);
}

function responseSchema({ name, resource, response }: Operation, names: ComponentNames): JsonObject {
  return { ...membersSchema(response.members ?? [], resource, names), description: `What \`${name}\` gives.` };
}

function viewSchema(name: string, { resource, members }: ViewPlan, names: ComponentNames): JsonObject {
  return {
    ...membersSchema(members, resource, names),
    description: `${capital(withArticle(resource))} as \`${name}\`.`,
  };
}

function membersSchema(all: readonly ResponseMember[], resource: string, names: ComponentNames): JsonObject {
  const members = all.filter(({ visibleTo = [] }) => visibleTo.every((grants) => grants.length > 0));
  const required = members.filter((one) => one.visibleTo === undefined && isAlways(one));
  const properties = members.map(({ name, visibleTo, source, absent }): [string, JsonObject] => {
    const schema = sourceSchema(source, absent, resource, names);
    return [name, visibleTo === undefined ? schema : withDescription(schema, [seersText(visibleTo)])];
  });
  return objectSchema(properties, required);
}

function seersText(visibleTo: NonNullable<ResponseMember["visibleTo"]>): string {
  return `Only for ${visibleTo.map(grantsText).join(", and of these only for ")}.`;
}

/** Returns the schema of a handler's response; instead of record ids it contains the records, as the caller may see them. */
function shapeSchema({ name }: Operation, { schema, records }: ShapePlan, names: ComponentNames): JsonObject {
  const properties = { ...(schema["properties"] as JsonObject) };
  for (const { member, resource, many } of records) {
    const record = refTo(names.resource(resource));
    properties[member] = many ? { ...(properties[member] as JsonObject), items: record } : record;
  }
  return { ...schema, description: `What \`${name}\` gives.`, properties };
}

function isAlways({ source, absent }: ResponseMember): boolean {
  if ("expand" in source && source.expand?.isLeftOut === true) return false;
  if (absent === "null") return true;
  return "nullable" in source ? !source.nullable : source.kind !== "record" && source.kind !== "view";
}

function sourceSchema(
  source: ResponseSource,
  absent: ResponseMember["absent"],
  resource: string,
  names: ComponentNames,
): JsonObject {
  switch (source.kind) {
    case "expression":
    case "column":
      return source.schema;
    case "object":
      return membersSchema(source.members, resource, names);
    case "whole":
      return refTo(names.resource(resource));
    case "view":
      return refTo(names.view(source.view));
    case "record":
    case "records": {
      const view = refTo(names.view(source.view));
      const { expand } = source;
      const record = expand === undefined || expand.isLeftOut === true ? view : { oneOf: [expand.schema, view] };
      const content = source.kind === "record" ? record : { type: "array", items: view };
      return absent === "null" && source.expression.nullable ? { anyOf: [content, { type: "null" }] } : content;
    }
  }
}

function pageSchema(operation: Operation, shape: PageShape, names: ComponentNames, list?: ListPlan): JsonObject {
  switch (shape.kind) {
    case "item":
      return itemOf(operation, names);
    case "items": {
      const items = operation.action === "history" ? transitionSchema(operation, names) : itemOf(operation, names);
      return { type: "array", items };
    }
    case "next": {
      if (list === undefined) return { type: "null" };
      const numbered = list.kind === "offset" || list.kind === "page";
      return {
        type: [numbered ? "integer" : "string", "null"],
        description: `The \`${list.names[numbered ? list.kind : "cursor"]}\` of the next page; null on the last page.`,
      };
    }
    case "count":
      return { type: "integer", minimum: 0, description: "The number of records on all pages together." };
    case "expression":
      return shape.schema;
    case "object": {
      const { members } = shape;
      const properties = members.map((one) => [one.name, pageSchema(operation, one.shape, names, list)] as const);
      return objectSchema(properties, members);
    }
  }
}

function transitionSchema({ resource }: Operation, names: ComponentNames): JsonObject {
  const state = refTo(names.state(resource));
  return {
    type: "object",
    properties: {
      at: { type: "string", format: "date-time" },
      from: { ...state, description: "Absent where the record was created." },
      to: state,
      by: { type: "string", description: "The id of a caller, `anonymous`, or `system`." },
      cause: {
        type: "string",
        description: "The trigger: the name of an operation, `after` or `at` and a time, `when` and an event.",
      },
      request: { type: "string", description: "The request that triggered the transition." },
    },
    required: ["at", "to", "by", "cause"],
  };
}

// ── Problems ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns a schema for each code, so that clients can distinguish errors by `code`; `Problem` is any of them. */
function problemSchemas(plan: Plan, names: ComponentNames): JsonObject {
  const possible = new Set(possibleCodes(plan));
  const errors = Object.entries(plan.errors).filter(([code]) => possible.has(code));
  const { problemBody: body } = plan;
  const each = errors.map(([code, error]): [string, JsonObject] => [
    names.problem(code),
    bodyOfCode(plan, code, error, names),
  ]);
  const inOperation = Object.keys(plan.problemBodies).flatMap((key): [string, JsonObject][] => {
    const { code, operation } = bodyFor(key);
    const error = plan.errors[code];
    if (operation === undefined || error === undefined) return [];
    return [[names.problemIn(code, operation), bodyOfCode(plan, code, error, names, operation)]];
  });
  const customBodies = Object.values(plan.problemBodies).length > 0;
  const any = body === "problem+json" ? anyProblem(errors, names) : bodyOfShape(body.shape, Object.fromEntries(errors));
  return {
    [names.anyProblem]: customBodies ? { anyOf: distinct(each.map(([, schema]) => schema)) } : any,
    ...(isStandardBody(plan) ? { [names.violation]: violationSchema } : {}),
    ...Object.fromEntries([...each, ...inOperation]),
  };
}

function distinct(schemas: readonly JsonObject[]): readonly JsonObject[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

/** Whether any error has the standard body. */
function isStandardBody({ problemBody, problemBodies }: Plan): boolean {
  return [problemBody, ...Object.values(problemBodies)].includes("problem+json");
}

/** Returns the schema of a code's body. A code may have two bodies: one with violations of fields, and one without. */
function bodyOfCode(plan: Plan, code: string, error: ErrorPlan, names: ComponentNames, operation?: string): JsonObject {
  const schemas = bodiesOfCode(plan, code, operation).map((body) =>
    body === "problem+json"
      ? problemSchema(code, error, names, {
          hasViolations: canHaveViolations(plan, code),
          isOfVersion: isOfVersion(plan, code),
        })
      : bodyOfShape(body.shape, { [code]: error }),
  );
  return oneOrAny(distinct(schemas));
}

/** Returns the bodies of a code: with violations of fields, if the code can have them, and without. */
export function bodiesOfCode(plan: Plan, code: string, operation?: string): readonly ErrorBody[] {
  const { problemBody, problemBodies } = plan;
  const errorBodyFor = (field: boolean): ErrorBody => bodyOf({ code, operation, field }, problemBodies, problemBody);
  return [...new Set([...(canHaveViolations(plan, code) ? [errorBodyFor(true)] : []), errorBodyFor(false)])];
}

function anyProblem(errors: readonly [code: string, error: ErrorPlan][], names: ComponentNames): JsonObject {
  return {
    type: "object",
    description: "An error (RFC 9457). `code` identifies it.",
    properties: {
      ...standardMembers,
      code: { type: "string", enum: errors.map(([code, { wire }]) => wire ?? code) },
      errors: violations(names),
    },
    required: ["type", "title", "status", "detail", "instance", "code", "request_id"],
    additionalProperties: true,
  };
}

function problemSchema(
  code: string,
  { title, statuses, wire = code }: ErrorPlan,
  names: ComponentNames,
  { hasViolations, isOfVersion }: { readonly hasViolations: boolean; readonly isOfVersion: boolean },
): JsonObject {
  const [status] = statuses;
  return {
    type: "object",
    description: title,
    properties: {
      ...standardMembers,
      title: { type: "string", const: title },
      status:
        statuses.length > 1 || status === undefined
          ? { type: "integer", enum: statuses }
          : { type: "integer", const: status },
      code: { type: "string", const: wire },
      ...(hasViolations ? { errors: violations(names) } : {}),
      ...(isOfVersion ? { supported } : {}),
      ...extraMembers[code],
    },
    required: ["type", "title", "status", "detail", "instance", "code", "request_id"],
  };
}

const standardMembers: JsonObject = {
  type: { type: "string", format: "uri", description: "The address of the page that explains this error." },
  title: { type: "string", description: "The same for every problem with this code." },
  status: { type: "integer", minimum: 400, maximum: 599 },
  detail: { type: "string", description: "The reason in this request." },
  instance: { type: "string", format: "uri", description: "Identifies this occurrence." },
  code: { type: "string" },
  request_id: { type: "string", description: "As in the header Request-Id." },
};

/** Whether the error rejects a request in a version that is not served. */
function isOfVersion({ versions }: Plan, code: string): boolean {
  return (
    versions !== undefined && [versions.removed.error, versions.unknown?.error ?? "invalid-request"].includes(code)
  );
}

const supported: JsonObject = {
  type: "array",
  items: { type: "string" },
  description: "The available versions, newest first, if the requested version is not available.",
};

/** Whether an error can contain violations. Functions may name fields for any error that the document declares. */
function canHaveViolations(plan: Plan, code: string): boolean {
  if (codesWithViolations.has(code)) return true;
  const { operations, contractOperations } = plan;
  const all = [...operations, ...contractOperations.map(({ operation }) => operation)];
  return (
    plan.errors[code]?.source === "document" &&
    all.some(
      ({ action, batch, errors, hooked }) =>
        action === "handler" || hooked !== undefined || (batch !== undefined && errors.includes(code)),
    )
  );
}

const codesWithViolations: ReadonlySet<string> = new Set(["invalid-request", "already-exists"]);

const violatedPolicies: JsonObject = {
  "violated-policies": {
    type: "array",
    items: { type: "string" },
    description: "The names of the limits that were hit, as in RateLimit-Policy.",
  },
};

/** Additional members of the problem, by code. */
const extraMembers: Readonly<Record<string, JsonObject>> = {
  "not-acceptable": {
    offered: { type: "array", items: { type: "string" }, description: "The available media types." },
  },
  "state-conflict": {
    state: { type: "string", description: "The current state." },
    moves: {
      type: "array",
      items: { type: "string" },
      description: "The operations that this caller may run in that state.",
    },
  },
  "rate-limited": violatedPolicies,
  "quota-exceeded": violatedPolicies,
  "still-referenced": {
    resource: { type: "string", description: "The records that refer to this record." },
    field: { type: "string", description: "The field of the reference." },
  },
};

function violations(names: ComponentNames): JsonObject {
  return {
    type: "array",
    maxItems: 100,
    items: refTo(names.violation),
    description: "Every invalid value of the request.",
  };
}

const violationSchema: JsonObject = {
  type: "object",
  description: "One invalid value: `pointer` into the body (RFC 6901 as a URI fragment), or the parameter or header.",
  properties: {
    pointer: { type: "string" },
    parameter: { type: "string" },
    header: { type: "string" },
    code: { type: "string" },
    detail: { type: "string" },
  },
  required: ["code", "detail"],
};

const healthSchema: JsonObject = {
  type: "object",
  properties: { status: { type: "string", enum: ["pass", "warn", "fail"] } },
  required: ["status"],
};
