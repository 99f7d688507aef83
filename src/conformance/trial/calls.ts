/** Requests for operations: their path, header fields and body, and what their responses have to be whatever the case is about. */
import { withArticle } from "../../base/case.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { type PathParent, partsOf } from "../../language/endpoints/model.ts";
import { styleOf } from "../../language/endpoints/resolve.ts";
import { loginsOf } from "../../language/authentication/login.ts";
import { fieldsOf, lookup } from "../../language/resources/fields.ts";
import { Broken, NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import { mayRun } from "../permissions.ts";
import { type Contract, deletionOf, hasOperationEnded, type Operation, needsRecord } from "../contract.ts";
import { longestWindow } from "../limits/rate-lines.ts";
import { transitionsOf } from "../effects.ts";
import { truth } from "../expressions.ts";
import { solve } from "../solve.ts";
import { codeIn, errorDeviations, isStated, knownCodes, statusOf, statusText } from "../errors/expected.ts";
import { type Interaction, isResponse, type Request, type Response } from "../interaction.ts";
import { buildRequest, type Wanted } from "../request.ts";
import { bodyDeviations, type Deviation, type Viewing } from "../deviations.ts";
import { isBodiless, mayBeEmpty, statedStatuses } from "../response.ts";
import { endSession, renewSession } from "./callers.ts";
import { doubtsOf } from "./doubts.ts";
import { existing } from "./existing.ts";
import { type Input, defaultInput, supplyFor } from "./inputs.ts";
import { type KnownRecord, textOf } from "./known.ts";
import { sendAfterLimits } from "./used-up.ts";
import { learnMade } from "./made.ts";
import { learnResponse } from "./learning.ts";
import { creatorsOf, makeRoom } from "./records.ts";
import { guardedInput, guardedValues } from "./states.ts";
import type { Trial } from "./trial.ts";
import type { Query } from "./parameters.ts";
import { constantValue } from "../values/valid.ts";
import { findRecord, presentOf, recordsOf, stopped } from "./world.ts";

export interface CallOptions {
  readonly caller?: Caller | undefined;
  /** The record of the path; by default one is made. `null`: none, `path` has all values. */
  readonly record?: KnownRecord | null | undefined;
  /** Values of path parameters, in place of those that follow from the record. */
  readonly path?: Readonly<Record<string, Json>>;
  /** The members of the body without the objects around them; by default a valid body. `null`: no body. */
  readonly body?: JsonObject | null | undefined;
  readonly rawBody?: Wanted["rawBody"];
  /** Parameters besides those that the operation needs. */
  readonly query?: Query | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The version to name; `null`: none. */
  readonly version?: string | null;
  /** Whether the entity tag is left out where the operation requires one. */
  readonly withoutTag?: boolean;
  /** Whether a used up rate or quota is what the case looks for; otherwise the test waits or deletes records, and repeats the request. */
  readonly expectsLimit?: boolean;
  /** Whether the request is invalid: if it is accepted nevertheless, what its response contains is no finding of its own. */
  readonly isInvalid?: boolean;
}

export async function call(trial: Trial, name: string, options: CallOptions = {}): Promise<Interaction> {
  const called = trial.operation(name);
  const { request, caller, record, body, path } = await requestFor(trial, called, options);
  const parent = called.action === "create" ? parentAt(trial, called, path) : undefined;
  const doubts = doubtsOf(trial, { called, caller, record, body, path: options.path, parent });
  const first = await sendAfterLimits(trial, request, caller, { ...options, operation: name });
  const interaction = options.expectsLimit === true ? first : await afterQuota(trial, called, caller, first, options);
  trial.doubts.set(interaction, doubts);
  const { response } = interaction;
  const isAccepted = options.isInvalid === true && isResponse(response) && response.status < 300;
  if (!isAccepted) inspect(trial, called, caller, record, interaction);
  const account = trial.world.accounts.get(caller);
  if (account !== undefined) trial.accounts.add(account);
  learnResponse(trial, { called, caller, record, interaction, body });
  if (endsSession(trial, called, record, interaction, body))
    endSession(trial, called.action === "logout" ? caller : record);
  if (options.record !== null) learnMade(trial, called, caller, interaction, parent);
  return interaction;
}

/** A request that a trial has not sent yet, and what it is about. */
export interface BuiltRequest extends Subject {
  readonly request: Request;
  readonly called: Operation;
  /** The members of the body, without the objects around them. */
  readonly body: JsonObject | undefined;
  /** The values of the path's parameters. */
  readonly path: Readonly<Record<string, Json>>;
}

/** Returns the request that a call with these options sends. */
export async function requestFor(trial: Trial, called: Operation, options: CallOptions = {}): Promise<BuiltRequest> {
  const { contract, world } = trial;
  if (world.target.skipped.has(called.operation))
    throw new NotTried(`the setting \`skip\` excludes ${called.operation}`);
  if (hasOperationEnded(contract, called.operation, presentOf(world)))
    throw new NotTried(`${called.operation} is past its sunset`);
  const { record, caller } = await subjectOf(trial, called, options);
  await renewSession(trial, caller);
  if (record !== undefined) trial.used.add(record);
  const isChosen = options.body !== undefined || options.rawBody !== undefined;
  const input: Input = await defaultInput(trial, called, { caller, record, isChosen });
  const body = isChosen ? (options.body ?? undefined) : input.body;
  const path = { ...(await pathValues(trial, called, record, caller)), ...options.path };
  const request = buildRequest(contract, world.target.address, {
    ...{ operation: called, caller, body, rawBody: options.rawBody, version: options.version },
    path,
    query: { ...input.query, ...options.query },
    headers: { ...(await neededHeaders(trial, called, caller, record, options)), ...options.headers },
  });
  return { request, called, caller, record, body, path };
}

interface Subject {
  readonly caller: Caller;
  readonly record: KnownRecord | undefined;
}

/** Returns a caller who may run the operation, and the record of its path: as far as the options name none, ones that fit. */
async function subjectOf(trial: Trial, called: Operation, { caller, record }: CallOptions): Promise<Subject> {
  if (record === null || (record === undefined && !needsRecord(called)))
    return { caller: caller ?? (await trial.callerFor(called.operation)), record: undefined };
  if (record === undefined && called.endpoint.the !== undefined) {
    const by = caller ?? (await trial.callerFor(called.operation));
    return { caller: by, record: await selectedFor(trial, called, by) };
  }
  const found = record ?? (await recordFor(trial, called, caller));
  return { caller: caller ?? (await trial.callerFor(called.operation, found)), record: found };
}

/** Returns a record that the condition of `the` selects for the caller; makes one if necessary. */
async function selectedFor(trial: Trial, called: Operation, caller: Caller): Promise<KnownRecord> {
  const { contract, world } = trial;
  const resource = called.resource as string;
  const condition = contract.typed.get(`endpoints/endpoints/${called.operation}/the`);
  const isSelected = (record: KnownRecord): boolean | undefined =>
    condition === undefined ? undefined : truth(condition, trial.scope(caller, record));
  const account = world.accounts.get(caller);
  if (account?.resource === resource && isSelected(account) !== false) return account;
  const known = recordsOf(world, resource).find((one) => !one.isDeleted && isSelected(one) === true);
  if (known !== undefined) return known;
  const wanted = condition === undefined ? [] : solve(condition, { ...trial.scope(caller), resource }).fields;
  const { state, ...values } = Object.fromEntries(wanted) as Record<string, Json>;
  const made = await trial.make(resource, { creator: caller, values, ...(typeof state === "string" ? { state } : {}) });
  if (isSelected(made) !== false) return made;
  throw new NotTried(`the test cannot make ${withArticle(resource)} that ${called.operation} selects`);
}

/** Returns a record on which the operation can succeed, and a caller who may run it there. */
export async function subjectFor(
  trial: Trial,
  called: Operation,
  caller?: Caller,
): Promise<{ readonly record: KnownRecord; readonly caller: Caller }> {
  const found = await subjectOf(trial, called, { caller });
  if (found.record === undefined) throw new NotTried(`${called.operation} is about no record`);
  return { ...found, record: found.record };
}

/** Makes a record on which the operation can succeed. */
export async function recordFor(trial: Trial, called: Operation, caller?: Caller): Promise<KnownRecord> {
  if (called.endpoint.the !== undefined && caller !== undefined) return selectedFor(trial, called, caller);
  const account = await accountFor(trial, called, caller);
  if (account !== undefined) return account;
  const resource = called.resource as string;
  if (called.endpoint.method === "GET" && creatorsOf(trial, resource).length === 0) {
    const found = await existing(trial, resource, caller ?? (await trial.callerFor(called.operation)));
    if (found !== undefined) return found;
  }
  const transition = transitionsOf(trial.contract).find(
    ({ resource, trigger: { on } }) =>
      resource === called.resource && on.kind === "by" && on.operation === called.operation,
  );
  const values = transition === undefined ? {} : guardedValues(trial, [transition]);
  const record = await trial.make(resource, { state: transition?.from[0], creator: caller, values });
  if (transition !== undefined && trial.contract.typed.has(`${transition.path}/if`))
    await guardedInput(trial, record, transition, caller ?? (await trial.callerFor(called.operation, record)));
  return record;
}

/** Returns the record of a user whom the test signed up and who may run the operation on it. */
async function accountFor(trial: Trial, called: Operation, caller?: Caller): Promise<KnownRecord | undefined> {
  if (loginsOf(trial.contract.model, called.resource).length === 0) return undefined;
  for (const one of caller === undefined ? await trial.callers() : [caller]) {
    const account = trial.world.accounts.get(one);
    if (account === undefined || account.isDeleted || account.resource !== called.resource) continue;
    if (mayRun(trial.contract, called.operation, one, trial.around(account)) === true) return account;
  }
  return undefined;
}

async function pathValues(
  trial: Trial,
  called: Operation,
  record: KnownRecord | undefined,
  caller: Caller,
): Promise<Record<string, Json>> {
  const values: Record<string, Json> = {};
  const { key, parents } = called;
  if (key !== undefined && record !== undefined) {
    const parts = partsOf(key);
    if (parts.some(({ column }) => !record.values.has(column))) await trial.look(record);
    for (const { column, parameter } of parts) {
      const value = record.values.get(column);
      if (value === undefined || value === null)
        throw new NotTried(`the test does not know \`${column}\` of a record of ${record.resource}`);
      values[parameter] = value;
    }
  }
  let child = record;
  for (const parent of parents.toReversed()) {
    const id = child?.values.get(parent.field);
    const above = child?.parent?.resource === parent.resource ? child.parent : undefined;
    // Another record may be the parent of a record whose reference no response shows.
    if (child !== undefined && above === undefined && (id === undefined || id === null))
      throw new NotTried(`the test does not know \`${parent.field}\` of a record of ${child.resource}`);
    const known =
      above ??
      (id === undefined || id === null
        ? await trial.reference(parent.resource, caller)
        : findRecord(trial.world, parent.resource, id));
    for (const { column, parameter } of partsOf(parent)) {
      const value = known?.values.get(column) ?? (column === "id" ? id : undefined);
      if (value === undefined || value === null)
        throw new NotTried(`the test does not know the ${parent.resource} of the path`);
      values[parameter] = value;
    }
    if (known !== undefined) trial.used.add(known);
    child = known;
  }
  for (const { column, parameter } of called.pathFields ?? []) {
    // Records of one collection have the same value, so lists have what creations make.
    const field = lookup(fieldsOf(trial.contract.model, called.resource ?? ""), column);
    const value = field && constantValue(trial.contract, field.type, supplyFor(trial, caller));
    if (value !== undefined) values[parameter] = value;
  }
  for (const segment of called.segments) {
    if (segment.kind === "parameter" && values[segment.name] === undefined) values[segment.name] = "1";
  }
  return values;
}

/** Returns the known record directly above the one that a path names; undefined if the test does not know it for certain. */
function parentAt(
  { world }: Trial,
  { parents }: Operation,
  path: Readonly<Record<string, Json>>,
): KnownRecord | undefined {
  const [last, ...outer] = parents.toReversed();
  if (last === undefined) return undefined;
  const isAt = (parent: PathParent, one: KnownRecord): boolean =>
    partsOf(parent).every(
      ({ column, parameter }) => one.values.has(column) && textOf(one.values.get(column)) === textOf(path[parameter]),
    );
  const isBelow = (one: KnownRecord): boolean => {
    let child: KnownRecord | undefined = one;
    return outer.every((parent) => {
      child = child && findRecord(world, parent.resource, child.values.get(parent.field) ?? null);
      return child !== undefined && isAt(parent, child);
    });
  };
  const found = recordsOf(world, last.resource).filter((one) => !one.isDeleted && isAt(last, one) && isBelow(one));
  return found.length === 1 ? found[0] : undefined;
}

async function neededHeaders(
  trial: Trial,
  { action, endpoint }: Operation,
  caller: Caller,
  record: KnownRecord | undefined,
  { withoutTag }: CallOptions,
): Promise<Readonly<Record<string, string>>> {
  const { endpoints } = trial.contract.model;
  const repeats = styleOf(endpoints, endpoint, "repeats");
  const edits = styleOf(endpoints, endpoint, "edits");
  const headers: Record<string, string> = {};
  const isRequired = repeats !== undefined && repeats !== "none" && repeats.required;
  if (isRequired && (repeats.on === "POST" ? endpoint.method === "POST" : endpoint.method !== "GET"))
    headers[repeats.header] = `test-${trial.world.count()}-${trial.random.text(8)}`;
  const isEdit = action === "update" || action === "replace" || action === "delete";
  if (edits === "required" && isEdit && record !== undefined && withoutTag !== true)
    headers["If-Match"] = await tagOf(trial, record, caller);
  return headers;
}

/** Returns the current entity tag of a record for a caller; `*` if the caller cannot read the record. */
export async function tagOf(trial: Trial, record: KnownRecord, caller: Caller): Promise<string> {
  const known = trial.world.tags.get(record)?.get(caller);
  if (known !== undefined) return known;
  await trial.readAs(record, caller);
  return trial.world.tags.get(record)?.get(caller) ?? "*";
}

/** Whether a request ended the sessions of its caller or of the user that it changed. */
function endsSession(
  { contract }: Trial,
  { action, resource }: Operation,
  record: KnownRecord | undefined,
  { response }: Interaction,
  body: JsonObject | undefined,
): boolean {
  if (!isResponse(response) || response.status >= 300) return false;
  if (action === "logout") return true;
  const [login] = loginsOf(contract.model, resource);
  return (
    record !== undefined && login !== undefined && action !== "login" && lookup(body ?? {}, login.secret) !== undefined
  );
}

/** The reason of a request that a quota of its caller rejects. */
export const quotaUsedUp = "a quota of the document is used up";

/** Makes room in a quota that other cases have used up, and sends the request again. */
async function afterQuota(
  trial: Trial,
  called: Operation,
  caller: Caller,
  interaction: Interaction,
  { headers: chosen = {} }: CallOptions,
): Promise<Interaction> {
  const { contract } = trial;
  const { response, request } = interaction;
  if (!isResponse(response) || response.status < 400 || codeIn(contract, response) !== "quota-exceeded")
    return interaction;
  const { quota = {} } = contract.model.limits;
  const lines = [called.operation, called.resource ?? ""].flatMap((target) => lookup(quota, target) ?? []);
  const windows = lines.flatMap((one) => (one.kind === "window" ? [longestWindow(one)] : []));
  const deleted = called.resource === undefined ? [] : await makeRoom(trial, called.resource, caller);
  const hasRoom = deleted.length > 0;
  if (!hasRoom && windows.length === 0) throw new NotTried(quotaUsedUp);
  if (!hasRoom) await trial.pass(Math.max(...windows) + 1000);
  // The key of the first request stands for its response.
  const { repeats } = contract.model.endpoints;
  const name = repeats === undefined || repeats === "none" ? "" : repeats.header;
  const key = lookup(request.headers, name);
  if (lookup(chosen, name) !== undefined) throw new NotTried("a quota of the document was used up");
  const headers = key === undefined ? request.headers : { ...request.headers, [name]: `${key}-again` };
  const again = await sendAfterLimits(trial, { ...request, headers }, caller, { operation: called.operation });
  if (isResponse(again.response) && codeIn(contract, again.response) === "quota-exceeded") {
    for (const record of deleted.slice(0, 1)) await expectDeleted(trial, record);
    for (const record of deleted) expectFreed(trial, called, record, again);
    throw new NotTried(quotaUsedUp);
  }
  return again;
}

/** Expects nobody to read a record that the test has deleted. */
async function expectDeleted(trial: Trial, record: KnownRecord): Promise<void> {
  if (!(await trial.readAs(record, record.creator))) return;
  const path = `endpoints/endpoints/${deletionOf(trial.contract, record.resource)?.operation}`;
  const [expected, got] = [`no deleted ${record.resource}`, "it is there"];
  report(trial, trial.interactions.at(-1) as Interaction, { path, expected, got });
}

/** A deleted record does not count any more in the only quota that may reject the request, so its user can create another one. */
function expectFreed(trial: Trial, called: Operation, { resource, values }: KnownRecord, again: Interaction): void {
  const { contract, interactions, world } = trial;
  const { quota = {} } = contract.model.limits;
  const [line, ...others] = [called.operation, resource].flatMap((target) => lookup(quota, target) ?? []);
  if (line?.kind !== "live" || line.per !== "user" || others.length > 0) return;
  const state = values.get("state");
  const isCounted = line.states.length === 0 ? state === undefined : line.states.some((one) => one === state);
  const removal = deletionOf(contract, resource)?.operation;
  // What is only accepted may happen later.
  const isDone = interactions.some(
    ({ operation, response }) => operation === removal && isResponse(response) && [200, 204].includes(response.status),
  );
  if (!isCounted || !isDone) return;
  // Another case may have taken the place.
  if (world.clock.isStopped) throw new NotTried(stopped);
  const path = `limits/quota/${resource}/0`;
  const expected = `success after the deletion of ${withArticle(resource)}, which no longer counts`;
  report(trial, again, { path, expected, got: statusText(contract, trial.responseOf(again)) });
}

/** Compares a response with what the document says of every response of the operation. @throws Broken */
function inspect(
  trial: Trial,
  called: Operation,
  caller: Caller,
  record: KnownRecord | undefined,
  interaction: Interaction,
): void {
  const { contract } = trial;
  const response = trial.responseOf(interaction);
  const path = `endpoints/endpoints/${called.operation}`;
  const { status } = response;
  if (called.endpoint.wire !== undefined) return;
  if (status >= 500 && !isDeclaredFailure(contract, response, called.operation))
    return fail(trial, path, interaction, statusText(contract, response));
  if (status === 304 && called.endpoint.method === "GET") return;
  if (status >= 300 && status < 400)
    throw new Broken("a status that the document declares", String(status), interaction, path);
  const viewing = { contract, operation: called, caller, around: trial.around(record) };
  if (status < 300 && isOfOwnError(contract, called, response)) return;
  const found =
    status < 300
      ? successDeviations(viewing, response, interaction.request.headers["Accept"])
      : codeDeviations(contract, response);
  for (const deviation of found) report(trial, interaction, deviation);
}

/** Whether the response is the error of the operation's `else`, which the document declares with the status of a success. */
function isOfOwnError(contract: Contract, { endpoint, operation }: Operation, response: Response): boolean {
  const code = endpoint.else;
  return (
    code !== undefined &&
    statusOf(contract, code, operation) === response.status &&
    errorDeviations(contract, response, { code }, operation).length === 0
  );
}

function successDeviations(
  viewing: Viewing,
  { status, text, json }: Response,
  accepted = "application/json",
): readonly Deviation[] {
  const { contract, operation } = viewing;
  const statuses = statedStatuses(contract, operation);
  const at = `endpoints/endpoints/${operation.operation}`;
  const path = contract.places.has(`${at}/status`) ? `${at}/status` : at;
  const deviations =
    statuses === undefined || statuses.includes(status)
      ? []
      : [{ path, expected: `the status ${statuses.join(" or ")}`, got: String(status) }];
  if (isBodiless(contract, operation) || (text === "" && mayBeEmpty(operation))) return deviations;
  // A client that asks for XML or text gets no JSON.
  if (json === undefined && !/json|\*/.test(accepted)) return deviations;
  return [...deviations, ...bodyDeviations(viewing, json)];
}

function codeDeviations(contract: Contract, response: Response): readonly Deviation[] {
  const code = codeIn(contract, response);
  if (code === undefined || contract.model.errors.body !== "problem+json" || knownCodes(contract).has(code)) return [];
  const got = `${response.status} ${code}`;
  return [{ path: "errors/standard", expected: "an error that the document declares", got }];
}

/** Reports a failure of the service. @throws Broken the first time @throws NotTried later */
function fail(trial: Trial, path: string, interaction: Interaction, got: string): never {
  const { operation } = interaction;
  report(trial, interaction, { path, expected: "no failure of the service", got, cause: got });
  throw new NotTried(`${operation} failed with ${got}, which the report lists by itself`);
}

/** Reports something that a response shows whatever the case is about. @throws Broken the first time */
export function report(
  { world }: Trial,
  interaction: Interaction,
  { path, expected, got, cause = expected }: Deviation & { readonly cause?: string },
): void {
  // A path of an operation is in all its deviations; other statements are about several operations.
  const key = JSON.stringify([path, cause]);
  if (!world.deviations.has(key)) throw new Broken(expected, got, interaction, path, key);
}

/** Whether the document states an error with this status, other than `internal`; not every body names its code. */
function isDeclaredFailure(contract: Contract, response: Response, operation: string): boolean {
  const code = codeIn(contract, response);
  const codes = code === undefined ? [...knownCodes(contract)].filter((one) => isStated(contract, one)) : [code];
  return codes.some(
    (one) =>
      one !== "internal" && knownCodes(contract).has(one) && statusOf(contract, one, operation) === response.status,
  );
}
