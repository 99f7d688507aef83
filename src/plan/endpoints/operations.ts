/** Plans operations on resources: their input, checks, changes, effects and responses. */
import { isOneText, responseShape } from "../../language/endpoints/shape.ts";
import { parseClockDuration } from "../../base/duration.ts";
import { creates, inputOf } from "../../language/endpoints/input.ts";
import { type ResourceEndpoint, resourceEndpoints, styleOf } from "../../language/endpoints/resolve.ts";
import { loginsOf, refreshMembers } from "../../language/authentication/login.ts";
import {
  bodilessActions,
  type Endpoint,
  listingActions,
  partsOf,
  type ResolvedPath,
  readingActions,
  type IdempotencyStyle,
  sessionActions,
} from "../../language/endpoints/model.ts";
import type { Model } from "../../language/model.ts";
import { lookup } from "../../language/resources/fields.ts";
import { bodyPlan } from "./body.ts";
import { batchPlan, responsePlan, viewPlans, type ViewPlans } from "./responses.ts";
import { columnTypeOf } from "../resources/columns.ts";
import { operationLimits, quotasOf, ratesOf } from "../limits/limits.ts";
import { headerPlans } from "./headers.ts";
import { historyPages, listPlan } from "./lists.ts";
import { effectsOf, emitsOf, furtherWritePlans, transitionsBy } from "../states/transitions.ts";
import { allowOf, visibleOf } from "../authentication/permissions.ts";
import type { Operation, Parent } from "./types.ts";
import type { ChoicePlan, EffectPlan, FurtherWritePlan, TransitionPlan } from "../states/types.ts";
import type { RulePlan, Table } from "../resources/types.ts";
import { guardPlan, associationPlan } from "./outcomes.ts";
import { queryPlans } from "./queries.ts";
import { requestPlan } from "./requests.ts";
import { selectionPlan } from "./selection.ts";
import { lateErrors, type PlannedWrite, writesOfDeletion } from "../resources/rules.ts";
import { assert, fieldsRead, isOfRecord, type PlanInput, typedAt, unique } from "../input.ts";

export function buildOperations(planInput: PlanInput, tables: readonly Table[]): readonly Operation[] {
  const views = viewPlans(planInput, tables);
  return resourceEndpoints(planInput.model).map((resolved) => {
    const table = tables.find(({ resource }) => resource === resolved.resource);
    assert(table !== undefined, `${resolved.operation} is about ${resolved.resource}, which has no table`);
    return buildOperation(planInput, resolved, table, tables, views);
  });
}

function buildOperation(
  planInput: PlanInput,
  resolved: ResourceEndpoint,
  table: Table,
  tables: readonly Table[],
  views: ViewPlans,
): Operation {
  const { operation, endpoint, action, resource, key } = resolved;
  const at = `endpoints/endpoints/${operation}`;
  const link = associationPlan(planInput, resolved);
  const changed = link === undefined ? table : tableOf(tables, link.resource);
  const body = bodyPlan(planInput, resolved, table);
  const moves = action === "move" || action === "create" ? transitionsBy(planInput, resource, operation) : [];
  const choose = choicePlans(planInput, resolved);
  const repeats = idempotencyOf(planInput, action, endpoint);
  const batch = batchPlan(planInput, resolved);
  const known = {
    name: operation,
    sentence: descriptionOf(planInput.model, operation),
    action,
    method: endpoint.method,
    ...(addsTexts(endpoint.knownContract) ? { known: endpoint.knownContract } : {}),
    path: resolved.segments,
    template: endpoint.path,
    resource,
    ...(key === undefined ? {} : { key }),
    ...(endpoint.the === undefined ? {} : { the: typedAt(planInput, `${at}/the`) }),
    parents: parentPlans(planInput, resolved),
    ...(resolved.pathFields === undefined ? {} : { pathFields: resolved.pathFields }),
    allow: allowOf(planInput, operation),
    visible: visibleOf(planInput, resource),
    ...(body === undefined ? {} : { body }),
    ...filePlan(resolved, table),
    creates: creates(planInput.model, resolved),
    ...requestPlan(planInput, endpoint, isOneText(responseShape(planInput.model, resolved).item)),
    query: queryPlans(planInput, resolved),
    ...guardPlan(planInput, resolved),
    ...(link === undefined ? {} : { link }),
    ...(action === "clear" && endpoint.where !== undefined ? { where: typedAt(planInput, `${at}/where`) } : {}),
    response: responsePlan(planInput, resolved, views),
    ...headerPlans(planInput, resolved),
    ...(listingActions.has(action) ? { list: listPlan(planInput, resolved, table) } : {}),
    ...(action === "history" ? { list: historyPages(planInput) } : {}),
    ...(batch === undefined ? {} : { batch }),
    moves,
    choose,
    ...(endpoint.also === undefined ? {} : { also: furtherWritePlans(planInput, at, endpoint.also, []) }),
    ...sessionPlan(planInput, resolved),
    ...presentSecretPlan(planInput, resolved),
    edits: editsOf(planInput, resolved),
    ...(repeats === undefined ? {} : { repeats }),
    effects: effectsOf(planInput, changed.resource, operation, targetStates(planInput, resolved, changed, moves)),
    emits: emitsOf(planInput, operation),
    rules: rulesOf(resolved, changed, { moves, choose, ...(body === undefined ? {} : { body }) }),
    limits: operationLimits(planInput, operation),
    rates: ratesOf(planInput, resolved),
    quotas: quotasOf(planInput, resolved),
  } satisfies Omit<Operation, "errors" | "needs" | "expand" | "fields">;
  const selection = selectionPlan(planInput, resolved, known, { tables, views });
  return { ...known, ...selection, errors: errorsOf(known, changed, tables), needs: needsOf(known, table) };
}

/** Whether a contract says what only the exported description has: notes, examples, tags. */
function addsTexts(contract: Endpoint["knownContract"]): contract is NonNullable<typeof contract> {
  return contract !== undefined && ["note", "example", "openapi"].some((member) => hasMember(contract, member));
}

/** Whether an object of the model has a member, at any depth outside of schemas. */
function hasMember(value: unknown, member: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([key, one]) => key === member || (key !== "type" && key !== "others" && hasMember(one, member)),
  );
}

function tableOf(tables: readonly Table[], resource: string): Table {
  const table = tables.find((one) => one.resource === resource);
  assert(table !== undefined, `${resource} has no table`);
  return table;
}

function filePlan({ file }: ResourceEndpoint, { columns }: Table): Pick<Operation, "file"> {
  const plan = columns.find(({ name }) => name === file)?.file;
  return file === undefined || plan === undefined ? {} : { file: { ...plan, column: file } };
}

/** Returns the sentence of part 1 that describes an operation; empty if there is none. */
export function descriptionOf({ purpose }: Pick<Model, "purpose">, operation: string): string {
  return lookup(purpose.operations, operation) ?? "";
}

export function parentPlans(planInput: PlanInput, { parents }: ResolvedPath): readonly Parent[] {
  return parents.map((parent) => ({
    ...parent,
    type: columnTypeOf(planInput.model, { kind: "named", name: parent.resource }),
    visible: visibleOf(planInput, parent.resource),
  }));
}

function targetStates(
  planInput: PlanInput,
  resolved: ResourceEndpoint,
  { lifecycle }: Table,
  moves: readonly TransitionPlan[],
): readonly string[] {
  const created = resolved.action === "create" || resolved.action === "link" || creates(planInput.model, resolved);
  const start = created && lifecycle !== undefined ? [lifecycle.start] : [];
  return unique([
    ...start,
    ...moves.filter((transition) => transition.changesState).map((transition) => transition.to),
  ]);
}

function choicePlans(planInput: PlanInput, { operation, endpoint }: ResourceEndpoint): readonly ChoicePlan[] {
  return Object.entries(endpoint.choose ?? {}).map(([field, choice]) => ({
    field,
    resource: choice.from,
    ...(choice.if === undefined
      ? {}
      : { if: typedAt(planInput, `endpoints/endpoints/${operation}/choose/${field}/if`) }),
    ...(choice.else === undefined ? {} : { else: choice.else }),
  }));
}

/** Plans what an operation does with sessions; a renewal has exactly one member for the token. */
function sessionPlan({ model }: PlanInput, resolved: ResourceEndpoint): Pick<Operation, "session"> {
  const { action, endpoint, resource } = resolved;
  if (!sessionActions.has(action)) return {};
  const [login] = loginsOf(model, resource);
  assert(login !== undefined, `nobody can log in as a ${resource}`);
  const { credential, name, secret } = login;
  const common = { credential, else: endpoint.else ?? "unauthenticated" };
  if (action === "login") return { session: { ...common, name, proof: secret } };
  const accepted = inputOf(model, resolved).map((member) => member.name);
  const token = refreshMembers.find((member) => accepted.includes(member));
  return { session: { ...common, ...(action === "renew" && token !== undefined ? { proof: token } : {}) } };
}

function presentSecretPlan({ model }: PlanInput, resolved: ResourceEndpoint): Pick<Operation, "presentSecret"> {
  const { resource } = resolved;
  const proof = inputOf(model, resolved).find(({ proves }) => proves !== undefined);
  const login = loginsOf(model, resource).find(({ changed }) => changed === proof?.name);
  if (proof === undefined || login === undefined) return {};
  const entrance = resourceEndpoints(model).find((one) => one.action === "login" && one.resource === resource);
  const { credential, secret } = login;
  return {
    presentSecret: { credential, member: proof.name, secret, else: entrance?.endpoint.else ?? "unauthenticated" },
  };
}

/** Plans whether `If-Match` is accepted. By default it is optional (R4.16). */
function editsOf({ model }: PlanInput, { action, endpoint }: ResourceEndpoint): Operation["edits"] {
  const declared = styleOf(model.endpoints, endpoint, "edits") ?? "optional";
  if (action === "update" || action === "replace" || action === "delete") return declared;
  return action === "move" && declared !== "none" ? "optional" : "none";
}

/** The default: keys are optional for every write, and responses are stored for a day (R4.18, R4.20). */
const defaultIdempotency: IdempotencyStyle = { header: "Idempotency-Key", on: "write", required: false };

export function idempotencyOf(
  { model }: PlanInput,
  action: Operation["action"],
  endpoint: Pick<Endpoint, "method" | "repeats">,
): Operation["repeats"] {
  const { method } = endpoint;
  const declared = styleOf(model.endpoints, endpoint, "repeats") ?? defaultIdempotency;
  if (declared === "none" || readingActions.has(action)) return undefined;
  if (declared.on === "POST" && method !== "POST") return undefined;
  const kept = declared.kept === undefined ? undefined : parseClockDuration(declared.kept);
  return {
    header: declared.header,
    required: declared.required,
    retentionMilliseconds: kept ?? 86_400_000,
    ...(declared.echoed === true ? { echoed: true } : {}),
  };
}

type Known = Omit<Operation, "errors" | "needs" | "expand" | "fields">;

/**
 * Returns the codes of the document's errors that the operation may return: of guards, choices, rules and unique conflicts.
 */
function errorsOf(known: Known, table: Table, tables: readonly Table[]): readonly string[] {
  const { moves, choose, rules, body, action, effects, session, presentSecret, guard, response } = known;
  const { conflicts } = table;
  const changed = new Set([...(body?.fields ?? []).map(({ name }) => name), ...moves.flatMap(fieldsSet)]);
  const makes = action === "create" || action === "link";
  const accepted = conflicts.filter(({ columns }) => makes || columns.some((name) => changed.has(name)));
  return unique([
    ...(guard === undefined ? [] : [guard.else]),
    ...(response.differs === undefined ? [] : [response.differs]),
    ...choose.flatMap((choice) => choice.else ?? []),
    ...moves.flatMap((transition) => transition.else ?? []),
    ...[...rules, ...accepted].map((rule) => rule.else),
    ...lateErrors(writesOf(known, table, tables), tables),
    ...errorsCaused(effects, tables),
    ...errorsOfFurtherWrites([...(known.also ?? []), ...moves.flatMap(furtherWritesOf)], tables),
    ...[session, presentSecret].flatMap((proof) =>
      proof === undefined || proof.else === "unauthenticated" ? [] : [proof.else],
    ),
  ]);
}

/** Returns the possible writes of an operation, without the effects of its events. */
function writesOf(known: Known, table: Table, tables: readonly Table[]): readonly PlannedWrite[] {
  const { resource } = table;
  const update: PlannedWrite = { resource, kind: "update", columns: columnsChanged(known, table) };
  switch (known.action) {
    case "create":
    case "link":
      return [{ resource, kind: "insert" }];
    case "replace":
      return known.creates ? [update, { resource, kind: "insert" }] : [update];
    case "update":
    case "move":
      return [update];
    case "delete":
    case "clear":
    case "unlink":
      return writesOfDeletion(resource, tables);
    default:
      return [];
  }
}

function columnsChanged(
  { body, choose, action, moves }: Pick<Known, "body" | "choose" | "action" | "moves">,
  table: Table,
) {
  return new Set([
    ...(body?.fields ?? []).map(({ name }) => name),
    ...choose.map(({ field }) => field),
    ...moves.flatMap(fieldsSet),
    ...maintainedFields(table),
    ...(action === "move" ? ["state"] : []),
  ]);
}

/** Returns the codes of errors of effects on other records, which reject the whole request. */
export function errorsCaused(effects: readonly EffectPlan[], tables: readonly Table[]): readonly string[] {
  return effects.flatMap(({ resource, moves, effects: next }) => [
    ...errorsOfChange(tableOf(tables, resource), ["state", ...moves.flatMap(fieldsSet)], tables),
    ...errorsOfFurtherWrites(moves.flatMap(furtherWritesOf), tables),
    ...errorsCaused(next, tables),
  ]);
}

/** Returns the codes of errors of further writes, which reject the whole request. */
export function errorsOfFurtherWrites(
  writes: readonly FurtherWritePlan[],
  tables: readonly Table[],
): readonly string[] {
  return writes.flatMap((write) => {
    const table = tables.find(({ resource }) => resource === write.resource);
    // In an older version the resource may not exist yet.
    if (table === undefined) return [];
    return [
      ...(write.else === undefined ? [] : [write.else]),
      ...errorsOfWriting(write, table, tables),
      ...errorsCaused(write.effects, tables),
    ];
  });
}

function errorsOfWriting(
  { kind, values }: FurtherWritePlan,
  table: Table,
  tables: readonly Table[],
): readonly string[] {
  const { resource } = table;
  if (kind === "delete") return lateErrors(writesOfDeletion(resource, tables), tables);
  if (kind === "change")
    return errorsOfChange(
      table,
      values.map(({ field }) => field),
      tables,
    );
  const broken = [...table.rules.filter(isEarly), ...table.conflicts];
  return [...broken.map((rule) => rule.else), ...lateErrors([{ resource, kind: "insert" }], tables)];
}

/** Returns the codes of errors of a change of these fields. */
function errorsOfChange(table: Table, fields: readonly string[], tables: readonly Table[]): readonly string[] {
  const changed = new Set([...fields, ...maintainedFields(table)]);
  const accepted = table.conflicts.filter(({ columns }) => columns.some((name) => changed.has(name)));
  const broken = [...rulesReading(table, changed), ...accepted];
  const late = lateErrors([{ resource: table.resource, kind: "update", columns: changed }], tables);
  return [...broken.map((rule) => rule.else), ...late];
}

function furtherWritesOf({ also = [] }: TransitionPlan): readonly FurtherWritePlan[] {
  return also;
}

/**
 * Returns the single-record rules that the operation may break: all rules for a new or replaced record, else those that read a
 * changed field, or that depend on more than the record. The other rules stay true.
 */
function rulesOf(
  { action }: ResourceEndpoint,
  table: Table,
  written: Pick<Known, "body" | "choose" | "moves">,
): readonly RulePlan[] {
  if (readingActions.has(action) || sessionActions.has(action) || bodilessActions.has(action) || action === "unlink")
    return [];
  if (action !== "update" && action !== "move") return table.rules.filter(isEarly);
  return rulesReading(table, columnsChanged({ ...written, action }, table));
}

export function isEarly({ isLate }: RulePlan): boolean {
  return isLate !== true;
}

/** Returns the fields that the service updates at every change. */
function maintainedFields({ columns }: Table): readonly string[] {
  const kept = columns.filter((one) => one.computed !== undefined || one.default?.kind === "now-on-change");
  return kept.map(({ name }) => name);
}

function rulesReading({ rules }: Table, changed: ReadonlySet<string>): readonly RulePlan[] {
  return rules.filter((rule) => {
    const { expression } = rule;
    return isEarly(rule) && (!isOfRecord(expression) || fieldsRead(expression).some((name) => changed.has(name)));
  });
}

function fieldsSet({ set }: TransitionPlan): readonly string[] {
  return set.map(({ field }) => field);
}

/** Returns the stored columns that the operation needs, in the table's order. */
function needsOf(operation: Known, table: Table): readonly string[] {
  const { action, allow, visible, moves, effects, body, key, parents, pathFields = [] } = operation;
  const writes = action === "create" || action === "update" || action === "replace" || action === "move";
  const fixed = body?.fixed ?? [];
  // Expressions of further writes may read any field, as `this.field`.
  if (operation.also !== undefined || moves.some(({ also }) => also !== undefined))
    return table.columns.map(({ name }) => name);
  const expressions = [
    ...[...allow, ...visible].flatMap((grant) => grant.if ?? []),
    ...moves.flatMap((transition) => [
      ...(transition.if === undefined ? [] : [transition.if]),
      ...transition.set.map((one) => one.expression),
    ]),
    ...(operation.link === undefined ? operation.rules.map((rule) => rule.expression) : []),
    ...(writes ? table.columns.flatMap((column) => column.computed ?? []) : []),
    ...table.virtual.filter(({ name }) => fixed.includes(name)).map((one) => one.expression),
    ...(operation.the === undefined ? [] : [operation.the]),
    ...(operation.guard === undefined ? [] : [operation.guard.if]),
    ...(operation.link?.values ?? []).map((one) => one.expression),
    ...(operation.response.accepted?.if === undefined ? [] : [operation.response.accepted.if]),
  ];
  const needed = new Set([
    "id",
    "state",
    ...(key === undefined ? [] : partsOf(key).map(({ column }) => column)),
    ...parents.slice(-1).map((parent) => parent.field),
    ...pathFields.map(({ column }) => column),
    ...expressions.flatMap(fieldsRead),
    ...effectFields(effects),
    ...fixed,
  ]);
  return table.columns.map(({ name }) => name).filter((name) => needed.has(name));
}

/** Returns the fields of the current record that effects read; records changed by effects are in other tables. */
function effectFields(effects: readonly EffectPlan[]): readonly string[] {
  return effects.flatMap(({ field, payload, moves }) => {
    const reads = moves.some(
      ({ also, if: guard, selection, set }) =>
        guard !== undefined || set.length > 0 || also !== undefined || selection !== undefined,
    );
    return [...(field === undefined ? [] : [field]), ...(reads ? payload : [])];
  });
}
