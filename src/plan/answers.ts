/** What operations answer: the record as the caller sees it, or the shape that the document gives it. */
import { camelCase } from "../base/case.ts";
import { givesToken, type TypedExpression } from "../expression/typed.ts";
import type { ResourceEndpoint } from "../parts/endpoints/meaning.ts";
import type { Given } from "../parts/endpoints/model.ts";
import { answerShape, type Shape, shapeOf } from "../parts/endpoints/shape.ts";
import { deliveryResource, webhookResource } from "../parts/events/decide.ts";
import { nestedView } from "../parts/resources/fields.ts";
import { fieldSchema, orNull } from "../parts/resources/json-schema.ts";
import type { ViewDefinition } from "../parts/resources/model.ts";
import { columnTypeOfComputed, columnTypeOfValue, schemaOfExpression } from "./columns.ts";
import { isBodiless, statusPlan } from "./outcomes.ts";
import { seersOf } from "./permissions.ts";
import type { AnswerMember, AnswerPlan, AnswerSource, PageShape, Table, ViewPlan } from "./plan.ts";
import { assert, type Sources, typedAt } from "./sources.ts";

export function answerPlan(sources: Sources, meaning: ResourceEndpoint, views: ViewPlans): AnswerPlan {
  const { deed, endpoint, operation, resource } = meaning;
  const { item } = answerShape(sources.model, meaning);
  const gone = (deed === "delete" || deed === "clear") && item === undefined;
  const statuses = statusPlan(sources, meaning, gone || item?.kind === "none");
  const { status, same, accepted } = statuses;
  const { created } = endpoint.statuses ?? {};
  // A 204 or 205 has no body (RFC 9110, 15.3.5 and 15.3.6).
  const silent = [status, created, same, accepted?.status].every((one) => one === undefined || isBodiless(one));
  if (silent || gone || item?.kind === "none") return { ...statuses, kind: "none" };
  if (item === undefined || item.kind === "record") return { ...statuses, kind: "record", ...wrapOf(sources, meaning) };
  if (item.kind === "view") {
    const members = views[item.view]?.members ?? [];
    return { ...statuses, kind: "members", members, view: item.view, ...wrapOf(sources, meaning) };
  }
  const path = `endpoints/endpoints/${operation}/gives`;
  const around = item.kind === "object" ? item.members : {};
  const members = Object.entries(around).map(([name, shape]) =>
    memberOf(sources, resource, `${path}/${name}`, name, shape),
  );
  const proved = proves(deed) && statuses.same === undefined;
  return { ...statuses, kind: "members", members: proved ? members : members.map(withoutProof) };
}

/** What stands around a record that is given, and around a body that makes or changes one. */
export function wrapOf({ model }: Sources, { deed, resource }: ResourceEndpoint): Pick<AnswerPlan, "wrap"> {
  // What webhooks add to a document is always as the reference says it.
  const added = resource === webhookResource || resource === deliveryResource;
  const one = added ? undefined : model.endpoints.wrap?.one?.replace("{resource}", camelCase(resource));
  return one === undefined || deed === "list" || deed === "history" ? {} : { wrap: one };
}

/** What stands around the records of a page, where the document says it by itself. */
export function pageOf(shape: Shape): PageShape {
  switch (shape.kind) {
    case "object": {
      const members = Object.entries(shape.members).map(([name, inner]) => ({ name, shape: pageOf(inner) }));
      return { kind: "object", members };
    }
    case "count":
    case "next":
    case "items":
      return { kind: shape.kind };
    default:
      assert(false, `${shape.kind} stands around a page`);
  }
}

/** What begins or renews a session has a token to give for its record; all others only for the caller's own. */
function proves(deed: ResourceEndpoint["deed"]): boolean {
  return deed === "create" || deed === "login" || deed === "renew";
}

function memberOf(sources: Sources, resource: string, path: string, name: string, shape: Shape): AnswerMember {
  switch (shape.kind) {
    case "object": {
      const members = Object.entries(shape.members).map(([inner, one]) =>
        memberOf(sources, resource, `${path}/${inner}`, inner, one),
      );
      return { name, source: { kind: "object", members }, absent: "null" };
    }
    case "record":
      return { name, source: { kind: "whole" }, absent: "null" };
    case "view":
      return { name, source: { kind: "view", view: shape.view }, absent: "null" };
    case "expression": {
      const expression = typedAt(sources, path);
      const shown = shownOfMember(sources, resource, expression);
      return { name, source: expressionSource(sources, resource, expression), absent: "null", ...shown };
    }
    default:
      assert(false, `${shape.kind} is given of a record`);
  }
}

/** The member where there may be no token to give. */
function withoutProof(member: AnswerMember): AnswerMember {
  const { source } = member;
  if (source.kind === "object") return { ...member, source: { ...source, members: source.members.map(withoutProof) } };
  if (source.kind !== "expression" || !givesToken(source.expression)) return member;
  return { ...member, source: { ...source, schema: orNull(source.schema), nullable: true } };
}

function expressionSource({ model }: Sources, resource: string, expression: TypedExpression): AnswerSource {
  return {
    kind: "expression",
    expression,
    type: columnTypeOfValue(model, expression.type),
    schema: schemaOfExpression(model, resource, expression),
    nullable: expression.nullable,
  };
}

/** A hidden field stays hidden in whatever an answer makes of it: whoever sees that sees every field that it reads. */
function shownOfMember(sources: Sources, resource: string, expression: TypedExpression): Pick<AnswerMember, "shown"> {
  const shown = seersOf(sources, resource, expression);
  return shown.length === 0 ? {} : { shown };
}

/** What an answer that is of no record says of all of them. */
export function collectiveMembers(sources: Sources, operation: string, gives: Given): readonly AnswerMember[] {
  const shape = shapeOf(sources.model, gives, false);
  const path = `endpoints/endpoints/${operation}/gives`;
  if (shape.kind !== "object") return [];
  return Object.entries(shape.members).map(([name, inner]) => memberOf(sources, "", `${path}/${name}`, name, inner));
}

// ── Views ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export type ViewPlans = Readonly<Record<string, ViewPlan>>;

export function viewPlans(sources: Sources, tables: readonly Table[]): ViewPlans {
  return Object.fromEntries(
    Object.entries(sources.model.resources.views ?? {}).map(([name, view]) => {
      const table = tables.find(({ resource }) => resource === view.of);
      assert(table !== undefined, `the view ${name} is of ${view.of}, which has no table`);
      return [
        name,
        { resource: view.of, members: [...fieldsGiven(view, table), ...membersGiven(sources, name, view)] },
      ];
    }),
  );
}

/** The fields of the record as its own answers have them. */
function fieldsGiven({ fields = [] }: ViewDefinition, { columns, virtual }: Table): readonly AnswerMember[] {
  return fields.flatMap((name): AnswerMember[] => {
    const column = columns.find((one) => one.name === name);
    const worked = virtual.find((one) => one.name === name);
    const found = column ?? worked;
    if (found === undefined) return [];
    const { type, schema, absent, shown } = found;
    const said = { type, schema, nullable: column?.nullable ?? true };
    const source: AnswerSource =
      worked === undefined
        ? { kind: "column", column: name, ...said }
        : { kind: "expression", expression: worked.expression, ...said };
    return [{ name, source, absent, ...(shown === undefined ? {} : { shown: [shown] }) }];
  });
}

function membersGiven(sources: Sources, view: string, { of, members = {} }: ViewDefinition): readonly AnswerMember[] {
  const { model } = sources;
  return Object.entries(members).map(([name, field]): AnswerMember => {
    const expression = typedAt(sources, `resources/views/${view}/${name}/computed`);
    const nested = nestedView(model, field.type);
    const absent = field.optional ? "left out" : "null";
    const shown = shownOfMember(sources, of, expression);
    if (nested !== undefined) {
      const kind = nested.list ? "records" : "record";
      return { name, source: { kind, expression, view: nested.view }, absent, ...shown };
    }
    const source: AnswerSource = {
      kind: "expression",
      expression,
      type: columnTypeOfComputed(model, field.type, expression),
      schema: fieldSchema(model, field, "output"),
      nullable: expression.nullable,
    };
    // A view is also given where there is no token to give.
    return withoutProof({ name, source, absent, ...shown });
  });
}
