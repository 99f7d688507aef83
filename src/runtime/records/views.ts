/**
 * Builds the views of a resource: the members that a kind of caller sees, as an allow-list, independent of the request (R2.9,
 * R5.9).
 */
import { defined } from "../../base/defined.ts";
import { onceFor } from "../../base/once.ts";
import { type Subject, decide } from "../../language/authentication/decide.ts";
import { createHash } from "node:crypto";
import { mentions, readsOtherRecords, type TypedExpression } from "../../expression/typed.ts";
import type { EndpointsPart, Operation, ResponseMember, ResponseSource } from "../../plan/endpoints/types.ts";
import type { GrantPlan } from "../../plan/authentication/types.ts";
import { jsonTypeOfColumn } from "../../plan/resources/columns.ts";
import type { Column, Table } from "../../plan/resources/types.ts";
import type { ExpandableMember, Members, View, ViewMember } from "../../store/port/store.ts";
import { both, either } from "../../plan/input.ts";
import type { ResourceView } from "../context/compiled.ts";

/**
 * Returns the view of a resource. `subject` is undefined for anonymous callers. `record`: returns the view of another resource,
 * for references that a request may expand; without it there are none.
 */
export function viewOf(table: Table, subject: Subject | undefined, record?: (resource: string) => View): ResourceView {
  const members: ViewMember[] = [];
  const readable = new Set<string>();
  let conditional = false;
  for (const member of [...table.columns, ...table.virtual]) {
    const decision =
      member.visibleTo === undefined ? "allowed" : decide(member.visibleTo as readonly GrantPlan[], subject);
    if (decision === "denied") continue;
    if (decision === "allowed") readable.add(member.name);
    else conditional = true;
    members.push({
      name: member.name,
      source:
        "expression" in member
          ? { kind: "expression", expression: member.expression }
          : { kind: "column", column: member.name },
      type: "expression" in member ? member.type : jsonTypeOfColumn(member),
      absent: member.absent,
      ...(decision === "allowed" ? {} : { when: decision.any }),
      ...("expandableFor" in member && record !== undefined ? expandableColumn(member, subject, record) : {}),
    });
  }
  const derived =
    conditional ||
    table.virtual.some(({ expression }) => readsOtherRecords(expression) || mentions(expression, "variable"));
  const names = members.map(({ name }) => name);
  const isComplete = members.length === table.columns.length + table.virtual.length;
  const tag = isComplete ? "" : createHash("sha256").update(names.join()).digest("base64url").slice(0, 4);
  return { view: { resource: table.resource, members }, readable, known: new Set(names), derived, tag };
}

function expandableColumn(
  { name, references, expandableFor = [], nullable }: Column,
  subject: Subject | undefined,
  record: (resource: string) => View,
): Pick<ViewMember, "expandable"> {
  const { resource } = defined(references, `the resource of ${name}`);
  const type = { kind: "record", resource } as const;
  const expression: TypedExpression = { kind: "field", name, at: { start: 0, end: 0 }, type, nullable };
  return expandableMember(expression, expandableFor, subject, { view: () => record(resource) });
}

/** Returns the reference for callers who may see some of the records; for others there is only the id. */
function expandableMember(
  expression: TypedExpression,
  grants: readonly GrantPlan[],
  subject: Subject | undefined,
  target: Pick<ExpandableMember, "view" | "name" | "isList" | "isLeftOut">,
): Pick<ViewMember, "expandable"> {
  const visible = decide(grants, subject);
  const conditions = typeof visible === "string" ? (visible === "denied" ? [never] : undefined) : visible.any;
  return { expandable: { expression, ...target, ...(conditions === undefined ? {} : { visible: conditions }) } };
}

const never: TypedExpression = {
  kind: "constant",
  value: false,
  at: { start: 0, end: 0 },
  type: { kind: "bool" },
  nullable: false,
};

/** Views for nested members of responses: the document's views, and the records of a resource for a kind of caller. */
export interface Nested {
  readonly views: EndpointsPart["views"];
  readonly subject: Subject | undefined;
  record(resource: string): View;
}

/** Returns the view of an operation's custom `gives` for a kind of caller. */
export function operationView({ resource, response }: Operation, nested: Nested): View | undefined {
  const { members, kind } = response;
  if (kind !== "members" || members === undefined) return undefined;
  return { resource, ...viewMembers(resource, members, nested) };
}

/** Returns a view of the document for a kind of caller. */
export function documentView(resource: string, name: string, nested: Nested): View {
  return { resource, ...viewMembers(resource, nested.views?.[name]?.members ?? [], nested) };
}

/** Returns the header fields of an operation's responses for a kind of caller, as a view of the record. */
export function headerView({ headers, list, resource }: Operation, nested: Nested): View | undefined {
  if (headers === undefined || list !== undefined) return undefined;
  const members = headers.map(({ name, expression, type, schema, visibleTo }): ResponseMember => {
    const source = { kind: "expression", expression, type, schema, nullable: true } as const;
    return { name, source, absent: "left out", ...(visibleTo === undefined ? {} : { visibleTo }) };
  });
  return { resource, ...viewMembers(resource, members, nested) };
}

function viewMembers(resource: string, members: readonly ResponseMember[], nested: Nested): Members {
  const isLeftOut = ({ source }: ResponseMember): boolean => "expand" in source && source.expand?.isLeftOut === true;
  const onRequest = members.filter(isLeftOut);
  const always = onRequest.length === 0 ? members : members.filter((member) => !isLeftOut(member));
  return {
    members: membersFor(resource, always, nested),
    ...(onRequest.length === 0 ? {} : { onRequest: membersFor(resource, onRequest, nested) }),
  };
}

/** Returns the condition of a record under which the caller passes at least one grant of every list. */
export function conditionFor(
  lists: readonly (readonly GrantPlan[])[] = [],
  subject: Subject | undefined,
): TypedExpression | "allowed" | "denied" {
  const decisions = lists.map((grants) => decide(grants, subject));
  if (decisions.includes("denied")) return "denied";
  const conditions = decisions.flatMap((one) => (typeof one === "string" ? [] : [one.any.reduce(either)]));
  return conditions.length === 0 ? "allowed" : conditions.reduce(both);
}

function membersFor(resource: string, members: readonly ResponseMember[], nested: Nested): readonly ViewMember[] {
  return members.flatMap(({ name, source, absent, visibleTo }): ViewMember[] => {
    const condition = conditionFor(visibleTo, nested.subject);
    if (condition === "denied") return [];
    const when = condition === "allowed" ? {} : { when: [condition] };
    return [{ name, ...viewSource(resource, source, nested), absent, ...when }];
  });
}

function viewSource(
  resource: string,
  source: ResponseSource,
  nested: Nested,
): Pick<ViewMember, "source" | "type" | "expandable"> {
  const inView = (name: string): View => {
    const view = nested.views?.[name];
    if (view === undefined) throw new Error(`there is no view ${name}`);
    return { resource: view.resource, ...viewMembers(view.resource, view.members, nested) };
  };
  switch (source.kind) {
    case "expression":
      return { source: { kind: "expression", expression: source.expression }, type: source.type };
    case "column":
      return { source: { kind: "column", column: source.column }, type: source.type };
    case "object":
      return { source: { kind: "object", ...viewMembers(resource, source.members, nested) }, type: "json" };
    case "whole":
      return { source: { kind: "object", members: nested.record(resource).members }, type: "json" };
    case "view": {
      const { resource: _, ...members } = inView(source.view);
      return { source: { kind: "object", ...members }, type: "json" };
    }
    case "record":
    case "records": {
      const { expand, expression, view: name } = source;
      if (expand !== undefined) {
        const target = {
          view: () => inView(name),
          name,
          isList: source.kind === "records",
          isLeftOut: expand.isLeftOut === true,
        };
        return {
          source: { kind: "expression", expression },
          type: expand.type,
          ...expandableMember(expression, expand.visible, nested.subject, target),
        };
      }
      return {
        source: { kind: source.kind, expression: source.expression, view: inView(source.view) },
        type: "json",
      };
    }
  }
}

/** Whether the text of a view can change when other records change. */
export const dependsOnOthers: (view: View) => boolean = onceFor(({ members }) => members.some(memberDependsOnOthers));

function memberDependsOnOthers({ source, when = [] }: ViewMember): boolean {
  if (when.some(readsOtherRecords)) return true;
  if (source.kind === "object") return source.members.some(memberDependsOnOthers);
  return source.kind === "expression" ? readsOtherRecords(source.expression) : source.kind !== "column";
}
