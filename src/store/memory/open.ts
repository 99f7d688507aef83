/** Opens a store in memory, whose data is lost at exit: the same behaviour as the SQLite store, in plain JavaScript. */
import { getOrMake } from "../../base/once.ts";
import type { Table } from "../../plan/resources/types.ts";
import { StoreError } from "../port/error.ts";
import type { Due, Found, Key, KeyStore, PinStore, ReadQuery, Row, Store, Transaction, View } from "../port/store.ts";
import type { Write } from "../sql/view-text.ts";
import { countStore, purgeCounts } from "./counts.ts";
import { isTimed } from "../sql/columns.ts";
import { holdsIn, viewWriterIn } from "./evaluation.ts";
import { MemoryFiles } from "./files.ts";
import type { Grant, GrantStore } from "../port/grants.ts";
import { MemoryJournal } from "./journal.ts";
import { prepareList } from "./list.ts";
import { Committed } from "./records.ts";
import { prepareSummary } from "./summary.ts";
import { purgeSessions, sessionStore } from "./sessions.ts";
import { type MemoryState, MemoryTransaction } from "./transaction.ts";

export interface MemoryOptions {
  readonly tables: readonly Table[];
  /** Returns the time in epoch milliseconds. */
  readonly clock: () => number;
}

export function memoryState({ clock, tables }: MemoryOptions): MemoryState {
  return {
    clock,
    committed: new Committed(tables),
    sideTables: { storedResponses: new Map(), counts: new Map(), offsets: new Map(), sessions: new Map() },
    journal: new MemoryJournal(),
    files: new MemoryFiles(clock),
  };
}

export async function openMemoryStore(options: MemoryOptions): Promise<Store> {
  const state = memoryState(options);
  let last: Promise<unknown> = Promise.resolve();
  let open = true;

  async function run<T>(task: (tx: Transaction) => Promise<T>): Promise<T> {
    const tx = new MemoryTransaction(state);
    try {
      const result = await task(tx);
      commitTo(state, tx);
      return result;
    } finally {
      tx.end();
    }
  }

  /** Runs tasks one after another, even after a failed one. */
  function serialized<T>(task: () => T | Promise<T>): Promise<T> {
    if (!open) return Promise.reject(new StoreError("closed", "the store is closing"));
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  }

  const store = memoryStore(state, {
    ready: () => open,
    transaction: (task) => serialized(() => run(task)),
    close: async () => {
      open = false;
      await last;
    },
  });
  // Ends sessions after running transactions, so that tokens which these add to a session are ended too.
  const end: Store["sessions"]["end"] = (...parameters) => serialized(() => store.sessions.end(...parameters));
  // Purges after running transactions, which may rely on the purged data.
  return { ...store, sessions: { ...store.sessions, end }, purge: (now) => serialized(() => store.purge(now)) };
}

export function commitTo({ committed, files, journal, sideTables }: MemoryState, tx: MemoryTransaction): void {
  files.follow(committed, tx.pending);
  committed.commit(tx.pending.changes);
  for (const [column, value] of tx.pending.counters) committed.counters.set(column, value);
  for (const [storedKey, stored] of tx.responses) sideTables.storedResponses.set(storedKey, stored);
  for (const [storedKey, count] of tx.counts) sideTables.counts.set(storedKey, count);
  for (const [reader, position] of tx.offsets) sideTables.offsets.set(reader, position);
  tx.sessions.commit();
  journal.commit(tx.journal);
}

/** Builds a store over a state; `methods` supply the functions that run transactions. */
export function memoryStore(
  { committed, files, journal, sideTables }: MemoryState,
  methods: Pick<Store, "ready" | "transaction" | "close">,
): Store {
  const secrets = new Map<string, string>();
  const grants = new Map<string, Grant>();
  const writerOf = (view: View): Write => viewWriterIn(committed, view);
  return {
    ...methods,
    read: (query) => prepareRead(query, committed, writerOf(query.view)),
    aggregate: ({ members, where }) => {
      const write = writerOf({ resource: "", members });
      return (variables) => (holdsIn(committed, where, {}, variables) ? write({}, variables) : undefined);
    },
    list: (query) => prepareList(query, committed, writerOf(query.view)),
    summary: (query) => prepareSummary(query, committed),
    due: (now, limit) => dueIn(committed, now, limit),
    journal,
    keys: keyStore(),
    sessions: sessionStore(sideTables.sessions),
    grants: grantStore(grants),
    counts: countStore(sideTables.counts),
    pins: pinStore(),
    files,
    acquireLease: () => true,
    changes: () => () => {},
    secret: (name, make) => getOrMake(secrets, name, make),
    replaceSecret: (name, old, value) => {
      if (secrets.get(name) === old) secrets.set(name, value);
    },
    purge: (now) => {
      for (const [storedKey, { expires }] of sideTables.storedResponses)
        if (expires <= now) sideTables.storedResponses.delete(storedKey);
      purgeCounts(sideTables.counts, now);
      files.purge(now);
      purgeSessions(sideTables.sessions, now);
      purgeGrants(grants, now);
    },
  };
}

function prepareRead(
  { key, resource, where }: ReadQuery,
  committed: Committed,
  write: Write,
): ReturnType<Store["read"]> {
  return (value, variables): Found | undefined => {
    const holds = (one: Parameters<typeof holdsIn>[2]): boolean => holdsIn(committed, where, one, variables);
    const named = key === undefined ? undefined : committed.find(resource, key, value);
    // Several records may have the value of a column that is unique only together with others, which `where` compares.
    const isThis = (one: Row): boolean => (key === undefined || one[key] === value) && holds(one);
    const row = named !== undefined && holds(named) ? named : committed.all(resource).find(isThis);
    if (row === undefined) return undefined;
    return { text: write(row, variables), revision: row["_rev"] as number };
  };
}

function dueIn(committed: Committed, now: number, limit: number): readonly Due[] {
  const found = committed.tables.filter(isTimed).flatMap(({ resource }) =>
    committed.all(resource).flatMap((row): Due[] => {
      const due = row["_due"];
      return typeof due === "number" && due <= now ? [{ resource, id: row["id"] ?? null, due }] : [];
    }),
  );
  return found.toSorted((a, b) => a.due - b.due).slice(0, limit);
}

function keyStore(): KeyStore {
  const keys = new Map<string, Key>();
  return {
    find: (hash) => [...keys.values()].find((key) => key.hash === hash),
    list: () => [...keys.values()],
    create: (key) => {
      keys.set(key.id, key);
    },
    revoke: (id, at) => {
      const key = keys.get(id);
      // A second revocation keeps the time of the first one.
      if (key) keys.set(id, { ...key, revoked: key.revoked ?? at });
      return key !== undefined;
    },
  };
}

function grantStore(grants: Map<string, Grant>): GrantStore {
  const keyOf = (kind: string, id: string): string => JSON.stringify([kind, id]);
  return {
    put: (grant) => {
      grants.set(keyOf(grant.kind, grant.id), grant);
    },
    find: (kind, id) => grants.get(keyOf(kind, id)),
    replace: ({ kind, id, text: before }, next) => {
      const found = grants.get(keyOf(kind, id));
      if (found?.text !== before) return false;
      grants.set(keyOf(kind, id), { ...found, text: next.text, expires: next.expires });
      return true;
    },
    end: (kind, id) => grants.delete(keyOf(kind, id)),
    endGroup: (group) => {
      for (const [key, grant] of grants) if (grant.group === group) grants.delete(key);
    },
  };
}

function purgeGrants(grants: Map<string, Grant>, now: number): void {
  for (const [key, { expires }] of grants) if (expires <= now) grants.delete(key);
}

function pinStore(): PinStore {
  const pins = new Map<string, string>();
  const keyOf = (credential: string, user: string): string => JSON.stringify([credential, user]);
  return {
    find: (credential, user) => pins.get(keyOf(credential, user)),
    pin: (credential, user, version) => getOrMake(pins, keyOf(credential, user), () => version),
  };
}
