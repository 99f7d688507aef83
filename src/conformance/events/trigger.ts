/** Lets events happen: a record enters a state, or an operation runs. */
import { withArticle } from "../../base/case.ts";
import type { JsonObject } from "../../base/json.ts";
import { eventResource } from "../../language/analysis/expressions.ts";
import { lookup } from "../../language/resources/fields.ts";
import { NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import { type Contract, type Operation, needsRecord } from "../contract.ts";
import { furtherEffects, startOf, transitionsBy, transitionsOf } from "../effects.ts";
import { statusText } from "../errors/expected.ts";
import type { Input } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import { pathsBetween } from "../trial/states.ts";
import type { Trial } from "../trial/trial.ts";

export interface Happening {
  readonly record: KnownRecord;
  /** Whether the record is still as it was at the event. */
  readonly isCurrent: boolean;
}

/** Lets an event happen once. @throws NotTried if the test cannot */
export async function trigger(trial: Trial, event: string, creator: Caller | undefined): Promise<Happening> {
  const { when } = lookup(trial.contract.model.events.out ?? {}, event) ?? {};
  if (when === undefined) throw new NotTried(`the document has no event ${event}`);
  const { record, changesLater } =
    when.kind === "enters"
      ? await intoState(trial, when.resource, when.state, creator)
      : await run(trial, event, trial.operation(when.operation), creator);
  if (!record.isDeleted) await trial.look(record);
  const isThere = when.kind !== "enters" || (record.values.get("state") ?? when.state) === when.state;
  return { record, isCurrent: isThere && !changesLater };
}

interface Triggered {
  readonly record: KnownRecord;
  /** Whether further events of the same request may change the record again. */
  readonly changesLater: boolean;
}

async function intoState(
  trial: Trial,
  resource: string,
  state: string,
  creator: Caller | undefined,
): Promise<Triggered> {
  const record = await trial.make(resource, { state, entersNow: true, ...(creator === undefined ? {} : { creator }) });
  const changesLater = transitionsOf(trial.contract).some(
    (one) => one.resource === resource && one.trigger.on.kind === "when" && one.from.includes(state),
  );
  return { record, changesLater };
}

async function run(trial: Trial, event: string, called: Operation, creator: Caller | undefined): Promise<Triggered> {
  const { contract } = trial;
  const { action, operation, resource } = called;
  // A link is about another record than that of its path.
  if (eventResource(contract.model, event) !== resource)
    throw new NotTried(`the event ${event} is about another record than that of ${operation}`);
  const changesLater = resource !== undefined && furtherEffects(contract, called).resources.has(resource);
  if (resource !== undefined && action === "create") {
    const record = await trial.make(resource, creator === undefined ? {} : { creator });
    if (record.history.at(-1)?.operation !== operation)
      throw new NotTried(`another operation than ${operation} creates ${withArticle(resource)}`);
    return { record, changesLater };
  }
  if (resource === undefined || !needsRecord(called)) throw new NotTried(`${operation} is about no single record`);
  const [state] = transitionsBy(contract, operation).find((one) => one.resource === resource)?.from ?? [];
  const record = await trial.make(resource, {
    entersNow: true,
    ...(state === undefined ? {} : { state }),
    ...(creator === undefined ? {} : { creator }),
  });
  const caller = await trial.callerFor(operation, record);
  const input = action === "update" || action === "replace" ? await changingInput(trial, called, caller, record) : {};
  const response = trial.responseOf(await trial.call(operation, { caller, record, ...input }));
  if (response.status >= 300 || response.status === called.endpoint.statuses?.same)
    throw new NotTried(`${operation} answered ${statusText(contract, response)}`);
  return { record, changesLater };
}

/** How often the test tries other random inputs until one changes something. */
const attempts = 10;

/** Returns an input that changes a record: a change to the same values may be none. */
async function changingInput(
  trial: Trial,
  { operation }: Operation,
  caller: Caller,
  record: KnownRecord,
): Promise<Input> {
  await trial.look(record);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const input = await trial.inputFor(operation, caller, record);
    const body: JsonObject = input.body ?? {};
    const differs = Object.entries(body).some(
      ([name, value]) => record.values.has(name) && JSON.stringify(record.values.get(name)) !== JSON.stringify(value),
    );
    if (differs) return input;
  }
  throw new NotTried(`the test finds no input of ${operation} that changes ${withArticle(record.resource)}`);
}

/** Whether an event happens only after some time. */
export function needsTime(contract: Contract, event: string): boolean {
  const { when } = lookup(contract.model.events.out ?? {}, event) ?? {};
  if (when === undefined) return false;
  const operation = when.kind === "operation" ? contract.operations.get(when.operation) : undefined;
  const resource = when.kind === "enters" ? when.resource : operation?.resource;
  const state =
    when.kind === "enters"
      ? when.state
      : transitionsBy(contract, when.operation).find((one) => one.resource === resource)?.from[0];
  const start = resource === undefined ? undefined : startOf(contract, resource);
  if (resource === undefined || state === undefined || start === undefined || state === start) return false;
  const [path = []] = pathsBetween({ contract }, resource, start, state);
  return path.some(({ trigger: { on } }) => on.kind === "after" || on.kind === "at");
}

/**
 * Returns the types of events that may arrive about a record after the event: those of the states that it may have passed, or may
 * have reached since without a request; undefined if any type may.
 */
export function possibleTypes(contract: Contract, event: string, record: KnownRecord): ReadonlySet<string> | undefined {
  const { out = {} } = contract.model.events;
  const { when } = lookup(out, event) ?? {};
  const start = startOf(contract, record.resource);
  if (when?.kind !== "enters" || start === undefined) return undefined;
  const states = new Set([start]);
  for (const path of when.state === start ? [] : pathsBetween({ contract }, record.resource, start, when.state))
    for (const { to } of path) states.add(to);
  const pending = [...states];
  for (const at of pending) {
    for (const one of transitionsOf(contract)) {
      if (one.resource !== record.resource || one.trigger.on.kind === "by") continue;
      if (!one.from.includes(at) || states.has(one.to)) continue;
      states.add(one.to);
      pending.push(one.to);
    }
  }
  const operations = new Set(record.history.map(({ operation }) => operation));
  return new Set(
    Object.entries(out).flatMap(([name, { when: other }]) => {
      const isPossible =
        other.kind === "enters"
          ? other.resource === record.resource && states.has(other.state)
          : operations.has(other.operation);
      return isPossible ? [name] : [];
    }),
  );
}
