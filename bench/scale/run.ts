/**
 * What so many processes hold, by a simulation of their queues from the costs in `costs.json`, which `measure.ts` prints. Prints the
 * tables of docs/scale.md. Run: node bench/scale/run.ts
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Capacity, capacity, type Cost, type Fleet, simulateFleet } from "./fleet.ts";
import { quantile } from "./queueing.ts";

interface Measured {
  /** Milliseconds. */
  readonly flush: number;
  readonly sqlite: Readonly<Record<string, Row>>;
  readonly postgres: Readonly<Record<string, Row>>;
}

interface Row {
  readonly service: number;
  readonly database: number;
  readonly roundTrips: number;
}

const measured = JSON.parse(readFileSync(join(import.meta.dirname, "costs.json"), "utf8")) as Measured;
/** Of a hundred requests. */
const mixes: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "mostly reads": { read: 80, list: 10, create: 5, move: 5 },
  "only writes": { create: 50, move: 50 },
};
const p99Milliseconds = 50;

function fleet(mix: string, store: "sqlite" | "postgres", size: Pick<Fleet, "replicas" | "databaseCores">): Fleet {
  return {
    ...size,
    pool: 12,
    // Two machines of one data centre.
    networkMilliseconds: 0.3,
    flushMilliseconds: measured.flush,
    mix: Object.entries(mixes[mix] ?? {}).map(([kind, percent]) => ({
      share: percent / 100,
      cost: costOf(measured[store][kind], kind === "create" || kind === "move"),
    })),
  };
}

function costOf(row: Row | undefined, durable: boolean): Cost {
  if (row === undefined) throw new Error("costs.json lacks a kind of request");
  return { ...row, roundTrips: Math.round(row.roundTrips), durable };
}

function told(name: string, of: Fleet, { rate, bottleneck }: Capacity): Readonly<Record<string, string | number>> {
  const easy = simulateFleet(of, rate * 0.7, 40_000, 2);
  const station = bottleneck.replace(/ \d+$/, "");
  return {
    "": name,
    "requests/s at most": round(rate),
    "at 70 % of that: median ms": Number(quantile(easy.times, 0.5).toFixed(1)),
    "p99 ms": Number(quantile(easy.times, 0.99).toFixed(1)),
    "first to be full": station,
  };
}

/** Two digits: more would be no truer. */
function round(rate: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(rate)) - 1);
  return Math.round(rate / step) * step;
}

for (const mix of Object.keys(mixes)) {
  console.log(`\n${mix}: 99 of 100 answered within ${p99Milliseconds} ms`);
  const rows = [];
  const alone = fleet(mix, "sqlite", { replicas: 1, databaseCores: 0 });
  rows.push(told("SQLite, one process", alone, capacity(alone, p99Milliseconds)));
  for (const databaseCores of [4, 16]) {
    for (const replicas of [1, 4, 16]) {
      const many = fleet(mix, "postgres", { replicas, databaseCores });
      rows.push(
        told(
          `PostgreSQL with ${databaseCores} cores, ${replicas} ${replicas === 1 ? "process" : "processes"}`,
          many,
          capacity(many, p99Milliseconds),
        ),
      );
    }
  }
  console.table(rows);
}

const move = measured.postgres["move"];
if (move !== undefined) {
  const held = move.service + move.database + 0.3 * Math.round(move.roundTrips) + measured.flush;
  console.log(
    `\none record on PostgreSQL: about ${Math.round(1000 / held)} changes a second, each holding it for ${held.toFixed(1)} ms`,
  );
}
