/** A store in one schema of a PostgreSQL database. */
import type { Table } from "../../plan/plan.ts";
import type { RowSecurity } from "../../plan/row-security.ts";
import { deadlineOf } from "../deadline.ts";
import { isLongList } from "../long.ts";
import type { Following } from "../migration.ts";
import type { Store, StoreLoad } from "../store.ts";
import { type Place, placeFrom } from "./address.ts";
import { openChanges } from "./changes.ts";
import {
  type ConnectionOptions,
  type Connections,
  openConnections,
  stoppingAfter,
  usualOptions,
} from "./connection.ts";
import { countStore } from "./counts.ts";
import { dueFinder } from "./due.ts";
import { explained } from "./failure.ts";
import { fileStore } from "./files.ts";
import { grantStore } from "./grants.ts";
import { journalOf } from "./journal.ts";
import { keyStore } from "./keys.ts";
import { prepareList } from "./list.ts";
import { type Leads, openLeads } from "./leads.ts";
import { isStill, migrate, type Wanted } from "./migrate.ts";
import { pinStore } from "./pins.ts";
import { purge } from "./purge.ts";
import { ratesOf } from "./rates.ts";
import { prepareRead, prepareWhole } from "./read.ts";
import { relationsOf } from "./relations.ts";
import type { Secured } from "./row-security/secure.ts";
import { ownSight, type Sight, sightOf, type Stopping } from "./row-security/sight.ts";
import { secretStore } from "./secrets.ts";
import { openSequencer } from "./sequencer.ts";
import { sessionStore } from "./sessions.ts";
import { PostgresTransaction, Workshop } from "./transaction.ts";

export interface PostgresOptions {
  /** `postgres://user:secret@host:port/database?schema=name&connections=12` */
  readonly address: string;
  readonly tables: readonly Table[];
  /** What the database is to know of permissions; absent: nothing, and they are in the statements alone. */
  readonly security?: RowSecurity;
  /** Is told, once, whether the database holds them by itself. */
  readonly secured?: ((secured: Secured) => void) | undefined;
  /** How data that another document left follows this one; absent: it is refused. */
  readonly following?: Following;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly connections?: Partial<ConnectionOptions>;
}

/** @throws StoreError when the server cannot be used, or the schema holds data that the tables do not fit. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { address, clock, following, security, tables } = options;
  const place = placeFrom(address);
  const connections = openConnections(place, { ...usualOptions, ...options.connections });
  const wanted = { tables, following, security, clock };
  const { leads, secured } = await register(place, wanted, connections).catch(async (thrown: unknown) => {
    await connections.close();
    throw explained(thrown, place.name);
  });
  options.secured?.(secured);
  const relations = relationsOf(tables);
  const { statementMilliseconds } = { ...usualOptions, ...options.connections };
  const stopping: Stopping = (variables) => {
    const until = deadlineOf(variables);
    return until === undefined ? undefined : stoppingAfter(until - clock(), statementMilliseconds);
  };
  const own = ownSight(connections, relations, stopping);
  const sight = (resource: string, system = false): Sight =>
    secured.kind === "standing" && !system ? sightOf(connections, secured, resource, stopping) : own;
  const shop = new Workshop(relations, clock);
  // Who reads the journal next places what could not be placed, so there is nobody to be told of a failure.
  const sequencer = openSequencer(connections, () => undefined);
  const changes = openChanges(connections);
  // On a connection of its own: whoever counts does not wait for those who read.
  const counting = openConnections({ ...place, connections: 2 }, { ...usualOptions, ...options.connections });
  let open = true;
  return {
    ready: () => open && connections.rows("SELECT 1").then(isTrue, isFalse),
    read: (query) => prepareRead(query, relations, sight(query.resource, query.system)),
    whole: (query) => prepareWhole(query, sight("")),
    list: (query) => {
      const where = sight(query.resource, query.system);
      const list = prepareList(query, relations, where);
      const long = isLongList(query);
      return (page, variables) => list(where.session(variables, long), page, variables);
    },
    transaction: async (work, until) => {
      const { hasRecorded, value } = await connections.transaction(
        async (session) => {
          const tx = new PostgresTransaction(shop, session);
          return { value: await work(tx), hasRecorded: tx.hasRecorded };
        },
        until === undefined ? undefined : () => until - clock(),
      );
      if (hasRecorded) sequencer.written();
      return value;
    },
    due: dueFinder(relations, connections),
    journal: journalOf(connections, sequencer),
    keys: keyStore(connections),
    sessions: sessionStore(connections),
    grants: grantStore(connections),
    counts: countStore(connections),
    pins: pinStore(connections),
    files: fileStore(connections, clock),
    rates: ratesOf(counting),
    lead: (work) => leads.lead(work),
    changes: (listener) => changes.listen(listener),
    ...secretStore(connections),
    purge: (now) => purge(connections, now),
    load: () => sum(connections.load(), counting.load()),
    close: async () => {
      open = false;
      await connections.close(() => Promise.all([changes.close(), sequencer.close(), leads.close()]));
      await counting.close();
    },
  };
}

/** Brings the data to the document, and says that this process serves it now: who changes it from now on knows of it. */
async function register(
  place: Place,
  wanted: Wanted,
  connections: Connections,
): Promise<{ readonly leads: Leads; readonly secured: Secured }> {
  for (;;) {
    const brought = await migrate(place, wanted);
    const { secured } = brought;
    const needs = secured.kind === "standing" ? secured.policies.name : undefined;
    const leads = await openLeads(connections, { ...brought, needs });
    if (await isStill(connections, place, brought)) return { leads, secured };
    await leads.close();
  }
}

function sum(a: StoreLoad, b: StoreLoad): StoreLoad {
  return {
    usedConnections: a.usedConnections + b.usedConnections,
    idleConnections: a.idleConnections + b.idleConnections,
    waiting: a.waiting + b.waiting,
    retries: a.retries + b.retries,
  };
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;
