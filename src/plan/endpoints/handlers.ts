/**
 * Plans operations with `does: handler` or `does: none` (part 4); and for functions that bypass permissions, three operations on each
 * resource, without a path.
 */
import { camelCase } from "../../base/case.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Endpoint } from "../../language/endpoints/model.ts";
import { type FreeEndpoint, resolveEndpoint, styleOf } from "../../language/endpoints/resolve.ts";
import { fieldsOf, isNullable, referenceOf } from "../../language/resources/fields.ts";
import { closedObject, fieldSchema, orNull } from "../../language/resources/json-schema.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import { type InputShape, inputShape } from "../../language/endpoints/shape.ts";
import type { Field } from "../../language/resources/model.ts";
import { operationLimits, quotasOfOperation, ratesOf } from "../limits/limits.ts";
import { effectsOf, emitsOf, transitionsBy } from "../states/transitions.ts";
import { bodyField, shapedEnvelope } from "./body.ts";
import { isEarly, parentPlans, descriptionOf, idempotencyOf } from "./operations.ts";
import { allowOf, visibleOf } from "../authentication/permissions.ts";
import type { ResponsePlan, BodyPlan, Operation, ShapePlan, SystemOperations } from "./types.ts";
import type { GrantPlan } from "../authentication/types.ts";
import type { Table } from "../resources/types.ts";
import { guardPlan } from "./outcomes.ts";
import { queryPlans } from "./queries.ts";
import { adaptedBody, requestPlan } from "./requests.ts";
import { type PlanInput, unique } from "../input.ts";

export function handlerOperations(planInput: PlanInput, tables: readonly Table[]): readonly Operation[] {
  const { model } = planInput;
  return Object.keys(model.endpoints.endpoints).flatMap((operation) => {
    const resolved = resolveEndpoint(model, operation);
    const served = resolved?.kind === "free" && resolved.action === "handler" && resolved.endpoint.wire === undefined;
    return served ? [handlerOperation(planInput, resolved, tables)] : [];
  });
}

export function handlerOperation(planInput: PlanInput, resolved: FreeEndpoint, tables: readonly Table[]): Operation {
  const { model } = planInput;
  const { operation: name, endpoint, segments, key, parents } = resolved;
  const known = tables.find((table) => table.resource === resolved.resource);
  // The plan of every operation needs a resource, even one that reads none.
  const resource = known?.resource ?? tables[0]?.resource ?? "";
  const errors = endpoint.statuses?.errors;
  const reads = endpoint.method === "GET";
  const repeats = reads ? undefined : idempotencyOf(planInput, "handler", endpoint);
  const rated = { operation: name, resource, parents, ...(key === undefined ? {} : { key }) };
  const input = inputShape(model, endpoint) ?? { fields: {}, nesting: {}, names: {} };
  const body = reads ? undefined : bodyOf(planInput, endpoint, input);
  const moves = known === undefined || key === undefined || reads ? [] : transitionsBy(planInput, resource, name);
  const targetStates = unique(moves.filter(({ changesState }) => changesState).map(({ to }) => to));
  return {
    name,
    sentence: descriptionOf(model, name),
    action: "handler",
    ...(endpoint.does === "none" ? { unserved: true } : {}),
    method: endpoint.method,
    path: segments,
    template: endpoint.path,
    resource,
    ...(key === undefined ? {} : { key }),
    parents: parentPlans(planInput, resolved),
    allow: allowOf(planInput, name),
    visible: known === undefined ? [] : visibleOf(planInput, resource),
    ...(body === undefined ? {} : { body }),
    creates: false,
    ...(endpoint.wire === undefined ? requestPlan(planInput, endpoint) : {}),
    query: queryPlans(planInput, resolved),
    ...guardPlan(planInput, resolved),
    response: { ...responseOf(planInput, resolved, known), ...(errors === undefined ? {} : { errors }) },
    moves,
    choose: [],
    edits: key === undefined || reads || styleOf(model.endpoints, endpoint, "edits") === "none" ? "none" : "optional",
    ...(repeats === undefined ? {} : { repeats }),
    effects: known === undefined ? [] : effectsOf(planInput, resource, name, targetStates),
    emits: emitsOf(planInput, name),
    rules: [],
    limits: operationLimits(planInput, name),
    rates: ratesOf(planInput, rated),
    quotas: quotasOfOperation(planInput, rated, input.fields),
    errors: [...(endpoint.does === "none" ? ["not-implemented"] : []), ...Object.keys(model.errors.errors)],
    needs: [],
  };
}

function bodyOf(planInput: PlanInput, endpoint: Endpoint, shape: InputShape): BodyPlan {
  const { fields } = shape;
  const envelope = shapedEnvelope(Object.keys(fields), shape);
  const required = Object.entries(fields).filter(
    ([, { optional, default: value }]) => !optional && value === undefined,
  );
  return {
    schema: closedObject(
      Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, inputSchema(planInput, field)])),
      required.map(([name]) => name),
    ),
    ...adaptedBody(planInput, endpoint, false),
    required: required.length > 0,
    ...(envelope === undefined ? {} : { envelope }),
    own: true,
    fields: [],
    others: Object.entries(fields).map(([name, field]) =>
      bodyField(planInput, name, field, { visible: visibleOf, defaults: true, secret: false }),
    ),
    fixed: [],
  };
}

function inputSchema({ model }: PlanInput, field: Field): JsonObject {
  const schema = fieldSchema(model, field, "input");
  const value = defaultValue(model, field);
  return value === undefined ? schema : { ...schema, default: value };
}

/** Plans the response without `gives`: the current record, or with `of` the record that the function returns; else no body. */
function responseOf(planInput: PlanInput, { endpoint, key }: FreeEndpoint, table: Table | undefined): ResponsePlan {
  const { model } = planInput;
  const { shape } = endpoint;
  const record = table !== undefined && (key !== undefined || endpoint.of !== undefined);
  const status = endpoint.status ?? (shape === undefined && !record ? 204 : 200);
  if (status === 204 || status === 205 || (shape !== undefined && Object.keys(shape).length === 0))
    return { status, kind: "none" };
  const wrap = model.endpoints.wrap?.one?.replace("{resource}", camelCase(table?.resource ?? ""));
  if (shape === undefined)
    return { status, kind: record ? "record" : "none", ...(record && wrap !== undefined ? { wrap } : {}) };
  return { status, kind: "shape", shape: shapeOf(planInput, shape) };
}

function shapeOf(planInput: PlanInput, fields: Readonly<Record<string, Field>>): ShapePlan {
  const { model } = planInput;
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

/** Plans operations for functions that bypass permissions; rules and events still apply. */
export function systemOperations(planInput: PlanInput, tables: readonly Table[]): readonly SystemOperations[] {
  return tables.map((table) => {
    const { resource, lifecycle } = table;
    const writable = Object.entries(fieldsOf(planInput.model, resource)).filter(
      ([name, { computed }]) => computed === undefined && (name !== "id" || table.id.made === "client"),
    );
    const operation = (action: "create" | "update" | "delete"): Operation => ({
      name: `${resource}.${action}`,
      sentence: "",
      action,
      method: action === "create" ? "POST" : action === "update" ? "PATCH" : "DELETE",
      path: [],
      template: "",
      resource,
      ...(action === "create" ? {} : { key: { parameter: "id", column: "id" } }),
      parents: [],
      allow: anyone,
      visible: visibleOf(planInput, resource),
      ...(action === "delete" ? {} : { body: systemBody(planInput, action, writable) }),
      creates: false,
      query: [],
      response: { status: 200, kind: action === "delete" ? "none" : "record" },
      moves: [],
      choose: [],
      edits: "none",
      effects:
        action === "create" && lifecycle !== undefined ? effectsOf(planInput, resource, "", [lifecycle.start]) : [],
      emits: [],
      rules: action === "delete" ? [] : table.rules.filter(isEarly),
      limits: operationLimits(planInput, ""),
      rates: [],
      quotas: [],
      errors: [],
      needs: [],
    });
    return { resource, create: operation("create"), update: operation("update"), delete: operation("delete") };
  });
}

function systemBody(
  planInput: PlanInput,
  action: "create" | "update",
  fields: readonly (readonly [string, Field])[],
): BodyPlan {
  const { model } = planInput;
  const bare = (field: Field): JsonObject => {
    const schema = fieldSchema(model, field, "input");
    return isNullable(field) && field.type.kind !== "nullable" ? orNull(schema) : schema;
  };
  const required = fields.filter(([, field]) => {
    return action === "create" && !field.optional && field.default === undefined && field.type.kind !== "nullable";
  });
  return {
    schema: closedObject(
      Object.fromEntries(fields.map(([name, field]) => [name, bare(field)])),
      required.map(([name]) => name),
    ),
    mediaTypes: ["application/json"],
    required: true,
    fields: fields.map(([name, field]) =>
      bodyField(planInput, name, field, {
        visible: () => anyone,
        defaults: action === "create",
        secret: field.marks.includes("secret"),
      }),
    ),
    others: [],
    fixed: [],
  };
}
