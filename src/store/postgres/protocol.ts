/**
 * Implements the part of PostgreSQL's protocol that statements need, over a connection opened by the driver (which handles
 * connecting, TLS and passwords). Running statements through the driver takes several times as long.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 *
 * Statements sent in one write, with their responses, are an exchange: one round trip, however many they are. After an error the
 * server skips the rest of the exchange. Outside BEGIN and COMMIT an exchange is a transaction.
 */
import pg from "pg";
import type { Duplex } from "node:stream";
import type { Bindable, SqlValue, SqlRow } from "./connection.ts";
import { parserOf } from "./value.ts";
import { Outgoing } from "./protocol-text.ts";

export interface Result {
  readonly rows: readonly SqlRow[];
  /** The command tag of the server: `COMMIT`, `INSERT 0 1`. */
  readonly tag: string;
}

/**
 * The error of a statement that the server skipped, with the code that the server reports for statements after a failure in a
 * transaction.
 */
class PassedOver extends Error {
  readonly code = "25P02";
}

type Parse = (text: string) => unknown;

/**
 * The most prepared statements per connection: callers choose filters and changed members, so their number is unbounded.
 * Beyond it, a statement not used recently is closed, here and on the server.
 */
const mostKnown = 1000;

/** A named statement that the server has prepared, or is about to. */
interface Known {
  readonly name: string;
  readonly statement: string;
  /** The parsers of the columns; empty if the statement returns no rows, and before the server has described the columns. */
  parsers: readonly Parse[];
  /** Whether the statement was used since the last search for a statement to close. */
  isUsed: boolean;
}

interface PendingQuery {
  readonly known: Known;
  readonly rows: SqlRow[];
  readonly resolve: (result: Result) => void;
  readonly reject: (thrown: unknown) => void;
}

interface Ended {
  readonly known: undefined;
  readonly resolve: () => void;
  readonly reject: (thrown: unknown) => void;
}

export class PgConnection {
  readonly #stream: Duplex;
  readonly #exchanged: ((statements: readonly string[]) => void) | undefined;
  readonly #known = new Map<string, Known>();
  /** Statements that were sent, but are not yet confirmed by the server. */
  readonly #unread = new Set<Known>();
  /** The names of statements to close on the server. */
  #forgotten: string[] = [];
  #prepared = 0;
  /** Queries whose responses are pending, in order. */
  readonly #awaited: (PendingQuery | Ended)[] = [];
  #next = 0;
  readonly #described: string[] = [];
  readonly #out = new Outgoing();
  #parts: Buffer[] = [];
  #size = 0;
  #wanted = 5;
  #failed = false;
  /** The number of exchanges in progress. */
  #open = 0;
  #silences = 0;
  #lost: Error | undefined;

  /** @param client is connected and idle; from now on the caller may only end it. */
  constructor(client: pg.ClientBase, exchanged?: (statements: readonly string[]) => void) {
    this.#stream = streamOf(client);
    this.#exchanged = exchanged;
    this.#stream.removeAllListeners("data");
    this.#stream.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#stream.once("close", () => this.#lose(new Error("Connection terminated unexpectedly")));
  }

  /** Whether the connection is lost, so that no statement is sent. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Queues a statement, which is sent with the exchange that `end` ends. */
  execute(statement: string, values: readonly Bindable[]): Promise<Result> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const known = this.#known.get(statement);
    if (known !== undefined) known.isUsed = true;
    return this.#run(known ?? this.#prepare(statement), values);
  }

  #prepare(statement: string): Known {
    if (this.#known.size >= mostKnown) this.#forget();
    const known = { name: `nonet_${(this.#prepared += 1)}`, statement, parsers: [], isUsed: false };
    this.#known.set(statement, known);
    this.#unread.add(known);
    this.#out.prepare(known.name, statement);
    return known;
  }

  #forget(): void {
    for (const [statement, known] of this.#known) {
      this.#known.delete(statement);
      if (!known.isUsed) {
        this.#forgotten.push(known.name);
        return;
      }
      known.isUsed = false;
      this.#known.set(statement, known);
    }
  }

  #run(known: Known, values: readonly Bindable[]): Promise<Result> {
    this.#out.run(known.name, values);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#awaited.push({ known, rows: [], resolve, reject });
    if (this.#exchanged !== undefined) this.#described.push(known.statement);
    return promise;
  }

  /** Sends the exchange. Resolves when all responses have arrived, and statements outside a transaction are committed. */
  end(): Promise<void> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    this.#out.sync();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#awaited.push({ known: undefined, resolve, reject });
    this.#stream.write(this.#out.drain());
    // Closing statements come first in the next exchange, where no earlier failure can skip them.
    for (const name of this.#forgotten) this.#out.forget(name);
    this.#forgotten = [];
    this.#open += 1;
    this.#exchanged?.(this.#described.splice(0));
    return promise;
  }

  /**
   * Destroys a connection that has pending responses and received no bytes for `most` calls; called periodically. Counts calls
   * instead of time, because a suspended process receives nothing.
   */
  watch(most: number): void {
    this.#silences = this.#open === 0 ? 0 : this.#silences + 1;
    if (this.#silences > most) this.#stream.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#silences = 0;
    this.#size += chunk.length;
    if (this.#parts.length > 0 || this.#size < this.#wanted) this.#parts.push(chunk);
    if (this.#size < this.#wanted) return;
    const buffer = this.#parts.length > 0 ? Buffer.concat(this.#parts, this.#size) : chunk;
    let at = 0;
    this.#wanted = 5;
    while (buffer.length - at >= 5) {
      const length = 1 + buffer.readInt32BE(at + 1);
      if (at + length > buffer.length) {
        this.#wanted = length;
        break;
      }
      this.#readMessage(buffer[at] as number, buffer, at + 5, at + length);
      at += length;
    }
    this.#size = buffer.length - at;
    this.#parts = this.#size === 0 ? [] : [buffer.subarray(at)];
  }

  #readMessage(kind: number, buffer: Buffer, at: number, end: number): void {
    const pending = this.#awaited[this.#next];
    switch (kind) {
      case dataRow:
        if (pending?.known !== undefined) pending.rows.push(rowOf(buffer, at, pending.known.parsers));
        return;
      case commandComplete:
      case emptyQuery:
        if (pending?.known === undefined) return;
        this.#advance();
        pending.resolve({ rows: pending.rows, tag: kind === emptyQuery ? "" : buffer.toString("latin1", at, end - 1) });
        return;
      case parseComplete:
        if (pending?.known !== undefined) this.#unread.delete(pending.known);
        return;
      case rowDescription:
        if (pending?.known !== undefined) pending.known.parsers = parsersOf(buffer, at);
        return;
      case errorResponse:
        this.#fail(errorOf(buffer, at));
        return;
      case readyForQuery:
        this.#flush();
        return;
      default:
      // Other messages are ignored: settings, notices, confirmations of Bind, NoData.
    }
  }

  #advance(): void {
    this.#next += 1;
    if (this.#next < this.#awaited.length) return;
    this.#awaited.length = 0;
    this.#next = 0;
  }

  /** Rejects the current statement, or the end of the exchange, at which the statement would have been committed. */
  #fail(error: Error): void {
    const pending = this.#awaited[this.#next];
    // An error without a pending statement means that the server is about to close the connection.
    if (pending === undefined) return this.#lose(error);
    if (pending.known === undefined) {
      this.#failed = true;
      pending.reject(error);
      return;
    }
    this.#advance();
    pending.reject(error);
  }

  /** Ends the exchange: the server skipped the statements still pending. */
  #flush(): void {
    for (;;) {
      const pending = this.#awaited[this.#next];
      if (pending === undefined) break;
      this.#advance();
      if (pending.known === undefined) {
        this.#open -= 1;
        if (!this.#failed) pending.resolve();
        this.#failed = false;
        break;
      }
      pending.reject(new PassedOver("a statement before it has failed"));
    }
    if (this.#unread.size === 0 || this.#awaited.length > this.#next) return;
    // Statements that the server has not parsed must be prepared again.
    for (const known of this.#unread)
      if (this.#known.get(known.statement) === known) this.#known.delete(known.statement);
    this.#unread.clear();
  }

  #lose(error: Error): void {
    this.#lost ??= error;
    this.#open = 0;
    const left = this.#awaited.splice(this.#next);
    this.#awaited.length = 0;
    this.#next = 0;
    for (const { reject } of left) reject(this.#lost);
  }
}

const [parseComplete, commandComplete, dataRow, errorResponse, emptyQuery, rowDescription, readyForQuery] = [
  0x31, 0x43, 0x44, 0x45, 0x49, 0x54, 0x5a,
] as const;

function streamOf(client: pg.ClientBase): Duplex {
  const { connection } = client as unknown as { readonly connection?: { readonly stream?: Duplex } };
  if (connection?.stream === undefined) throw new Error("the driver has no connection.stream any more");
  return connection.stream;
}

function rowOf(buffer: Buffer, start: number, parsers: readonly Parse[]): SqlRow {
  const row: SqlValue[] = [];
  let at = start + 2;
  for (const parse of parsers) {
    const length = buffer.readInt32BE(at);
    at += 4;
    if (length < 0) {
      row.push(null);
      continue;
    }
    row.push(parse(buffer.toString("utf8", at, at + length)) as SqlValue);
    at += length;
  }
  return row;
}

/**
 * Reads the description of columns. The layout of each: name, 0, table oid and column number, type oid, and fields not needed
 * here.
 */
function parsersOf(buffer: Buffer, start: number): readonly Parse[] {
  let at = start + 2;
  return Array.from({ length: buffer.readInt16BE(start) }, () => {
    at = buffer.indexOf(0, at) + 1;
    const type = buffer.readUInt32BE(at + 6);
    at += 18;
    return parserOf(type);
  });
}

/** Reads an error. https://www.postgresql.org/docs/current/protocol-error-fields.html */
function errorOf(buffer: Buffer, start: number): Error {
  const fields = new Map<string, string>();
  for (let at = start; buffer[at] !== 0; ) {
    const end = buffer.indexOf(0, at);
    fields.set(String.fromCharCode(buffer[at] as number), buffer.toString("utf8", at + 1, end));
    at = end + 1;
  }
  const error = new pg.DatabaseError(fields.get("M") ?? "the server gives no reason", 0, "error");
  return Object.assign(error, {
    ...{ severity: fields.get("V"), code: fields.get("C"), detail: fields.get("D"), hint: fields.get("H") },
    ...{ where: fields.get("W"), table: fields.get("t"), column: fields.get("c"), constraint: fields.get("n") },
  });
}
