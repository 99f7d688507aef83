/**
 * Manages connections to a PostgreSQL server. Two bounded pools, so that a transaction that also reads committed data cannot wait
 * for itself: one runs single statements, the other holds a connection per transaction.
 *
 * Statements are prepared once per connection, by name. Statements that nobody awaits (`send`) go out with the next one in one
 * round trip, as do BEGIN and COMMIT; queries (`execute`) that arrive while all connections are busy are batched.
 */
import { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { getOrMake } from "../../base/once.ts";
import { defined } from "../../base/defined.ts";
import { StoreError } from "../port/error.ts";
import type { StoreLoad } from "../port/store.ts";
import type { DatabaseUrl } from "./database-url.ts";
import { type Held, holding, openCommits, StaleRead, type Commits } from "./commits.ts";
import { codeOf, explained, InHand, isConsequence, isElsewhere, Overtaken, remedyFor } from "./failure.ts";
import { type BoundStatement, gather } from "./query-batch.ts";
import { parserOf, withoutNul } from "./value.ts";
import type { Result, PgConnection } from "./protocol.ts";
import { openPgConnections, type PgConnections } from "./protocol-connections.ts";

/** A value for a placeholder. */
export type Bindable = string | number | bigint | boolean | Uint8Array | null | readonly (string | number | null)[];

/** A value of a row; a timestamptz is a text in the service's format, and json is its text. */
export type SqlValue = string | number | boolean | Buffer | null;

export type SqlRow = readonly SqlValue[];

export interface Session {
  rows<Row extends SqlRow = SqlRow>(statement: string, values?: readonly Bindable[]): Promise<readonly Row[]>;
}

/**
 * The statements of one transaction, in order.
 *
 * In optimistic mode it has no connection: until `rows` or `freeze` is called, it queues sent statements, and `glance` reads
 * committed data. If nothing else happens, it commits together with other such transactions: one round trip or less, and no locks
 * while the service computes.
 */
export interface PgSession extends Session {
  /** Whether this is the first attempt, in optimistic mode: usual checks are sent with `expect` instead of awaited. */
  readonly isHopeful: boolean;
  /** Sends a statement without waiting: if it fails, so does the next awaited statement, or the commit. */
  send(statement: string, values?: readonly Bindable[]): void;
  /** Sends a statement that must return rows: if it returns none, the transaction runs again. */
  expect(statement: string, values: readonly Bindable[]): void;
  /**
   * Reads without a lock; undefined once the transaction takes locks. A decision must not depend on such a read without
   * `rely`.
   */
  glance<Row extends SqlRow = SqlRow>(query: string, values: readonly Bindable[]): Promise<readonly Row[]> | undefined;
  /**
   * Takes an exclusive lock on a name of a table until the transaction ends. Transactions committed together take all their locks
   * first, in one order.
   */
  hold(table: string, name: string): void;
  /** Adds a check, like `expect` but before all other statements, under a name; undefined removes the check of this name. */
  rely(name: string, held: BoundStatement | undefined): void;
  /**
   * Locks these tables against changes, not reads, until the transaction ends. If another transaction is changing one, the task
   * is rolled back and runs again with the tables locked from the start: waiting while holding locks could deadlock.
   */
  freeze(tables: readonly string[]): Promise<void>;
}

/** Runs queries that read committed data. */
export interface Queries {
  /**
   * Runs a read-only query: batched with concurrent ones in one round trip, and retried if the connection is lost. `before`: a
   * statement that runs before the query in the same transaction, such as settings that end with it.
   */
  readonly execute: <Row extends SqlRow = SqlRow>(
    query: string,
    values?: readonly Bindable[],
    before?: BoundStatement,
  ) => Promise<readonly Row[]>;
}

/** The connections of a store. Reads outside a transaction see what is committed. */
export interface Connections extends Session, Queries {
  /**
   * Runs a task in one transaction, repeatedly if necessary (R7.4): after a conflict, or if the connection was lost before the
   * commit. An error of the task rolls back. Resolves when durable. `left`: milliseconds until the deadline, at which the server
   * stops its statement. If it has passed when a connection is acquired, nothing is sent and the task runs again, to detect that
   * itself.
   */
  transaction<T>(session: (session: PgSession) => Promise<T>, left?: () => number): Promise<T>;
  /** Opens a separate connection for session-bound statements such as LISTEN; the caller ends it. */
  connect(): Promise<pg.Client>;
  /** Returns the statistics of both pools. */
  load(): StoreLoad;
  /** Rejects later calls, completes accepted ones, then runs `last`. */
  close(last?: () => Promise<unknown>): Promise<void>;
}

export interface ConnectionOptions {
  /** How long to wait for a free connection, and how long to retry a transaction, in milliseconds. */
  readonly waitMilliseconds: number;
  /** The maximum duration of a statement in milliseconds (R8.8). */
  readonly statementMilliseconds: number;
  /** The most callers that wait for a connection; further ones are rejected at once. */
  readonly mostWaiting: number;
  /** Called for each exchange with the server; each is one round trip. */
  readonly exchanged?: (statements: readonly string[]) => void;
}

/** How many milliseconds longer than the statement its response may take. */
const responseMilliseconds = 1_000;

/** For how many transactions after a stale read the optimistic mode is off. */
const carefulFor = 32;

/** Thrown if the task threw after unverified assumptions: it runs again with verified ones. */
class Unsure extends Error {}

/** How often a transaction runs again after a unique or foreign-key violation (`doubt`); then the violation counts as real. */
const mostDoubts = 3;

export const usualOptions: ConnectionOptions = {
  waitMilliseconds: 5_000,
  statementMilliseconds: 5_000,
  mostWaiting: 1_000,
};

export function openConnections(databaseUrl: DatabaseUrl, options: ConnectionOptions = usualOptions): Connections {
  const { waitMilliseconds } = options;
  const connections = openPgConnections({ ...options, idleMilliseconds: idleLimit(options) });
  const sockets = new Set<Socket>();
  const forReading = Math.max(1, Math.round(databaseUrl.connections / 3));
  const reading = openPool(databaseUrl, options, forReading, { connections, sockets });
  const writing = openPool(databaseUrl, options, databaseUrl.connections - forReading, { connections, sockets });
  const active = new Set<Promise<unknown>>();
  let closing = false;
  let retries = 0;
  /** Transactions with conflicts run one after another, so that they do not conflict with each other. */
  let lane: Promise<unknown> = Promise.resolve();

  /** Registers a call, so that `close` waits for it. */
  const accepted = async <T>(begin: () => Promise<T>): Promise<T> => {
    if (closing) throw new StoreError("closed", "the store is closing");
    const running = begin();
    active.add(running);
    try {
      return await running;
    } catch (thrown) {
      throw explained(thrown, databaseUrl.name);
    } finally {
      active.delete(running);
    }
  };

  const readOnce = async <Row extends SqlRow>(
    statement: string,
    values: readonly Bindable[],
  ): Promise<readonly Row[]> => {
    const client = await acquire(reading, options, databaseUrl);
    let failure: unknown;
    try {
      return await connections.run<Row>(client, statement, values);
    } catch (thrown) {
      failure = thrown;
      throw thrown;
    } finally {
      client.release(failure !== undefined && (remedyFor(failure) === "reconnect" || isElsewhere(failure)));
    }
  };

  /** Only a SELECT may be retried if it is unknown whether the statement ran. */
  const read = async <Row extends SqlRow>(statement: string, values: readonly Bindable[]): Promise<readonly Row[]> => {
    try {
      return await readOnce<Row>(statement, values);
    } catch (thrown) {
      if (remedyFor(thrown) !== "reconnect" || !/^\s*SELECT\b/i.test(statement)) throw thrown;
      return await readOnce<Row>(statement, values);
    }
  };

  const queries = gather(
    async (queries) => {
      const client = await acquire(reading, options, databaseUrl);
      let failure: unknown;
      try {
        failure = await connections.executeAll(client, queries);
      } finally {
        client.release(failure !== undefined && remedyFor(failure) === "reconnect");
      }
    },
    { atOnce: forReading, mostWaiting: options.mostWaiting, waitMilliseconds },
  );

  const commits = openCommits(async (use) => {
    const client = await acquire(writing, options, databaseUrl);
    let lost = true;
    try {
      lost = await use(connections.of(client));
    } finally {
      client.release(lost);
    }
  });
  const loosely: Loosely = {
    glance: (text, values) => queries.execute({ text, values }),
    commit: commits.commit,
  };

  const attempt = async <T>(
    { left, session }: Task<T>,
    frozen: ReadonlySet<string>,
    optimistic: Loosely | undefined,
  ): Promise<T> => {
    let client: pg.PoolClient | undefined;
    const hold = async (): Promise<PgConnection> => {
      client = await acquire(writing, options, databaseUrl);
      if (isPast(left)) throw new Overtaken("it came too late");
      return connections.of(client);
    };
    const transaction = openPgSession({ hold, left, most: options.statementMilliseconds }, frozen, optimistic);
    let lost = true;
    let isDone = false;
    try {
      const value = await session(transaction.session);
      isDone = true;
      await transaction.commit();
      lost = false;
      return value;
    } catch (thrown) {
      const failure = (await transaction.failure()) ?? thrown;
      const remedy = remedyFor(failure);
      const unknown = remedy === "reconnect" && transaction.isCommitting();
      lost = remedy === "reconnect" || !(await transaction.undo()) || isElsewhere(failure);
      if (unknown)
        throw new StoreError("unreachable", `${databaseUrl.name}: whether it was committed is not known`, [], failure);
      // With unverified assumptions the task may have thrown another error than it would otherwise.
      if (!isDone && remedy === "none" && transaction.hasExpected())
        throw new Unsure("what was expected was not known", { cause: failure });
      // The server's error explains more than the error that the task made of it, so it is thrown instead.
      const isOurs = remedy === "none" && !(explained(failure, databaseUrl.name) instanceof StoreError);
      throw isOurs && !isConsequence(thrown) ? thrown : failure;
    } finally {
      client?.release(lost);
    }
  };

  /** How many more transactions lock from the start after a stale read, because a failed optimistic attempt costs twice. */
  let careful = 0;

  const repeatedly = async <T>(task: Task<T>): Promise<T> => {
    if (careful > 0) careful -= 1;
    else {
      try {
        return await attempt(task, new Set(), loosely);
      } catch (thrown) {
        const isAgain = thrown instanceof Unsure || thrown instanceof StaleRead;
        if (!isAgain && remedyFor(thrown) === "none") throw thrown;
        if (thrown instanceof StaleRead) careful = carefulFor;
        retries += 1;
        return strictly(task, thrown instanceof InHand ? thrown.tables : []);
      }
    }
    return strictly(task, []);
  };

  const strictly = async <T>(task: Task<T>, tables: readonly string[]): Promise<T> => {
    const deadline = performance.now() + waitMilliseconds;
    const frozen = new Set<string>(tables);
    for (let pause = 1, doubts = 0; ; pause = Math.min(pause * 2, 100)) {
      try {
        const one = (): Promise<T> => attempt(task, frozen, undefined);
        return await (pause === 1 ? one() : inLane(one));
      } catch (thrown) {
        const remedy = remedyFor(thrown);
        if (remedy === "doubt") doubts += 1;
        if (remedy === "none" || doubts > mostDoubts || performance.now() + pause > deadline) throw thrown;
        if (thrown instanceof InHand) for (const table of thrown.tables) frozen.add(table);
      }
      retries += 1;
      // The pause is random, because conflicting transactions of other processes would otherwise retry at the same time.
      await wait(pause * Math.random());
    }
  };

  const inLane = <T>(run: () => Promise<T>): Promise<T> => {
    const mine = lane.then(run);
    lane = mine.catch(() => undefined);
    return mine;
  };

  return {
    rows: (statement, values = []) => accepted(() => read(statement, values)),
    execute: (text, values = [], before) => accepted(() => queries.execute({ text, values }, before)),
    transaction: (session, left) => accepted(() => repeatedly({ session, left })),
    connect: async () => {
      const client = new pg.Client(clientSettings(databaseUrl, options, sockets));
      // Without a listener, a lost connection would crash this process.
      client.on("error", () => undefined);
      try {
        await client.connect();
        await preparePrimary(client, databaseUrl, options);
      } catch (thrown) {
        void client.end().catch(() => undefined);
        throw thrown;
      }
      return client;
    },
    load: () => ({
      usedConnections: reading.totalCount - reading.idleCount + writing.totalCount - writing.idleCount,
      idleConnections: reading.idleCount + writing.idleCount,
      waiting: reading.waitingCount + writing.waitingCount + queries.waiting(),
      retries,
    }),
    close: async (last) => {
      if (closing) return;
      closing = true;
      while (active.size > 0) await Promise.allSettled(active);
      closing = false;
      // A server that does not respond would not confirm the end of a connection, so the sockets are closed after a while.
      const patience = setTimeout(() => endAll(sockets), options.waitMilliseconds);
      await last?.();
      closing = true;
      while (active.size > 0) await Promise.allSettled(active);
      await Promise.all([reading.end(), writing.end()]);
      clearTimeout(patience);
      connections.close();
      endAll(sockets);
    },
  };
}

function bound(value: Bindable): Bindable {
  return typeof value === "string" ? withoutNul(value) : value;
}

/** A single connection without statement timeout and prepared statements. */
export interface Single extends Session {
  end(): Promise<void>;
}

export async function openSingle(databaseUrl: DatabaseUrl): Promise<Single> {
  const options = { ...usualOptions, statementMilliseconds: 0 };
  const client = new pg.Client(clientSettings(databaseUrl, options, new Set()));
  // The next statement reports the lost connection.
  client.on("error", () => undefined);
  await client.connect();
  await prepareClient(client, databaseUrl, options);
  return {
    rows: async <Row extends SqlRow>(statement: string, values: readonly Bindable[] = []) => {
      const queryConfig: pg.QueryArrayConfig = { text: statement, values: values.map(bound), rowMode: "array" };
      return (await client.query(queryConfig)).rows as unknown as readonly Row[];
    },
    end: () => client.end(),
  };
}

/** A transaction's task, and the milliseconds until its deadline. */
interface Task<T> {
  readonly session: (session: PgSession) => Promise<T>;
  readonly left: (() => number) | undefined;
}

function isPast(left: Task<unknown>["left"]): boolean {
  return left !== undefined && left() < 0;
}

/**
 * Returns a statement that limits each later statement of the transaction to `left` milliseconds; undefined if the
 * connection's own limit `most` is shorter.
 */
export function stoppingAfter(left: number, most: number): BoundStatement | undefined {
  if (most > 0 && left >= most) return undefined;
  return { text: "SELECT set_config('statement_timeout', $1, true)", values: [String(timeoutOf(left))] };
}

/** Returns a timeout of at least 1, because 0 means no timeout. */
export function timeoutOf(left: number): number {
  return Math.max(1, Math.ceil(left));
}

/** After how many milliseconds a transaction updates the timeout of its statements. */
const reportMilliseconds = 250;

interface Transacting {
  readonly session: PgSession;
  commit(): Promise<void>;
  /** Rolls back; returns false if the connection is unusable. */
  undo(): Promise<boolean>;
  /** Returns the first error of a statement, whatever error the task made of it. */
  failure(): Promise<unknown>;
  isCommitting(): boolean;
  /** Whether the task used unverified assumptions (`expect`). */
  hasExpected(): boolean;
}

interface Sent extends BoundStatement {
  /** Whether the statement is wrapped so that it fails if it returns no rows. */
  readonly isExpected: boolean;
}

/** The operations of a session in optimistic mode, without a connection. */
interface Loosely {
  readonly glance: <Row extends SqlRow>(query: string, values: readonly Bindable[]) => Promise<readonly Row[]>;
  readonly commit: Commits["commit"];
}

interface Holding extends Pick<Task<unknown>, "left"> {
  /** Acquires a connection. */
  readonly hold: () => Promise<PgConnection>;
  /** The maximum duration of any statement in milliseconds. */
  readonly most: number;
}

function openPgSession(
  { hold, left, most }: Holding,
  frozen: ReadonlySet<string>,
  optimistic: Loosely | undefined,
): Transacting {
  let state: "loose" | "unbegun" | "open" | "committing" | "over" = optimistic === undefined ? "unbegun" : "loose";
  let held: Promise<PgConnection> | undefined;
  let failure: unknown;
  let waiting: Sent[] = [];
  let expected = false;
  const relied = new Map<string, Sent>();
  const names: Held[] = [];
  const sent: Promise<void>[] = [];
  const failed = (thrown: unknown): void => {
    if (!isConsequence(thrown)) failure ??= thrown;
  };
  const send = (connection: PgConnection, { text, values, isExpected }: Sent): void => {
    const done = connection.execute(text, values).then(
      () => undefined,
      (thrown: unknown) => {
        const isMissed = isExpected && codeOf(thrown) === nothingFound;
        failed(isMissed ? new Overtaken("what was seen is not so any more") : thrown);
      },
    );
    sent.push(done);
  };
  const open = (): void => {
    if (state === "committing" || state === "over") throw new Error("a transaction was used after its end");
  };
  /** Returns the first statements of the transaction: BEGIN, table locks, checks of earlier reads, named locks. */
  const beginning = (): readonly Sent[] => {
    if (state === "open") return [];
    state = "open";
    const begin = ["BEGIN ISOLATION LEVEL READ COMMITTED", ...(frozen.size > 0 ? [freezing([...frozen])] : [])];
    const held = names.length > 0 ? [{ ...holding(names), isExpected: false }] : [];
    return [...begin.map((text) => ({ text, values: [], isExpected: false })), ...relied.values(), ...held];
  };
  let reportedAt = Number.NEGATIVE_INFINITY;
  const stopping = (): readonly Sent[] => {
    if (left === undefined || performance.now() - reportedAt < reportMilliseconds) return [];
    const boundStatement = stoppingAfter(left(), most);
    if (boundStatement === undefined) return [];
    reportedAt = performance.now();
    return [{ ...boundStatement, isExpected: false }];
  };
  /** Runs the statement in one exchange with all queued statements. */
  const roundTrip = async (statement: string, values: readonly Bindable[] = []): Promise<Result> => {
    const before = [...beginning(), ...stopping(), ...waiting];
    waiting = [];
    const connection = await (held ??= hold());
    for (const one of before) send(connection, one);
    const result = connection.execute(statement, values);
    connection.end().catch(failed);
    return result;
  };
  return {
    session: {
      rows: async <Row extends SqlRow>(statement: string, values: readonly Bindable[] = []) => {
        open();
        try {
          return (await roundTrip(statement, values)).rows as readonly Row[];
        } catch (thrown) {
          failed(thrown);
          if (remedyFor(thrown) === "none" && !isConsequence(thrown)) throw thrown;
          throw new StoreError("busy", "another transaction was in the way", [], thrown);
        }
      },
      isHopeful: optimistic !== undefined,
      send: (text, values = []) => {
        open();
        waiting.push({ text, values, isExpected: false });
      },
      expect: (statement, values) => {
        open();
        expected = true;
        waiting.push({ text: expecting(statement), values, isExpected: true });
      },
      glance: <Row extends SqlRow>(query: string, values: readonly Bindable[]) => {
        open();
        return state === "loose" ? optimistic?.glance<Row>(query, values) : undefined;
      },
      hold: (table, name) => {
        open();
        if (state === "loose") names.push([table, name]);
        else waiting.push({ ...holding([[table, name]]), isExpected: false });
      },
      rely: (name, boundStatement) => {
        if (state !== "loose") return;
        if (boundStatement === undefined) relied.delete(name);
        else
          relied.set(name, { text: expecting(boundStatement.text), values: boundStatement.values, isExpected: true });
      },
      freeze: async (tables) => {
        open();
        const others = tables.filter((table) => !frozen.has(table));
        if (others.length === 0) return;
        await roundTrip(`${freezing(others)} NOWAIT`).catch((thrown: unknown) => {
          const inHand = codeOf(thrown) === "55P03" ? new InHand(others) : thrown;
          failed(inHand);
          throw inHand;
        });
      },
    },
    commit: async () => {
      open();
      if (state === "loose") {
        state = "over";
        if (waiting.length > 0) await optimistic?.commit(names, [...relied.values(), ...waiting], () => isPast(left));
      } else if (state === "open" || waiting.length > 0) {
        await (held ??= hold());
        const committed = roundTrip("COMMIT");
        state = "committing";
        const { tag } = await committed;
        await Promise.all(sent);
        // After an earlier error COMMIT rolls back, and reports that only in its tag.
        if (tag !== "COMMIT") {
          state = "over";
          throw failure instanceof Error ? failure : new Error(`COMMIT was answered with ${tag}`);
        }
      }
      state = "over";
    },
    undo: async () => {
      const begun = state === "open" || state === "committing";
      state = "over";
      // Without a connection there is nothing to roll back.
      const connection = begun ? await held?.catch(() => undefined) : undefined;
      if (connection === undefined) return true;
      const undone = connection.execute("ROLLBACK", []);
      connection.end().catch(failed);
      return undone.then(
        () => true,
        () => false,
      );
    },
    failure: async () => {
      await Promise.all(sent);
      return failure;
    },
    isCommitting: () => state === "committing",
    hasExpected: () => expected,
  };
}

/** The SQLSTATE of a division by zero: the error by which a wrapped statement reports that it returned no rows. */
const nothingFound = "22012";

const expectations = new Map<string, string>();
/** The most cached wrapped statements: callers choose the changed members, so their number is unbounded. */
const mostExpectations = 1000;

function expecting(statement: string): string {
  return getOrMake(expectations, statement, () => {
    if (expectations.size >= mostExpectations) expectations.clear();
    return `WITH found AS (${statement}) SELECT 1 / count(*) FROM found`;
  });
}

/**
 * Returns a statement that locks tables in one order, so that two transactions cannot deadlock. It blocks changes, not reads.
 */
function freezing(tables: readonly string[]): string {
  return `LOCK TABLE ${tables.toSorted().join(", ")} IN SHARE ROW EXCLUSIVE MODE`;
}

function openPool(
  databaseUrl: DatabaseUrl,
  options: ConnectionOptions,
  max: number,
  { sockets, connections }: { readonly sockets: Set<Socket>; readonly connections: PgConnections },
): pg.Pool {
  const pool = new pg.Pool({
    ...clientSettings(databaseUrl, options, sockets),
    max,
    connectionTimeoutMillis: options.waitMilliseconds,
    idleTimeoutMillis: 60_000,
    // The pool awaits this callback despite its type: no caller gets a connection before it is configured.
    onConnect: (async (client: pg.ClientBase) => {
      await preparePrimary(client, databaseUrl, options);
      connections.attach(client);
    }) as (client: pg.ClientBase) => void,
  });
  // An idle connection was lost: the next caller gets another one.
  pool.on("error", () => undefined);
  // A connection lost between two statements of a transaction must not crash this process: the next statement fails.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Acquires a connection. Limits the queue, so that callers do not pile up while there is no server. */
async function acquire(
  pool: pg.Pool,
  { mostWaiting }: ConnectionOptions,
  { name }: DatabaseUrl,
): Promise<pg.PoolClient> {
  if (pool.waitingCount >= mostWaiting) throw new StoreError("busy", "too many wait for the database");
  try {
    return await pool.connect();
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : "";
    if (message.startsWith("timeout exceeded")) throw new StoreError("busy", "no connection was free in time");
    throw explained(thrown, name);
  }
}

function clientSettings({ address }: DatabaseUrl, options: ConnectionOptions, sockets: Set<Socket>): pg.ClientConfig {
  return {
    connectionString: address,
    connectionTimeoutMillis: options.waitMilliseconds,
    ...(options.statementMilliseconds === 0 ? {} : { query_timeout: idleLimit(options) }),
    // TCP keep-alive lets a connection that only listens detect a lost server.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.once("close", () => sockets.delete(socket));
    },
    application_name: "nonet",
    types: { getTypeParser: parserOf as pg.CustomTypesConfig["getTypeParser"] },
  };
}

/**
 * Returns the client's own limit for a response. The server stops statements that take too long, but a server that vanished
 * does not.
 */
function idleLimit({ statementMilliseconds }: ConnectionOptions): number {
  return statementMilliseconds + responseMilliseconds;
}

function endAll(sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) socket.destroy();
}

/**
 * Prepares a connection. Rejects a standby, which is read-only and behind confirmed writes (R2.12). If the URL leads to one,
 * the primary has failed and no standby is promoted yet, so it counts as no server.
 */
async function preparePrimary(
  client: pg.ClientBase,
  databaseUrl: DatabaseUrl,
  options: ConnectionOptions,
): Promise<void> {
  await prepareClient(client, databaseUrl, options);
  const { rows } = await client.query({ text: "SELECT pg_is_in_recovery()", rowMode: "array" });
  const [isStandby] = defined((rows as unknown as boolean[][])[0], "whether the server is a standby");
  if (isStandby) throw new StoreError("unreachable", `${databaseUrl.name}: the server is a standby`);
}

/** Sets the settings by SET statements instead of connection parameters, which poolers reject. */
async function prepareClient(
  client: pg.ClientBase,
  { schema }: DatabaseUrl,
  { statementMilliseconds }: ConnectionOptions,
): Promise<void> {
  const settings: Readonly<Record<string, string | number>> = {
    search_path: pg.escapeIdentifier(schema),
    statement_timeout: statementMilliseconds,
    // A suspended or lost process must not hold locks for which others wait.
    idle_in_transaction_session_timeout: statementMilliseconds === 0 ? 60_000 : 2 * statementMilliseconds,
    timezone: "'UTC'",
    default_transaction_isolation: "'read committed'",
    datestyle: "'ISO'",
    intervalstyle: "'postgres'",
    bytea_output: "'hex'",
    extra_float_digits: 1,
    // A service reads few rows in index order. With the default cost the server would sort a table without statistics for each
    // page.
    random_page_cost: 1.1,
    client_min_messages: "warning",
  };
  await client.query(
    Object.entries(settings)
      .map(([name, value]) => `SET ${name} = ${value}`)
      .join("; "),
  );
}
