/**
 * Wraps the real store, and waits, fails and crashes as the simulation decides: at any call, before a transaction is durable or
 * right after it. It notifies an observer of each transaction, when it can no longer be undone, in the order of commits.
 */
import { StoreError } from "../../src/store/port/error.ts";
import type {
  Count,
  Counted,
  DeletedRecord,
  DeleteOutcome,
  JournalEntry,
  Key,
  Rates,
  StoredResponse,
  Row,
  Store,
  Transaction,
  Written,
} from "../../src/store/port/store.ts";
import type { Sessions, SessionToken } from "../../src/store/port/sessions.ts";
import { Died, type Machine, ofTheStore, type Task } from "./machine.ts";
import type { Chance } from "./random.ts";
import { apart } from "./rates.ts";
import { Overtaken, type Together } from "./together.ts";

/** How often, of a hundred times, each of these happens. */
export interface Weather {
  /** A call fails, so that it can be tried again. */
  busy: number;
  /** A call fails for good. */
  broken: number;
  /** A transaction that has run is undone, and run again. */
  again: number;
  /** It is undone when it should become durable. */
  before: number;
  /** It is durable, and whoever waits is told that it failed. */
  after: number;
  /** The process dies as it becomes durable: right before, or right after. */
  dies: number;
}

export const calm: Weather = { busy: 0, broken: 0, again: 0, before: 0, after: 0, dies: 0 };

/** Each seed has its own misfortunes, and many of them none of a kind: together they would hide one another. */
export function stormOf(chance: Chance): Weather {
  const often = (most: number): number => (chance.percent(50) ? 0 : chance.between(1, most));
  return {
    busy: often(4),
    broken: often(2),
    again: often(20),
    before: often(10),
    after: often(10),
    dies: often(2),
  };
}

/** What it did to sessions. */
export interface SessionChange extends Partial<SessionToken> {
  readonly kind: "add" | "replace" | "end";
  readonly at?: number;
  readonly except?: string;
}

/** What a transaction did. */
export interface Log {
  /** The clock when it began. */
  readonly began: number;
  /** The first record that it looked for. */
  readonly sought?: { readonly resource: string; readonly id: string };
  /** Somebody else had it in hand, and it was left to them. */
  readonly left?: true;
  readonly puts: readonly { readonly resource: string; readonly row: Row; readonly isNew: boolean }[];
  readonly deleted: readonly DeletedRecord[];
  readonly entries: readonly JournalEntry[];
  readonly remembered: readonly { readonly key: string; readonly answer: StoredResponse }[];
  readonly counted: readonly (Counted & { readonly name: string; readonly key: string })[];
  readonly sessions: readonly SessionChange[];
  /** Whether there was the answer that it looked for last, and the token. */
  readonly recalled?: boolean;
  readonly hasToken?: boolean;
}

export interface Watcher {
  /** A key was looked for: who it is of is known from now on. */
  authenticated(task: Task): void;
  /** A token was looked for, and found or not. */
  sessionSought(task: Task, hash: string, isThere: boolean): void;
  /** The record of somebody who logs in, or has, was looked for. */
  personRead(task: Task): void;
  /** Bytes of a file have come. */
  appended(task: Task, id: string): void;
  /** What is over is cleared from now on. */
  purging(now: number): void;
  /** What is read now is what there is now. */
  reading(task: Task): void;
  /** The same in a transaction beside which others run. */
  looking(task: Task, log: Log): void;
  /** The last moment before it is durable. */
  committing(task: Task, log: Log): void;
  /** It has come to nothing: by what the service threw, or because it was made to fail. */
  undone(task: Task, log: Log, injected: boolean, thrown: unknown): void;
  /** What was asked of rates that are counted together, at that uptime, is counted now. */
  rated(asked: number): void;
  /** Counts of rates are as they are now on their way to the store; the result is told whether they have arrived. */
  keepingRates(life: number): (arrived: boolean) => void;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

/** A transaction that is to be run again: the database has found that it cannot be put in an order with others. */
class Again extends Error {}

/** Nobody outside may ever read this: it stands for paths, statements and codes of a driver. */
export const detail = "pg_simulated_detail";

/** What has run, and what becomes of it. */
interface Ran {
  readonly log: Log;
  readonly fate: Fate;
}

/** What becomes of a transaction that has run. */
type Fate = "well" | "again" | "before" | "after" | "diesBefore" | "diesAfter";

type TransactionCall = Exclude<keyof Transaction, "changes">;

/** All calls of a transaction: one that is added to the port has to be added here. */
const calls = Object.keys({
  get: true,
  lockShared: true,
  declareWrites: true,
  lockEagerly: true,
  lock: true,
  list: true,
  first: true,
  firstShared: true,
  all: true,
  select: true,
  evaluate: true,
  exclude: true,
  breaks: true,
  insert: true,
  update: true,
  delete: true,
  deleteAll: true,
  offset: true,
  setOffset: true,
  record: true,
  hasFired: true,
  forget: true,
  intact: true,
  defer: true,
  view: true,
  findResponse: true,
  saveResponse: true,
  count: true,
  hasRoom: true,
  session: true,
  addSession: true,
  replaceSession: true,
  endSessions: true,
} satisfies Record<TransactionCall, true>) as readonly TransactionCall[];

type Call = (...given: readonly unknown[]) => unknown;

export interface StoreOptions {
  readonly machine: Machine;
  readonly life: number;
  readonly chance: Chance;
  readonly weather: () => Weather;
  readonly watcher: Watcher;
  /** Whether others may go on while a transaction is under way. */
  readonly yields: boolean;
}

/** The store as one process sees it, in that process's life alone. */
export function simulatedStore(
  inner: Store | Together,
  { machine, life, chance, weather, watcher, yields }: StoreOptions,
): Store {
  const isTogether = "sealed" in inner;
  const taskNow = (): Task => machine.tasks.getStore() ?? { name: "-", life, looked: 0 };

  const failed = (kind: "busy" | "broken", task: Task): Error => {
    task.fault = (task.fault ?? kind) === kind ? kind : "both";
    machine.note(`  ${task.name} fails: ${kind}`);
    if (kind === "busy") return new StoreError(chance.pick(["busy", "unreachable", "disk"]), detail);
    // What time did not do because of a mistake of Nonet's own is not tried again; a disk is no such mistake.
    return task.request === undefined ? new StoreError("disk", detail) : new Error(detail);
  };
  const mayFail = (task: Task): void => {
    const { busy, broken } = weather();
    if (busy > 0 && chance.percent(busy)) throw failed("busy", task);
    if (broken > 0 && chance.percent(broken)) throw failed("broken", task);
  };

  /** What a store does by itself, such as waiting for others to be written with, does not end with a process. */
  const outliving = <T>(make: () => T): T => machine.tasks.run({ name: "store", life: ofTheStore, looked: 0 }, make);

  /** A call that changes nothing, or one thing by itself. */
  async function call<T>(label: string, make: () => T | Promise<T>, told?: (task: Task) => void): Promise<T> {
    const task = taskNow();
    if (told !== undefined && label !== "append") task.since ??= task.looked;
    await machine.pass(label, life);
    mayFail(task);
    told?.(task);
    const given = await outliving(make);
    await machine.pass(`${label} gave`, life);
    return given;
  }

  /** Who asks goes on at once: what it is counted for is counted in the order in which keys were looked for. */
  async function findKey(hash: string): Promise<Key | undefined> {
    const task = taskNow();
    task.waits = true;
    await machine.pass("key", life);
    mayFail(task);
    const key = await inner.keys.find(hash);
    watcher.authenticated(task);
    return key;
  }

  /** As a key, but that who asks goes on to look for the record that it is of. */
  async function findSession(hash: string): Promise<SessionToken | undefined> {
    const task = taskNow();
    task.waits = true;
    await machine.pass("session", life);
    mayFail(task);
    const token = await inner.sessions.find(hash);
    watcher.sessionSought(task, hash, token !== undefined);
    return token;
  }

  /** The service itself reads who somebody is. */
  async function readPerson<T>(read: () => T | Promise<T>): Promise<T> {
    const task = taskNow();
    await machine.pass("person", life);
    mayFail(task);
    watcher.personRead(task);
    return read();
  }

  function watched(tx: Transaction, task: Task, log: Mutable<Log>): Transaction {
    const noted: Partial<Record<TransactionCall, (given: unknown, ...asked: never[]) => void>> = {
      get: (_, resource: string, column: string, value: string) => {
        if (column === "id") log.sought ??= { resource, id: String(value) };
      },
      lockShared: (_, resource: string, column: string, value: string) => {
        if (column === "id") log.sought ??= { resource, id: String(value) };
      },
      lock: (given, resource: string, id: string) => {
        log.sought ??= { resource, id };
        if (given === undefined && isTogether) log.left = true;
      },
      insert: (given, resource: string) => {
        const written = given as Written;
        if (written.kind === "written") log.puts.push({ resource, row: written.row, isNew: true });
      },
      update: (given, resource: string) => {
        const written = given as Written;
        if (written.kind === "written") log.puts.push({ resource, row: written.row, isNew: false });
      },
      delete: (given) => {
        const outcome = given as DeleteOutcome;
        if (outcome.kind === "deleted") log.deleted.push(...outcome.records);
      },
      deleteAll: (given) => {
        const outcome = given as DeleteOutcome;
        if (outcome.kind === "deleted") log.deleted.push(...outcome.records);
      },
      findResponse: (given) => {
        log.recalled = given !== undefined;
      },
      session: (given) => {
        log.hasToken = given !== undefined;
      },
      record: (_, entry: JournalEntry) => log.entries.push(entry),
      saveResponse: (_, scope: string, key: string, answer: StoredResponse) =>
        log.remembered.push({ key: `${scope}\0${key}`, answer }),
      addSession: (_, token: SessionToken) => log.sessions.push({ kind: "add", ...token }),
      replaceSession: (_, hash: string, at: number) => log.sessions.push({ kind: "replace", hash, at }),
      endSessions: (_, which: Sessions, at: number) => log.sessions.push({ kind: "end", ...which, at }),
      count: (given, name: string, key: string) => log.counted.push({ ...(given as Counted), name, key }),
    };
    const wrapped: Partial<Record<TransactionCall, Call>> = {};
    for (const name of calls) {
      const note = noted[name] as ((given: unknown, ...asked: readonly unknown[]) => void) | undefined;
      wrapped[name] = async (...asked) => {
        if (yields) await machine.pass(name, life);
        else if (!machine.isAlive(life)) throw new Died();
        mayFail(task);
        if (isTogether) watcher.looking(task, log);
        const given = await (Reflect.apply(tx[name], tx, asked) as unknown);
        note?.(given, ...asked);
        if (isTogether) watcher.looking(task, log);
        return given;
      };
    }
    return { ...wrapped, changes: tx.changes } as unknown as Transaction;
  }

  /** What has run is the store's own from here, and is told of while nobody else can come in between. */
  async function sealed<T extends Ran>(work: (tx: Transaction) => Promise<T>, seal: (ran: T) => void): Promise<T> {
    return outliving(() =>
      isTogether
        ? inner.sealed(work, seal)
        : inner.transaction(async (tx) => {
            const ran = await work(tx);
            seal(ran);
            return ran;
          }),
    );
  }

  /** Runs the work within the store's transaction, up to the last moment before it is durable. */
  async function run<T>(
    task: Task,
    work: (tx: Transaction) => Promise<T>,
    tx: Transaction,
  ): Promise<Ran & { readonly value: T }> {
    const log = emptyLog(machine.time);
    let value: T;
    try {
      const ran = machine.tasks.run(task, () => work(watched(tx, task, log)));
      value = await Promise.race([ran, machine.death(life)]);
    } catch (thrown) {
      const isInjected = task.fault !== undefined || thrown instanceof Overtaken;
      if (machine.isAlive(life)) watcher.undone(task, log, isInjected, thrown);
      throw thrown;
    }
    if (yields) await machine.pass("commit", life);
    if (!machine.isAlive(life)) throw new Died();
    const { after, again, before, dies } = weather();
    const fate = chance.weighted({ well: 100, again, before, after, diesBefore: dies, diesAfter: dies });
    if (fate === "again") throw new Again();
    if (fate === "before") throw failed("busy", task);
    if (fate === "diesBefore") {
      machine.note(`  ${task.name} dies before commit`);
      machine.die(life);
      throw new Died();
    }
    return { value, fate, log };
  }

  async function transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const task = taskNow();
    task.since ??= task.looked;
    await machine.pass("begin", life);
    for (;;) {
      try {
        const { fate, value } = await sealed(
          (tx) => run(task, work, tx),
          ({ log }) => watcher.committing(task, log),
        );
        if (fate === "diesAfter") {
          machine.note(`  ${task.name} dies after commit`);
          machine.die(life);
        }
        await machine.pass("committed", life);
        if (fate === "after") throw failed("busy", task);
        return value;
      } catch (thrown) {
        if (!(thrown instanceof Again)) throw thrown;
        machine.note(`  ${task.name} runs again`);
      }
    }
  }

  /** By the clock of who asks, which is a little apart from those of others. */
  const together = (rates: Rates): Rates => ({
    count: (asks, now) => {
      const asked = machine.uptime;
      return call("rates", () => {
        watcher.rated(asked);
        return rates.count(asks, now + (apart[life % apart.length] as number));
      });
    },
  });

  const { journal, keys, counts, pins } = inner;
  return {
    ...(inner.rates === undefined ? {} : { rates: together(inner.rates) }),
    ready: () => inner.ready(),
    read: (query) => {
      const read = inner.read(query);
      if (query.system === true && query.resource === "Person") return (...asked) => readPerson(() => read(...asked));
      return (...asked) => call(`read ${query.resource}`, () => read(...asked), (task) => watcher.reading(task)); // biome-ignore format: short
    },
    aggregate: (query) => {
      const aggregate = inner.aggregate(query);
      return (...asked) => call("whole", () => aggregate(...asked));
    },
    list: (query) => {
      const list = inner.list(query);
      return (...asked) => call(`list ${query.resource}`, () => list(...asked), (task) => watcher.reading(task)); // biome-ignore format: short
    },
    summary: (query) => {
      const summary = inner.summary(query);
      return (...asked) => call(`summary ${query.list.resource}`, () => summary(...asked));
    },
    transaction,
    due: (now, limit) => call("due", () => inner.due(now, limit)),
    journal: {
      events: (...asked) => call("events", () => journal.events(...asked)),
      at: (...asked) => call("entry", () => journal.at(...asked)),
      moves: (...asked) => call("moves", () => journal.moves(...asked), (task) => watcher.reading(task)), // biome-ignore format: short
      last: () => call("last", () => journal.last()),
      first: () => call("first", () => journal.first()),
      trim: (before) => call("trim", () => journal.trim(before)),
    },
    keys: {
      ...keys,
      find: findKey,
      list: () => call("keys", () => keys.list()),
    },
    sessions: { ...inner.sessions, find: findSession },
    grants: inner.grants,
    counts: {
      all: (now) => call("counts", () => counts.all(now)),
      async save(saved: readonly Count[]) {
        const kept = watcher.keepingRates(life);
        let arrived = false;
        try {
          await call("save counts", async () => {
            await counts.save(saved);
            arrived = true;
            kept(true);
          });
        } finally {
          if (!arrived) kept(false);
        }
      },
    },
    pins,
    files: {
      append: (id, bytes) =>
        call(
          "append",
          () => inner.files.append(id, bytes),
          (task) => watcher.appended(task, id),
        ),
      piece: (...asked) => call("piece", () => inner.files.piece(...asked)),
      discard: (ids) => call("discard", () => inner.files.discard(ids)),
    },
    acquireLease: (work) =>
      call(`lead ${work}`, () => (isTogether ? inner.leads(work, life) : inner.acquireLease(work))),
    changes: (listener) =>
      inner.changes(() => {
        if (machine.isAlive(life)) listener();
      }),
    secret: (...asked) => inner.secret(...asked),
    replaceSecret: (...asked) => inner.replaceSecret(...asked),
    purge: (now) =>
      call("purge", async () => {
        // Where transactions run one after another it is the turn of both, one right after the other.
        const told = isTogether ? watcher.purging(now) : inner.transaction(async () => watcher.purging(now));
        await Promise.all([told, inner.purge(now)]);
      }),
    close: () => inner.close(),
  };
}

function emptyLog(began: number): Mutable<Log> {
  return { began, puts: [], deleted: [], entries: [], remembered: [], counted: [], sessions: [] };
}
