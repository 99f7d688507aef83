/**
 * Classifies errors of PostgreSQL and of the connection by remedy, and converts those that neither the document nor a request
 * causes to `StoreError`. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
import { StoreError } from "../port/error.ts";

export type Remedy =
  /** Run the task again: it conflicted with another transaction. */
  | "again"
  /** Retry on another connection, unless the transaction may have committed: the connection is lost or unusable. */
  | "reconnect"
  /**
   * Retry once: an earlier check seems outdated, for example because another transaction took a unique value or deleted a
   * referenced record.
   */
  | "doubt"
  /** Do not retry. */
  | "none";

/** Returns the SQLSTATE of a server error, or a system code such as ECONNREFUSED. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
}

/** The SQLSTATEs of a serialisation failure and a deadlock. */
const again = new Set(["40001", "40P01"]);
/** The SQLSTATEs of a foreign-key violation and a unique violation. */
const doubtful = new Set(["23503", "23505"]);

/** Thrown for a conflict with another transaction that Nonet itself detected. */
export class Overtaken extends Error {
  readonly code = "40001";
}

/** Thrown if another transaction is changing a table that must stay unchanged. */
export class InHand extends Error {
  readonly code = "40001";
  readonly tables: readonly string[];

  constructor(tables: readonly string[]) {
    super(`somebody is changing ${tables.join(", ")}`);
    this.tables = tables;
  }
}

export function remedyFor(thrown: unknown): Remedy {
  const code = codeOf(thrown);
  if (code !== undefined && again.has(code)) return "again";
  if (code !== undefined && doubtful.has(code)) return "doubt";
  // A table changed after this connection had prepared its statements, which are now invalid.
  const isStale = code === "0A000" && (thrown as Error).message.includes("cached plan");
  return isStale || isLost(thrown, code) ? "reconnect" : "none";
}

/** Whether the error follows from an earlier failed statement of the same transaction. */
export function isConsequence(thrown: unknown): boolean {
  return codeOf(thrown) === "25P02";
}

/** Whether the server is read-only: after a failover the URL may now lead to another one. */
export function isElsewhere(thrown: unknown): boolean {
  return codeOf(thrown) === "25006";
}

/**
 * Whether the connection is lost: by a shutdown (57P), an idle timeout (25P03), a lost connection (08), or a driver error,
 * which has no code.
 */
function isLost(thrown: unknown, code: string | undefined): boolean {
  if (code === undefined) {
    const lost =
      /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout expired|Query read timeout)/;
    return thrown instanceof Error && lost.test(thrown.message);
  }
  return /^(?:57P0[1-5]|25P03|08...|E[A-Z]{3,})$/.test(code);
}

/** The kinds of errors by full SQLSTATE or by its class (its first two characters). */
const kinds: Readonly<Record<string, readonly [StoreError["kind"], string]>> = {
  "40001": ["busy", "other transactions were in the way for too long"],
  "40P01": ["busy", "other transactions were in the way for too long"],
  "55P03": ["busy", "a lock was not to be had in time"],
  "57014": ["late", "a statement took too long"],
  "53300": ["busy", "the server has no connection left"],
  "53100": ["disk", "the server's disk is full"],
  "53": ["busy", "the server has no room left"],
  "58": ["disk", "the server could not read or write its files"],
  XX001: ["corrupt", "the server's data is damaged"],
  XX002: ["corrupt", "an index of the server is damaged"],
  "25006": ["not-accessible", "the server takes no writes"],
  "42501": ["not-accessible", "this user may not do what a service has to do"],
  "28": ["not-accessible", "the server does not let this user in"],
  "3D": ["not-accessible", "there is no such database"],
};

/** Classifies the violation of a constraint, or of the bounds of a type; undefined for other errors. */
export function rejectionOf(thrown: unknown): "constraint" | "referenced" | undefined {
  const code = codeOf(thrown);
  // The second is the SQLSTATE for RESTRICT from PostgreSQL 18 on.
  if (code === "23503" || code === "23001") return "referenced";
  return code !== undefined && /^(?:23...|22001|22003)$/.test(code) ? "constraint" : undefined;
}

/** Converts an error of the server or of the connection to a `StoreError`. */
export function explained(thrown: unknown, name: string): unknown {
  if (thrown instanceof StoreError) return thrown;
  const code = codeOf(thrown);
  const [kind, message] =
    (code === undefined ? undefined : (kinds[code] ?? kinds[code.slice(0, 2)])) ??
    (isLost(thrown, code) ? (["unreachable", "the server cannot be reached"] as const) : []);
  return kind === undefined ? thrown : new StoreError(kind, `${name}: ${message}`, [], thrown);
}
