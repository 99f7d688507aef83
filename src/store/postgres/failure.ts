/**
 * What PostgreSQL or the way to it complains of, sorted by what can be done about it, and as a `StoreError` where neither the
 * document nor a request is to blame. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
import { StoreError } from "../port/error.ts";

export type Remedy =
  /** Another transaction was in the way: all of the work can be done again. */
  | "again"
  /** The connection is gone, or of no more use: again on another one, unless it may have been committed. */
  | "reconnect"
  /**
   * What was looked at before seems not to hold, as where another transaction has taken a name or deleted what is referred to
   * meanwhile: once more, which tells.
   */
  | "doubt"
  /** Nothing. */
  | "none";

/** SQLSTATE of a server's complaint, or a system's code such as ECONNREFUSED. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
}

/** Serialisation failure, deadlock. */
const again = new Set(["40001", "40P01"]);
/** A reference that leads nowhere, a value that is taken. */
const doubtful = new Set(["23503", "23505"]);

/** Another transaction was in the way, as only we can tell. */
export class Overtaken extends Error {
  readonly code = "40001";
}

/** Somebody is changing a table that has to stay as it is. */
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
  // Another process has changed a table since this connection prepared its statements.
  const isStale = code === "0A000" && (thrown as Error).message.includes("cached plan");
  return isStale || isLost(thrown, code) ? "reconnect" : "none";
}

/** Refused only because a statement before it in the same transaction has failed. */
export function isConsequence(thrown: unknown): boolean {
  return codeOf(thrown) === "25P02";
}

/** The server takes no writes: after a failover, the address may lead to another one by now. */
export function isElsewhere(thrown: unknown): boolean {
  return codeOf(thrown) === "25006";
}

/** Shut down (57P), given up because nothing came for too long (25P03), lost (08), or never had: the driver's own words have no code. */
function isLost(thrown: unknown, code: string | undefined): boolean {
  if (code === undefined) {
    const lost =
      /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout expired|Query read timeout)/;
    return thrown instanceof Error && lost.test(thrown.message);
  }
  return /^(?:57P0[1-5]|25P03|08...|E[A-Z]{3,})$/.test(code);
}

/** The kinds by SQLSTATE, the whole of it or its class. */
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

/** What was thrown, as a `StoreError` where the server or the way to it is to blame. */
export function explained(thrown: unknown, name: string): unknown {
  if (thrown instanceof StoreError) return thrown;
  const code = codeOf(thrown);
  const [kind, message] =
    (code === undefined ? undefined : (kinds[code] ?? kinds[code.slice(0, 2)])) ??
    (isLost(thrown, code) ? (["unreachable", "the server cannot be reached"] as const) : []);
  return kind === undefined ? thrown : new StoreError(kind, `${name}: ${message}`, [], thrown);
}
