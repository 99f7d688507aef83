/** Plans responses: the record as the caller may see it, or a custom shape. */
import { camelCase } from "../../base/case.ts";
import { readsVariable, type TypedExpression } from "../../expression/typed.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import type { ResponseTemplate } from "../../language/endpoints/model.ts";
import { batchOf, responseShape, type Shape, shapeOf } from "../../language/endpoints/shape.ts";
import { deliveryResource, webhookResource } from "../../language/events/decide.ts";
import {
  fieldsOf,
  isAroundItself,
  isExpandable,
  isOnRequest,
  lookup,
  nestedView,
} from "../../language/resources/fields.ts";
import { fieldSchema, jsonSchemaOf, orNull } from "../../language/resources/json-schema.ts";
import type { ViewDefinition } from "../../language/resources/model.ts";
import {
  jsonTypeOf,
  jsonTypeOfColumn,
  jsonTypeOfComputed,
  jsonTypeOfExpression,
  schemaOfExpression,
} from "../resources/columns.ts";
import { isBodiless, statusPlan } from "./outcomes.ts";
import { summaryMembers } from "./summary.ts";
import { deprecationOf, withDeprecation } from "../../language/versioning/deprecated.ts";
import { seersOf, visibleOf } from "../authentication/permissions.ts";
import type {
  BatchPlan,
  ExpandableReference,
  PageShape,
  ResponseMember,
  ResponsePlan,
  ResponseSource,
  ViewPlan,
} from "./types.ts";
import type { Table } from "../resources/types.ts";
import { assert, type PlanInput, typedAt } from "../input.ts";

export function responsePlan(planInput: PlanInput, resolved: ResourceEndpoint, views: ViewPlans): ResponsePlan {
  const { action, endpoint, operation, resource } = resolved;
  const { item } = responseShape(planInput.model, resolved);
  const isRemoved = (action === "delete" || action === "clear") && item === undefined;
  const statuses = statusPlan(planInput, resolved, isRemoved || item?.kind === "none");
  const { status, same, accepted } = statuses;
  const { created } = endpoint.statuses ?? {};
  // A response with the status 204 or 205 has no body (RFC 9110, 15.3.5 and 15.3.6).
  const isBodyless = [status, created, same, accepted?.status].every((one) => one === undefined || isBodiless(one));
  if (isBodyless || isRemoved || item?.kind === "none") return { ...statuses, kind: "none" };
  if (action === "summary") return { ...statuses, kind: "members", members: summaryMembers(planInput, resolved) };
  if (item === undefined || item.kind === "record")
    return { ...statuses, kind: "record", ...wrapOf(planInput, resolved) };
  if (item.kind === "view") {
    const members = views[item.view]?.members ?? [];
    return { ...statuses, kind: "members", members, view: item.view, ...wrapOf(planInput, resolved) };
  }
  const path = `endpoints/endpoints/${operation}/gives`;
  const around = item.kind === "object" ? item.members : {};
  const members = Object.entries(around).map(([name, shape]) =>
    withDeprecatedSource(planInput, operation, memberOf(planInput, resource, `${path}/${name}`, name, shape)),
  );
  const proved = proves(action) && statuses.same === undefined;
  return { ...statuses, kind: "members", members: proved ? members : members.map(withoutProof) };
}

/** Returns a member of a response whose schema says that part 9 deprecates it. */
function withDeprecatedSource({ model }: PlanInput, operation: string, member: ResponseMember): ResponseMember {
  const { name, source } = member;
  const deprecation = deprecationOf(model, `${operation}.${name}`);
  if (deprecation === undefined || source.kind !== "expression") return member;
  return { ...member, source: { ...source, schema: withDeprecation(source.schema, deprecation) } };
}

/** Plans the object around a record, in responses and in bodies that create or change one. */
export function wrapOf({ model }: PlanInput, resolved: ResourceEndpoint): Pick<ResponsePlan, "wrap"> {
  const { action, resource } = resolved;
  if (batchOf(model, resolved) !== undefined) return {};
  // The webhook resources have no enclosing object, as the reference documents them.
  const added = resource === webhookResource || resource === deliveryResource;
  const one = added ? undefined : model.endpoints.wrap?.one?.replace("{resource}", camelCase(resource));
  return one === undefined || action === "list" || action === "history" ? {} : { wrap: one };
}

/** Plans the array of records that one request creates; its response has the same form unless the document declares one. */
export function batchPlan(planInput: PlanInput, resolved: ResourceEndpoint): BatchPlan | undefined {
  const batch = batchOf(planInput.model, resolved);
  if (batch === undefined) return undefined;
  const { member, min, max } = batch;
  const { page, pageAt = "" } = responseShape(planInput.model, resolved);
  const items = { kind: "items" } as const;
  const usual: PageShape = member === undefined ? items : { kind: "object", members: [{ name: member, shape: items }] };
  return {
    ...(member === undefined ? {} : { member }),
    min,
    max,
    page: page === undefined ? usual : pageOf(planInput, page, pageAt),
  };
}

/** Plans a custom object around a page of records. */
export function pageOf(planInput: PlanInput, shape: Shape, path: string): PageShape {
  switch (shape.kind) {
    case "object": {
      const members = Object.entries(shape.members).map(([name, inner]) => {
        return { name, shape: pageOf(planInput, inner, `${path}/${name}`) };
      });
      return { kind: "object", members };
    }
    case "expression": {
      const expression = typedAt(planInput, path);
      return { kind: "expression", expression, schema: schemaOfExpression(planInput.model, "", expression) };
    }
    case "count":
    case "next":
    case "items":
      return { kind: shape.kind };
    default:
      assert(false, `${shape.kind} stands around a page`);
  }
}

/**
 * Whether a response of the action may contain a token of the record, because the caller has just created it, logged in or
 * renewed; other actions return tokens only of the caller's own record.
 */
function proves(action: ResourceEndpoint["action"]): boolean {
  return action === "create" || action === "login" || action === "renew";
}

function memberOf(planInput: PlanInput, resource: string, path: string, name: string, shape: Shape): ResponseMember {
  switch (shape.kind) {
    case "object": {
      const members = Object.entries(shape.members).map(([inner, one]) =>
        memberOf(planInput, resource, `${path}/${inner}`, inner, one),
      );
      return { name, source: { kind: "object", members }, absent: "null" };
    }
    case "record":
      return { name, source: { kind: "whole" }, absent: "null" };
    case "view":
      return { name, source: { kind: "view", view: shape.view }, absent: "null" };
    case "expression": {
      const expression = typedAt(planInput, path);
      const visibleTo = memberVisibility(planInput, resource, expression);
      return { name, source: expressionSource(planInput, resource, expression), absent: "null", ...visibleTo };
    }
    default:
      assert(false, `${shape.kind} is given of a record`);
  }
}

/** Makes a member with a token nullable, for operations that may have no token. */
function withoutProof(member: ResponseMember): ResponseMember {
  const { source } = member;
  if (source.kind === "object") return { ...member, source: { ...source, members: source.members.map(withoutProof) } };
  if (source.kind !== "expression" || !readsVariable(source.expression, "tokens")) return member;
  return { ...member, source: { ...source, schema: orNull(source.schema), nullable: true } };
}

function expressionSource({ model }: PlanInput, resource: string, expression: TypedExpression): ResponseSource {
  return {
    kind: "expression",
    expression,
    type: jsonTypeOfExpression(model, resource, expression),
    schema: schemaOfExpression(model, resource, expression),
    nullable: expression.nullable,
  };
}

/** Returns who sees a member that is computed from restricted fields: only callers who see all of these fields. */
function memberVisibility(
  planInput: PlanInput,
  resource: string,
  expression: TypedExpression,
): Pick<ResponseMember, "visibleTo"> {
  const visibleTo = seersOf(planInput, resource, expression);
  return visibleTo.length === 0 ? {} : { visibleTo };
}

/** Plans the members of an aggregate's response. */
export function aggregateMembers(
  planInput: PlanInput,
  operation: string,
  template: ResponseTemplate,
): readonly ResponseMember[] {
  const shape = shapeOf(planInput.model, template, false);
  const path = `endpoints/endpoints/${operation}/gives`;
  if (shape.kind !== "object") return [];
  return Object.entries(shape.members).map(([name, inner]) =>
    withDeprecatedSource(planInput, operation, memberOf(planInput, "", `${path}/${name}`, name, inner)),
  );
}

/** Plans a reference to a record of `resource` in place of which a request may ask for the record. */
function expandableReference(planInput: PlanInput, resource: string, isLeftOut: boolean): ExpandableReference {
  const type = { kind: "named", name: resource } as const;
  const { model } = planInput;
  return {
    visible: visibleOf(planInput, resource),
    ...(isLeftOut ? { isLeftOut } : {}),
    type: jsonTypeOf(model, type),
    schema: jsonSchemaOf(model, type),
  };
}

// ── Views ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export type ViewPlans = Readonly<Record<string, ViewPlan>>;

export function viewPlans(planInput: PlanInput, tables: readonly Table[]): ViewPlans {
  return Object.fromEntries(
    Object.entries(planInput.model.resources.views ?? {}).map(([name, view]) => {
      const table = tables.find(({ resource }) => resource === view.of);
      assert(table !== undefined, `the view ${name} is of ${view.of}, which has no table`);
      return [
        name,
        { resource: view.of, members: [...fieldMembers(view, table), ...viewMembers(planInput, name, view)] },
      ];
    }),
  );
}

/** Plans the fields of a view, as in the record's own responses. */
function fieldMembers(
  { deprecated = {}, fields = [] }: ViewDefinition,
  { columns, virtual }: Table,
): readonly ResponseMember[] {
  return fields.flatMap((name): ResponseMember[] => {
    const column = columns.find((one) => one.name === name);
    const computed = virtual.find((one) => one.name === name);
    const found = column ?? computed;
    if (found === undefined) return [];
    const { absent, visibleTo } = found;
    // The deprecation of the field itself is for all responses, also this one.
    const schema =
      found.schema["deprecated"] === true ? found.schema : withDeprecation(found.schema, lookup(deprecated, name));
    const type = column === undefined ? found.type : jsonTypeOfColumn(column);
    const typeInfo = { type, schema, nullable: column?.nullable ?? true };
    const source: ResponseSource =
      computed === undefined
        ? { kind: "column", column: name, ...typeInfo }
        : { kind: "expression", expression: computed.expression, ...typeInfo };
    return [{ name, source, absent, ...(visibleTo === undefined ? {} : { visibleTo: [visibleTo] }) }];
  });
}

/** Whether all members of a view may be absent. */
function mayBeEmpty({ model }: PlanInput, view: string): boolean {
  const { of, fields = [], members = {} } = lookup(model.resources.views ?? {}, view) ?? { of: "" };
  const all = [...fields.map((name) => lookup(fieldsOf(model, of), name)), ...Object.values(members)];
  return all.every((field) => field?.optional === true);
}

function viewMembers(
  planInput: PlanInput,
  view: string,
  { of, members = {} }: ViewDefinition,
): readonly ResponseMember[] {
  const { model } = planInput;
  return Object.entries(members).map(([name, field]): ResponseMember => {
    const absentAs = field.optional || isOnRequest(field) ? "left out" : "null";
    if (isAroundItself(model, view, name)) {
      const inner = nestedView(model, field.type)?.view ?? "";
      const isEmpty = field.optional && mayBeEmpty(planInput, inner);
      return { name, source: { kind: "view", view: inner }, absent: isEmpty ? "left out" : "null" };
    }
    const expression = typedAt(planInput, `resources/views/${view}/${name}/computed`);
    const nested = nestedView(model, field.type);
    const absent = absentAs;
    const visibleTo = memberVisibility(planInput, of, expression);
    if (nested !== undefined) {
      const kind = nested.list ? "records" : "record";
      const isLeftOut = isOnRequest(field);
      const isReference = isLeftOut || isExpandable(field);
      const expand = isReference ? { expand: expandableReference(planInput, nested.of, isLeftOut) } : {};
      return { name, source: { kind, expression, view: nested.view, ...expand }, absent, ...visibleTo };
    }
    const source: ResponseSource = {
      kind: "expression",
      expression,
      type: jsonTypeOfComputed(model, field.type, expression),
      schema: fieldSchema(model, field, "output"),
      nullable: expression.nullable,
    };
    // Makes tokens nullable, since views also appear in responses without a token.
    return withoutProof({ name, source, absent, ...visibleTo });
  });
}
