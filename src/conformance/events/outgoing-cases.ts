/**
 * What clients can observe of `out`: each event arrives for those whom the document admits, once, with the declared payload; it
 * does not arrive for others, and not for a rejected request.
 */
import { withArticle } from "../../base/case.ts";
import { eventResource } from "../../language/analysis/expressions.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { Caller } from "../caller.ts";
import { type Aspect, Broken, type Case, NotTried, type PartCases, shortText } from "../case.ts";
import type { Contract } from "../contract.ts";
import { startOf, transitionsBy, transitionsOf, type TriggeredTransition } from "../effects.ts";
import { causeEvent } from "../trial/states.ts";
import { type KnownRecord, textOf } from "../trial/known.ts";
import { quiet } from "../trial/patience.ts";
import type { Trial } from "../trial/trial.ts";
import { type ArrivedEvent, type Channel, isAbout, outPath, pathOf } from "./event.ts";
import { creatorAmong, expectEvent, type Observer, receivers, receives } from "./observer.ts";
import { payloadDeviations } from "./payload.ts";
import { openStream } from "./open-stream.ts";
import { subscribe } from "./subscription.ts";
import { type Happening, needsTime, possibleTypes, trigger } from "./trigger.ts";

export function outgoingCases(contract: Contract): PartCases {
  const { delivery = {}, envelope, out = {} } = contract.model.events;
  const channels = (["stream", "webhook"] as const).filter((channel) => delivery[channel] !== undefined);
  const names = Object.keys(out);
  if (channels.length > 0)
    return {
      cases: names.flatMap((name) => channels.map((channel) => happens(contract, name, channel))),
      unobservable: [],
    };
  const moving = names.flatMap((name) => affectsOthers(contract, name));
  const hidden: readonly Aspect[] = [
    ...names.map((name) => ({ path: outPath(contract, name), expects: `${name} happens` })),
    ...(envelope === undefined
      ? []
      : [
          {
            path: "events/envelope",
            expects: `the envelope of events is ${typeof envelope === "string" ? envelope : "that of the document"}`,
          },
        ]),
  ].filter(({ path }) => !moving.some(({ aspects }) => aspects[0].path === path));
  const reason = "no client receives events: the document declares no delivery";
  return { cases: moving, unobservable: hidden.map((aspect) => ({ ...aspect, reason })) };
}

/** Opens a channel for each of the callers, lets `run` observe, and closes the channels. */
export async function observing<Result>(
  trial: Trial,
  channel: Channel,
  callers: readonly Parameters<typeof openStream>[1][],
  run: (observers: readonly Observer[]) => Promise<Result>,
): Promise<Result> {
  const observers: Observer[] = [];
  try {
    for (const caller of callers)
      observers.push(channel === "stream" ? await openStream(trial, caller) : await subscribe(trial, caller));
    return await run(observers);
  } finally {
    for (const one of observers) await one.close();
  }
}

function happens(contract: Contract, name: string, channel: Channel): Case {
  const { model } = contract;
  const { carries, view, when } = model.events.out?.[name] ?? {};
  const path = outPath(contract, name);
  const cause =
    when?.kind === "enters"
      ? `${withArticle(when.resource)} enters the state ${when.state}`
      : `${when?.operation} runs`;
  const resource = eventResource(model, name);
  const hidden = Object.keys(model.authentication.show).filter(
    (key) => carries === undefined && view === undefined && key.startsWith(`${resource}.`),
  );
  const payload =
    carries?.join(", ") ?? (view === undefined ? "the record as the receiver sees it" : `the view ${view}`);
  const aspects: readonly [Aspect, ...Aspect[]] = [
    { path, expects: `${name} arrives by ${channel} when ${cause}` },
    {
      path: carries === undefined && view === undefined ? path : `${path}/carries`,
      expects: `the payload of ${name} is ${payload}`,
    },
    { path: "events/envelope", expects: "events have the declared envelope" },
    { path: pathOf[channel], expects: "no other events arrive" },
    { path: `events/delivery/${channel}/for`, expects: "nobody receives events about records of others" },
    ...(channel === "webhook"
      ? [{ path: "events/delivery/webhook/signed", expects: "the signature of each webhook is valid" }]
      : [{ path: "events/delivery/stream/kind", expects: "each event has an id, a type and data" }]),
    ...hidden.map((key) => ({
      path: `authentication/show/${key}`,
      expects: "the payload has no field that its receiver does not see",
    })),
  ];
  return {
    id: `${path}: ${channel}`,
    aspects: aspects as readonly [Aspect, ...Aspect[]],
    ...(when?.kind === "operation" ? { operation: when.operation } : {}),
    ...(needsTime(contract, name) ? { exclusive: true } : {}),
    run: async (trial) => {
      const callers = await receivers(trial, channel);
      await observing(trial, channel, callers, async (observers) => {
        const creator = creatorAmong(contract, channel, callers);
        const rejected = await rejectedByGuard(trial, name, creator);
        const happening = await trigger(trial, name, creator);
        await expectArrivals(trial, name, observers, happening);
        await rejectedAgain(trial, happening.record);
        await quiet(trial);
        for (const observer of observers) {
          if (rejected !== undefined) expectNot(trial, name, observer, rejected);
          expectOnly(trial, name, observer, happening.record);
        }
      });
    },
  };
}

/** Expects the event for each caller to whom the document allows it. */
async function expectArrivals(
  trial: Trial,
  name: string,
  observers: readonly Observer[],
  { record, isCurrent }: Happening,
): Promise<void> {
  const resource = eventResource(trial.contract.model, name) ?? record.resource;
  let arrived = 0;
  for (const observer of observers) {
    if (receives(trial, observer.channel, observer.receiver, record) !== true) continue;
    const event = await expectEvent(trial, observer, name, record);
    arrived += 1;
    const isKnown = isAbout(trial.contract, event, record) === true;
    const [first] = payloadDeviations(trial, event, {
      ...{ resource, receiver: observer.receiver, isCurrent },
      ...(isKnown ? { record } : {}),
    });
    if (first !== undefined)
      throw new Broken(`${name} for ${observer.receiver.name}: ${first.expected}`, first.got, undefined, first.path);
  }
  if (arrived === 0) throw new NotTried(`the test does not know a caller who receives the ${name} of this record`);
}

/** Tries a transition whose guard is false: it is rejected, so it must have no event. Returns the record, if there is such a guard. */
async function rejectedByGuard(
  trial: Trial,
  name: string,
  creator: Caller | undefined,
): Promise<KnownRecord | undefined> {
  const { contract, world } = trial;
  const { when } = lookup(contract.model.events.out ?? {}, name) ?? {};
  if (when?.kind !== "enters") return undefined;
  for (const {
    from,
    path,
    resource,
    to,
    trigger: { on },
  } of transitionsOf(contract)) {
    const [state] = from;
    if (on.kind !== "by" || resource !== when.resource || to !== when.state || state === undefined) continue;
    if (!contract.typed.has(`${path}/if`) || from.includes(to) || world.target.skipped.has(on.operation)) continue;
    if (transitionsBy(contract, on.operation).length > 1) continue;
    const record = await trial.make(resource, { state, ...(creator === undefined ? {} : { creator }) });
    const caller = await trial.callerFor(on.operation, record);
    const input = await trial.inputWhere(on.operation, caller, record, `${path}/if`, false);
    if (input === undefined) continue;
    const { status } = trial.responseOf(await trial.call(on.operation, { caller, record, ...input }));
    // Other cases are about guards.
    return status < 400 ? undefined : record;
  }
  return undefined;
}

/** Expects no event of this type about a record. */
function expectNot(trial: Trial, name: string, observer: Observer, record: KnownRecord): void {
  const isThis = (event: ArrivedEvent): boolean =>
    event.type === name && isAbout(trial.contract, event, record) === true;
  if (!observer.events().some(isThis)) return;
  throw new Broken(`no ${name} for a rejected request`, "it arrived", undefined, outPath(trial.contract, name));
}

/** Repeats the last request that changed the record: it is rejected, so it must have no event. */
async function rejectedAgain(trial: Trial, record: KnownRecord): Promise<void> {
  const { contract, world } = trial;
  const operation = record.history.at(-1)?.operation;
  const state = record.values.get("state");
  if (operation === undefined || record.isDeleted || typeof state !== "string") return;
  const own = transitionsBy(contract, operation).filter(({ resource }) => resource === record.resource);
  if (own.length === 0 || own.some(({ from }) => from.includes(state)) || world.target.skipped.has(operation)) return;
  const response = trial.responseOf(await trial.call(operation, { record }));
  if (response.status < 300) throw new NotTried(`${operation} succeeds again, which other cases are about`);
}

/** Expects nothing about the record but the event, once, and what may have come before it. */
function expectOnly(trial: Trial, name: string, observer: Observer, record: KnownRecord): void {
  const { channel, receiver } = observer;
  const about = observer.events().filter((event) => isAbout(trial.contract, event, record) === true);
  const [unexpected] = about;
  if (unexpected !== undefined && receives(trial, channel, receiver, record) === false)
    throw new Broken(
      `no events about this ${record.resource} for ${receiver.name}`,
      unexpected.type,
      undefined,
      `events/delivery/${channel}/for`,
    );
  const ids = new Set(about.filter(({ type }) => type === name).map(({ id }) => id));
  if (ids.size > 1)
    throw new Broken(`${name} once`, `${ids.size} times, with different ids`, undefined, outPath(trial.contract, name));
  const possible = possibleTypes(trial.contract, name, record);
  const other = possible === undefined ? undefined : about.find(({ type }) => !possible.has(type));
  if (other !== undefined)
    throw new Broken(
      `no ${other.type}: its cause did not happen`,
      "it arrived",
      undefined,
      outPath(trial.contract, other.type),
    );
}

/** Without a delivery, an event shows only in the records that it moves. */
function affectsOthers(contract: Contract, name: string): readonly Case[] {
  const [transitioned] = transitionsOf(contract).filter(
    ({ trigger: { on } }) => on.kind === "when" && on.events.includes(name),
  );
  if (transitioned === undefined) return [];
  const path = outPath(contract, name);
  return [
    {
      id: `${path}: moves ${withArticle(transitioned.resource)}`,
      aspects: [
        { path, expects: `${name} happens, and moves ${withArticle(transitioned.resource)} to ${transitioned.to}` },
      ],
      run: async (trial) => {
        const record = await causeEvent(trial, undefined, transitioned).catch(async (thrown: unknown) => {
          if (thrown instanceof NotTried) await expectNotEarly(trial, name, transitioned);
          throw thrown;
        });
        const state = record.values.get("state");
        // Another event may have moved the record on.
        if (state === transitioned.to || !transitioned.from.includes(textOf(state))) return;
        throw new Broken(
          `${withArticle(transitioned.resource)} in the state ${transitioned.to}`,
          shortText(state),
          trial.interactions.at(-1),
        );
      },
    },
  ];
}

/** How many of the newest records the test reads: one of them is the record that the event would change. */
const mostRead = 5;

/** If nothing but the event leads to a state, and no operation has caused the event, no record is in the state. */
async function expectNotEarly(trial: Trial, name: string, { path, resource, to }: TriggeredTransition): Promise<void> {
  const { contract, world } = trial;
  const { when } = lookup(contract.model.events.out ?? {}, name) ?? {};
  if (when?.kind !== "enters" || startOf(contract, resource) === to) return;
  const others = transitionsOf(contract).filter(
    (one) =>
      (one.resource === resource && one.to === to && one.path !== path) ||
      (one.resource === when.resource && one.to === when.state && one.trigger.on.kind !== "by"),
  );
  const isCaused = world.records.some(
    (one) => one.resource === when.resource && (one.values.get("state") ?? when.state) === when.state,
  );
  if (others.length > 0 || isCaused) return;
  for (const record of world.records.filter((one) => one.resource === resource && !one.isDeleted).slice(-mostRead)) {
    record.values.delete("state");
    await trial.look(record);
    if (record.values.get("state") !== to) continue;
    const expected = `no ${name} before ${withArticle(when.resource)} is ${when.state}`;
    throw new Broken(
      expected,
      `${withArticle(resource)} in the state ${to}`,
      trial.interactions.at(-1),
      outPath(contract, name),
    );
  }
}
