/**
 * Plans the older versions of a document. Each is planned from its own model (`modelAt`) with the same builder as the newest,
 * so that its callers are validated against its schemas; the steps between consecutive versions are plain data.
 */
import { deprecationOf } from "../../language/versioning/deprecated.ts";
import { doesOf, type FreeEndpoint, resolveEndpoint, type ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { type Endpoint, mapParts, type PathKey, type ResolvedPath } from "../../language/endpoints/model.ts";
import { responseShape, responseMembers, type Shape, declaredInput } from "../../language/endpoints/shape.ts";
import { typeExpressions } from "../../language/analysis/expressions.ts";
import type { Model } from "../../language/model.ts";
import { bareType, innermost, nestedView, lookup, referenceOf } from "../../language/resources/fields.ts";
import { jsonSchemaOf } from "../../language/resources/json-schema.ts";
import type { Field, Fields } from "../../language/resources/model.ts";
import { withEventNames } from "../events/webhooks.ts";
import { modelAt, typeOf } from "../../language/versioning/model-at-version.ts";
import { type Conversion, conversionsOf, fieldAt, olderOf } from "../../language/versioning/conversions.ts";
import type { Change, Version, Versioning } from "../../language/versioning/model.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import { aggregateOperations } from "../endpoints/aggregates.ts";
import { handlerOperations } from "../endpoints/handlers.ts";
import { buildOperations } from "../endpoints/operations.ts";
import { heldType } from "./reshape.ts";
import type { ResponseMember, ResponseSource, Operation } from "../endpoints/types.ts";
import type { Plan } from "../plan.ts";
import { absence } from "../resources/tables.ts";
import type { Table } from "../resources/types.ts";
import type { PlanInput } from "../input.ts";
import { withPermissions } from "../authentication/permitted.ts";
import { contractOperationsOf } from "../endpoints/contract.ts";
import {
  type DeprecationPlan,
  type MemberStep,
  type OlderPlan,
  type OperationStep,
  type ShapeStep,
  type StepPlan,
  type VersionPlan,
  type VersionsPlan,
  viewStep,
} from "./conversion-types.ts";

/** Plans all versions. `planned`: builds the plan of one version's model; `newest`: the plan of the document itself. */
export function versionsPlan(
  planInput: PlanInput,
  newest: Pick<Plan, "tables" | "operations" | "views">,
  planned: (planInput: PlanInput) => Plan,
): VersionsPlan | undefined {
  const { model } = planInput;
  const { versioning } = model;
  const { scheme, versions = [], sent, absent, policy } = versioning;
  const [first, ...others] = versions;
  if (first === undefined || scheme === "none") return undefined;
  const { found } = conversionsOf(model);
  const list = [versionPlan(versioning, first.name)];
  let steps: readonly StepPlan[] = [];
  let newer: Neighbour = { version: first, model, plan: newest };
  for (const version of others) {
    const older = withEventNames(modelAt(model, version.name));
    const { typed, later } = shapeExpressions(older);
    const plan = planned({ model: older, places: planInput.places, typed, older: true });
    const changed = changedDefinitions(older, newer.version);
    const step = stepPlan({
      older,
      newer: newer.model,
      plan,
      newerPlan: newer.plan,
      version: newer.version,
      changed,
      found,
    });
    const received = withPermissions(plan, newer.plan, step, later);
    steps = [step, ...steps];
    const operations = runningOperations(planInput, newest, older, steps);
    list.push(versionPlan(versioning, version.name, { received, operations, step }));
    newer = { version, model: older, plan: received };
  }
  return {
    scheme: scheme ?? (/^\d{4}-/.test(first.name) ? "dated" : "numbered"),
    ...(sent === undefined ? {} : { sent }),
    // The default: a caller keeps the version of its first request (R9.2).
    absent: absent ?? "pinned",
    removed: policy?.afterSunset ?? { status: 410, error: "version-gone" },
    ...(policy?.unknown === undefined ? {} : { unknown: policy.unknown }),
    list,
  };
}

/** The next newer version of an older one. */
interface Neighbour {
  readonly version: Version;
  readonly model: Model;
  readonly plan: Pick<Plan, "tables" | "operations" | "views">;
}

function versionPlan(versioning: Versioning, name: string, older?: OlderPlan): VersionPlan {
  const deprecated = deprecationPlan(versioning, name);
  return { name, ...(deprecated === undefined ? {} : { deprecated }), ...(older === undefined ? {} : { older }) };
}

/** Returns the deprecation of a version or an operation; a date means its first moment. */
function deprecationPlan(versioning: Versioning, name: string): DeprecationPlan | undefined {
  const deprecation = deprecationOf({ versioning }, name);
  if (deprecation === undefined) return undefined;
  const { since, sunset, guide } = deprecation;
  return {
    ...(since === undefined ? {} : { since: Date.parse(since) }),
    ...(sunset === undefined ? {} : { sunset: Date.parse(sunset) }),
    ...(guide === undefined ? {} : { guide }),
  };
}

/** Returns the operation with its deprecation, if it has one. */
export function withDeprecationPlan({ versioning }: Model, operation: Operation): Operation {
  const deprecated = deprecationPlan(versioning, operation.name);
  return deprecated === undefined ? operation : { ...operation, deprecated };
}

/** Types the expressions of a version; `later`: the paths of those with names that the version does not have. */
function shapeExpressions(model: Model) {
  const { typed, problems } = typeExpressions({ ...model, versioning: {} });
  const later = problems.filter(({ problem }) => problem.code === "unknown-name" || problem.code === "unknown-field");
  return { typed, later: new Set(later.map(({ path }) => path)) };
}

// ── What runs ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Plans the newest version's operations with the methods and paths of an older version. */
function runningOperations(
  planInput: PlanInput,
  newest: Pick<Plan, "tables" | "operations">,
  older: Model,
  steps: readonly StepPlan[],
): readonly Operation[] {
  const { model } = planInput;
  const endpoints: Record<string, Endpoint> = { ...model.endpoints.endpoints };
  const relocated = new Set<string>();
  const files = new Map<string, { readonly last: string; readonly path: string }>();
  for (const [name, endpoint] of Object.entries(older.endpoints.endpoints)) {
    const operation = steps.reduce((at, step) => step.operations.find((one) => one.older === at)?.newer ?? at, name);
    const now = lookup(model.endpoints.endpoints, operation);
    const then = resolveEndpoint(older, name);
    if (now === undefined || then === undefined || then.kind === "unclear") continue;
    const { method, path } = endpoint;
    if (now.method === method && withoutNames(now.path) === withoutNames(path)) continue;
    relocated.add(operation);
    const { of, meant } = meantNow(then, steps);
    const adjusted = { ...now, method, path, meant, ...(of === undefined ? {} : { of }) };
    const file = then.kind === "resource" && then.file !== undefined ? resolveEndpoint(model, operation) : undefined;
    if (file?.kind === "resource" && file.file !== undefined) {
      // The planner recognises an operation on a file by the newest path, so the operation is planned at that path and then
      // moved to the older one.
      const bare = path.replace(/\/$/, "");
      const last = bare.slice(bare.lastIndexOf("/") + 1);
      files.set(operation, { last, path });
      endpoints[operation] = { ...adjusted, path: bare.slice(0, -last.length) + file.file };
      continue;
    }
    const does = then.kind === "resource" ? doesOf(then.action) : undefined;
    endpoints[operation] = { ...adjusted, ...(does === undefined ? {} : { does }) };
  }
  if (relocated.size === 0) return [];
  const running = { ...model, endpoints: { ...model.endpoints, endpoints } };
  const then: PlanInput = { ...planInput, model: running };
  const { tables } = newest;
  return [
    ...buildOperations(then, tables),
    ...aggregateOperations(then, tables),
    ...handlerOperations(then, tables),
    ...contractOperationsOf(then, tables).map(({ operation }) => operation),
  ]
    .filter(({ name }) => relocated.has(name))
    .map((planned): Operation => {
      const operation = withDeprecationPlan(model, planned);
      const found = files.get(operation.name);
      if (found === undefined) return operation;
      const slash = found.path.endsWith("/") ? [""] : [];
      const end = [found.last, ...slash].map((text) => ({ kind: "literal" as const, text }));
      const path = [...operation.path.slice(0, -1), ...end];
      return { ...operation, path, template: found.path };
    });
}

/** Returns the path without the names of its parameters. */
function withoutNames(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, "{}");
}

/** Returns the resources and columns that an older path identifies, with their newest names. */
function meantNow(
  { anchor, key, parents, resource }: ResourceEndpoint | FreeEndpoint,
  steps: readonly StepPlan[],
): { readonly of?: string; readonly meant: ResolvedPath } {
  const nameNow = (older: string): string =>
    steps.reduce((at, { shapes }) => shapes.find((one) => one.older === at)?.newer ?? at, older);
  const memberNow = (of: string | undefined, older: string): string => {
    let at = of;
    let name = older;
    for (const { shapes } of steps) {
      const shape = shapes.find((one) => one.older === at);
      name = shape?.members.find((one) => one.older === name)?.newer ?? name;
      at = shape?.newer ?? at;
    }
    return name;
  };
  const keyNow = <Key extends PathKey>(older: Key, of: string | undefined): Key =>
    mapParts(older, ({ column, parameter }) => ({ parameter, column: memberNow(of, column) }));
  return {
    ...(resource === undefined ? {} : { of: nameNow(resource) }),
    meant: {
      anchor,
      ...(key === undefined ? {} : { key: keyNow(key, resource) }),
      parents: parents.map((parent, index) => ({
        ...keyNow(parent, parent.resource),
        resource: nameNow(parent.resource),
        field: memberNow(parents[index + 1]?.resource ?? resource, parent.field),
      })),
    },
  };
}

// ── Steps ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Between {
  readonly older: Model;
  readonly newer: Model;
  readonly plan: Pick<Plan, "tables" | "operations">;
  readonly newerPlan: Pick<Plan, "tables" | "operations" | "views">;
  /** The newer version, whose entries describe the differences. */
  readonly version: Version;
  /** The older version's definitions that changed, or contain one that changed. */
  readonly changed: ReadonlySet<string>;
  readonly found: ReadonlyMap<string, Conversion>;
}

function stepPlan(between: Between): StepPlan {
  const { older, version } = between;
  const shapes = [
    ...Object.entries(older.resources.types).map(([name, fields]) => typeShape(between, name, fields)),
    ...Object.keys(older.resources.resources).map((name) => recordShape(between, name)),
  ].filter((shape) => between.changed.has(shape.older));
  const errors = version.changes.flatMap((change) =>
    change.kind === "error" && change.was !== change.code ? [{ older: change.was, newer: change.code }] : [],
  );
  const nested = Object.keys(older.resources.views ?? {}).map((name) => viewShape(between, name));
  const operations = operationSteps(between, nested);
  return {
    shapes: [...shapes, ...nested],
    operations,
    errors,
    events: eventSteps(between),
    carries: Object.fromEntries(
      Object.entries(older.events.out ?? {}).flatMap(([event, { carries }]) =>
        carries === undefined ? [] : [[event, carries]],
      ),
    ),
  };
}

function newerName({ version }: Pick<Between, "version">, older: string): string {
  const rename = version.changes.find(
    (change) => change.kind === "rename" && change.from.field === undefined && change.from.of === older,
  );
  return rename?.kind === "rename" ? rename.to : older;
}

function eventSteps({ older, newer, version }: Between): StepPlan["events"] {
  const known = new Set(Object.keys(older.events.out ?? {}));
  return Object.keys(newer.events.out ?? {}).flatMap((event) => {
    const entry = version.changes.find((change) => change.kind === "event" && change.name === event);
    const was = entry?.kind === "event" ? entry.was : event;
    if (was === event && known.has(event)) return [];
    return [{ newer: event, ...(was !== undefined && known.has(was) ? { older: was } : {}) }];
  });
}

function changedDefinitions(older: Model, version: Version): ReadonlySet<string> {
  const places = version.changes.flatMap((change): readonly string[] => {
    if (change.kind === "state") return [change.resource];
    if (change.kind === "rename") return [change.from.field === undefined ? change.to : change.from.of];
    return "target" in change ? [change.target.of] : [];
  });
  const definitions: readonly (readonly [string, Fields])[] = [
    ...Object.entries(older.resources.types),
    ...Object.entries(older.resources.resources).map(([name, { fields }]) => [name, fields] as const),
  ];
  const changed = new Set(
    definitions.map(([name]) => name).filter((name) => places.includes(newerName({ version }, name))),
  );
  for (let before = -1; before < changed.size; ) {
    before = changed.size;
    for (const [name, fields] of definitions) {
      const holds = Object.values(fields).some((field) => {
        const type = heldType(older, field.type)?.type ?? expandedType(older, field);
        return type !== undefined && changed.has(type);
      });
      if (holds) changed.add(name);
    }
  }
  return changed;
}

/** Returns the resource of a reference that responses may contain as a record. */
function expandedType(model: Model, { marks, type }: Field): string | undefined {
  return marks.includes("expand") ? referenceOf(model, type) : undefined;
}

type Absent = MemberStep["absent"];

function typeShape(between: Between, older: string, fields: Fields): ShapeStep {
  const newer = newerName(between, older);
  const now = lookup(between.newer.resources.types, newer) ?? {};
  const members = Object.entries(fields).map(([name, field]) => {
    const step = memberStep(between, newer, name, field, absence(field));
    return withNulls(step, lookup(now, step.newer ?? ""));
  });
  return { older, newer, members, added: addedMembers(between, newer, members, Object.keys(now)) };
}

/** Adds to a step whether the newer version leaves out a value that the older one has as null. */
function withNulls(step: MemberStep, now: Field | undefined): MemberStep {
  return step.absent === "null" && now?.optional === true && absence(now) === "left out"
    ? { ...step, nulls: true }
    : step;
}

/** Plans the conversion of a record: in responses, its columns come before its computed members. */
function recordShape(between: Between, older: string): ShapeStep {
  const newer = newerName(between, older);
  const present = transportMembers(between.newerPlan.tables, newer);
  const members = transportMembers(between.plan.tables, older).map(({ name, absent }): MemberStep => {
    const field = lookup(lookup(between.older.resources.resources, older)?.fields ?? {}, name);
    if (field !== undefined) {
      const step = memberStep(between, newer, name, field, absent);
      const leftOut = present.some((one) => one.name === step.newer && one.absent === "left out");
      return absent === "null" && leftOut ? { ...step, nulls: true } : step;
    }
    const values = stateValues(between, newer);
    return { older: name, newer: name, absent, ...(values === undefined ? {} : { values }) };
  });
  const now = present.map(({ name }) => name);
  return { older, newer, members, added: addedMembers(between, newer, members, now) };
}

function transportMembers(
  tables: readonly Table[],
  resource: string,
): readonly { readonly name: string; readonly absent: Absent }[] {
  const table = tables.find((one) => one.resource === resource);
  return [...(table?.columns ?? []), ...(table?.virtual ?? [])];
}

function stateValues({ version }: Between, resource: string): MemberStep["values"] {
  const values = version.changes.flatMap((change) =>
    change.kind === "state" && change.resource === resource
      ? [[change.name, { kind: "value", value: change.seen } as const] as const]
      : [],
  );
  return values.length === 0 ? undefined : Object.fromEntries(values);
}

/** Returns the entries about a member, with their paths. */
function changesOf({ version }: Between, of: string, member: string): readonly (readonly [Change, string])[] {
  return version.changes.flatMap((change, index) => {
    const about = "target" in change && change.target.of === of && change.target.field === member;
    return about ? [[change, `versioning/versions/${version.name}/${index}`] as const] : [];
  });
}

/** Plans a member that the newer version has removed; undefined for any other member. */
function removedMember(between: Between, of: string, older: string, absent: Absent): MemberStep | undefined {
  const removed = changesOf(between, of, older).find(([{ kind }]) => kind === "remove");
  const seen = removed && between.found.get(`${removed[1]}/seen`);
  return removed && { older, absent, ...(seen === undefined ? {} : { seen }) };
}

function memberStep(between: Between, of: string, older: string, field: Field, absent: Absent): MemberStep {
  const removed = removedMember(between, of, older, absent);
  if (removed !== undefined) return removed;
  const newer = newerMember(between.version, of, older);
  const held = heldType(between.older, field.type)?.type ?? expandedType(between.older, field);
  const { enclosing } = innermost(field.type);
  const step = {
    older,
    newer,
    absent,
    ...(held !== undefined && between.changed.has(held) ? { shape: held } : {}),
    ...(enclosing.length === 0 ? {} : { enclosing }),
  };
  return changesOf(between, of, newer).reduce(
    (all, [change, path]) => ({ ...all, ...memberChange(between, all, change, path, field) }),
    step as MemberStep,
  );
}

function memberChange(
  { older, found }: Between,
  step: MemberStep,
  change: Change,
  path: string,
  field: Field,
): Partial<MemberStep> {
  const seen = found.get(`${path}/seen`);
  const taken = found.get(`${path}/taken`);
  switch (change.kind) {
    case "require":
      return taken === undefined ? {} : { takenIfMissing: taken };
    case "add-value":
      return seen === undefined ? {} : { values: { ...step.values, [change.value]: seen } };
    case "relax": {
      const type = change.was === undefined ? undefined : typeOf(change.was);
      const fits = type === undefined ? {} : { fits: jsonSchemaOf(older, type) };
      return seen === undefined ? {} : { filled: { seen, ...fits } };
    }
    case "retype": {
      const bare = bareType(field.type);
      return {
        ...(seen === undefined ? {} : { seen }),
        ...(taken === undefined ? {} : { takenFromValue: taken }),
        ...(bare.kind === "scalar" && bare.name === "integer" ? { rounded: true as const } : {}),
      };
    }
    default:
      return {};
  }
}

function newerMember({ changes }: Version, of: string, older: string): string {
  const named = changes.find((change) => {
    return change.kind === "rename" && change.from.of === of && change.from.field === older;
  });
  return named?.kind === "rename" ? named.to : older;
}

function addedMembers(
  between: Between,
  of: string,
  members: readonly MemberStep[],
  now: readonly string[],
): ShapeStep["added"] {
  const known = new Set(members.map(({ newer }) => newer));
  return now
    .filter((name) => !known.has(name))
    .map((newer) => {
      const added = changesOf(between, of, newer).find(([{ kind }]) => kind === "add");
      const taken = added && between.found.get(`${added[1]}/taken`);
      return { newer, ...(taken === undefined ? {} : { taken }) };
    });
}

// ── Operations ─────────────────────────────────────────────────────────────────────────────────────────────────────

function operationSteps(between: Between, nested: ShapeStep[]): readonly OperationStep[] {
  return Object.keys(between.older.endpoints.endpoints).flatMap((older): OperationStep[] => {
    const newer = newerName(between, older);
    const now = lookup(between.newer.endpoints.endpoints, newer);
    if (now === undefined) return [];
    const hasInput = (declaredInput(between.newer, newer) ?? declaredInput(between.older, older)) !== undefined;
    const takes = hasInput ? inputStep(between, older, newer) : undefined;
    const gives =
      now.shape !== undefined
        ? shapeStep(between, older, newer)
        : now.gives === undefined
          ? undefined
          : responseStep(between, older, newer, nested);
    const template = now.shape ?? responseMembers(now.gives);
    if (older === newer && takes === undefined && (gives === undefined || isSame(gives, template))) return [];
    return [{ older, newer, ...(takes === undefined ? {} : { takes }), ...(gives === undefined ? {} : { gives }) }];
  });
}

/** Whether both versions have the same members in the same order, and none is converted. */
function isSame({ members, added }: ShapeStep, now: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(now);
  const plain = members.every(({ older, newer, absent: _, as: __, enclosing: ___, ...rest }, index) => {
    return older === newer && newer === names[index] && Object.keys(rest).length === 0;
  });
  return plain && added.length === 0 && members.length === names.length;
}

function inputStep(between: Between, older: string, newer: string): ShapeStep {
  const endpoint = lookup(between.older.endpoints.endpoints, older);
  const fields = declaredInput(between.older, older)?.fields ?? {};
  const resolved = resolveEndpoint(between.older, older);
  const resource = resolved?.kind === "resource" ? newerName(between, resolved.resource) : newer;
  const now = declaredInput(between.newer, newer)?.fields ?? {};
  const members = Object.entries(fields).map(([name, field]) => {
    // A member from a view is a field of the resource, and is converted like the field.
    const isCustom = lookup(endpoint?.takes ?? {}, name) !== undefined;
    const step = memberStep(between, isCustom ? newer : resource, name, field, absence(field));
    return withNulls(step, lookup(now, step.newer ?? ""));
  });
  return { older, newer, members, added: addedMembers(between, newer, members, Object.keys(now)) };
}

/** Plans the conversion of a handler's response, like that of a record, member by member. */
function shapeStep(between: Between, older: string, newer: string): ShapeStep {
  const fields = lookup(between.older.endpoints.endpoints, older)?.shape ?? {};
  const members = Object.entries(fields).map(([name, field]) => memberStep(between, newer, name, field, "left out"));
  const now = Object.keys(lookup(between.newer.endpoints.endpoints, newer)?.shape ?? {});
  return { older, newer, members, added: addedMembers(between, newer, members, now) };
}

/**
 * Plans the conversion of a custom response: a member that is a single field is converted like that field, a view like that
 * view. Nested objects get their own steps in `nested`.
 */
function responseStep(between: Between, older: string, newer: string, nested: ShapeStep[]): ShapeStep {
  const then = resolveEndpoint(between.older, older);
  const now = resolveEndpoint(between.newer, newer);
  const none = { older, newer, members: [], added: [] };
  if (then === undefined || then.kind === "unclear" || now === undefined || now.kind === "unclear") return none;
  const { item } = responseShape(between.older, then);
  if (item?.kind === "view") return { ...viewShape(between, item.view), older, newer };
  const template = between.newerPlan.operations.find(({ name }) => name === newer);
  if (item?.kind !== "object" || template === undefined) return none;
  const around: ResponseScope = { between, nested, operation: template, name: newer };
  return { ...objectShape(around, item, template.response.members ?? [], newer), older, newer };
}

interface ResponseScope {
  readonly between: Between;
  readonly nested: ShapeStep[];
  readonly operation: Operation;
  /** The operation that has the members to which the entries refer. */
  readonly name: string;
}

function objectShape(
  around: ResponseScope,
  shape: Extract<Shape, { kind: "object" }>,
  now: readonly ResponseMember[],
  path: string,
): ShapeStep {
  const { between, name: of } = around;
  const { version, found } = between;
  const top = path === of;
  const members = Object.entries(shape.members).map(([name, inner]): MemberStep => {
    const removed = top ? removedMember(between, of, name, "null") : undefined;
    if (removed !== undefined) return removed;
    const newer = top ? newerMember(version, of, name) : name;
    const source = now.find((one) => one.name === newer)?.source;
    const step: MemberStep = {
      older: name,
      newer,
      absent: "null",
      ...responseMemberStep(around, inner, source, `${path}/${name}`),
    };
    const mine = top ? changesOf(between, of, newer).map(([, at]) => found.get(`${at}/seen`)) : [];
    const seen = mine.find((one) => one !== undefined);
    return seen === undefined ? step : { ...step, seen };
  });
  const all = now.map(({ name }) => name);
  return { older: path, newer: path, members, added: addedMembers(between, of, members, all) };
}

function responseMemberStep(
  around: ResponseScope,
  shape: Shape,
  source: ResponseSource | undefined,
  path: string,
): Partial<MemberStep> {
  const { between, nested, operation } = around;
  switch (shape.kind) {
    case "view":
      return { shape: viewStep(shape.view) };
    case "record":
      return between.changed.has(shape.resource) ? { shape: shape.resource } : {};
    case "object":
      nested.push(objectShape(around, shape, source?.kind === "object" ? source.members : [], path));
      return { shape: path };
    default:
      return fieldStep(
        between,
        operation.resource,
        source !== undefined && "expression" in source ? source.expression : undefined,
      );
  }
}

// ── Views ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Plans the conversion of a view: its fields are converted like those of the resource, its other members by their sources. */
function viewShape(between: Between, name: string): ShapeStep {
  const { older, newer, newerPlan, version } = between;
  const { of = "", fields = [], members = {} } = lookup(older.resources.views ?? {}, name) ?? {};
  const resource = newerName(between, of);
  const now = lookup(newerPlan.views ?? {}, name)?.members ?? [];
  const absentOf = (member: string): Absent => now.find((one) => one.name === member)?.absent ?? "left out";
  const template = fields.map((field): MemberStep => {
    const type = lookup(lookup(older.resources.resources, of)?.fields ?? {}, field);
    if (type !== undefined) {
      const absent = transportMembers(between.plan.tables, of).find((one) => one.name === field)?.absent ?? "left out";
      return memberStep(between, resource, field, type, absent);
    }
    const values = stateValues(between, resource);
    return { older: field, newer: field, absent: "null", ...(values === undefined ? {} : { values }) };
  });
  const converted = Object.entries(members).map(([member, field]): MemberStep => {
    const removed = removedMember(between, name, member, field.optional ? "left out" : "null");
    if (removed !== undefined) return removed;
    const after =
      field.computed === undefined ? newerMember(version, resource, member) : newerMember(version, name, member);
    const step = { older: member, newer: after, absent: absentOf(after) };
    const nested = nestedView(older, field.type);
    if (nested !== undefined) {
      return { ...step, shape: viewStep(nested.view), ...(nested.list ? { enclosing: ["list"] as const } : {}) };
    }
    const source = now.find((one) => one.name === after)?.source;
    const expression = source?.kind === "expression" ? source.expression : undefined;
    return { ...step, ...fieldStep(between, resource, expression) };
  });
  const steps = [...template, ...converted];
  const present = now.map((one) => one.name);
  const view = lookup(newer.resources.views ?? {}, name);
  const added = addedMembers(between, view === undefined ? name : resource, steps, present);
  return { older: viewStep(name), newer: viewStep(name), members: steps, added };
}

/** Returns the conversions of a field, for a member that is only that field. */
function fieldStep(between: Between, about: string, expression: TypedExpression | undefined): Partial<MemberStep> {
  if (expression === undefined || (expression.kind !== "walk" && expression.kind !== "field")) return {};
  const resource = expression.kind === "walk" ? expression.resource : about;
  const { name } = expression;
  if (name === "state") {
    const values = stateValues(between, resource);
    return values === undefined ? {} : { values };
  }
  const before = olderOf(between.version.changes, { of: resource, field: name });
  const field = fieldAt(between.older, before);
  if (field === undefined || before.field === undefined) return {};
  const { values, seen, filled, rounded, shape, enclosing } = memberStep(
    between,
    resource,
    before.field,
    field,
    "null",
  );
  return {
    as: name,
    ...(values === undefined ? {} : { values }),
    ...(seen === undefined ? {} : { seen }),
    ...(filled === undefined ? {} : { filled }),
    ...(rounded === undefined ? {} : { rounded }),
    ...(shape === undefined ? {} : { shape }),
    ...(enclosing === undefined ? {} : { enclosing }),
  };
}
