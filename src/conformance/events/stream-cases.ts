/**
 * What clients can observe of `delivery: stream:`: who may follow it, that a client continues exactly after the event that it has,
 * how long it can, and the pages of events.
 */
import { isObject, type Json } from "../../base/json.ts";
import { callerWith } from "../authentication/kinds.ts";
import { Broken, type Case, NotTried, type PartCases, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import { admits } from "../permissions.ts";
import type { Contract } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import type { Interaction } from "../interaction.ts";
import { rolesOf } from "../roles.ts";
import { afterLimits } from "../trial/used-up.ts";
import { clockMilliseconds } from "../effects.ts";
import type { KnownRecord } from "../trial/known.ts";
import { quiet } from "../trial/patience.ts";
import type { Trial } from "../trial/trial.ts";
import { type ArrivedEvent, isAbout, pathOf, readEvent } from "./event.ts";
import { arrives, creatorAmong, expectEvent, grantsOf, receivers, receives } from "./observer.ts";
import { simpleEvent } from "./samples.ts";
import { isMissing } from "./subscription.ts";
import { eventsRequest, type OpenStream, openStream, requestStream } from "./open-stream.ts";
import { trigger } from "./trigger.ts";

export function streamCases(contract: Contract): PartCases {
  const { stream } = contract.model.events.delivery ?? {};
  if (stream === undefined) return { cases: [], unobservable: [] };
  const sample = simpleEvent(contract);
  return {
    cases: [
      ...[...rolesOf(contract), undefined].map((roles) => following(contract, roles)),
      ...(sample === undefined ? [] : [listed(contract, sample)]),
      ...(sample === undefined || stream.resume === undefined ? [] : [resumed(contract, sample, stream.resume)]),
      ...(sample === undefined || stream.keep === undefined ? [] : [expired(contract, sample, stream.keep)]),
    ],
    unobservable: [],
  };
}

/** Only those whom `for` names may follow the stream. `roles`: those of the caller; undefined: without a credential. */
function following(contract: Contract, roles: readonly string[] | undefined): Case {
  const label = roles === undefined ? "anonymous" : `[${roles.join(", ")}]`;
  const path = "events/delivery/stream/for";
  return {
    id: `${path}: ${label}`,
    aspects: [{ path, expects: `a caller ${label} can follow the stream only if \`for\` names it` }],
    run: async (trial) => {
      const caller = await callerWith(trial, roles);
      const { stream, interaction } = await requestStream(trial, caller);
      stream.close();
      const response = trial.responseOf(interaction);
      const isRight = grantsOf(contract, "stream").some((grant) => admits(grant, caller));
      if (isRight && response.status >= 400) {
        const where = isMissing(response.status) ? pathOf.stream : path;
        throw new Broken("the stream", statusText(contract, response), interaction, where);
      }
      if (!isRight && response.status < 400)
        throw new Broken("an error of the client", String(response.status), interaction, path);
    },
  };
}

// ── Pages ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** How many pages the test reads to find an event. */
const mostPages = 20;

/** An event is in a page, and can be read by its id, by those who receive it. */
function listed(contract: Contract, sample: string): Case {
  const path = pathOf.stream;
  return {
    id: `${path}: pages`,
    aspects: [{ path, expects: "events can be listed by their type, and read one by one" }],
    run: async (trial) => {
      const callers = await receivers(trial, "stream");
      const { record } = await trigger(trial, sample, creatorAmong(contract, "stream", callers));
      const receiver = callers.find((one) => receives(trial, "stream", one, record) === true);
      if (receiver === undefined) throw new NotTried("the test does not know a caller who receives the event");
      const { event, interaction } = await findInPages(trial, receiver, sample, record);
      if (event === undefined)
        throw new Broken(`a page with the ${sample} of the ${record.resource}`, "no such event", interaction, path);
      const one = await readOne(trial, receiver, event.id);
      const response = trial.responseOf(one);
      if (response.status !== 200) throw new Broken(`the event ${event.id}`, statusText(contract, response), one, path);
      const read = readEvent(contract, "stream", { json: response.json, arrivedAt: 0 });
      if (read.type !== sample || isAbout(contract, read, record) === false)
        throw new Broken(`the event ${event.id}`, shortText(response.json), one, path);
      const stranger = callers.find((other) => receives(trial, "stream", other, record) === false);
      if (stranger === undefined) return;
      const hidden = trial.responseOf(await readOne(trial, stranger, event.id));
      if (hidden.status < 400)
        throw new Broken(
          `an error for ${stranger.name}, who does not receive the event`,
          String(hidden.status),
          trial.interactions.at(-1),
          "events/delivery/stream/for",
        );
    },
  };
}

/** Reads the pages of a type, the oldest events first, until one is about the record. */
async function findInPages(
  trial: Trial,
  receiver: Caller,
  type: string,
  record: KnownRecord,
): Promise<{ readonly event?: ArrivedEvent; readonly interaction: Interaction }> {
  const path = pathOf.stream;
  let cursor: string | undefined;
  for (let count = 0; count < mostPages; count += 1) {
    const query = new URLSearchParams({ type, limit: "100", ...(cursor === undefined ? {} : { cursor }) });
    const interaction = await readJson(trial, receiver, `?${query.toString()}`);
    const response = trial.responseOf(interaction);
    const page = response.status === 200 ? pageIn(response.json) : undefined;
    if (page === undefined)
      throw new Broken("a page with `items` and `next`", statusText(trial.contract, response), interaction, path);
    const events = page.items.map((json) => readEvent(trial.contract, "stream", { json, arrivedAt: 0 }));
    const other = events.find((one) => one.type !== type);
    if (other !== undefined) throw new Broken(`only events of the type ${type}`, other.type, interaction, path);
    const event = events.find((one) => isAbout(trial.contract, one, record) !== false);
    if (event !== undefined) return { event, interaction };
    if (page.next === undefined) return { interaction };
    cursor = page.next;
  }
  throw new NotTried(`the event is not in the first ${mostPages} pages`);
}

function readOne(trial: Trial, caller: Caller, id: string): Promise<Interaction> {
  return readJson(trial, caller, `/${encodeURIComponent(id)}`);
}

async function readJson(trial: Trial, caller: Caller, below: string): Promise<Interaction> {
  const request = eventsRequest(trial, below, { Accept: "application/json" });
  const send = () => trial.send(caller.authorize(request), caller);
  return afterLimits(trial, await send(), send);
}

function pageIn(json: Json | undefined): { readonly items: readonly Json[]; readonly next?: string } | undefined {
  if (!isObject(json) || !Array.isArray(json["items"])) return undefined;
  const { items, next } = json;
  return { items: items as readonly Json[], ...(typeof next === "string" ? { next } : {}) };
}

// ── Continuing ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A client that names its last event gets all later ones, once and in order, and then new ones. */
function resumed(contract: Contract, sample: string, header: string): Case {
  const path = "events/delivery/stream/resume";
  return {
    id: path,
    aspects: [{ path, expects: `with ${header} a stream continues exactly after the named event` }],
    run: async (trial) => {
      const { receiver, events, records, creator } = await severalEvents(trial, contract, sample, 3);
      const [first] = events;
      const [known, ...missed] = records;
      if (first === undefined || known === undefined) return;
      const stream = await openStream(trial, receiver, { after: first.id });
      try {
        const next = await trigger(trial, sample, creator);
        const expected = [...missed, next.record];
        const arrived = (): readonly (number | undefined)[] => positionsOf(trial, stream, sample, [known, ...expected]);
        // What has not come before the newest event does not come any more.
        await arrives(trial, stream, () => arrived().includes(expected.length));
        await quiet(trial);
        const got = arrived();
        const wanted = expected.map((_, index) => index + 1);
        if (got.join() === wanted.join()) return;
        const texts = got.map((position) => (position === 0 ? "the named event itself" : `event ${String(position)}`));
        throw new Broken(
          `the ${missed.length} events after the named one and a new one, each once and in order`,
          texts.length === 0 ? "none of them" : texts.join(", "),
          undefined,
          path,
        );
      } finally {
        await stream.close();
      }
    },
  };
}

/** Returns what has arrived as positions in a list of records. */
function positionsOf(
  { contract }: Trial,
  stream: OpenStream,
  type: string,
  records: readonly KnownRecord[],
): readonly number[] {
  return stream.events().flatMap((event) => {
    const position =
      event.type === type ? records.findIndex((record) => isAbout(contract, event, record) === true) : -1;
    return position < 0 ? [] : [position];
  });
}

interface SeveralEvents {
  readonly receiver: Caller;
  readonly creator: Caller | undefined;
  readonly events: readonly ArrivedEvent[];
  readonly records: readonly KnownRecord[];
}

/** Lets an event happen to several records, one after the other, and receives it for each. */
async function severalEvents(trial: Trial, contract: Contract, sample: string, count: number): Promise<SeveralEvents> {
  const [receiver] = await receivers(trial, "stream");
  if (receiver === undefined) throw new NotTried("no caller of the test may follow the stream");
  const creator = creatorAmong(contract, "stream", [receiver]);
  const stream = await openStream(trial, receiver);
  try {
    const events: ArrivedEvent[] = [];
    const records: KnownRecord[] = [];
    for (let index = 0; index < count; index += 1) {
      const { record } = await trigger(trial, sample, creator);
      if (receives(trial, "stream", receiver, record) !== true)
        throw new NotTried(`the test does not know whether ${receiver.name} receives the event`);
      const event = await expectEvent(trial, stream, sample, record);
      if (isAbout(trial.contract, event, record) === undefined)
        throw new NotTried(`nothing in ${sample} identifies its record`);
      events.push(event);
      records.push(record);
    }
    return { receiver, creator, events, records };
  } finally {
    await stream.close();
  }
}

/** A client can continue as long as `keep` says. */
function expired(contract: Contract, sample: string, keep: string): Case {
  const path = "events/delivery/stream/keep";
  const milliseconds = clockMilliseconds(keep);
  return {
    id: path,
    aspects: [{ path, expects: `a client can continue after an event for ${keep}, and not afterwards` }],
    last: true,
    run: async (trial) => {
      if (trial.world.target.clock === undefined) throw new NotTried("time has to pass", "a test clock");
      const { receiver, events, records } = await severalEvents(trial, contract, sample, 2);
      const [first] = events;
      const [, later] = records;
      if (first === undefined || later === undefined) return;
      await trial.pass(milliseconds * 0.9);
      await expectContinued(trial, receiver, { after: first.id, sample, later, keep });
      await trial.pass(milliseconds * 0.2);
      const late = await requestStream(trial, receiver, { after: first.id });
      late.stream.close();
      const { status } = trial.responseOf(late.interaction);
      if (status < 400) throw new Broken(`an error after ${keep}`, String(status), late.interaction, path);
    },
  };
}

/** Expects that a stream can be continued, if it can at all. */
async function expectContinued(
  trial: Trial,
  receiver: Caller,
  {
    after,
    sample,
    later,
    keep,
  }: { readonly after: string; readonly sample: string; readonly later: KnownRecord; readonly keep: string },
): Promise<void> {
  const { stream, interaction } = await requestStream(trial, receiver, { after });
  stream.close();
  const response = trial.responseOf(interaction);
  if (response.status === 401) throw new NotTried("the caller's credential has expired", "one that lasts longer");
  if (response.status !== 200)
    throw new Broken(
      `the stream within ${keep}`,
      statusText(trial.contract, response),
      interaction,
      "events/delivery/stream/keep",
    );
  const open = await openStream(trial, receiver, { after });
  try {
    const isThere = await arrives(trial, open, (events) =>
      events.some((event) => event.type === sample && isAbout(trial.contract, event, later) === true),
    );
    if (!isThere) throw new NotTried("the stream does not continue after an event");
  } finally {
    await open.close();
  }
}
