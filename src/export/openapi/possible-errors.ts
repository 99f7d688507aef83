/** Lists every error that an operation can return: a code of the plan with its status in this operation (R0.1, R7.3). */
import { bodilessActions, readingActions } from "../../language/endpoints/model.ts";
import { everyOperation } from "../../plan/events/events.ts";
import type { CredentialPlan } from "../../plan/authentication/types.ts";
import type { EffectPlan, FurtherWritePlan, TransitionPlan } from "../../plan/states/types.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Table } from "../../plan/resources/types.ts";

export interface PossibleError {
  readonly code: string;
  readonly status: number;
  /** Set if only a function before or after the operation returns the error. */
  readonly hooked?: true;
}

/**
 * Returns the possible errors, sorted by status, then in the order of the checks. Each pair of code and status appears once.
 */
export function possibleErrorsOf(plan: Plan, operation: Operation): readonly PossibleError[] {
  const found = new Map<string, PossibleError>();
  const codes = [
    ...anyRequest,
    ...ofVersion(plan),
    ...(operation.deprecated?.sunset === undefined ? [] : ["operation-gone"]),
    ...ofCaller(plan, operation),
    ...ofRecord(plan, operation),
    ...ofBody(plan, operation),
    ...(operation.action === "read" && operation.file !== undefined ? ["range-not-satisfiable"] : []),
    ...ofWriting(plan, operation),
    ...ofLimits(plan, operation),
    ...(operation.action === "handler" ? ofFunctions : []),
    ...operation.errors,
  ];
  const hooked = operation.hooked === undefined ? [] : [...ofFunctions, ...operation.hooked];
  for (const [index, entry] of [...codes, ...hooked].entries()) {
    const [code = "", second] = entry.split(" ");
    const { status: usual, statuses = [] } = plan.errors[code] ?? {};
    const declaredStatus = operation.response.errors?.[code];
    const status =
      declaredStatus ?? (second !== undefined && statuses.includes(Number(second)) ? Number(second) : usual);
    const key = `${code} ${status}`;
    if (status === undefined || found.has(key)) continue;
    found.set(key, index < codes.length ? { code, status } : { code, status, hooked: true });
  }
  return [...found.values()].toSorted((one, other) => one.status - other.status);
}

/** Errors of the operations that a function calls; the function may also return them itself. */
const ofFunctions: readonly string[] = [
  "forbidden",
  "not-found",
  "state-conflict",
  "already-exists",
  "still-referenced",
  "quota-exceeded",
];

/** Errors for paths and methods that match no operation. */
const outsideOperations: readonly string[] = ["not-found", "method-not-allowed", "not-implemented"];

/** Returns every error code that the service can return, in the plan's order. */
export function possibleCodes(plan: Plan): readonly string[] {
  const codes = new Set(
    everyOperation(plan).flatMap((operation) => possibleErrorsOf(plan, operation).map(({ code }) => code)),
  );
  return Object.keys(plan.errors).filter((code) => codes.has(code) || outsideOperations.includes(code));
}

/** Errors that any request can get: protocol errors, content negotiation, server errors. */
const anyRequest: readonly string[] = [
  "invalid-request 400",
  "https-required",
  "not-acceptable",
  "uri-too-long",
  "expectation-failed",
  "headers-too-large",
  "internal",
  "overloaded",
  "timed-out",
];

/**
 * Returns the errors of an unknown version, if the document declares one, and of a removed version, which a request names or a
 * credential has pinned.
 */
function ofVersion({ versions, errors }: Plan): readonly string[] {
  if (versions === undefined) return [];
  const { removed, unknown, absent, list } = versions;
  const ends = absent === "pinned" || list.some(({ deprecated }) => deprecated?.sunset !== undefined);
  return [
    ...(ends ? [Object.hasOwn(errors, removed.error) ? removed.error : "version-gone"] : []),
    ...(unknown === undefined ? [] : [unknown.error]),
  ];
}

function ofCaller(
  { credentials, unseen }: Plan,
  { allow, inbound, key, the, parents, pathFields, action }: Operation,
): readonly string[] {
  const open = allow.some(({ who, if: condition }) => who.kind === "anyone" && condition === undefined);
  const signedIn = allow.some(({ who, if: condition }) => who.kind === "signed-in" && condition === undefined);
  const named = key !== undefined || the !== undefined || parents.length > 0 || pathFields !== undefined;
  const scoped = credentials.some(hasScopes);
  return [
    ...(credentials.length > 0 || !open ? ["unauthenticated"] : []),
    ...(credentials.length > 0 ? ["rate-limited"] : []),
    // `logout` returns `forbidden` to callers whose credential has no session.
    ...((!open && !signedIn) || action === "logout" || inbound !== undefined || scoped || (named && unseen === 403)
      ? ["forbidden"]
      : []),
  ];
}

/** Whether a valid token may lack the scope that an operation requires. */
export function hasScopes({ scopes, oauth }: CredentialPlan): boolean {
  return scopes.length > 0 || oauth?.scopes !== undefined;
}

function ofRecord(plan: Plan, operation: Operation): readonly string[] {
  const { action, key, the, parents, edits, resource, moves, link, pathFields } = operation;
  const one = key !== undefined || the !== undefined;
  const deletes = action === "delete" || action === "clear" || action === "unlink";
  const deleted = new Set([
    ...(deletes ? [link?.resource ?? resource] : []),
    ...furtherWritesOf(operation).flatMap((write) => (write.kind === "delete" ? [write.resource] : [])),
  ]);
  const changesOne = one && !readingActions.has(action) && action !== "create";
  const isReferenced =
    deleted.size > 0 &&
    plan.tables.some(({ columns }) =>
      columns.some(
        ({ references, holds = [] }) =>
          (references !== undefined && deleted.has(references.resource) && references.onDelete !== "clear") ||
          holds.some((held) => deleted.has(held.resource)),
      ),
    );
  return [
    ...(one || parents.length > 0 || pathFields !== undefined ? ["not-found"] : []),
    ...(changesOne ? ["stale"] : []),
    ...(edits === "required" ? ["precondition-needed"] : []),
    ...(moves.length > 0 || action === "move" ? ["state-conflict"] : []),
    ...(isReferenced ? ["still-referenced"] : []),
  ];
}

/** Returns the errors of request bodies. A signature covers the body, so a service with signed requests reads every body. */
function ofBody({ credentials }: Plan, operation: Operation): readonly string[] {
  const { body, action } = operation;
  const read = body !== undefined || credentials.some(({ kind }) => kind === "hmac-sha256");
  return [
    ...(read ? ["request-timeout", "too-large"] : []),
    ...(body === undefined ? [] : ["unsupported-media", "invalid-request"]),
    // The association that `link` creates must satisfy the rules of its resource.
    ...(action === "link" ? ["invalid-request"] : []),
    // The values of further writes are computed, and must fit their fields.
    ...(furtherWritesOf(operation).some(({ kind }) => kind !== "delete") ? ["invalid-request"] : []),
  ];
}

function ofWriting(plan: Plan, operation: Operation): readonly string[] {
  const changed = operation.link?.resource ?? operation.resource;
  const table = plan.tables.find(({ resource }) => resource === changed);
  return [
    ...(operation.repeats === undefined ? [] : ["idempotency-key-in-use", "idempotency-key-reused"]),
    ...((table !== undefined && canCollide(operation, table)) ||
    canEffectsCollide(plan, operation.effects) ||
    canFurtherWritesCollide(plan, operation)
      ? ["already-exists"]
      : []),
  ];
}

/** Returns the errors of rate limits, quotas of a window and quotas of live records. */
function ofLimits(plan: Plan, operation: Operation): readonly string[] {
  const { rates, quotas, action, effects, creates, body, moves, choose, link } = operation;
  const resource = link?.resource ?? operation.resource;
  const table = plan.tables.find((one) => one.resource === resource);
  const set = [...(body?.fields ?? []).map(({ name }) => name), ...choose.map(({ field }) => field)];
  const start = action === "create" || action === "link" || creates ? (table?.lifecycle?.start ?? "") : undefined;
  const fills = canFill(plan, { resource, moves, set, ...(start === undefined ? {} : { start }) });
  return [
    ...(rates.length > 0 ? ["rate-limited"] : []),
    ...(quotas.length > 0 || fills || canEffectsFill(plan, effects) || canFurtherWritesFill(plan, operation)
      ? ["quota-exceeded"]
      : []),
  ];
}

/**
 * Whether a write can add a record to a live quota: by creating a record, by a transition, or by changing the owner that the
 * record counts for.
 */
function canFill(
  { quotas }: Plan,
  {
    resource,
    moves,
    set,
    start,
  }: {
    readonly resource: string;
    readonly moves: readonly TransitionPlan[];
    readonly set: readonly string[];
    readonly start?: string;
  },
): boolean {
  return quotas.some((quota) => {
    if (quota.kind !== "live" || quota.resource !== resource) return false;
    const { column, states } = quota;
    const counts = (state: string): boolean => states === undefined || states.includes(state);
    const changesState = moves.some(({ from, to }) => counts(to) && !from.every(counts));
    const isSet =
      set.includes(column) || moves.some((transition) => transition.set.some(({ field }) => field === column));
    return changesState || isSet || (start !== undefined && counts(start));
  });
}

function canEffectsFill(plan: Plan, effects: readonly EffectPlan[]): boolean {
  return effects.some(({ resource, moves, effects: next }) => {
    return canFill(plan, { resource, moves, set: [] }) || canEffectsFill(plan, next);
  });
}

/** Whether a transition of another record, caused by this operation, can violate uniqueness. */
function canEffectsCollide(plan: Plan, effects: readonly EffectPlan[]): boolean {
  return effects.some(({ resource, moves, effects: next }) => {
    const table = plan.tables.find((one) => one.resource === resource);
    const collides = table !== undefined && canCollide({ action: "move", moves, choose: [], creates: false }, table);
    return collides || canEffectsCollide(plan, next);
  });
}

/** Returns the further writes of an operation, of its transitions, and of the transitions that its events cause. */
function furtherWritesOf({
  also = [],
  effects,
  moves,
}: Pick<Operation, "also" | "effects" | "moves">): readonly FurtherWritePlan[] {
  const own = [...also, ...moves.flatMap((transition) => transition.also ?? [])];
  const caused = [...effects, ...own.flatMap((write) => write.effects)];
  return [...own, ...caused.flatMap((effect) => furtherWritesOf(effect))];
}

function canFurtherWritesCollide(plan: Plan, operation: Operation): boolean {
  return furtherWritesOf(operation).some(({ kind, resource, values }) => {
    const table = plan.tables.find((one) => one.resource === resource);
    if (table === undefined || kind === "delete") return false;
    const moves = kind === "create" ? [] : [{ ...noTransition, set: values }];
    return canCollide({ action: kind === "create" ? "create" : "move", moves, choose: [], creates: false }, table);
  });
}

function canFurtherWritesFill(plan: Plan, operation: Operation): boolean {
  return furtherWritesOf(operation).some(({ effects, kind, resource, values }) => {
    const table = plan.tables.find((one) => one.resource === resource);
    const set = values.map(({ field }) => field);
    const start = kind === "create" ? { start: table?.lifecycle?.start ?? "" } : {};
    return canFill(plan, { resource, moves: [], set, ...start }) || canEffectsFill(plan, effects);
  });
}

/** A change without a change of the state. */
const noTransition: TransitionPlan = { from: [], to: "", changesState: false, set: [] };

/** Whether a write can violate a uniqueness rule for which the document declares no error. */
function canCollide(
  { action, body, moves, choose, creates }: Pick<Operation, "action" | "body" | "moves" | "choose" | "creates">,
  table: Table,
): boolean {
  if (readingActions.has(action) || bodilessActions.has(action) || action === "unlink") return false;
  const declared = table.conflicts.map(({ columns }) => columns.join());
  const sets = table.uniques.filter((columns) => !declared.includes(columns.join()));
  if (action === "create" || action === "link" || creates) return sets.length > 0 || table.id.made === "client";
  const maintained = table.columns.filter(
    ({ computed, default: made }) => computed !== undefined || made?.kind === "now-on-change",
  );
  const changed = new Set([
    ...(body?.fields ?? []).map(({ name }) => name),
    ...moves.flatMap(({ set }) => set.map(({ field }) => field)),
    ...choose.map(({ field }) => field),
    ...maintained.map(({ name }) => name),
    ...(moves.length > 0 ? ["state"] : []),
  ]);
  return sets.some((columns) => columns.some((name) => changed.has(name)));
}
