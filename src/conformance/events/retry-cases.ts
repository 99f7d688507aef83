/**
 * What clients can observe of failing webhooks: attempts at the declared waits, their end, what follows it, the timeout, and the
 * order of the events of one record while one of them fails.
 */
import type { Webhook } from "../../language/events/model.ts";
import { Broken, type Case, NotTried, type PartCases } from "../case.ts";
import type { Contract } from "../contract.ts";
import { isResponse } from "../interaction.ts";
import type { Received } from "../receiver.ts";
import { clockMilliseconds } from "../effects.ts";
import { quiet, isSoon } from "../trial/patience.ts";
import type { Trial } from "../trial/trial.ts";
import type { ArrivedEvent } from "./event.ts";
import { arrives, eventsAbout, expectEvent, receiverRemedy } from "./observer.ts";
import { shortSeries, simpleEvent } from "./samples.ts";
import { sentAt } from "../signature.ts";
import {
  callWebhooks,
  deliveriesOf,
  expectNone,
  receiverOf,
  schemeIn,
  type Subscription,
  webhookIn,
  withSubscriptions,
} from "./subscription.ts";
import { trigger } from "./trigger.ts";

const at = "events/delivery/webhook";

export function retryCases(contract: Contract): PartCases {
  const { webhook } = contract.model.events.delivery ?? {};
  const sample = simpleEvent(contract);
  const cases = webhook === undefined || sample === undefined ? [] : casesOf(contract, webhook, sample);
  return { cases, unobservable: [] };
}

function casesOf(contract: Contract, webhook: Webhook, sample: string): readonly Case[] {
  const { promise, retry, timeout, then } = webhook;
  return [
    deleted(sample),
    ...(retry === undefined ? [] : [firstRetry(sample, retry, promise)]),
    ...(promise !== undefined && /in order/.test(promise) && retry !== undefined && retry.length > 0
      ? inOrder(contract, retry)
      : []),
    ...(timeout === undefined ? [] : [timedOut(sample, timeout)]),
    ...(retry === undefined ? [] : [allRetries(sample, retry, then)]),
    ...(then?.keep === undefined ? [] : [stored(sample, then.keep)]),
  ];
}

/** When an attempt is too early and when it is too late, as parts of its wait: senders spread their attempts. */
const tooEarly = 0.75;
const tooLate = 1.3;
/** How much of a wait passes before the test looks for an early attempt: in the meantime real time passes, too. */
const firstPart = 0.6;
/** How much later than its wait a short one may be besides, in milliseconds. */
const delayMilliseconds = 2000;

/** Returns the attempts to deliver an event. @throws Broken if one is not signed */
function attemptsOf(subscription: Subscription, { id }: ArrivedEvent): readonly Received[] {
  const events = subscription.events();
  return subscription.received().filter((_, index) => events[index]?.id === id);
}

/** The longest real time that the test waits, in milliseconds. */
const longestWait = 15_000;

/** Lets time pass: by the clock of the implementation, or a short time really. */
async function letPass(trial: Trial, milliseconds: number): Promise<void> {
  const { clock, now, wait } = trial.world.target;
  if (clock !== undefined) return trial.pass(milliseconds);
  if (milliseconds > longestWait || now() + milliseconds > trial.world.deadline)
    throw new NotTried("time has to pass", "a test clock");
  await wait(milliseconds);
}

/** Waits until there are so many attempts; returns whether there are. */
function hasAttempts(trial: Trial, subscription: Subscription, event: ArrivedEvent, count: number): Promise<boolean> {
  return arrives(trial, subscription, () => attemptsOf(subscription, event).length >= count);
}

/** Expects the attempt after a wait, and not before. */
async function expectRetry(
  trial: Trial,
  subscription: Subscription,
  event: ArrivedEvent,
  { wait, count }: { readonly wait: string; readonly count: number },
): Promise<void> {
  const path = `${at}/retry`;
  const milliseconds = clockMilliseconds(wait);
  const expected = `attempt ${count + 1} ${wait} after the one before`;
  const before = attemptsOf(subscription, event).at(-1);
  // The sender has to note the failure before its time goes on.
  await quiet(trial);
  await letPass(trial, milliseconds * firstPart);
  await quiet(trial);
  const early = attemptsOf(subscription, event)[count];
  if (early !== undefined) {
    const passed = trial.world.target.clock === undefined ? 0 : milliseconds * firstPart;
    const after = early.arrivedAt - (before?.arrivedAt ?? early.arrivedAt) + passed;
    if (after < milliseconds * tooEarly)
      throw new Broken(expected, `it came after ${Math.round(after)} ms`, undefined, path);
    return;
  }
  await letPass(trial, milliseconds * (tooLate - firstPart) + delayMilliseconds);
  if (!(await hasAttempts(trial, subscription, event, count + 1)))
    throw new Broken(expected, "none came", undefined, path);
  const [one, other] = [before, attemptsOf(subscription, event).at(-1)].map(
    (sent) => sent && sentAt(sent.headers, schemeIn(trial.contract)),
  );
  if (one === undefined || other === undefined || milliseconds <= delayMilliseconds) return;
  if (one === other)
    throw new Broken("the time of the attempt in the signature", `still ${one / 1000}`, undefined, `${at}/signed`);
  // On a slow machine an early attempt arrives after the test has looked for it. Its signature tells when it was sent, unless the
  // sender signs with another clock than the one that the test moves.
  const signedAfter = other - one;
  if (signedAfter >= milliseconds * firstPart && signedAfter < milliseconds * tooEarly)
    throw new Broken(expected, `it was signed after ${signedAfter} ms`, undefined, path);
}

/** Lets an event happen whose receiver answers 500. */
async function failing(
  trial: Trial,
  sample: string,
  run: (subscription: Subscription, event: ArrivedEvent) => Promise<void>,
): Promise<void> {
  await withSubscriptions(trial, [{ events: [sample] }], async ([one], creator) => {
    receiverOf(trial).reply(one.path, { status: 500 });
    const { record } = await trigger(trial, sample, creator);
    await run(one, await expectEvent(trial, one, sample, record));
  });
}

/** An event whose receiver failed arrives again after the first wait, with the same id. */
function firstRetry(sample: string, [wait]: readonly string[], promise: string | undefined): Case {
  const path = `${at}/retry`;
  return {
    id: `${path}: first`,
    aspects: [
      {
        path,
        expects:
          wait === undefined ? "a failed delivery is not repeated" : `a failed delivery is repeated after ${wait}`,
      },
      ...(promise === undefined ? [] : [{ path: `${at}/promise`, expects: "a failed delivery arrives again" }]),
    ] as unknown as Case["aspects"],
    exclusive: true,
    run: (trial) =>
      failing(trial, sample, async (subscription, event) => {
        if (wait !== undefined) return expectRetry(trial, subscription, event, { wait, count: 1 });
        await letPass(trial, longestWait);
        await expectNoMore(trial, subscription, event, 1);
      }),
  };
}

async function expectNoMore(
  trial: Trial,
  subscription: Subscription,
  event: ArrivedEvent,
  count: number,
): Promise<void> {
  await quiet(trial);
  const found = attemptsOf(subscription, event).length;
  if (found > count) throw new Broken(`${count} attempts`, String(found), undefined, `${at}/retry`);
}

const day = 86_400_000;
/** Failures of days may end a subscription whatever `then` says. */
const mostMilliseconds = 3.5 * day;

/** All attempts at their waits, no more of them, and then what `then` says. */
function allRetries(sample: string, retry: readonly string[], then: Webhook["then"]): Case {
  const path = `${at}/retry`;
  const waits = retry.map(clockMilliseconds);
  const isLong = waits.reduce((sum, wait) => sum + wait, 0) > mostMilliseconds;
  return {
    id: `${path}: all`,
    aspects: [
      { path, expects: `${retry.length + 1} attempts, at the waits ${retry.join(", ")}` },
      ...(then === undefined ? [] : [{ path: `${at}/then`, expects: "what follows the last attempt" }]),
    ] as unknown as Case["aspects"],
    last: true,
    run: (trial) =>
      withSubscriptions(trial, [{ events: [sample] }, {}], async ([one, other], creator) => {
        if (trial.world.target.clock === undefined) throw new NotTried("time has to pass", "a test clock");
        if (isLong) throw new NotTried("the waits are longer than three days and a half together");
        receiverOf(trial).reply(one.path, { status: 500 });
        const { record } = await trigger(trial, sample, creator);
        const event = await expectEvent(trial, one, sample, record);
        for (const [index, wait] of retry.entries()) await expectRetry(trial, one, event, { wait, count: index + 1 });
        await quiet(trial);
        await trial.pass(Math.max(...waits, day) * tooLate);
        if (then?.disable === true) await untilDisabled(trial, one);
        // Once the other subscription has a new event, the sender has also noticed the time that has passed.
        const next = await trigger(trial, sample, creator);
        await expectEvent(trial, other, sample, next.record);
        await expectNoMore(trial, one, event, retry.length + 1);
        if (then === undefined) return;
        if (then.disable) expectNone(trial, one, next.record, "a webhook after its last attempt", `${at}/then`);
        else await expectEvent(trial, one, sample, next.record, `${at}/then`);
      }),
  };
}

/** Waits until the implementation shows that it has disabled a subscription. */
async function untilDisabled(trial: Trial, { id, receiver }: Subscription): Promise<void> {
  await isSoon(trial, async () => {
    const { response } = await callWebhooks(trial, receiver, "GET", `/${encodeURIComponent(id)}`);
    return !isResponse(response) || webhookIn(response.json)?.["state"] !== "enabled";
  });
}

const hourMilliseconds = 3_600_000;

/** A delivery that failed is listed as long as `keep` says. */
function stored(sample: string, keep: string): Case {
  const path = `${at}/then`;
  const milliseconds = clockMilliseconds(keep);
  return {
    id: `${path}: keep`,
    aspects: [{ path, expects: `a failed delivery is listed for ${keep}` }],
    last: true,
    run: (trial) =>
      withSubscriptions(trial, [{ events: [sample] }], async ([one], creator) => {
        receiverOf(trial).reply(one.path, { status: 410 });
        const { record } = await trigger(trial, sample, creator);
        const { id } = await expectEvent(trial, one, sample, record);
        await quiet(trial);
        const isListed = async (): Promise<boolean> => {
          const list = await deliveriesOf(trial, one.receiver, one.id);
          if (list === undefined) throw new NotTried("the implementation has no list of deliveries");
          return list.some((item) => item["event"] === id);
        };
        if (!(await isListed())) throw new NotTried("the list of deliveries does not name the event");
        const margin = Math.min(hourMilliseconds, milliseconds / 10);
        await trial.pass(milliseconds - margin);
        if (!(await isListed()))
          throw new Broken(`the failed delivery for ${keep}`, "it is no longer listed", undefined, path);
        await trial.pass(2 * margin);
        // Deletion may be the task of another process.
        if (!(await isSoon(trial, async () => !(await isListed()))))
          throw new Broken(`no failed delivery after ${keep}`, "it is still listed", undefined, path);
      }),
  };
}

/** The status 410 ends a subscription. */
function deleted(sample: string): Case {
  const path = `${at}/subscribe`;
  return {
    id: `${path}: 410`,
    aspects: [{ path, expects: "a receiver that answers 410 gets nothing more" }],
    // An event of another case must not be the one that gets this response.
    exclusive: true,
    run: (trial) =>
      // An event of an earlier state of the record would get the response, and then the sample never arrives.
      withSubscriptions(trial, [{ events: [sample] }, {}], async ([one, other], creator) => {
        receiverOf(trial).reply(one.path, { status: 410 });
        const first = await trigger(trial, sample, creator);
        await expectEvent(trial, one, sample, first.record);
        await untilDisabled(trial, one);
        const next = await trigger(trial, sample, creator);
        await expectEvent(trial, other, sample, next.record);
        await quiet(trial);
        expectNone(trial, one, next.record, "a receiver that has answered 410", path);
      }),
  };
}

/** While an event of a record fails, no later event of the record arrives. */
function inOrder(contract: Contract, [wait = "0s"]: readonly string[]): readonly Case[] {
  const series = shortSeries(contract);
  if (series === undefined) return [];
  const { events, resource, state } = series;
  const path = `${at}/promise`;
  return [
    {
      id: `${path}: in order`,
      aspects: [{ path, expects: `${events.join(", ")} of one ${resource} arrive in this order, also if one fails` }],
      exclusive: true,
      run: (trial) =>
        withSubscriptions(trial, [{ events: [...events] }], async ([one], creator) => {
          receiverOf(trial).reply(one.path, { status: 500 });
          const record = await trial.make(resource, {
            state,
            entersNow: true,
            ...(creator === undefined ? {} : { creator }),
          });
          await trial.look(record);
          const [first] = events;
          await expectEvent(trial, one, first, record);
          await quiet(trial);
          const early = eventsAbout(trial, one, record).find(({ type }) => type !== first);
          if (early !== undefined)
            throw new Broken(`no ${early.type} before ${first} is delivered`, "it arrived", undefined, path);
          receiverOf(trial).reply(one.path, { status: 204 });
          await letPass(trial, clockMilliseconds(wait) * tooLate + delayMilliseconds);
          for (const type of events) await expectEvent(trial, one, type, record);
          const types = eventsAbout(trial, one, record).map(({ type }) => type);
          // The first attempt failed; what arrives a second time later does not matter.
          const arrivals = events.map((type) => (type === first ? types.indexOf(type, 1) : types.indexOf(type)));
          if (arrivals.some((position, index) => index > 0 && position < (arrivals[index - 1] ?? 0)))
            throw new Broken(events.join(", "), types.join(", "), undefined, path);
        }),
    },
  ];
}

/** A receiver that does not answer is left after the timeout, and not before. */
function timedOut(sample: string, timeout: string): Case {
  const path = `${at}/timeout`;
  const milliseconds = clockMilliseconds(timeout);
  return {
    id: path,
    aspects: [{ path, expects: `the sender waits ${timeout} for a response` }],
    run: async (trial) => {
      const { deadline, target } = trial.world;
      const longest = milliseconds * tooLate + delayMilliseconds;
      const receiver = receiverOf(trial);
      if (!/^https?:\/\/(?:127\.|localhost|\[::1\])/.test(receiver.url("/")))
        throw new NotTried("the test sees the end of a connection only on this machine", receiverRemedy);
      if (target.now() + longest > deadline)
        throw new NotTried(`a timeout of ${timeout} has to pass`, "a larger --budget");
      await withSubscriptions(trial, [{ events: [sample] }], async ([one], creator) => {
        receiver.reply(one.path, "nothing");
        const { record } = await trigger(trial, sample, creator);
        // An event of another case will do, too. If none has come, this throws.
        if (!(await arrives(trial, one, (events) => events.length > 0))) await expectEvent(trial, one, sample, record);
        const [sent] = one.received();
        if (sent === undefined) return;
        const waited = await receiver.abandoned(sent, longest);
        if (waited === undefined)
          throw new Broken(`the end of the connection after ${timeout}`, "it is still open", undefined, path);
        if (waited < milliseconds * tooEarly)
          throw new Broken(
            `the end of the connection after ${timeout}`,
            `after ${Math.round(waited)} ms`,
            undefined,
            path,
          );
      });
    },
  };
}
