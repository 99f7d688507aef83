/** The costs of the flagship that `measure.ts` has written to `costs.json`, as fleets of processes that bear them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Cost, Fleet } from "./fleet.ts";

interface Measured {
  /** Milliseconds. */
  readonly flush: number;
  readonly sqlite: Readonly<Record<string, Row>>;
  readonly postgres: Readonly<Record<string, Row>>;
}

/** Milliseconds of processor time, and how often the database is waited for. */
interface Row {
  readonly service: number;
  readonly database: number;
  readonly roundTrips: number;
}

export const measured: Measured = JSON.parse(readFileSync(join(import.meta.dirname, "costs.json"), "utf8")) as Measured;

/** There and back, between two machines of one data centre. */
const networkMilliseconds = 0.3;

export const p99Milliseconds = 50;

/** Of a hundred requests. */
export const mixes = {
  "mostly reads": { read: 80, list: 10, create: 5, move: 5 },
  "only writes": { create: 50, move: 50 },
} as const;

export function fleet(
  mix: keyof typeof mixes,
  store: "sqlite" | "postgres",
  size: Pick<Fleet, "replicas" | "databaseCores">,
): Fleet {
  return {
    ...size,
    pool: 12,
    networkMilliseconds,
    flushMilliseconds: measured.flush,
    mix: Object.entries(mixes[mix]).map(([kind, percent]) => ({
      share: percent / 100,
      cost: costOf(rowOf(store, kind), kind === "create" || kind === "move"),
    })),
  };
}

export const alone: Pick<Fleet, "replicas" | "databaseCores"> = { replicas: 1, databaseCores: 0 };

export function rowOf(store: "sqlite" | "postgres", kind: string): Row {
  const row = measured[store][kind];
  if (row === undefined) throw new Error("costs.json lacks a kind of request");
  return row;
}

function costOf(row: Row, durable: boolean): Cost {
  return { ...row, roundTrips: Math.round(row.roundTrips), durable };
}

/** How long a move holds its record on PostgreSQL, in which nobody else can change it. */
export function heldMilliseconds(): number {
  const { service, database, roundTrips } = rowOf("postgres", "move");
  return service + database + networkMilliseconds * Math.round(roundTrips) + measured.flush;
}

/** Two digits: more would be no truer. */
export function twoDigits(rate: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(rate)) - 1);
  return Math.round(rate / step) * step;
}
