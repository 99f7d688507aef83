/** Opens a store in one schema of a PostgreSQL database. */
import type { Table } from "../../plan/resources/types.ts";
import type { RowSecurity } from "../../plan/authentication/row-security.ts";
import { deadlineOf } from "../port/deadline.ts";
import { isLongList } from "../sql/long-reads.ts";
import type { Following } from "../migration/migration.ts";
import type { Store, StoreLoad, Due } from "../port/store.ts";
import { withRejections } from "../sql/rejections.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "./database-url.ts";
import { openChanges } from "./changes.ts";
import {
  type ConnectionOptions,
  type Connections,
  openConnections,
  stoppingAfter,
  usualOptions,
  type Session,
} from "./connection.ts";
import { countStore } from "./counts.ts";
import { explained, rejectionOf } from "./failure.ts";
import { fileStore } from "./files.ts";
import { grantStore } from "./grants.ts";
import { journalOf } from "./journal.ts";
import { keyStore } from "./keys.ts";
import { prepareList } from "./list.ts";
import { type Leadership, openLeadership } from "./leader-lease.ts";
import { isStill, migrate, type Wanted } from "./migrate.ts";
import { pinStore } from "./pinned-versions.ts";
import { purge } from "./purge.ts";
import { ratesOf } from "./rates.ts";
import { prepareRead, prepareAggregate } from "./read.ts";
import { prepareSummary } from "./summary.ts";
import { relationsOf, type Relations } from "./relations.ts";
import type { RowSecurityState } from "./row-security/policies.ts";
import { ownerReadRole, type ReadRole, readRoleOf, type Stopping } from "./row-security/read-role.ts";
import { secretStore } from "./secrets.ts";
import { openSequencer } from "./sequencer.ts";
import { sessionStore } from "./sessions.ts";
import { PostgresTransaction, TransactionDeps } from "./transaction.ts";
import type { Value } from "../../expression/evaluate.ts";
import { isTimed } from "../sql/columns.ts";
import { quoteText } from "../sql/json-text.ts";

export interface PostgresOptions {
  /** The URL of the data: `postgres://user:secret@host:port/database?schema=name&connections=12`. */
  readonly address: string;
  readonly tables: readonly Table[];
  /** The permissions for row-level security; absent: only the statements enforce permissions. */
  readonly security?: RowSecurity;
  /** Called once with whether row-level security is applied. */
  readonly rowSecurity?: ((rowSecurity: RowSecurityState) => void) | undefined;
  /** How to migrate the data of another document; absent: such data is rejected. */
  readonly following?: Following;
  /** Returns the time in epoch milliseconds. */
  readonly clock: () => number;
  readonly connections?: Partial<ConnectionOptions>;
}

/** Opens the store. @throws StoreError if the server cannot be used, or the schema's data does not fit the tables. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { address, clock, following, security, tables: declared } = options;
  const databaseUrl = parseDatabaseUrl(address);
  const connections = openConnections(databaseUrl, { ...usualOptions, ...options.connections });
  const wanted = { tables: declared, following, security, clock };
  const { leadership, rowSecurity, tables } = await register(databaseUrl, wanted, connections).catch(
    async (thrown: unknown) => {
      await connections.close();
      throw explained(thrown, databaseUrl.name);
    },
  );
  options.rowSecurity?.(rowSecurity);
  const relations = relationsOf(tables);
  const { statementMilliseconds } = { ...usualOptions, ...options.connections };
  const stopping: Stopping = (variables) => {
    const until = deadlineOf(variables);
    return until === undefined ? undefined : stoppingAfter(until - clock(), statementMilliseconds);
  };
  const ownerRole = ownerReadRole(connections, relations, stopping);
  const readRole = (resource: string, system = false): ReadRole =>
    rowSecurity.kind === "standing" && !system ? readRoleOf(connections, rowSecurity, resource, stopping) : ownerRole;
  const deps = new TransactionDeps(relations, clock);
  // Failures need no report: the next reader of the event log assigns missing positions.
  const sequencer = openSequencer(connections, () => undefined);
  const changes = openChanges(connections);
  // Separate connections, so that rate limits do not wait for reads.
  const counting = openConnections({ ...databaseUrl, connections: 2 }, { ...usualOptions, ...options.connections });
  let open = true;
  return {
    ready: () => open && connections.rows("SELECT 1").then(isTrue, isFalse),
    read: (query) => prepareRead(query, relations, readRole(query.resource, query.system)),
    aggregate: (query) => prepareAggregate(query, readRole("")),
    list: (query) => {
      const where = readRole(query.resource, query.system);
      const list = prepareList(query, relations, where);
      const long = isLongList(query);
      return (page, variables) => list(where.session(variables, long), page, variables);
    },
    summary: (query) => prepareSummary(query, relations, readRole(query.list.resource, query.list.system)),
    transaction: withRejections(tables, rejectionOf, async (task, until) => {
      const { hasRecorded, value } = await connections.transaction(
        async (session) => {
          const tx = new PostgresTransaction(deps, session);
          return { value: await task(tx), hasRecorded: tx.hasRecorded };
        },
        until === undefined ? undefined : () => until - clock(),
      );
      if (hasRecorded) sequencer.written();
      return value;
    }),
    due: dueFinder(relations, connections),
    journal: journalOf(connections, sequencer),
    keys: keyStore(connections),
    sessions: sessionStore(connections),
    grants: grantStore(connections),
    counts: countStore(connections),
    pins: pinStore(connections),
    files: fileStore(connections, clock),
    rates: ratesOf(counting),
    acquireLease: (task) => leadership.acquireLease(task),
    changes: (listener) => changes.listen(listener),
    ...secretStore(connections),
    purge: (now) => purge(connections, now),
    load: () => sum(connections.load(), counting.load()),
    close: async () => {
      open = false;
      await connections.close(() => Promise.all([changes.close(), sequencer.close(), leadership.close()]));
      await counting.close();
    },
  };
}

/** Migrates the data, and registers this process as serving it, so that later migrations take it into account. */
async function register(
  databaseUrl: DatabaseUrl,
  wanted: Wanted,
  connections: Connections,
): Promise<{
  readonly leadership: Leadership;
  readonly rowSecurity: RowSecurityState;
  readonly tables: readonly Table[];
}> {
  for (;;) {
    const outcome = await migrate(databaseUrl, wanted);
    const { rowSecurity, tables } = outcome;
    const needs = rowSecurity.kind === "standing" ? rowSecurity.policies.name : undefined;
    const leadership = await openLeadership(connections, { ...outcome, needs });
    if (await isStill(connections, databaseUrl, outcome)) return { leadership, rowSecurity, tables };
    await leadership.close();
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

function dueFinder(relations: Relations, session: Session): Store["due"] {
  const timed = [...relations.values()].filter(({ table }) => isTimed(table));
  if (timed.length === 0) return () => [];
  const each = timed.map(
    ({ name, table: { resource } }) =>
      `(SELECT ${quoteText(resource)} AS resource, to_json("id")::text AS id, _due FROM ${name}
        WHERE _due <= $1 ORDER BY _due, _seq LIMIT $2)`,
  );
  const text = `SELECT resource, id, _due FROM (${each.join(" UNION ALL ")}) AS due ORDER BY _due LIMIT $2`;
  return async (now, limit) => {
    const rows = await session.rows<[string, string, number]>(text, [now, limit]);
    return rows.map(([resource, id, due]): Due => ({ resource, id: JSON.parse(id) as Value, due }));
  };
}
