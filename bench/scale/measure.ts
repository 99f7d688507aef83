/**
 * What requests of the flagship cost on each store: processor time of the service and of PostgreSQL's processes, and
 * round trips. These are the inputs of the simulation of queues. Run:
 * node bench/scale/measure.ts [bench/scale/costs.json]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../../test/postgres/server.ts";
import { ask } from "../child.ts";
import { processorSeconds } from "../contestants.ts";
import { run } from "../load.ts";
import { median } from "../median.ts";
import { flushMilliseconds } from "../slow-flush.ts";
import {
  announcements,
  dropOffs,
  emptySupply,
  lists,
  reads,
  type Supply,
  supplyLockers,
  supplyParcels,
} from "../supply.ts";
import type { Used } from "./server.ts";

const requests = Number(process.env["REQUESTS"] ?? 2000);
const rounds = Number(process.env["ROUNDS"] ?? 5);
const connections = 8;

interface Row {
  readonly service: number;
  readonly database: number;
  readonly roundTrips: number;
}

const kinds = ["read", "list", "create", "move"] as const;
type Kind = (typeof kinds)[number];

function processesBelow(parent: number): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const [, ppid] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      return Number(ppid) === parent ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

async function measure(data: string, postmaster: number | undefined): Promise<Readonly<Record<Kind, Row>>> {
  const child = fork(join(import.meta.dirname, "server.ts"), [data]);
  try {
    const [{ port, keys }] = (await once(child, "message")) as [
      { port: number; keys: { operator: string; couriers: string[] } },
    ];
    const supply: Supply = emptySupply(keys.operator, keys.couriers, (job) => run({ ...job, port, connections }));
    await supplyParcels(supply, 2000, "seeded");
    const database = (): number =>
      postmaster === undefined
        ? 0
        : processesBelow(postmaster).reduce((sum, pid) => sum + processorSeconds(pid), 0) * 1000;
    const measured: Record<Kind, Row[]> = { read: [], list: [], create: [], move: [] };
    for (let round = 0; round <= rounds; round += 1) {
      for (const kind of kinds) {
        const job = await jobOf(kind, supply);
        const [before, databaseBefore] = [await ask<Used>(child, "the service", "used"), database()];
        const { done, failure } = await run({ ...job, seconds: 60, keepIds: false, port, connections });
        if (failure !== undefined) throw new Error(`${kind}: ${failure}`);
        const [after, databaseAfter] = [await ask<Used>(child, "the service", "used"), database()];
        // The first round warms up.
        if (round > 0)
          measured[kind].push({
            service: (after.processor - before.processor) / done,
            database: (databaseAfter - databaseBefore) / done,
            roundTrips: (after.roundTrips - before.roundTrips) / done,
          });
      }
    }
    const rows = kinds.map((kind) => [kind, medianRow(measured[kind])]);
    return Object.fromEntries(rows) as Record<Kind, Row>;
  } finally {
    child.kill();
  }
}

async function jobOf(
  kind: Kind,
  supply: Supply,
): Promise<{ requests: readonly string[]; cycle: boolean; expect: number }> {
  const some = (all: readonly string[], count: number): string[] =>
    Array.from({ length: count }, (_, index) => all[index % all.length] as string);
  if (kind === "read") return { requests: some(reads(supply), requests), cycle: false, expect: 200 };
  if (kind === "list") return { requests: some(lists(supply), requests / 2), cycle: false, expect: 200 };
  if (kind === "create") {
    await supplyLockers(supply, requests / 2);
    return { requests: announcements(supply, requests / 2).map((one) => one.request), cycle: false, expect: 201 };
  }
  await supplyParcels(supply, requests / 2, "announced");
  return { requests: dropOffs(supply, requests / 2), cycle: false, expect: 200 };
}

const medianRow = (rows: readonly Row[]): Row => ({
  service: median(rows.map(({ service }) => service)),
  database: median(rows.map(({ database }) => database)),
  roundTrips: median(rows.map(({ roundTrips }) => roundTrips)),
});

const folder = mkdtempSync(join(tmpdir(), "nonet-scale-"));
try {
  await using postgres = await startPostgres();
  const [{ pid }] = postmasters(postgres.address);
  const tables = {
    sqlite: await measure(join(folder, "data.db"), undefined),
    postgres: await measure(postgres.address, pid),
  };
  for (const [store, rows] of Object.entries(tables)) {
    console.log(`${store}: milliseconds of processor time a request, and how often it waited for the database`);
    console.table(
      Object.fromEntries(
        Object.entries(rows).map(([kind, row]) => [
          kind,
          Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value.toFixed(3))])),
        ]),
      ),
    );
  }
  const file = process.argv[2];
  const flush = flushMilliseconds(folder);
  if (file !== undefined) writeFileSync(file, `${JSON.stringify({ flush, ...tables }, undefined, 2)}\n`);
  console.log(`one flush of a log on this disk: ${flush.toFixed(2)} ms`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The process that listens on the port; the server's processes are its children. */
function postmasters(address: string): readonly [{ readonly pid: number }] {
  const port = new URL(address).port;
  const found = readdirSync("/proc").find((name) => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      return words[0]?.endsWith("/bin/postgres") === true && words.includes(`port=${port}`);
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error("the server's process was not found");
  return [{ pid: Number(found) }];
}
