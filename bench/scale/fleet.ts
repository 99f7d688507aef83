/** A served document as queues: processes with one core each, the connections of their pools, a database, and its log. */
import { seeded } from "../../test/random.ts";
import { quantile, type RequestClass, type Simulated, simulate, type Station, type Step } from "./queueing.ts";

/** What one kind of request costs; `measure.ts` measures it. */
export interface Cost {
  /** Processor time of the service in milliseconds. */
  readonly service: number;
  /** Processor time of the database's own processes in milliseconds: 0 where it is part of the service. */
  readonly database: number;
  /** Statements that wait for one another; 0 where the database is part of the service. */
  readonly roundTrips: number;
  /** Whether the answer waits until the log is on the disk. */
  readonly durable: boolean;
}

export interface Fleet {
  readonly replicas: number;
  /** Cores that the database has for itself; 0 where it is part of the service. */
  readonly databaseCores: number;
  /** Connections of each replica. */
  readonly pool: number;
  /** Network between replica and database, there and back, in milliseconds. */
  readonly networkMilliseconds: number;
  /** One flush of the log in milliseconds. */
  readonly flushMilliseconds: number;
  /** What comes in: the part of each kind of request, and its cost. */
  readonly mix: readonly { readonly share: number; readonly cost: Cost }[];
}

export function simulateFleet(fleet: Fleet, rate: number, requests: number, seed: number): Simulated {
  const { replicas, databaseCores, pool, flushMilliseconds, mix } = fleet;
  const stations: Station[] = [];
  for (let replica = 0; replica < replicas; replica += 1) {
    stations.push({ name: `process ${replica}`, places: 1 });
    if (databaseCores > 0) stations.push({ name: `pool ${replica}`, places: pool });
  }
  if (databaseCores > 0) stations.push({ name: "database", places: databaseCores });
  const classes = mix.map(({ share, cost }): RequestClass => {
    const ways = Array.from({ length: replicas }, (_, replica) => stepsOf(fleet, cost, replica));
    return { share, ways };
  });
  const batchers = [{ name: "log", milliseconds: flushMilliseconds }];
  return simulate({ stations, batchers, classes, rate, requests, random: seeded(seed) });
}

function stepsOf({ networkMilliseconds, databaseCores }: Fleet, cost: Cost, replica: number): readonly Step[] {
  const { service, database, roundTrips, durable } = cost;
  // The process works before, between and after its statements.
  const work: Step = { kind: "use", station: `process ${replica}`, milliseconds: service / (roundTrips + 1), spread: "exponential" }; // biome-ignore format: one line
  const flush: Step = { kind: "flush", batcher: "log" };
  if (databaseCores === 0) return durable ? [work, flush] : [work];
  const steps: Step[] = [work, { kind: "take", station: `pool ${replica}` }];
  for (let trip = 0; trip < roundTrips; trip += 1) {
    if (trip > 0) steps.push(work);
    steps.push({ kind: "pause", milliseconds: networkMilliseconds });
    steps.push({ kind: "use", station: "database", milliseconds: database / roundTrips, spread: "exponential" });
    // The last statement is the commit.
    if (durable && trip === roundTrips - 1) steps.push(flush);
  }
  return [...steps, { kind: "give", station: `pool ${replica}` }, work];
}

export interface Capacity {
  /** Requests a second. */
  readonly rate: number;
  readonly median: number;
  readonly p99: number;
  /** The station that has least to spare, and the part of it that is busy. */
  readonly bottleneck: string;
  readonly busy: number;
}

/** The highest rate at which 99 of 100 requests end within this time. */
export function capacity(fleet: Fleet, p99Milliseconds: number, requests = 40_000, seed = 1): Capacity {
  let low = 0;
  // Beyond the time that the stations themselves need, no queue is ever worked off.
  let high = Math.min(...limits(fleet));
  let best: Simulated | undefined;
  for (let step = 0; step < 12; step += 1) {
    const middle = (low + high) / 2;
    const simulated = simulateFleet(fleet, middle, requests, seed);
    if (quantile(simulated.times, 0.99) <= p99Milliseconds) {
      low = middle;
      best = simulated;
    } else high = middle;
  }
  if (best === undefined) return { rate: 0, median: Number.NaN, p99: Number.NaN, bottleneck: "time", busy: 0 };
  const [bottleneck, busy] = Object.entries(best.busy).reduce((most, one) => (one[1] > most[1] ? one : most), ["", 0]);
  return { rate: low, median: quantile(best.times, 0.5), p99: quantile(best.times, 0.99), bottleneck, busy };
}

function limits({ mix, replicas, databaseCores }: Fleet): readonly number[] {
  const mean = (of: (cost: Cost) => number): number => mix.reduce((sum, { share, cost }) => sum + share * of(cost), 0);
  const database = mean((cost) => cost.database);
  return [
    (1000 * replicas) / mean((cost) => cost.service),
    ...(databaseCores > 0 && database > 0 ? [(1000 * databaseCores) / database] : []),
  ];
}
