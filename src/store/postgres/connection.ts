/**
 * Connections to a PostgreSQL server. Two bounded pools, so that a transaction that also reads what is committed can never wait
 * for itself: one runs single statements, the other holds a connection for each transaction.
 *
 * Statements are prepared under names, once for each connection. What nobody waits for (`send`) goes out with what follows it,
 * in one round trip, and so do BEGIN and COMMIT; questions (`ask`) that come while all connections are busy go out together.
 */
import { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { defined } from "../../base/defined.ts";
import { StoreError } from "../port/error.ts";
import type { StoreLoad } from "../port/store.ts";
import type { DatabaseUrl } from "./database-url.ts";
import { type Held, holding, openCommits, StaleRead } from "./commits.ts";
import { codeOf, explained, InHand, isConsequence, isElsewhere, Overtaken, remedyFor } from "./failure.ts";
import { type BoundStatement, gather } from "./query-batch.ts";
import { parserOf, withoutNul } from "./value.ts";
import type { Result, PgConnection } from "./protocol.ts";
import { openPgConnections, type PgConnections } from "./protocol-connections.ts";

/** A value for a placeholder. */
export type Bindable = string | number | bigint | boolean | Uint8Array | null | readonly (string | number | null)[];

/** A value of a row; what PostgreSQL calls timestamptz is a text as the service writes them, json is its text. */
export type SqlValue = string | number | boolean | Buffer | null;

export type SqlRow = readonly SqlValue[];

/** Something that statements can be run on. */
export interface Session {
  rows<Row extends SqlRow = SqlRow>(statement: string, values?: readonly Bindable[]): Promise<readonly Row[]>;
}

/**
 * The statements of one transaction, in the order in which they were given.
 *
 * At first it holds nothing: until `rows` or `freeze` is called, what is sent is kept, and what is asked by `glance` is read as it is
 * committed. If that is all there is, it is committed together with other such transactions. So it costs one round trip or
 * less, and nothing is held while the service thinks.
 */
export interface PgSession extends Session {
  /** Whether it is tried for the first time, and so what mostly is as expected is expected (`expect`) and not asked. */
  readonly isHopeful: boolean;
  /** Is not waited for: where it fails, so does the statement after it, or the commit. */
  send(statement: string, values?: readonly Bindable[]): void;
  /** As `send`, for a statement that gives rows: where it gives none, the transaction is done again. */
  expect(statement: string, values: readonly Bindable[]): void;
  /** Reads without holding anything; undefined once something is held. What is decided on it is to be relied on. */
  glance<Row extends SqlRow = SqlRow>(query: string, values: readonly Bindable[]): Promise<readonly Row[]> | undefined;
  /**
   * Lets nobody else hold the same until the transaction ends: a name among those of a table. Of transactions that are committed
   * together all is held before anything else, and in one order.
   */
  hold(table: string, name: string): void;
  /** What was seen, by a name of its own: as `expect`, before all else. Undefined: it is no matter any more. */
  rely(name: string, held: BoundStatement | undefined): void;
  /**
   * Lets nobody else change these tables until the transaction ends, and everybody read them. Where somebody is changing one,
   * the work is undone and begun again with the tables held from its start, since who waits while it holds something itself
   * may wait for one who waits for it.
   */
  freeze(tables: readonly string[]): Promise<void>;
}

/** Something that may be asked what is committed. */
export interface Queries {
  /**
   * As `rows`, for what changes nothing: with others that are asked at the same time it is one round trip, and it is asked again
   * where it got lost. `before` is said before it in the same transaction, such as settings that end with it.
   */
  readonly execute: <Row extends SqlRow = SqlRow>(
    query: string,
    values?: readonly Bindable[],
    before?: BoundStatement,
  ) => Promise<readonly Row[]>;
}

/** Reads outside of a transaction see what is committed. */
export interface Connections extends Session, Queries {
  /**
   * Runs `work` in one transaction, as often as it takes (R7.4): again where another transaction was in the way,
   * or where the connection was lost before it was asked to commit. What `work` throws undoes it. Resolves once it is durable.
   * `left`: the milliseconds until its deadline, at which the server stops its statement. Where it is past when a connection was
   * had, nothing is sent and it is done again, to find that out itself.
   */
  transaction<T>(session: (session: PgSession) => Promise<T>, left?: () => number): Promise<T>;
  /** A connection of its own for statements that bind to one, such as LISTEN; the caller ends it. */
  connect(): Promise<pg.Client>;
  /** What the two pools have to do at the moment. */
  load(): StoreLoad;
  /** Refuses what comes later, finishes what was accepted, then does what is to be done `last`. */
  close(last?: () => Promise<unknown>): Promise<void>;
}

export interface ConnectionOptions {
  /** For how long a free connection is waited for, and a transaction is tried. */
  readonly waitMilliseconds: number;
  /** The longest that a statement may take (R8.8). */
  readonly statementMilliseconds: number;
  /** The most that wait for a connection; who comes after them is told so at once. */
  readonly mostWaiting: number;
  /** Told of each exchange with the server: each is one round trip. */
  readonly exchanged?: (statements: readonly string[]) => void;
}

/** How much longer than the statement itself its answer may take. */
const responseMilliseconds = 1_000;

/** Transactions. */
const carefulFor = 32;

/** Work has thrown after it took for granted what the server had not said yet: done again, it knows. */
class Unsure extends Error {}

/** What seems not to hold again and again does not. */
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
  /** Transactions that others were in the way of are done one after another, so that they are not in each other's. */
  let lane: Promise<unknown> = Promise.resolve();

  /** Until it is over, `close` waits for it. */
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

  /** A statement alone can be given again whatever has become of it only where it changes nothing. */
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
      // Of what was only expected it may have thrown something else than it would, had it known.
      if (!isDone && remedy === "none" && transaction.hasExpected())
        throw new Unsure("what was expected was not known", { cause: failure });
      // The server's failure is the better account of it, whatever `work` has made of that.
      const isOurs = remedy === "none" && !(explained(failure, databaseUrl.name) instanceof StoreError);
      throw isOurs && !isConsequence(thrown) ? thrown : failure;
    } finally {
      client?.release(lost);
    }
  };

  /** Where what was seen did not hold, so many transactions hold it from the start: it is done twice else. */
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
      // Others are in other processes, and would be in the way again if all waited for the same time.
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
      // Lost before anybody listens for that, it would be an error of this process.
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
      // A server that does not answer does not say good-bye either.
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

/** A single connection whose statements may take as long as they take, and are not prepared. */
export interface Single extends Session {
  end(): Promise<void>;
}

export async function openSingle(databaseUrl: DatabaseUrl): Promise<Single> {
  const options = { ...usualOptions, statementMilliseconds: 0 };
  const client = new pg.Client(clientSettings(databaseUrl, options, new Set()));
  // What is lost is told by the statement that needed it.
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

/** What is to be done in a transaction, and the milliseconds that there are for it. */
interface Task<T> {
  readonly session: (session: PgSession) => Promise<T>;
  readonly left: (() => number) | undefined;
}

function isPast(left: Task<unknown>["left"]): boolean {
  return left !== undefined && left() < 0;
}

/**
 * Stops each later statement of the transaction after so many milliseconds; undefined where they are no fewer than `most`, which the
 * connection gives any statement.
 */
export function stoppingAfter(left: number, most: number): BoundStatement | undefined {
  if (most > 0 && left >= most) return undefined;
  return { text: "SELECT set_config('statement_timeout', $1, true)", values: [String(timeoutOf(left))] };
}

/** Zero would be none. */
export function timeoutOf(left: number): number {
  return Math.max(1, Math.ceil(left));
}

/** A transaction's statements are told again after so long how much time there is for each of them. */
const reportMilliseconds = 250;

interface Transacting {
  readonly session: PgSession;
  commit(): Promise<void>;
  /** False where the connection is of no more use. */
  undo(): Promise<boolean>;
  /** What a statement failed with, whatever was made of that. */
  failure(): Promise<unknown>;
  isCommitting(): boolean;
  /** Whether anything was taken for granted. */
  hasExpected(): boolean;
}

interface Sent extends BoundStatement {
  /** Whether it was made to fail where it finds nothing. */
  readonly isExpected: boolean;
}

/** How a transaction is done that holds nothing. */
interface Loosely {
  readonly glance: <Row extends SqlRow>(query: string, values: readonly Bindable[]) => Promise<readonly Row[]>;
  readonly commit: (
    held: readonly Held[],
    statements: readonly BoundStatement[],
    isLate?: () => boolean,
  ) => Promise<void>;
}

interface Holding extends Pick<Task<unknown>, "left"> {
  /** Gives a connection. */
  readonly hold: () => Promise<PgConnection>;
  /** The milliseconds that any statement is given. */
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
  /** Those with which it begins to hold what it has relied on. */
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
  /** With all that was sent before it, in one exchange. */
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
        // What has failed before makes a COMMIT undo everything, and say so in its tag alone.
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
      // Where no connection was to be had there is nothing to undo.
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

/** SQLSTATE of a division by zero, the one failure that any statement can be made to have where it finds nothing. */
const nothingFound = "22012";

const expectations = new Map<string, string>();
/** Statements that write are as many as callers choose. */
const mostExpectations = 1000;

function expecting(statement: string): string {
  let text = expectations.get(statement);
  if (text === undefined) {
    text = `WITH found AS (${statement}) SELECT 1 / count(*) FROM found`;
    if (expectations.size >= mostExpectations) expectations.clear();
    expectations.set(statement, text);
  }
  return text;
}

/** In one order, so that two who do it do not wait for one another. Nobody can change the table; who reads it may. */
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
    // It is waited for, whatever its type says: nobody gets a connection that is not set up.
    onConnect: (async (client: pg.ClientBase) => {
      await preparePrimary(client, databaseUrl, options);
      connections.attach(client);
    }) as (client: pg.ClientBase) => void,
  });
  // A connection that nobody uses was lost: the next one who needs one gets another.
  pool.on("error", () => undefined);
  // Nor is one that is lost between two statements of a transaction an error of this process: the next statement fails.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Where there is no server, nobody is made to wait for one. */
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
    // Nor is it told who only listens: it is asked for after so long, and ten times a second apart.
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

/** The server ends a statement that takes too long. One that is not there any more does not, and nobody tells. */
function idleLimit({ statementMilliseconds }: ConnectionOptions): number {
  return statementMilliseconds + responseMilliseconds;
}

function endAll(sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) socket.destroy();
}

/**
 * A standby is read only, and behind what was answered (R2.12). Where an address leads to one, the server that took the writes is
 * gone and another has not taken its place yet: it is as if there were none.
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

/** As statements, not as parameters of the connection, which the poolers that stand before a server refuse. */
async function prepareClient(
  client: pg.ClientBase,
  { schema }: DatabaseUrl,
  { statementMilliseconds }: ConnectionOptions,
): Promise<void> {
  const settings: Readonly<Record<string, string | number>> = {
    search_path: pg.escapeIdentifier(schema),
    statement_timeout: statementMilliseconds,
    // A process that stands still must not hold what others wait for, nor one that the server does not know to be lost.
    idle_in_transaction_session_timeout: statementMilliseconds === 0 ? 60_000 : 2 * statementMilliseconds,
    timezone: "'UTC'",
    default_transaction_isolation: "'read committed'",
    datestyle: "'ISO'",
    intervalstyle: "'postgres'",
    bytea_output: "'hex'",
    extra_float_digits: 1,
    // What a service asks is few rows, in the order of an index. With the default, a table of which the server has no statistics
    // yet is sorted for each page.
    random_page_cost: 1.1,
    client_min_messages: "warning",
  };
  await client.query(
    Object.entries(settings)
      .map(([name, value]) => `SET ${name} = ${value}`)
      .join("; "),
  );
}
