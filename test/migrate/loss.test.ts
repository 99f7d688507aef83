/** `--allow-loss` lists the loss of records before it migrates: the same text on both stores, and then exactly this loss. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { lossText, planText } from "../../src/server/migration-report.ts";
import type { Following } from "../../src/store/migration/migration.ts";
import { planMigration as planPostgres } from "../../src/store/postgres/migrate.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { planMigration as planSqlite } from "../../src/store/sqlite/migrate.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Store } from "../../src/store/port/store.ts";
import { postgresForFile } from "../postgres/for-file.ts";
import { planOf } from "../serve/running.ts";

const { server } = await postgresForFile();
const folder = mkdtempSync(join(tmpdir(), "nonet-loss-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const now = Date.parse("2026-06-01T12:00:00.000Z");

function tablesOf(fields: readonly string[], states: string, moves: readonly string[], more = "") {
  return planOf(`# Jobs

## What the service does
\`\`\`yaml
nonet: 1
service: jobs
purpose: Jobs.
users: { worker: does them }
operations: { addJob: Begin one, getJob: Look at one, endJob: End one, holdJob: Hold one }
\`\`\`

## Resources and their fields
\`\`\`yaml
Job:
${["id: id(job)", ...fields].map((field) => `  ${field}`).join("\n")}
${more}
\`\`\`

## States and transitions
\`\`\`yaml
Job:
  states: { ${states} }
  start: open
  moves:
${moves.map((move) => `    ${move}`).join("\n")}
${more === "" ? "" : "Tool: none"}
\`\`\`

## Endpoints
\`\`\`yaml
endpoints:
  addJob: POST /jobs
  getJob: GET /jobs/{id}
  endJob: POST /jobs/{id}/end
  holdJob: POST /jobs/{id}/hold
\`\`\`

## Authentication
\`\`\`yaml
credentials: { key: { kind: api-key, sent: Authorization Bearer, prefix: jo_, lasts: 30d, revoked: at once } }
roles: [worker]
allow:
  addJob, getJob, endJob, holdJob: worker
\`\`\`

## Events
\`\`\`yaml
out: none
\`\`\`

## Errors
\`\`\`yaml
body: problem+json
\`\`\`

## Limits
\`\`\`yaml
rate: { all: 9/min per user }
\`\`\`

## Versioning
\`\`\`yaml
scheme: none
\`\`\`
`).tables;
}

const timer = "open -> over: [by endJob, after 2h]";
const before = tablesOf(
  ["note?: text", "size: s | m = s", "hue?: red | blue"],
  "open: begun, held: waits, lost: is gone, over: ended",
  [timer, "open -> held: by holdJob", "held -> lost: after 1d"],
  "Tool:\n  id: string(1..9)",
);
const next = tablesOf(["size: s | l = s", "hue?: red | green"], "open: begun, over: ended", [
  timer,
  "over -> open: by holdJob",
]);

const following: Following = {
  history: [],
  validate: (schema) => (value) => !Array.isArray(schema["enum"]) || schema["enum"].includes(value),
};

const effects = [
  ["Job.state is now open | over, and 3 records have another value: a, b, c", "1 record in held becomes open, 2 records in lost become open, without a transition or an event; quotas count them as open; what time does to open counts from when they entered the former state, and may be due at once"],
  ["Job.size is now s | l, and 1 record has another value: b", "1 record has s then"],
  ["Job.hue is now red | green, and 1 record has another value: a", "1 record has no hue then"],
  ["Job.note is gone from the document, and 2 records would lose it: a, d", "2 records stay without it"],
  ["Tool is gone from the document, and 1 record would be lost: t", "1 record is deleted, without a transition or an event, and no quota counts it"],
] as const; // biome-ignore format: sentences

async function fill(store: Store): Promise<void> {
  const nothing = (resource: string) => ({ resource, members: [] });
  await store.transaction(async (tx) => {
    for (const [id, state, size, note, hue] of [
      ["a", "held", "s", "n", "blue"],
      ["b", "lost", "m", null, "red"],
      ["c", "lost", "s", null, null],
      ["d", "open", "s", "n", null],
    ] as const)
      await tx.insert("Job", { id, state, size, note, hue }, now, nothing("Job"), {});
    await tx.insert("Tool", { id: "t" }, now, nothing("Tool"), {});
  });
}

for (const kind of ["sqlite", "postgres"] as const)
  test(`what becomes of each record is told before it does (${kind})`, async () => {
    const file = join(folder, "jobs.db");
    const address = `${server.address}?schema=loss&connections=2`;
    const clock = (): number => now;
    const open = (tables: typeof before, allowLoss: boolean): Promise<Store> =>
      kind === "sqlite"
        ? openSqliteStore({ file, tables, following: { ...following, allowLoss }, clock })
        : openPostgresStore({ address, tables, following: { ...following, allowLoss }, clock });
    const first = await open(before, false);
    await fill(first);
    await first.close();
    const wanted = { tables: next, following, clock };
    const plan = await (kind === "sqlite" ? planSqlite({ ...wanted, file }, 0) : planPostgres(address, wanted));
    const lines = effects.flatMap(([lost, effect]) => [`  ${lost}`, `    then ${effect}`]);
    assert.equal(lossText(plan, "DATA"), ["in DATA will be lost:", ...lines, ""].join("\n"));
    for (const [, effect] of effects) assert.ok(planText(plan, "DATA").includes(`\n    then ${effect}\n`), effect);
    const second = await open(next, true);
    const rows = await second.transaction(async (tx) => tx.all("Job", { all: [] }, {}, 9));
    const found = rows.map(({ id, state, size, hue }) => [id, state, size, hue]);
    assert.deepEqual(found, [
      ["a", "open", "s", null],
      ["b", "open", "s", "red"],
      ["c", "open", "s", null],
      ["d", "open", "s", null],
    ]);
    await second.close();
  });
