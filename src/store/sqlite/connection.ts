/**
 * A connection to a database file, with cached prepared statements. Converts SQLite errors of files, disks and locks to
 * `StoreError`.
 */
import { closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { getOrMake } from "../../base/once.ts";
import { folded, isFound } from "../../base/search.ts";
import { sqliteAggregates, sqliteFunctions } from "../../expression/sqlite-functions.ts";
import { StoreError } from "../port/error.ts";
import { checkStop, type Stop } from "./deadline.ts";

/** Creates the SQL function `nonet_found`, which is `isFound` with words as JSON, parsed once per query. */
function createFinder(): (words: SQLOutputValue, ...texts: SQLOutputValue[]) => number {
  let last = "[]";
  let parsed: readonly string[] = [];
  return (words, ...texts) => {
    if (words !== last) {
      last = words as string;
      parsed = JSON.parse(last) as readonly string[];
    }
    return Number(isFound(parsed, texts as (string | null)[]));
  };
}

/**
 * The most cached statements: callers choose filters and changed members, so their number is unbounded. A statement that a
 * caller holds stays valid; others are prepared again when needed.
 */
const mostStatements = 1000;

export type SqlRow = readonly SQLOutputValue[];

export class Connection {
  readonly database: DatabaseSync;
  /** The deadline of the connection's statements. */
  readonly stop: Stop = { at: Number.POSITIVE_INFINITY };
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string, waitMilliseconds: number) {
    createForOwner(file);
    this.database = new DatabaseSync(file, { timeout: waitMilliseconds });
    // A function for numbers that SQL cannot format as JSON does; see `numberText`.
    this.database.function("nonet_number", { deterministic: true }, (value) =>
      value === null ? null : JSON.stringify(value),
    );
    this.database.function("nonet_deadline", (_column) => {
      checkStop(this.stop);
      return 1;
    });
    this.database.function("nonet_fold", { deterministic: true }, (text) =>
      typeof text === "string" ? folded(text) : null,
    );
    for (const [name, run] of Object.entries(sqliteFunctions))
      this.database.function(name, { deterministic: true, varargs: true }, run);
    for (const [name, step] of Object.entries(sqliteAggregates))
      this.database.aggregate(name, { start: null, step, deterministic: true });
    this.database.function("nonet_found", { deterministic: true, varargs: true }, createFinder());
  }

  /** Returns the cached prepared statement; rows come as arrays. */
  prepare(sql: string): StatementSync {
    return getOrMake(this.#statements, sql, () => {
      if (this.#statements.size >= mostStatements) this.#statements.clear();
      const statement = this.database.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    });
  }

  get(sql: string, ...values: SQLInputValue[]): SqlRow | undefined {
    return this.prepare(sql).get(...values) as SqlRow | undefined;
  }

  all(sql: string, ...values: SQLInputValue[]): readonly SqlRow[] {
    return this.prepare(sql).all(...values) as unknown as readonly SqlRow[];
  }

  run(sql: string, ...values: SQLInputValue[]): ReturnType<StatementSync["run"]> {
    return this.prepare(sql).run(...values);
  }

  /** Runs a statement and returns the number of rows that it changed. */
  change(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.run(sql, ...values).changes);
  }

  /** Prepares the statement and returns a function that returns its first row as an array. */
  getter(sql: string): (...values: SQLInputValue[]) => SqlRow | undefined {
    const statement = this.prepare(sql);
    return (...values) => statement.get(...values) as SqlRow | undefined;
  }

  exec(sql: string): void {
    this.database.exec(sql);
  }

  close(): void {
    this.#statements.clear();
    this.database.close();
  }
}

/** Creates the file readable only for its owner; SQLite gives the log the same mode. */
export function createForOwner(file: string): void {
  try {
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  } catch {
    // SQLite reports the same error next, which is then converted to a StoreError.
  }
}

/** SQLite result codes that have other causes than Nonet's SQL. https://www.sqlite.org/rescode.html */
const primary = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notDatabase: 26,
};

function codeOf(thrown: unknown): number | undefined {
  return thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number"
    ? thrown.errcode
    : undefined;
}

export function isBusy(thrown: unknown): boolean {
  const code = (codeOf(thrown) ?? 0) & 0xff;
  return code === primary.busy || code === primary.locked;
}

/** Returns the columns of a violated UNIQUE constraint, as `table.a, table.b`; for an index on expressions the index name. */
export function duplicated(thrown: unknown): { readonly columns: string; readonly index?: string } | undefined {
  // The codes are SQLITE_CONSTRAINT_UNIQUE (2067) and SQLITE_CONSTRAINT_PRIMARYKEY (1555).
  const code = codeOf(thrown);
  if (code !== 2067 && code !== 1555) return undefined;
  const { message } = thrown as Error;
  const index = /: index '(.*)'$/s.exec(message)?.[1];
  if (index !== undefined) return { columns: "", index };
  const columns = /: (.*)$/s.exec(message)?.[1];
  return columns === undefined ? undefined : { columns };
}

/** Classifies the violation of a constraint; undefined for other errors. */
export function rejectionOf(thrown: unknown): "constraint" | "referenced" | undefined {
  // Of the extended codes of SQLITE_CONSTRAINT.
  const code = codeOf(thrown);
  if (code === undefined || (code & 0xff) !== 19) return undefined;
  // RESTRICT has the code of a trigger.
  return (thrown as Error).message === "FOREIGN KEY constraint failed" ? "referenced" : "constraint";
}

/** Converts an error of the file, the disk or another process to a `StoreError`. */
export function explained(thrown: unknown, file: string): unknown {
  const code = codeOf(thrown);
  if (code === undefined || thrown instanceof StoreError) return thrown;
  const failure = (kind: StoreError["kind"], message: string) => new StoreError(kind, message, [], thrown);
  switch (code & 0xff) {
    case primary.busy:
    case primary.locked:
      return failure("busy", `another process is writing to ${file}`);
    case primary.readOnly:
      return failure("not-accessible", `${file} may not be written`);
    case primary.cannotOpen:
      return failure("not-accessible", `${file} cannot be opened`);
    case primary.notDatabase:
      return failure("not-ours", `${file} is not a database`);
    case primary.corrupt:
      return failure("corrupt", `${file} is damaged`);
    case primary.full:
      return failure("disk", `the disk that holds ${file} is full`);
    case primary.ioError:
      return failure("disk", `reading or writing ${file} failed`);
    default:
      return thrown;
  }
}
