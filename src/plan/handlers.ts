/**
 * Operations that a handler does (part 4, `does: handler`), each with what it takes and gives; and for what its function
 * may do as the system, three operations on each resource that no path leads to.
 */
import { camelCase } from "../base/case.ts";
import type { JsonObject } from "../base/json.ts";
import { type FreeEndpoint, meaningOf } from "../parts/endpoints/meaning.ts";
import { fieldsOf, isNullable, own, referenceOf } from "../parts/resources/fields.ts";
import { closedObject, fieldSchema, orNull } from "../parts/resources/json-schema.ts";
import { defaultValue } from "../parts/resources/default-value.ts";
import { type TakenShape, takenShape } from "../parts/endpoints/shape.ts";
import type { Field } from "../parts/resources/model.ts";
import { operationLimits, quotasOfOperation, ratesOf } from "./limits.ts";
import { effectsOf, emitsOf, movesBy } from "./moves.ts";
import { bodyField, envelopeAround, isEarly, parentPlans, repeatsOf } from "./operations.ts";
import { allowOf, visibleOf } from "./permissions.ts";
import type { AnswerPlan, BodyPlan, GrantPlan, Operation, ShapePlan, SystemOperations, Table } from "./plan.ts";
import { guardPlan } from "./outcomes.ts";
import { queryPlans } from "./queries.ts";
import { type Sources, unique } from "./sources.ts";

export function handlerOperations(sources: Sources, tables: readonly Table[]): readonly Operation[] {
  const { model } = sources;
  return Object.keys(model.endpoints.endpoints).flatMap((operation) => {
    const meaning = meaningOf(model, operation);
    const served = meaning?.kind === "free" && meaning.deed === "handler" && meaning.endpoint.wire === undefined;
    return served ? [handlerOperation(sources, meaning, tables)] : [];
  });
}

export function handlerOperation(sources: Sources, meaning: FreeEndpoint, tables: readonly Table[]): Operation {
  const { model } = sources;
  const { operation: name, endpoint, segments, key, parents } = meaning;
  const known = tables.find((table) => table.resource === meaning.resource);
  // Every operation is listed with some resource.
  const resource = known?.resource ?? tables[0]?.resource ?? "";
  const errors = endpoint.statuses?.errors;
  const reads = endpoint.method === "GET";
  const repeats = reads ? undefined : repeatsOf(sources, "handler", endpoint.method);
  const rated = { operation: name, resource, parents, ...(key === undefined ? {} : { key }) };
  const taken = takenShape(model, endpoint) ?? { fields: {}, within: {} };
  const body = reads ? undefined : bodyOf(sources, taken);
  const moves = known === undefined || key === undefined || reads ? [] : movesBy(sources, resource, name);
  const entered = unique(moves.filter(({ enters }) => enters).map(({ to }) => to));
  return {
    name,
    sentence: own(model.purpose.operations, name) ?? "",
    deed: "handler",
    method: endpoint.method,
    path: segments,
    template: endpoint.path,
    resource,
    ...(key === undefined ? {} : { key }),
    parents: parentPlans(sources, meaning),
    allow: allowOf(sources, name),
    visible: known === undefined ? [] : visibleOf(sources, resource),
    ...(body === undefined ? {} : { body }),
    creates: false,
    query: queryPlans(sources, meaning),
    ...guardPlan(sources, meaning),
    answer: { ...answerOf(sources, meaning, known), ...(errors === undefined ? {} : { errors }) },
    moves,
    choose: [],
    edits: key === undefined || reads || model.endpoints.edits === "none" ? "none" : "optional",
    ...(repeats === undefined ? {} : { repeats }),
    effects: known === undefined ? [] : effectsOf(sources, resource, name, entered),
    emits: emitsOf(sources, name),
    rules: [],
    limits: operationLimits(sources, name),
    rates: ratesOf(sources, rated),
    quotas: quotasOfOperation(sources, rated, taken.fields),
    errors: Object.keys(model.errors.errors),
    needs: [],
  };
}

function bodyOf(sources: Sources, { fields, within }: Pick<TakenShape, "fields" | "within">): BodyPlan {
  const around = (name: string): readonly string[] => own(within, name) ?? [];
  const envelope = Object.keys(within).length === 0 ? undefined : envelopeAround(Object.keys(fields), around);
  const required = Object.entries(fields).filter(
    ([, { optional, default: value }]) => !optional && value === undefined,
  );
  return {
    schema: closedObject(
      Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, takenSchema(sources, field)])),
      required.map(([name]) => name),
    ),
    mediaTypes: ["application/json"],
    required: required.length > 0,
    ...(envelope === undefined ? {} : { envelope }),
    own: true,
    fields: [],
    others: Object.entries(fields).map(([name, field]) =>
      bodyField(sources, name, field, { visible: visibleOf, defaults: true, secret: false }),
    ),
    fixed: [],
  };
}

function takenSchema({ model }: Sources, field: Field): JsonObject {
  const schema = fieldSchema(model, field, "input");
  const value = defaultValue(model, field);
  return value === undefined ? schema : { ...schema, default: value };
}

/** Without `gives` the record at hand, or the one that its function names where `of` is said; else nothing. */
function answerOf(sources: Sources, { endpoint, key }: FreeEndpoint, table: Table | undefined): AnswerPlan {
  const { model } = sources;
  const { shape } = endpoint;
  const record = table !== undefined && (key !== undefined || endpoint.of !== undefined);
  const status = endpoint.status ?? (shape === undefined && !record ? 204 : 200);
  if (status === 204 || status === 205 || (shape !== undefined && Object.keys(shape).length === 0))
    return { status, kind: "none" };
  const wrap = model.endpoints.wrap?.one?.replace("{resource}", camelCase(table?.resource ?? ""));
  if (shape === undefined)
    return { status, kind: record ? "record" : "none", ...(record && wrap !== undefined ? { wrap } : {}) };
  return { status, kind: "shape", shape: shapeOf(sources, shape) };
}

function shapeOf(sources: Sources, fields: Readonly<Record<string, Field>>): ShapePlan {
  const { model } = sources;
  const members = Object.entries(fields);
  return {
    schema: closedObject(
      Object.fromEntries(members.map(([name, field]) => [name, fieldSchema(model, field)])),
      members.filter(([, { optional }]) => !optional).map(([name]) => name),
    ),
    records: members.flatMap(([member, { type }]) => {
      const list = type.kind === "list" && type.of.kind === "named" ? type.of : undefined;
      const resource = referenceOf(model, list ?? type);
      return resource === undefined ? [] : [{ member, resource, many: list !== undefined }];
    }),
  };
}

// ── As the system ──────────────────────────────────────────────────────────────────────────────────────────────────

const anyone: readonly GrantPlan[] = [{ who: { kind: "anyone" } }];

/** What functions may do to records of a resource when they say that permissions are set aside: rules and events stay. */
export function systemOperations(sources: Sources, tables: readonly Table[]): readonly SystemOperations[] {
  return tables.map((table) => {
    const { resource, lifecycle } = table;
    const writable = Object.entries(fieldsOf(sources.model, resource)).filter(
      ([name, { computed }]) => computed === undefined && (name !== "id" || table.id.made === "client"),
    );
    const operation = (deed: "create" | "update" | "delete"): Operation => ({
      name: `${resource}.${deed}`,
      sentence: "",
      deed,
      method: deed === "create" ? "POST" : deed === "update" ? "PATCH" : "DELETE",
      path: [],
      template: "",
      resource,
      ...(deed === "create" ? {} : { key: { parameter: "id", column: "id" } }),
      parents: [],
      allow: anyone,
      visible: visibleOf(sources, resource),
      ...(deed === "delete" ? {} : { body: systemBody(sources, deed, writable) }),
      creates: false,
      query: [],
      answer: { status: 200, kind: deed === "delete" ? "none" : "record" },
      moves: [],
      choose: [],
      edits: "none",
      effects: deed === "create" && lifecycle !== undefined ? effectsOf(sources, resource, "", [lifecycle.start]) : [],
      emits: [],
      rules: deed === "delete" ? [] : table.rules.filter(isEarly),
      limits: operationLimits(sources, ""),
      rates: [],
      quotas: [],
      errors: [],
      needs: [],
    });
    return { resource, create: operation("create"), update: operation("update"), delete: operation("delete") };
  });
}

function systemBody(
  sources: Sources,
  deed: "create" | "update",
  fields: readonly (readonly [string, Field])[],
): BodyPlan {
  const { model } = sources;
  const bare = (field: Field): JsonObject => {
    const schema = fieldSchema(model, field, "input");
    return isNullable(field) && field.type.kind !== "nullable" ? orNull(schema) : schema;
  };
  const required = fields.filter(([, field]) => {
    return deed === "create" && !field.optional && field.default === undefined && field.type.kind !== "nullable";
  });
  return {
    schema: closedObject(
      Object.fromEntries(fields.map(([name, field]) => [name, bare(field)])),
      required.map(([name]) => name),
    ),
    mediaTypes: ["application/json"],
    required: true,
    fields: fields.map(([name, field]) =>
      bodyField(sources, name, field, {
        visible: () => anyone,
        defaults: deed === "create",
        secret: field.marks.includes("secret"),
      }),
    ),
    others: [],
    fixed: [],
  };
}
