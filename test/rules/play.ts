/**
 * One run of a generated document: serves it, sends random writes, and after each write compares all of its records with the
 * model. A seed identifies a run; a failing run can be shrunk by leaving out steps and rules.
 */
import type { Json } from "../../src/base/json.ts";
import type { Store } from "../../src/store/port/store.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { type Recording, recordInto } from "../export/recorded.ts";
import { type Client, createClient, type Reply, type Sent } from "../serve/client.ts";
import { run, type Running } from "../serve/running.ts";
import { chanceOf } from "../simulation/random.ts";
import { deviceSecret, type Doc, documentOfNumber, documentText } from "./document.ts";
import { isOfTheWrite, type Rec, type Records } from "./expressions.ts";
import { Model, type Outcome, unknownId, type Write } from "./model.ts";
import { drawWrite, functionsOf, requestOf } from "./writes.ts";

export interface Played {
  /** What is wrong, in a sentence that begins with its kind. */
  readonly fault?: string;
  readonly document: string;
  /** Each request with its answer, and what time did. */
  readonly lines: readonly string[];
  /** Steps that did something, by their numbers. */
  readonly steps: readonly number[];
  readonly counts: Counts;
}

export interface Counts {
  writes: number;
  accepted: number;
  /** By a rule. */
  refused: number;
  /** Moves in time that a rule left out. */
  skipped: number;
  bursts: number;
  /** Bursts and runs of time with more orders than a search may try, so that it is not known whether one explains the responses. */
  unexplained: number;
  /** Answers 503. */
  overloaded: number;
  /** Moves in time that were made. */
  timed: number;
}

export function noCounts(): Counts {
  return { writes: 0, accepted: 0, refused: 0, skipped: 0, bursts: 0, unexplained: 0, overloaded: 0, timed: 0 };
}

export interface PlayOptions {
  readonly seed: number;
  readonly store: "sqlite" | "postgres";
  readonly steps?: number;
  /** Steps and rules that are left out, by their numbers. */
  readonly without?: { readonly steps: ReadonlySet<number>; readonly rules: ReadonlySet<number> };
  /** A deliberate mistake. */
  readonly plan?: (plan: Plan) => Plan;
  readonly around?: (store: Store) => Store;
}

const hour = 3_600_000;
const began = Date.parse("2026-10-01T00:00:00Z");
const defaultSteps = 70;

export async function play(options: PlayOptions): Promise<Played> {
  const { around, plan, seed, store, steps = defaultSteps, without } = options;
  const drawn = documentOfNumber(seed);
  const doc = { ...drawn, rules: drawn.rules.filter((_, index) => without?.rules.has(index) !== true) };
  const document = documentText(doc);
  let now = began;
  await using running = await run(document, {
    store,
    clock: { now: () => now },
    environment: { DEVICE_SECRET: deviceSecret },
    ...(doc.hasBatch || doc.after !== undefined ? { functions: functionsOf(doc) } : {}),
    ...(around === undefined ? {} : { around }),
    ...(plan === undefined ? {} : { planned: plan }),
  });
  using client = createClient(running.port, () => {});
  const table = new Table({ doc, running, client, seed, store, clock: { now: () => now, pass: (milliseconds) => (now += milliseconds) } }); // biome-ignore format: short
  await table.begin();
  try {
    for (let step = 0; step < steps; step += 1) if (without?.steps.has(step) !== true) await table.step(step);
    await table.end();
    if (running.failures.length > 0) throw new Fault(`failure: ${String((running.failures[0] as Error).stack)}`);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const failures = running.failures.map((failure) => `\n${String((failure as Error).stack)}`).join("");
    return { ...table.played(document), fault: `${thrown.message}${failures}` };
  }
  return table.played(document);
}

class Fault extends Error {}

interface TableOptions {
  readonly doc: Doc;
  readonly running: Running;
  readonly client: Client;
  readonly seed: number;
  readonly clock: { readonly now: () => number; readonly pass: (milliseconds: number) => void };
  readonly store: PlayOptions["store"];
}

/** A write on its way, with who sends it. */
interface Asked {
  readonly write: Write;
  readonly caller: string | null;
  readonly sent: Sent;
}

interface HandledResponse extends Asked {
  readonly reply: Reply;
}

const callers = ["ann", "bob", null] as const;

class Table {
  readonly #options: TableOptions;
  readonly #model: Model;
  readonly #keys: Map<string, string> = new Map();
  readonly #counts: Counts = noCounts();
  readonly #lines: string[] = [];
  readonly #steps: number[] = [];
  readonly #recording: Recording;
  #records: Records;
  #made = 0;

  constructor(options: TableOptions) {
    this.#options = options;
    this.#model = new Model(options.doc);
    this.#records = this.#model.empty();
    this.#recording = recordInto(openapi(options.running.plan, options.running.url));
  }

  async begin(): Promise<void> {
    for (const name of callers)
      if (name !== null) this.#keys.set(name, `Bearer ${await this.#options.running.key(name)}`);
  }

  played(document: string): Omit<Played, "fault"> {
    return { document, lines: this.#lines, steps: this.#steps, counts: this.#counts };
  }

  async step(number: number): Promise<void> {
    const { clock, doc, seed } = this.#options;
    const chance = chanceOf(seed * 1000 + number, "step");
    const before = this.#lines.length;
    const isTimed = doc.resources.some(({ keptHours, lifecycle }) => keptHours !== undefined || lifecycle?.transitions.some(({ trigger }) => trigger.kind === "after" || trigger.kind === "at")); // biome-ignore format: short
    clock.pass(1000);
    switch (chance.weighted({ write: 78, burst: 12, time: isTimed ? 12 : 0 })) {
      case "write": {
        const write = drawWrite(this.#drawing(chance));
        if (write !== undefined) await this.#one(write, chance.pick(callers));
        break;
      }
      case "burst": {
        const count = chance.percent(70) ? chance.between(2, 4) : chance.between(5, 8);
        const drawn = Array.from({ length: count }, () => drawWrite(this.#drawing(chance)));
        const asked = drawn.filter((write) => write !== undefined).map((write) => this.#asked(write, chance.pick(callers))); // biome-ignore format: short
        if (asked.length > 0) await this.#burst(asked);
        break;
      }
      case "time":
        await this.#time(chance.between(1, 4));
        break;
    }
    if (this.#lines.length > before) this.#steps.push(number);
  }

  /** A change that changes nothing is possible of every record that there is, unless a rule is about the write. */
  async end(): Promise<void> {
    for (const [resource, recs] of this.#records)
      for (const id of recs.keys()) await this.#one({ does: "update", resource, id, values: {} }, null);
  }

  #drawing(chance: Parameters<typeof drawWrite>[0]["chance"]): Parameters<typeof drawWrite>[0] {
    const fresh = (): number => (this.#made += 1);
    return { chance, model: this.#model, records: this.#records, now: this.#options.clock.now(), fresh };
  }

  #asked(write: Write, by: string | null): Asked {
    // Who tells of an event is known by its signature.
    const caller = write.does === "event" ? "device" : by;
    const authorization = caller === null ? undefined : this.#keys.get(caller);
    return { write, caller, sent: requestOf(this.#options.doc, write, authorization, this.#options.clock.now()) };
  }

  // ── One write at a time ──

  async #one(write: Write, caller: string | null): Promise<void> {
    const answered = await this.#send(this.#asked(write, caller));
    const actual = await this.#read();
    this.#checkTrue(actual);
    const outcome = this.#outcome(this.#records, answered, "?");
    const options = optionsOf(answered, outcome, this.#records);
    if (options.length === 0) throw new Fault(wrongAnswer(answered.reply, outcome, this.#options.doc));
    const differences: string[] = [];
    for (const records of options) {
      const same = matched(records, actual);
      if (typeof same !== "string") {
        this.#records = same;
        return;
      }
      differences.push(same);
    }
    throw new Fault(`${isGood(answered.reply) ? "done otherwise" : "a refused write changed something"}: ${differences.join("; or ")}`); // biome-ignore format: short
  }

  #outcome(records: Records, { caller, reply, write }: HandledResponse, unknown: string): Outcome {
    const id = (reply.json as { readonly id?: unknown } | undefined)?.id;
    const made = write.does === "create" && typeof id === "string" ? id : unknown;
    return this.#model.outcome(records, write, { caller, now: this.#options.clock.now(), made });
  }

  async #send(asked: Asked): Promise<HandledResponse> {
    const reply = await this.#options.client.send(asked.sent);
    this.#lines.push(lineOf(asked, reply));
    this.#count(reply);
    const headers = Object.entries(reply.headers);
    const [undeclared] = this.#recording.check(asked.sent, { status: reply.status, headers, body: reply.text });
    if (undeclared !== undefined) throw new Fault(`not declared: ${undeclared}`);
    return { ...asked, reply };
  }

  #count(reply: Reply): void {
    const counts = this.#counts;
    counts.writes += 1;
    if (isGood(reply)) counts.accepted += 1;
    if (codeOf(reply).startsWith("rule-")) counts.refused += 1;
    if (reply.status === 503) counts.overloaded += 1;
    if (reply.status >= 500 && reply.status !== 503) throw new Fault(`failure: ${reply.status} ${reply.text}`);
  }

  /** All records as anybody reads them. */
  async #read(): Promise<Records> {
    const all = new Map<string, ReadonlyMap<string, Rec>>();
    for (const { fields, lifecycle, name, path } of this.#options.doc.resources) {
      const reply = await this.#options.client.send({ method: "GET", path: `${path}?limit=200` });
      const { items = [], next } = (reply.json ?? {}) as { items?: readonly Record<string, Json>[]; next?: unknown };
      if (reply.status !== 200 || next !== null) throw new Fault(`failure: GET ${path}: ${reply.status} ${reply.text}`);
      const recs = items.map((item): Rec => {
        const values: Record<string, Json> = { id: item["id"] ?? null };
        for (const field of fields) values[field.name] = item[field.name] ?? null;
        if (lifecycle !== undefined) values["state"] = item["state"] ?? null;
        return { resource: name, id: String(item["id"] as string), values, entered: 0, due: null };
      });
      // Lists give the newest first.
      all.set(name, new Map(recs.toReversed().map((rec) => [rec.id, rec])));
    }
    return all;
  }

  #checkTrue(actual: Records): void {
    const untrue = this.#model.untrue(actual);
    if (untrue.length > 0) throw new Fault(`untrue: ${untrue.join(", ")}`);
  }

  // ── Several at once ──

  async #burst(asked: readonly Asked[]): Promise<void> {
    this.#counts.bursts += 1;
    this.#lines.push(`${asked.length} at once:`);
    const settled = await Promise.allSettled(asked.map((one) => this.#send(one)));
    const answered = settled.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    });
    const actual = await this.#read();
    this.#checkTrue(actual);
    const sure = answered.filter(({ reply }) => reply.status !== 503);
    const found = this.#explain(sure, actual);
    if (found === undefined) throw new Fault(`no order of them explains the answers to ${sure.length} at once`);
    if (found === "many") this.#counts.unexplained += 1;
    this.#records = found === "many" ? this.#adopted(actual) : found;
  }

  /** The records after an order in which these writes, one after another, are answered so and leave what there is. */
  #explain(answered: readonly HandledResponse[], actual: Records): Records | "many" | undefined {
    const numbered = answered.map((one, index) => ({ one, index, unknown: `${unknownId}one ${index}` }));
    const good = numbered.filter(({ one }) => isGood(one.reply));
    const refused = numbered.filter(({ one }) => !isGood(one.reply));
    const search = new Search();
    const from = (records: Records, left: typeof good, unexplained: typeof refused): Records | undefined => {
      const rest = unexplained.filter(({ one, unknown }) => !isRefusedSo(one, this.#outcome(records, one, unknown)));
      if (left.length === 0) {
        const same = rest.length === 0 ? matched(records, actual) : "";
        return typeof same === "string" ? undefined : same;
      }
      if (!search.isNew([[...left, ...rest].map(({ index }) => index), textOf(records)])) return undefined;
      for (const next of left) {
        const outcome = this.#outcome(records, next.one, next.unknown);
        for (const option of optionsOf(next.one, outcome, records)) {
          const found = from(option, left.filter((one) => one !== next), rest); // biome-ignore format: short
          if (found !== undefined) return found;
        }
      }
      return undefined;
    };
    return from(this.#records, good, refused) ?? search.end();
  }

  /** What there is, where nobody can say how it came to be. */
  #adopted(actual: Records): Records {
    const now = this.#options.clock.now();
    return mapped(actual, (rec) => {
      const before = this.#records.get(rec.resource)?.get(rec.id);
      if (before !== undefined && isSame(before, rec)) return { ...before, isDueUnsure: true };
      const isEntered = before?.values["state"] !== rec.values["state"];
      const next: Rec = { ...rec, entered: isEntered ? now : (before?.entered ?? now) };
      return { ...next, due: this.#model.dueAfterWrite(next), isDueUnsure: true };
    });
  }

  // ── Time ──

  async #time(hours: number): Promise<void> {
    const { clock, running } = this.#options;
    clock.pass(hours * hour);
    for (let turn = 1; turn <= mostTurns; turn += 1) {
      const told = running.notices.length;
      const count = await running.tick();
      const actual = await this.#read();
      this.#lines.push(`${hours} h later: ${count} moved${running.notices.slice(told).map((notice) => `; ${notice}`).join("")}`); // biome-ignore format: short
      this.#checkTrue(actual);
      const { isLeft, records } = this.#explainTime(actual, running.notices.slice(told), turn < mostTurns);
      if (records === "many") this.#counts.unexplained += 1;
      this.#records = records === "many" ? this.#adopted(actual) : records;
      this.#counts.timed += count;
      if (count === 0 && !isLeft) break;
    }
  }

  /**
   * Looks for an order of the due transitions and deletions, each done or refused, that leads to the records that there are, and returns
   * the records at its end. A refused one is undone alone: those of other records may run before the next one of its record. On PostgreSQL
   * a run skips a record that another transaction has locked, and leaves it for the next run (`mayLeave`).
   */
  #explainTime(
    actual: Records,
    notices: readonly string[],
    mayLeave: boolean,
  ): { readonly records: Records | "many"; readonly isLeft: boolean } {
    const { clock, store } = this.#options;
    const all = this.#searchTime(actual, notices, clock.now(), false);
    if (typeof all === "object") return { records: store === "postgres" ? this.#maybeLeft(all) : all, isLeft: false };
    const some = mayLeave && store === "postgres" ? this.#searchTime(actual, notices, clock.now(), true) : all;
    if (typeof some === "object") return { records: some, isLeft: true };
    if (all === "many" || some === "many") return { records: "many", isLeft: false };
    throw new Fault(`time: no order of what is due explains what there is; ${all}`);
  }

  /** A record that left its state and came back looks like one that the run skipped; so it may still be due. */
  #maybeLeft(records: Records): Records {
    return mapped(records, (rec) => {
      const before = this.#records.get(rec.resource)?.get(rec.id);
      if (before === undefined || before.entered === rec.entered || !isSame(before, rec)) return rec;
      return { ...before, isDueUnsure: true };
    });
  }

  /** The records at the end of an order that explains what there is; else how the ends of some orders differ from it. */
  #searchTime(
    actual: Records,
    notices: readonly string[],
    now: number,
    mayLeave: boolean,
  ): Records | "many" | `differs: ${string}` {
    const search = new Search();
    const from = (records: Records, seen: ReadonlySet<string>, left: readonly string[]): Records | undefined => {
      if (!search.isNew([[...seen].toSorted(), left.toSorted(), textOf(records)])) return undefined;
      const all = [...records.values()].flatMap((recs) => [...recs.values()]);
      const due = all
        .filter((rec) => !seen.has(nameOf(rec)))
        .filter((rec) => (rec.due !== null && rec.due <= now) || rec.isDueUnsure === true)
        .filter((rec) => this.#model.timed(records, rec, now).length > 0)
        .toSorted((a, b) => (a.due ?? 0) - (b.due ?? 0));
      if (mayLeave || due.every(({ isDueUnsure }) => isDueUnsure === true)) {
        const same = matched(records, actual);
        if (typeof same !== "string") {
          this.#counts.skipped += left.length;
          return same;
        }
        search.note(same);
      }
      const isBegun = (rec: Rec): boolean => left.some((one) => one.startsWith(`${nameOf(rec)}, `));
      for (const rec of due.toSorted((a, b) => Number(isBegun(b)) - Number(isBegun(a))))
        for (const turn of this.#turnOf(records, rec, left, now)) {
          // Nothing is left out that the operator was not told of.
          const isTold = turn.left === undefined || notices.some((notice) => notice.startsWith(turn.left ?? ""));
          if (!isTold) continue;
          const next = turn.left === undefined ? new Set([...seen, nameOf(rec)]) : seen;
          const found = from(turn.records, next, turn.left === undefined ? left : [...left, turn.left]);
          if (found !== undefined) return found;
        }
      return undefined;
    };
    return from(this.#records, new Set(), []) ?? search.end() ?? `differs: ${search.notes}`;
  }

  /** The possible results of the next due act of a record; with `left`, the act is refused, and the record has another turn. */
  #turnOf(
    records: Records,
    rec: Rec,
    left: readonly string[],
    now: number,
  ): readonly { readonly records: Records; readonly left?: string }[] {
    for (const act of this.#model.timed(records, rec, now)) {
      if (act.is === "held") continue;
      const told = `${nameOf(rec)}, ${act.cause}: not done, `;
      if (left.includes(told)) continue;
      const { sure, unsure } = act.broken;
      const refused = { records, left: told };
      if (sure.size > 0) return [refused];
      return unsure.size > 0 ? [{ records: act.records }, refused] : [{ records: act.records }];
    }
    return [{ records: this.#model.passedOver(records, rec, now) }];
  }
}

/** The states that a search has visited: it visits none twice. */
class Search {
  readonly #seen = new Set<string>();
  readonly #notes = new Set<string>();

  isNew(state: unknown): boolean {
    const { size } = this.#seen;
    return size < mostStates && this.#seen.add(JSON.stringify(state)).size > size;
  }

  /** How the end of an order differs from what there is. */
  note(difference: string): void {
    if (this.#notes.size < 8) this.#notes.add(difference);
  }

  get notes(): string {
    return [...this.#notes].join("; or ");
  }

  /** The outcome of a search that found nothing: `many` if it stopped at its limit of states. */
  end(): "many" | undefined {
    return this.#seen.size < mostStates ? undefined : "many";
  }
}

/** After this many runs in a row, nothing is due any more. */
const mostTurns = 8;

/** A limit, so that one burst does not take minutes: 8,000 bursts all had fewer. The rules are still checked beyond it, and CI allows no such burst. */
const mostStates = 20_000;

function nameOf({ id, resource }: Rec): string {
  return `${resource} ${id}`;
}

function textOf(records: Records): string {
  return JSON.stringify([...records.values()].map((recs) => [...recs.values()]));
}

// ── Answers ──

function isGood({ status }: Reply): boolean {
  return status >= 200 && status < 300;
}

function codeOf({ json }: Reply): string {
  return (json as { readonly code?: string } | undefined)?.code ?? "";
}

function lineOf({ caller, sent: { body, method, path } }: Asked, reply: Reply): string {
  const text = body === undefined ? "" : ` ${typeof body === "string" ? body : JSON.stringify(body)}`;
  const answer = isGood(reply) ? String((reply.json as { id?: string } | undefined)?.id ?? "") : codeOf(reply);
  return `${method} ${path}${text} by ${caller ?? "nobody"} → ${reply.status} ${answer}`.trimEnd();
}

/** The states that the answer allows after the write; none: it must not be answered so. */
function optionsOf(answered: HandledResponse, outcome: Outcome, before: Records): readonly Records[] {
  if (!isGood(answered.reply)) return isRefusedSo(answered, outcome) ? [before] : [];
  return outcome.is === "refused" || outcome.broken.sure.size > 0 ? [] : [outcome.records];
}

function isRefusedSo({ reply }: HandledResponse, outcome: Outcome): boolean {
  const code = codeOf(reply);
  if (outcome.is === "refused") return reply.status === outcome.status && code === outcome.code;
  return outcome.broken.sure.has(code) || outcome.broken.unsure.has(code);
}

function wrongAnswer(reply: Reply, outcome: Outcome, doc: Doc): string {
  const given = `${reply.status} ${codeOf(reply)}`.trimEnd();
  if (outcome.is === "refused") return `${given} in place of ${outcome.status} ${outcome.code}`;
  const { sure, unsure } = outcome.broken;
  if (sure.size === 0) return `refused without a reason: ${given}, and all rules would be true`;
  const ofWrites = doc.rules.filter(({ code, holds }) => sure.has(code) && isOfTheWrite(holds)).map(({ code }) => code);
  return `${isGood(reply) ? "accepted" : "refused by another error"}: ${given} in place of ${[...sure, ...unsure].join(" or ")}${ofWrites.length > 0 ? " (of the write)" : ""}`; // biome-ignore format: short
}

// ── Records ──

function isSame(one: Rec, other: Rec): boolean {
  return Object.keys(other.values).every((name) => JSON.stringify(one.values[name] ?? null) === JSON.stringify(other.values[name] ?? null)); // biome-ignore format: short
}

function mapped(records: Records, change: (rec: Rec) => Rec): Records {
  return new Map([...records].map(([name, recs]) => [name, new Map([...recs].map(([id, rec]) => [id, change(rec)]))]));
}

/** The records of the model, with the ids that the service has given; a text says how they differ from what there is. */
function matched(records: Records, actual: Records): Records | string {
  const all = new Map<string, ReadonlyMap<string, Rec>>();
  for (const [name, recs] of records) {
    const there = new Map(actual.get(name) ?? []);
    const named = new Map<string, Rec>();
    for (const rec of recs.values()) {
      const found = rec.id.startsWith(unknownId)
        ? [...there.values()].find((one) => !recs.has(one.id) && isSame({ ...rec, values: { ...rec.values, id: one.id } }, one)) // biome-ignore format: short
        : there.get(rec.id);
      if (found === undefined) return `${name} ${rec.id} is not there: ${JSON.stringify(rec.values)}`;
      const next = { ...rec, id: found.id, values: { ...rec.values, id: found.id } };
      if (!isSame(next, found)) return `${name} ${rec.id} is ${JSON.stringify(found.values)} in place of ${JSON.stringify(next.values)}`; // biome-ignore format: short
      there.delete(found.id);
      named.set(found.id, next);
    }
    const [more] = there.values();
    if (more !== undefined) return `${name} ${more.id} is there: ${JSON.stringify(more.values)}`;
    all.set(name, named);
  }
  return all;
}

// ── What is found, made smaller ──

/** The same kind of fault with as few steps and rules as can be found in so many runs. */
export async function shrunk(options: PlayOptions, found: Played, runs = 80): Promise<Played> {
  const kindOf = ({ fault = "" }: Played): string => fault.split(":")[0] ?? "";
  const kind = kindOf(found);
  const { rules } = documentOfNumber(options.seed);
  const without = { steps: new Set<number>(), rules: new Set<number>() };
  let best = found;
  let left = runs;
  const attempt = async (steps: ReadonlySet<number>, some: ReadonlySet<number>): Promise<boolean> => {
    if (left <= 0) return false;
    left -= 1;
    const played = await play({ ...options, without: { steps, rules: some } });
    if (kindOf(played) !== kind) return false;
    best = played;
    return true;
  };
  // What came after the fault is left out from the start.
  const last = found.steps.at(-1) ?? 0;
  const total = options.steps ?? defaultSteps;
  for (let step = 0; step < total; step += 1)
    if (step > last + 1 || !found.steps.includes(step)) without.steps.add(step);
  if (!(await attempt(without.steps, without.rules))) without.steps.clear();
  for (const [index] of rules.entries()) {
    const fewer = new Set([...without.rules, index]);
    if (rules.length - fewer.size > 0 && (await attempt(without.steps, fewer))) without.rules.add(index);
  }
  for (let size = 16; size >= 1; size = Math.floor(size / 2)) {
    const present = Array.from({ length: total }, (_, step) => step).filter((step) => !without.steps.has(step));
    for (let at = present.length - size; at > -size; at -= size) {
      const dropped = present.slice(Math.max(0, at), at + size).filter((step) => !without.steps.has(step));
      if (dropped.length === 0) continue;
      if (await attempt(new Set([...without.steps, ...dropped]), without.rules))
        for (const step of dropped) without.steps.add(step);
    }
  }
  return best;
}
