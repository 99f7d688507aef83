/**
 * Simulates a store on PostgreSQL (docs/decisions/0010 to 0012): transactions run concurrently, each statement sees the data
 * committed when it starts, rows used in decisions stay locked until the end, deadlocks and conflicts retry the transaction, one
 * process is the leader, and entries of the event log get their positions after the commit, in the order of writing.
 *
 * It consists of parts of the in-memory store. It lacks features that no world's document uses, and locks for expressions over
 * other records, which worlds do not have.
 */
import type { Table } from "../../src/plan/resources/types.ts";
import { planDeletion, type Referring } from "../../src/store/sql/deletion.ts";
import { StoreError } from "../../src/store/port/error.ts";
import { memoryRates } from "../store/memory-rates.ts";
import { counted, type RateRequest, type RateCount, type Rates } from "../../src/store/port/rates.ts";
import { MemoryJournal } from "../../src/store/memory/journal.ts";
import type { Forgotten } from "../../src/store/memory/journal.ts";
import { commitTo, memoryState, memoryStore } from "../../src/store/memory/open.ts";
import type { StoredSessions } from "../../src/store/memory/sessions.ts";
import { type MemoryState, MemoryTransaction } from "../../src/store/memory/transaction.ts";
import { runSteps } from "../../src/store/sql/either-sync-or-async.ts";
import { isAmong } from "../../src/store/port/sessions.ts";
import { uniquesOf } from "../../src/store/sql/columns.ts";
import type { JournalEntry, Row, Store, Transaction } from "../../src/store/port/store.ts";
import { type Holder, Locks } from "./locks.ts";
import type { Machine } from "./machine.ts";

/** What a deliberate mistake leaves free that has to be held. */
export type Holdable =
  | "row"
  | "number"
  | "count"
  | "answer"
  | "bookmark"
  | "unique"
  | "rule"
  | "told"
  // A session, and each of its tokens.
  | "session"
  // Not to be held but to go with their record: its file, and the tokens of who logged in as it.
  | "file of the gone"
  | "token of the gone"
  // A bucket's time, which is given to each who asks for it.
  | "time"
  // Not to be cleared.
  | "not over"
  | "lead";

export interface TogetherOptions {
  readonly tables: readonly Table[];
  readonly machine: Machine;
  /** Told of entries as they get their positions. */
  readonly placed: (entries: readonly JournalEntry[]) => void;
  readonly loose?: Holdable | undefined;
}

export interface Together extends Store {
  /** As `transaction`; `seal` is called when nothing can stand in the way of what the work gave any more. */
  sealed<T>(work: (tx: Transaction) => Promise<T>, seal: (value: T) => void): Promise<T>;
  /** As `lead`, of one of the processes. */
  leads(work: string, life: number): boolean;
}

/** Another transaction was in the way, so that this one begins again. */
export class Overtaken extends StoreError {
  constructor() {
    super("busy", "another transaction was in the way");
  }
}

const nobody: Holder = {};

/** Rates as they were: a bucket goes on from the time of whoever asked last, which may be behind that of others. */
function eachItsOwn(): Rates {
  const sideTables = new Map<string, RateCount>();
  const count = (ask: RateRequest, now: number): RateCount => {
    const place = JSON.stringify([ask.name, ask.key]);
    const after = {
      ...counted(sideTables.get(place), ask, now),
      ...(ask.limit.burst === undefined ? {} : { at: now }),
    };
    sideTables.set(place, after);
    return after;
  };
  return { count: (asks, now) => Promise.resolve(asks.map((ask) => count(ask, now))) };
}

/** Files that stay when their record is deleted, or has another. */
function withoutEnd(files: MemoryState["files"]): MemoryState["files"] {
  const follow = files.follow.bind(files);
  files.follow = (committed, pending) => {
    const changes = [...pending.changes].map(([resource, rows]) => [resource, new Map([...rows].filter(([, row]) => row))] as const); // biome-ignore format: short
    follow(committed, { changes: new Map(changes) });
  };
  return files;
}

/** How long whoever leads does so without saying so again. */
const leaseMilliseconds = 5000;

export function openTogether({ loose, machine, placed, tables }: TogetherOptions): Together {
  const journal = new LateJournal(placed);
  const sideTables = memoryState({ tables, clock: () => machine.time });
  const state: MemoryState = {
    ...sideTables,
    journal,
    files: loose === "file of the gone" ? withoutEnd(sideTables.files) : sideTables.files,
  };
  const locks = new Locks();
  const sequences = new Map<string, number>();
  const leases = new Map<string, { readonly life: number; readonly until: number }>();

  /** As a sequence counts: what is undone leaves a gap. */
  const next = (name: string): number => {
    const number = (sequences.get(name) ?? 0) + 1;
    sequences.set(name, number);
    return number;
  };

  async function sealed<T>(work: (tx: Transaction) => Promise<T>, seal: (value: T) => void): Promise<T> {
    for (;;) {
      const tx = new MemoryTransaction(state);
      tx.pending.nextSeq = (resource) => next(resource);
      tx.pending.count = (resource, column) => next(`${resource}.${column}`);
      if (loose === "token of the gone") tx.sessions.forget = () => {};
      try {
        const value = await work(holding({ tx, tables, locks, journal, sessions: state.sideTables.sessions, loose }));
        if (loose !== "unique" && isOvertaken(tx, tables)) throw new Overtaken();
        seal(value);
        commitTo(state, tx);
        return value;
      } catch (thrown) {
        if (!(thrown instanceof Overtaken)) throw thrown;
        machine.note(`  ${machine.tasks.getStore()?.name ?? "-"} is overtaken`);
      } finally {
        tx.end();
        locks.release(tx);
      }
    }
  }

  function leads(work: string, life: number): boolean {
    const lease = leases.get(work);
    if (lease !== undefined && lease.life !== life && lease.until > machine.uptime && loose !== "lead") return false;
    leases.set(work, { life, until: machine.uptime + leaseMilliseconds });
    return true;
  }

  /** What an operator does beside all of them. */
  async function endSession(session: string, at: number): Promise<boolean> {
    const tx = new MemoryTransaction(state);
    const held = holding({ tx, tables, locks, journal, sessions: state.sideTables.sessions, loose });
    await held.endSessions({ session }, at);
    commitTo(state, tx);
    locks.release(tx);
    return true;
  }

  /** What somebody has in hand is left to the next time. */
  function purge(present: number): void {
    const now = loose === "not over" ? present + 86_400_000 : present;
    const { counts, storedResponses, sessions } = state.sideTables;
    const isFree = (kind: Holdable, ...which: readonly unknown[]): boolean =>
      locks.isFree(`${kind} ${JSON.stringify(which)}`, nobody);
    for (const [place, { expires }] of storedResponses)
      if (expires <= now && isFree("answer", ...(JSON.parse(place) as readonly string[])))
        storedResponses.delete(place);
    for (const [place, { key, name, until }] of counts)
      if (until <= now && isFree("count", name, key)) counts.delete(place);
    for (const { expires = now + 1, hash } of sessions.values())
      if (expires <= now && isFree("session", hash)) sessions.delete(hash);
    if (!locks.isAnyHeld("file ")) state.files.purge(now);
  }

  const transaction: Store["transaction"] = (work) => sealed(work, () => {});
  const store = memoryStore(state, { ready: () => true, transaction, close: async () => {} });
  const rates = loose === "time" ? eachItsOwn() : memoryRates();
  return { ...store, sessions: { ...store.sessions, end: endSession }, rates, purge, sealed, leads };
}

interface HoldingOptions {
  readonly tx: MemoryTransaction;
  readonly tables: readonly Table[];
  readonly locks: Locks;
  readonly journal: LateJournal;
  /** Those that are committed. */
  readonly sessions: StoredSessions;
  readonly loose: Holdable | undefined;
}

/** A transaction that holds what it decides on. */
function holding({ journal, locks, loose, sessions, tables, tx }: HoldingOptions): Transaction {
  const me: Holder = tx;
  const hold = async (kind: Holdable, ...which: readonly unknown[]): Promise<boolean> =>
    kind === loose ? false : locks.hold(`${kind} ${JSON.stringify(which)}`, me, () => new Overtaken());
  const holdRow = (resource: string, row: Row): Promise<boolean> => hold("row", resource, row["_seq"]);
  const isFree = (resource: string, row: Row): boolean =>
    loose === "row" || locks.isFree(`row ${JSON.stringify([resource, row["_seq"]])}`, me);
  /** Of two that write the same value, the second waits to see what becomes of the first. */
  const holdUniques = async (resource: string, before: Row, row: Row): Promise<void> => {
    for (const columns of uniquesOf(tables.find((one) => one.resource === resource) as Table)) {
      const values = columns.map((column) => row[column] ?? null);
      const isChanged = columns.some((column, index) => (before[column] ?? null) !== values[index]);
      if (isChanged && !values.includes(null)) await hold("unique", resource, columns, values);
    }
  };
  /** From before it is a record's until it is for good. */
  const holdFiles = async (resource: string, values: Row): Promise<void> => {
    for (const { file, name } of tables.find((one) => one.resource === resource)?.columns ?? []) {
      const given = values[name] as { readonly id?: string } | null | undefined;
      if (file !== undefined && given?.id !== undefined)
        await locks.hold(`file ${given.id}`, me, () => new Overtaken());
    }
  };
  const unasked = (): never => {
    throw new Error("no document of a world asks for this");
  };

  async function deleteAll(...[resource, rows]: Parameters<Transaction["deleteAll"]>): ReturnType<typeof deleted> {
    const table = tables.find((one) => one.resource === resource) as Table;
    // Who refers to what goes is held, too; where it was waited for there may be others now.
    for (let isSettled = false; !isSettled; ) {
      isSettled = true;
      const referring: (readonly [string, Row])[] = [];
      const held = rows.map((row) => ({ table, row }));
      runSteps(planDeletion(tables, held), (question) => {
        const found = referrersOf(tx, question);
        for (const row of found) referring.push([question.table.resource, row]);
        return found;
      });
      for (const [of, row] of referring) if (await holdRow(of, row)) isSettled = false;
    }
    return deleted(resource, rows);
  }
  const deleted = async (...asked: Parameters<Transaction["deleteAll"]>) => tx.deleteAll(...asked);

  return {
    changes: tx.changes,
    async exclude(names) {
      for (const [resource, name] of names.toSorted(([, a], [, b]) => (a < b ? -1 : 1)))
        await hold("rule", resource, name);
    },
    breaks: (...asked) => tx.breaks(...asked),
    async get(resource, column, value) {
      for (;;) {
        const row = tx.get(resource, column, value);
        if (row === undefined || !(await holdRow(resource, row))) return row;
      }
    },
    async lockShared(resource, column, value) {
      return this.get(resource, column, value);
    },
    declareWrites: () => tx.declareWrites(),
    lockEagerly: () => tx.lockEagerly(),
    async lock(resource, id) {
      const row = tx.lock(resource, id);
      if (row === undefined || !isFree(resource, row)) return undefined;
      await holdRow(resource, row);
      return row;
    },
    async firstShared(resource, where, variables) {
      return this.first(resource, where, variables);
    },
    async first(resource, where, variables) {
      for (;;) {
        const rows = tx.all(resource, where && { all: [where] }, variables, Number.POSITIVE_INFINITY);
        const row = rows.find((one) => isFree(resource, one)) ?? rows[0];
        if (row === undefined || !(await holdRow(resource, row))) return row;
      }
    },
    async all(resource, where, variables, limit) {
      for (;;) {
        const rows = tx.all(resource, where, variables, limit);
        let waited = false;
        for (const row of rows) if (await holdRow(resource, row)) waited = true;
        if (!waited) return rows;
      }
    },
    async select(query, limit, variables) {
      const isFreeRow = (row: Row) => isFree(query.resource, row);
      for (;;) {
        const rows = tx.select(query, Number.MAX_SAFE_INTEGER, variables);
        const free = query.isPartial ? rows.filter(isFreeRow) : [];
        const found = (free.length >= limit ? free : rows).slice(0, limit);
        let waited = false;
        for (const row of found) if (await holdRow(query.resource, row)) waited = true;
        if (!waited) return found;
      }
    },
    async insert(resource, values, ...asked) {
      await holdUniques(resource, {}, values);
      await holdFiles(resource, values);
      const written = tx.insert(resource, values, ...asked);
      if (written.kind === "written") await holdRow(resource, written.row);
      return written;
    },
    async update(resource, row, changes, ...asked) {
      if (await holdRow(resource, row)) throw new Overtaken();
      await holdUniques(resource, row, { ...row, ...changes });
      await holdFiles(resource, changes);
      return tx.update(resource, row, changes, ...asked);
    },
    delete: (resource, row) => deleteAll(resource, [row]),
    deleteAll,
    async findResponse(scope, key) {
      await hold("answer", scope, key);
      return tx.findResponse(scope, key);
    },
    async count(name, key, ...asked) {
      await hold("count", name, key);
      return tx.count(name, key, ...asked);
    },
    async hasRoom(tally, most) {
      await hold("number", tally.resource, tally.column, tally.value);
      return tx.hasRoom(tally, most);
    },
    async offset(reader) {
      await hold("bookmark", reader);
      return tx.offset(reader);
    },
    record(entry) {
      journal.number(entry);
      tx.record(entry);
    },
    async forget(resource, record) {
      await hold("told", resource, record);
      tx.forget(resource, record);
    },
    async intact(positions) {
      for (const [resource, record] of journal.recordsAt(positions)) await hold("told", resource, record);
      return tx.intact(positions);
    },
    async session(hash) {
      const token = tx.session(hash);
      if (token === undefined) return undefined;
      await hold("session", token.session);
      await hold("session", hash);
      return tx.session(hash);
    },
    list: unasked,
    evaluate: (...asked) => tx.evaluate(...asked),
    setOffset: (...asked) => tx.setOffset(...asked),
    saveResponse: (...asked) => tx.saveResponse(...asked),
    hasFired: (...asked) => tx.hasFired(...asked),
    defer: (...asked) => tx.defer(...asked),
    view: (...asked) => tx.view(...asked),
    async addSession(token) {
      await hold("session", token.hash);
      tx.addSession(token);
    },
    async replaceSession(hash, at) {
      await hold("session", hash);
      tx.replaceSession(hash, at);
    },
    // One statement: it waits for those that it sees, and sees none that comes meanwhile.
    async endSessions(which, at) {
      if ("session" in which) await hold("session", which.session);
      const seen = [...sessions.values()].filter((token) => isAmong(token, which));
      for (const { hash } of seen) {
        await hold("session", hash);
        const token = tx.session(hash);
        if (token !== undefined) tx.addSession({ ...token, expires: Math.min(token.expires ?? at, at) });
      }
    },
  };
}

function referrersOf(tx: MemoryTransaction, { column, kind, table, value }: Referring): readonly Row[] {
  return tx.pending
    .all(table.resource)
    .filter((row) => kind === "holding" || (value !== null && row[column] === value));
}

/** Whether another transaction has committed a value that must be there once, or deleted what is referred to. */
function isOvertaken({ pending }: MemoryTransaction, tables: readonly Table[]): boolean {
  for (const { columns, resource } of tables) {
    for (const row of pending.changes.get(resource)?.values() ?? []) {
      if (row === undefined) continue;
      if (pending.duplicated(resource, row) !== undefined) return true;
      for (const { name, references } of columns) {
        const value = row[name] ?? null;
        if (references !== undefined && value !== null && pending.find(references.resource, "id", value) === undefined)
          return true;
      }
    }
  }
  return false;
}

/** Positions are given when somebody reads, to all that is committed then, in the order in which it was written. */
class LateJournal extends MemoryJournal {
  readonly #numbers: WeakMap<JournalEntry, number> = new WeakMap();
  readonly #placed: (entries: readonly JournalEntry[]) => void;
  #waiting: JournalEntry[] = [];
  #written = 0;

  constructor(placed: (entries: readonly JournalEntry[]) => void) {
    super();
    this.#placed = placed;
  }

  number(entry: JournalEntry): void {
    this.#numbers.set(entry, (this.#written += 1));
  }

  /** Whose entries these are, each once. */
  recordsAt(positions: readonly number[]): readonly (readonly [resource: string, record: string])[] {
    const entries = positions.flatMap((position) => super.at(position) ?? []);
    return [...new Map(entries.map(({ record, resource }) => [`${resource}/${record}`, [resource, record] as const])).values()]; // biome-ignore format: short
  }

  override commit(entries: readonly (JournalEntry | Forgotten)[]): void {
    for (const entry of entries) {
      if ("forgotten" in entry) {
        this.#place();
        super.commit([entry]);
      } else this.#waiting.push(entry);
    }
  }

  #place(): void {
    const entries = this.#waiting.toSorted((a, b) => (this.#numbers.get(a) ?? 0) - (this.#numbers.get(b) ?? 0));
    this.#waiting = [];
    super.commit(entries);
    this.#placed(entries);
  }

  override some(is: (entry: JournalEntry) => boolean): boolean {
    return this.#waiting.some(is) || super.some(is);
  }

  override events(...asked: Parameters<MemoryJournal["events"]>): ReturnType<MemoryJournal["events"]> {
    this.#place();
    return super.events(...asked);
  }

  override at(...asked: Parameters<MemoryJournal["at"]>): ReturnType<MemoryJournal["at"]> {
    this.#place();
    return super.at(...asked);
  }

  override moves(...asked: Parameters<MemoryJournal["moves"]>): ReturnType<MemoryJournal["moves"]> {
    this.#place();
    return super.moves(...asked);
  }

  override last(): number {
    this.#place();
    return super.last();
  }

  override first(): number | undefined {
    this.#place();
    return super.first();
  }

  override trim(before: number): void {
    this.#place();
    super.trim(before);
  }
}
