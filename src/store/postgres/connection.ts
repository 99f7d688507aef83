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
import { StoreError } from "../error.ts";
import type { StoreLoad } from "../store.ts";
import type { Place } from "./address.ts";
import { type Held, holding, openCommits, SeenAnew } from "./commits.ts";
import { codeOf, explained, InHand, isConsequence, isElsewhere, Overtaken, remedyFor } from "./failure.ts";
import { type Asking, gather } from "./questions.ts";
import { parserOf, withoutNul } from "./value.ts";
import type { Result, Wire } from "./wire.ts";
import { openWires, type Wires } from "./wires.ts";

/** A value for a placeholder. */
export type Bindable = string | number | bigint | boolean | Uint8Array | null | readonly (string | number | null)[];

/** A value of a row; what PostgreSQL calls timestamptz is a text as the service writes them, json is its text. */
export type Cell = string | number | boolean | Buffer | null;

export type Cells = readonly Cell[];

/** Something that statements can be run on. */
export interface Session {
  rows<Row extends Cells = Cells>(statement: string, values?: readonly Bindable[]): Promise<readonly Row[]>;
}

/**
 * The statements of one transaction, in the order in which they were given.
 *
 * At first it holds nothing: until `rows` or `freeze` is called, what is sent is kept, and what is asked by `glance` is read as it is
 * committed. If that is all there is, it is committed together with other such transactions. So it costs one round trip or
 * less, and nothing is held while the service thinks.
 */
export interface Work extends Session {
  /** Whether it is tried for the first time, and so what mostly is as expected is expected (`expect`) and not asked. */
  readonly isHopeful: boolean;
  /** Is not waited for: where it fails, so does the statement after it, or the commit. */
  send(statement: string, values?: readonly Bindable[]): void;
  /** As `send`, for a statement that gives rows: where it gives none, the transaction is done again. */
  expect(statement: string, values: readonly Bindable[]): void;
  /** Reads without holding anything; undefined once something is held. What is decided on it is to be relied on. */
  glance<Row extends Cells = Cells>(question: string, values: readonly Bindable[]): Promise<readonly Row[]> | undefined;
  /**
   * Lets nobody else hold the same until the transaction ends: a name among those of a table. Of transactions that are committed
   * together all is held before anything else, and in one order.
   */
  hold(table: string, name: string): void;
  /** What was seen, by a name of its own: as `expect`, before all else. Undefined: it is no matter any more. */
  rely(name: string, held: Asking | undefined): void;
  /**
   * Lets nobody else change these tables until the transaction ends, and everybody read them. Where somebody is changing one,
   * the work is undone and begun again with the tables held from its start, since who waits while it holds something itself
   * may wait for one who waits for it.
   */
  freeze(tables: readonly string[]): Promise<void>;
}

/** Something that may be asked what is committed. */
export interface Questions {
  /**
   * As `rows`, for what changes nothing: with others that are asked at the same time it is one round trip, and it is asked again
   * where it got lost. `before` is said before it in the same transaction, such as settings that end with it.
   */
  readonly ask: <Row extends Cells = Cells>(
    question: string,
    values?: readonly Bindable[],
    before?: Asking,
  ) => Promise<readonly Row[]>;
}

/** Reads outside of a transaction see what is committed. */
export interface Connections extends Session, Questions {
  /**
   * Runs `work` in one transaction, as often as it takes (R7.4): again where another transaction was in the way,
   * or where the connection was lost before it was asked to commit. What `work` throws undoes it. Resolves once it is durable.
   * `left`: the milliseconds until its deadline, at which the server stops its statement. Where it is past when a connection was
   * had, nothing is sent and it is done again, to find that out itself.
   */
  transaction<T>(work: (work: Work) => Promise<T>, left?: () => number): Promise<T>;
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
const answerMilliseconds = 1_000;

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

export function openConnections(place: Place, options: ConnectionOptions = usualOptions): Connections {
  const { waitMilliseconds } = options;
  const wires = openWires({ ...options, silentMilliseconds: silenceOf(options) });
  const sockets = new Set<Socket>();
  const forReading = Math.max(1, Math.round(place.connections / 3));
  const reading = openPool(place, options, forReading, { wires, sockets });
  const writing = openPool(place, options, place.connections - forReading, { wires, sockets });
  const underWay = new Set<Promise<unknown>>();
  let closing = false;
  let retries = 0;
  /** Transactions that others were in the way of are done one after another, so that they are not in each other's. */
  let lane: Promise<unknown> = Promise.resolve();

  /** Until it is over, `close` waits for it. */
  const accepted = async <T>(begin: () => Promise<T>): Promise<T> => {
    if (closing) throw new StoreError("closed", "the store is closing");
    const running = begin();
    underWay.add(running);
    try {
      return await running;
    } catch (thrown) {
      throw explained(thrown, place.name);
    } finally {
      underWay.delete(running);
    }
  };

  const readOnce = async <Row extends Cells>(
    statement: string,
    values: readonly Bindable[],
  ): Promise<readonly Row[]> => {
    const client = await acquire(reading, options, place);
    let failure: unknown;
    try {
      return await wires.run<Row>(client, statement, values);
    } catch (thrown) {
      failure = thrown;
      throw thrown;
    } finally {
      client.release(failure !== undefined && (remedyFor(failure) === "reconnect" || isElsewhere(failure)));
    }
  };

  /** A statement alone can be given again whatever has become of it only where it changes nothing. */
  const read = async <Row extends Cells>(statement: string, values: readonly Bindable[]): Promise<readonly Row[]> => {
    try {
      return await readOnce<Row>(statement, values);
    } catch (thrown) {
      if (remedyFor(thrown) !== "reconnect" || !/^\s*SELECT\b/i.test(statement)) throw thrown;
      return await readOnce<Row>(statement, values);
    }
  };

  const questions = gather(
    async (questions) => {
      const client = await acquire(reading, options, place);
      let failure: unknown;
      try {
        failure = await wires.askAll(client, questions);
      } finally {
        client.release(failure !== undefined && remedyFor(failure) === "reconnect");
      }
    },
    { atOnce: forReading, mostWaiting: options.mostWaiting, waitMilliseconds },
  );

  const commits = openCommits(async (use) => {
    const client = await acquire(writing, options, place);
    let lost = true;
    try {
      lost = await use(wires.of(client));
    } finally {
      client.release(lost);
    }
  });
  const loosely: Loosely = {
    glance: (text, values) => questions.ask({ text, values }),
    commit: commits.commit,
  };

  const attempt = async <T>(
    { left, work }: Task<T>,
    frozen: ReadonlySet<string>,
    loose: Loosely | undefined,
  ): Promise<T> => {
    let client: pg.PoolClient | undefined;
    const hold = async (): Promise<Wire> => {
      client = await acquire(writing, options, place);
      if (isPast(left)) throw new Overtaken("it came too late");
      return wires.of(client);
    };
    const transaction = openWork({ hold, left, most: options.statementMilliseconds }, frozen, loose);
    let lost = true;
    let isDone = false;
    try {
      const value = await work(transaction.work);
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
        throw new StoreError("unreachable", `${place.name}: whether it was committed is not known`, [], failure);
      // Of what was only expected it may have thrown something else than it would, had it known.
      if (!isDone && remedy === "none" && transaction.hasExpected())
        throw new Unsure("what was expected was not known", { cause: failure });
      // The server's failure is the better account of it, whatever `work` has made of that.
      const isOurs = remedy === "none" && !(explained(failure, place.name) instanceof StoreError);
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
        const isAgain = thrown instanceof Unsure || thrown instanceof SeenAnew;
        if (!isAgain && remedyFor(thrown) === "none") throw thrown;
        if (thrown instanceof SeenAnew) careful = carefulFor;
        retries += 1;
        return strictly(task, thrown instanceof InHand ? thrown.tables : []);
      }
    }
    return strictly(task, []);
  };

  const strictly = async <T>(task: Task<T>, tables: readonly string[]): Promise<T> => {
    const gives = performance.now() + waitMilliseconds;
    const frozen = new Set<string>(tables);
    for (let pause = 1, doubts = 0; ; pause = Math.min(pause * 2, 100)) {
      try {
        const one = (): Promise<T> => attempt(task, frozen, undefined);
        return await (pause === 1 ? one() : inLane(one));
      } catch (thrown) {
        const remedy = remedyFor(thrown);
        if (remedy === "doubt") doubts += 1;
        if (remedy === "none" || doubts > mostDoubts || performance.now() + pause > gives) throw thrown;
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
    ask: (text, values = [], before) => accepted(() => questions.ask({ text, values }, before)),
    transaction: (work, left) => accepted(() => repeatedly({ work, left })),
    connect: async () => {
      const client = new pg.Client(clientSettings(place, options, sockets));
      // Lost before anybody listens for that, it would be an error of this process.
      client.on("error", () => undefined);
      try {
        await client.connect();
        await preparePrimary(client, place, options);
      } catch (thrown) {
        void client.end().catch(() => undefined);
        throw thrown;
      }
      return client;
    },
    load: () => ({
      usedConnections: reading.totalCount - reading.idleCount + writing.totalCount - writing.idleCount,
      idleConnections: reading.idleCount + writing.idleCount,
      waiting: reading.waitingCount + writing.waitingCount + questions.waiting(),
      retries,
    }),
    close: async (last) => {
      if (closing) return;
      closing = true;
      while (underWay.size > 0) await Promise.allSettled(underWay);
      closing = false;
      // A server that does not answer does not say good-bye either.
      const patience = setTimeout(() => endAll(sockets), options.waitMilliseconds);
      await last?.();
      closing = true;
      while (underWay.size > 0) await Promise.allSettled(underWay);
      await Promise.all([reading.end(), writing.end()]);
      clearTimeout(patience);
      wires.close();
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

export async function openSingle(place: Place): Promise<Single> {
  const options = { ...usualOptions, statementMilliseconds: 0 };
  const client = new pg.Client(clientSettings(place, options, new Set()));
  // What is lost is told by the statement that needed it.
  client.on("error", () => undefined);
  await client.connect();
  await prepareClient(client, place, options);
  return {
    rows: async <Row extends Cells>(statement: string, values: readonly Bindable[] = []) => {
      const asked: pg.QueryArrayConfig = { text: statement, values: values.map(bound), rowMode: "array" };
      return (await client.query(asked)).rows as unknown as readonly Row[];
    },
    end: () => client.end(),
  };
}

/** What is to be done in a transaction, and the milliseconds that there are for it. */
interface Task<T> {
  readonly work: (work: Work) => Promise<T>;
  readonly left: (() => number) | undefined;
}

function isPast(left: Task<unknown>["left"]): boolean {
  return left !== undefined && left() < 0;
}

/**
 * Stops each later statement of the transaction after so many milliseconds; undefined where they are no fewer than `most`, which the
 * connection gives any statement.
 */
export function stoppingAfter(left: number, most: number): Asking | undefined {
  if (most > 0 && left >= most) return undefined;
  return { text: "SELECT set_config('statement_timeout', $1, true)", values: [String(timeoutOf(left))] };
}

/** Zero would be none. */
export function timeoutOf(left: number): number {
  return Math.max(1, Math.ceil(left));
}

/** A transaction's statements are told again after so long how much time there is for each of them. */
const toldMilliseconds = 250;

interface Transacting {
  readonly work: Work;
  commit(): Promise<void>;
  /** False where the connection is of no more use. */
  undo(): Promise<boolean>;
  /** What a statement failed with, whatever was made of that. */
  failure(): Promise<unknown>;
  isCommitting(): boolean;
  /** Whether anything was taken for granted. */
  hasExpected(): boolean;
}

interface Sent extends Asking {
  /** Whether it was made to fail where it finds nothing. */
  readonly isExpected: boolean;
}

/** How a transaction is done that holds nothing. */
interface Loosely {
  readonly glance: <Row extends Cells>(question: string, values: readonly Bindable[]) => Promise<readonly Row[]>;
  readonly commit: (held: readonly Held[], statements: readonly Asking[], isLate?: () => boolean) => Promise<void>;
}

interface Holding extends Pick<Task<unknown>, "left"> {
  /** Gives a connection. */
  readonly hold: () => Promise<Wire>;
  /** The milliseconds that any statement is given. */
  readonly most: number;
}

function openWork({ hold, left, most }: Holding, frozen: ReadonlySet<string>, loose: Loosely | undefined): Transacting {
  let state: "loose" | "unbegun" | "open" | "committing" | "over" = loose === undefined ? "unbegun" : "loose";
  let held: Promise<Wire> | undefined;
  let failure: unknown;
  let waiting: Sent[] = [];
  let expected = false;
  const relied = new Map<string, Sent>();
  const names: Held[] = [];
  const sent: Promise<void>[] = [];
  const failed = (thrown: unknown): void => {
    if (!isConsequence(thrown)) failure ??= thrown;
  };
  const send = (wire: Wire, { text, values, isExpected }: Sent): void => {
    const done = wire.ask(text, values).then(
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
  let told = Number.NEGATIVE_INFINITY;
  const stopping = (): readonly Sent[] => {
    if (left === undefined || performance.now() - told < toldMilliseconds) return [];
    const asking = stoppingAfter(left(), most);
    if (asking === undefined) return [];
    told = performance.now();
    return [{ ...asking, isExpected: false }];
  };
  /** With all that was sent before it, in one exchange. */
  const exchange = async (statement: string, values: readonly Bindable[] = []): Promise<Result> => {
    const before = [...beginning(), ...stopping(), ...waiting];
    waiting = [];
    const wire = await (held ??= hold());
    for (const one of before) send(wire, one);
    const result = wire.ask(statement, values);
    wire.end().catch(failed);
    return result;
  };
  return {
    work: {
      rows: async <Row extends Cells>(statement: string, values: readonly Bindable[] = []) => {
        open();
        try {
          return (await exchange(statement, values)).rows as readonly Row[];
        } catch (thrown) {
          failed(thrown);
          if (remedyFor(thrown) === "none" && !isConsequence(thrown)) throw thrown;
          throw new StoreError("busy", "another transaction was in the way", [], thrown);
        }
      },
      isHopeful: loose !== undefined,
      send: (text, values = []) => {
        open();
        waiting.push({ text, values, isExpected: false });
      },
      expect: (statement, values) => {
        open();
        expected = true;
        waiting.push({ text: expecting(statement), values, isExpected: true });
      },
      glance: <Row extends Cells>(question: string, values: readonly Bindable[]) => {
        open();
        return state === "loose" ? loose?.glance<Row>(question, values) : undefined;
      },
      hold: (table, name) => {
        open();
        if (state === "loose") names.push([table, name]);
        else waiting.push({ ...holding([[table, name]]), isExpected: false });
      },
      rely: (name, asking) => {
        if (state !== "loose") return;
        if (asking === undefined) relied.delete(name);
        else relied.set(name, { text: expecting(asking.text), values: asking.values, isExpected: true });
      },
      freeze: async (tables) => {
        open();
        const others = tables.filter((table) => !frozen.has(table));
        if (others.length === 0) return;
        await exchange(`${freezing(others)} NOWAIT`).catch((thrown: unknown) => {
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
        if (waiting.length > 0) await loose?.commit(names, [...relied.values(), ...waiting], () => isPast(left));
      } else if (state === "open" || waiting.length > 0) {
        await (held ??= hold());
        const committed = exchange("COMMIT");
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
      const wire = begun ? await held?.catch(() => undefined) : undefined;
      if (wire === undefined) return true;
      const undone = wire.ask("ROLLBACK", []);
      wire.end().catch(failed);
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
  place: Place,
  options: ConnectionOptions,
  max: number,
  { sockets, wires }: { readonly sockets: Set<Socket>; readonly wires: Wires },
): pg.Pool {
  const pool = new pg.Pool({
    ...clientSettings(place, options, sockets),
    max,
    connectionTimeoutMillis: options.waitMilliseconds,
    idleTimeoutMillis: 60_000,
    // It is waited for, whatever its type says: nobody gets a connection that is not set up.
    onConnect: (async (client: pg.ClientBase) => {
      await preparePrimary(client, place, options);
      wires.take(client);
    }) as (client: pg.ClientBase) => void,
  });
  // A connection that nobody uses was lost: the next one who needs one gets another.
  pool.on("error", () => undefined);
  // Nor is one that is lost between two statements of a transaction an error of this process: the next statement fails.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Where there is no server, nobody is made to wait for one. */
async function acquire(pool: pg.Pool, { mostWaiting }: ConnectionOptions, { name }: Place): Promise<pg.PoolClient> {
  if (pool.waitingCount >= mostWaiting) throw new StoreError("busy", "too many wait for the database");
  try {
    return await pool.connect();
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : "";
    if (message.startsWith("timeout exceeded")) throw new StoreError("busy", "no connection was free in time");
    throw explained(thrown, name);
  }
}

function clientSettings({ address }: Place, options: ConnectionOptions, sockets: Set<Socket>): pg.ClientConfig {
  return {
    connectionString: address,
    connectionTimeoutMillis: options.waitMilliseconds,
    ...(options.statementMilliseconds === 0 ? {} : { query_timeout: silenceOf(options) }),
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
function silenceOf({ statementMilliseconds }: ConnectionOptions): number {
  return statementMilliseconds + answerMilliseconds;
}

function endAll(sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) socket.destroy();
}

/**
 * A standby is read only, and behind what was answered (R2.12). Where an address leads to one, the server that took the writes is
 * gone and another has not taken its place yet: it is as if there were none.
 */
async function preparePrimary(client: pg.ClientBase, place: Place, options: ConnectionOptions): Promise<void> {
  await prepareClient(client, place, options);
  const { rows } = await client.query({ text: "SELECT pg_is_in_recovery()", rowMode: "array" });
  const [isStandby] = defined((rows as unknown as boolean[][])[0], "whether the server is a standby");
  if (isStandby) throw new StoreError("unreachable", `${place.name}: the server is a standby`);
}

/** As statements, not as parameters of the connection, which the poolers that stand before a server refuse. */
async function prepareClient(
  client: pg.ClientBase,
  { schema }: Place,
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
