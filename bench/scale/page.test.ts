/** The figures of docs/scale.md are of the costs that were measured last, and of what is simulated of them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { alone, fleet, heldMilliseconds, measured, mixes, p99Milliseconds, rowOf, twoDigits } from "./flagship.ts";
import { capacity } from "./fleet.ts";

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "scale.md"), "utf8");
const prose = page.replaceAll(/\s+/g, " ");

const milliseconds = (value: number): string => value.toFixed(value < 1 ? 2 : 1);

test("what a request costs", () => {
  const shown = { read: "read one parcel", list: "list 50 parcels", create: "create a parcel (chooses a locker)", move: "move a parcel (and its locker)" }; // biome-ignore format: a table
  for (const [kind, name] of Object.entries(shown)) {
    const [sqlite, postgres] = [rowOf("sqlite", kind), rowOf("postgres", kind)];
    const trips = postgres.roundTrips.toFixed(postgres.roundTrips < 1 ? 1 : 0);
    const times = [sqlite.service, postgres.service, postgres.database].map(milliseconds);
    assert.ok(page.includes(`| ${[name, ...times, trips].join(" | ")} |`), `${name}: ${times.join()}, ${trips}`);
  }
  assert.ok(prose.includes(`One flush of the database's log took ${milliseconds(measured.flush)} ms here`));
});

// The cheapest row of each table: those with many processes take as long as all other tests of the bench.
test("what one process holds", () => {
  const rows = page.match(/^\| SQLite, one process \| .*$/gm);
  for (const [index, mix] of (Object.keys(mixes) as (keyof typeof mixes)[]).entries()) {
    const { rate } = capacity(fleet(mix, "sqlite", alone), p99Milliseconds);
    assert.equal(rows?.[index]?.split(" | ")[1], twoDigits(rate).toLocaleString("en"), mix);
  }
});

test("how often one record can be changed", () => {
  const held = heldMilliseconds();
  const [, rate, time] = /about (\d+) changes a second on PostgreSQL, since each change locks the record for ([\d.]+) ms/.exec(prose) ?? []; // biome-ignore format: short
  assert.deepEqual([rate, time], [String(twoDigits(1000 / held)), held.toFixed(1)]);
});
