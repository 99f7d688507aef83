/** Tests leader election and shared rate limits of processes on one schema. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { postgresForFile } from "../../../test/postgres/for-file.ts";
import { memoryRates } from "../../../test/store/memory-rates.ts";
import { arbitraryCalls, requestsOf, rateLimits } from "../../../test/store/rates-cases.ts";
import { aheadMilliseconds, type RateRequest } from "../port/rates.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { type Connections, openConnections } from "./connection.ts";
import { type Leadership, openLeadership } from "./leader-lease.ts";
import { createSystemTables } from "./system-tables.ts";
import { purge } from "./purge.ts";
import { ratesOf } from "./rates.ts";

const { server } = await postgresForFile();
let schemas = 0;

async function withConnections(body: (open: () => Connections) => Promise<void>): Promise<void> {
  const place = parseDatabaseUrl(`${server.address}?schema=together_${(schemas += 1)}&connections=4`);
  const opened: Connections[] = [];
  const open = (): Connections => {
    const connections = openConnections(place);
    opened.push(connections);
    return connections;
  };
  try {
    const first = open();
    await first.rows(`CREATE SCHEMA ${place.schema}`);
    await first.transaction(createSystemTables);
    await body(open);
  } finally {
    for (const connections of opened) await connections.close();
  }
}

// ── Leading ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Process extends Leadership {
  readonly connections: Connections;
}

/** Runs `body` with processes whose clock the test advances. */
async function withProcesses(
  generations: readonly number[],
  body: (processes: readonly Process[], pass: (milliseconds: number) => void) => Promise<void>,
): Promise<void> {
  await withConnections(async (open) => {
    let elapsed = 0;
    const processes: Process[] = [];
    for (const generation of generations) {
      const connections = open();
      processes.push({ connections, ...(await openLeadership(connections, { generation, elapsed: () => elapsed })) });
    }
    try {
      await body(processes, (milliseconds) => {
        elapsed += milliseconds;
      });
    } finally {
      for (const process of processes) await process.close();
    }
  });
}

const leading = async (processes: readonly Leadership[], work: string): Promise<readonly boolean[]> =>
  Promise.all(processes.map((process) => process.acquireLease(work)));

const one = (who: readonly boolean[]): number => who.filter((is) => is).length;

test("of processes that ask at once one leads, and goes on to", async () => {
  await withProcesses([1, 1, 1], async (processes, pass) => {
    for (const work of ["webhooks", "functions"]) {
      const who = await leading(processes, work);
      assert.equal(one(who), 1);
      pass(10_000);
      assert.deepEqual(await leading(processes, work), who);
    }
  });
});

test("who ends leaves it to another one", async () => {
  await withProcesses([1, 1], async ([first, second], pass) => {
    assert.ok(first && second);
    assert.deepEqual([await first.acquireLease("webhooks"), await second.acquireLease("webhooks")], [true, false]);
    await first.close();
    assert.equal(await second.acquireLease("webhooks"), false, "it was refused just now");
    pass(500);
    assert.equal(await second.acquireLease("webhooks"), true);
    assert.equal(await first.acquireLease("webhooks"), false);
  });
});

test("what one that was killed did another does when its time is over, and it has lost it when it comes back", async () => {
  await withProcesses([1, 1], async ([first, second], pass) => {
    assert.ok(first && second);
    assert.equal(await first.acquireLease("webhooks"), true);
    for (const table of ["nonet_leads", "nonet_processes"])
      await second.connections.rows(`UPDATE ${table} SET until = clock_timestamp()`);
    assert.equal(await second.acquireLease("webhooks"), true);
    pass(10_000);
    assert.equal(await first.acquireLease("webhooks"), false);
  });
});

test("an older document leaves it to a newer one for as long as that is served", async () => {
  await withProcesses([1, 2, 1], async ([old, fresh, other], pass) => {
    assert.ok(old && fresh && other);
    assert.deepEqual(await leading([old, other, fresh], "webhooks"), [false, false, true]);
    await fresh.close();
    pass(500);
    assert.equal(one(await leading([old, other], "webhooks")), 1);
    // The other lease has not expired, but does not block a process with a newer document.
    const next = await openLeadership(fresh.connections, { generation: 3 });
    assert.equal(await next.acquireLease("webhooks"), true);
    pass(10_000);
    assert.deepEqual(await leading([old, other], "webhooks"), [false, false]);
    await next.close();
  });
});

// ── Rates ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const start = 1_700_000_000_000;
test("a count comes to the same in the database as in memory, whatever is asked and whatever the clock does", async () => {
  await withConnections(async (open) => {
    const connections = open();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryCalls, async (calls) => {
        const [here, there] = [memoryRates(), ratesOf(connections)];
        const run = `${(runs += 1)}`;
        let now = start;
        for (const { wait, requests } of calls) {
          now += wait;
          assert.deepEqual(
            await there.count(requestsOf(requests, run), now),
            await here.count(requestsOf(requests, run), now),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});

test("processes that ask for the same at once are granted exactly what there is, in whatever order they ask", async () => {
  await withConnections(async (open) => {
    const processes = Array.from({ length: 3 }, () => ratesOf(open()));
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    const ask = (key: string): RateRequest => ({ name: "posts", key, limit: { count: 50, windowMilliseconds: 60_000 }, consumed: 0, wanted: 3 }); // biome-ignore format: short
    const calls = processes.flatMap((rates, at) =>
      Array.from({ length: 20 }, (_, turn) =>
        rates.count((at + turn) % 2 === 0 ? keys.map(ask) : keys.toReversed().map(ask), start),
      ),
    );
    const granted = (await Promise.all(calls)).flat().reduce((sum, count) => sum + count.granted, 0);
    assert.equal(granted, 50 * keys.length);
  });
});

test("what is over is purged, what is not stays", async () => {
  await withConnections(async (open) => {
    const connections = open();
    const rates = ratesOf(connections);
    await rates.count(rateLimits.map((limit, at) => ({ name: `${at}`, key: "ann", limit, consumed: 1, wanted: 0 })), start); // biome-ignore format: short
    const left = async (): Promise<unknown> =>
      (await connections.rows("SELECT name FROM nonet_rates UNION ALL SELECT name FROM nonet_long_rates ORDER BY 1")).flat(); // biome-ignore format: short
    // A process whose clock is behind still counts in a window that is over for this one.
    const purgeAt = (milliseconds: number): Promise<void> =>
      purge(connections, start + aheadMilliseconds + milliseconds);
    await purgeAt(499);
    assert.deepEqual(await left(), ["0", "1", "2", "3", "4"]);
    await purgeAt(1000);
    assert.deepEqual(await left(), ["1", "3", "4"]);
    await purgeAt(600_000);
    assert.deepEqual(await left(), ["1", "4"]);
    // The end of the window of the calendar.
    await purgeAt(6_400_000);
    assert.deepEqual(await left(), ["1"]);
    await purgeAt(86_400_000);
    assert.deepEqual(await left(), []);
  });
});
