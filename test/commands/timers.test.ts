/** Timers survive the process: killed at any moment, each timer fires exactly once (R3.5, R1.8). */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { seeded } from "../random.ts";
import { addressOf, nonet, temporaryFolder } from "./process.ts";

const document = `# Fuses

## What the service does
Things that go off.
\`\`\`yaml
nonet: 1
service: fuses
purpose: Go off once.
users: { smith: lights fuses }
operations: { lightFuse: Light one, getFuse: See one, addBox: Have a box, getBox: See a box }
\`\`\`

## Resources and their fields
\`\`\`yaml
Fuse:
  id: id(fus)
  goesOffAt: datetime
  box: Box, create-only
Box:
  id: id(box)
  bangs: integer = 0, read-only
\`\`\`

## States and transitions
\`\`\`yaml
Fuse:
  states: { lit: burns, off: went off }
  start: lit
  final: [off]
  moves:
    lit -> off: at goesOffAt
Box:
  states: { shaken: or not }
  start: shaken
  final: []
  moves:
    shaken -> shaken: { when: fuse.off, set: { bangs: bangs + 1 } }
\`\`\`

## Endpoints
\`\`\`yaml
endpoints:
  lightFuse: POST /fuses
  getFuse: GET /fuses/{id}
  addBox: POST /boxes
  getBox: GET /boxes/{id}
\`\`\`

## Authentication
\`\`\`yaml
credentials: none
allow:
  lightFuse, getFuse, addBox, getBox: anyone
\`\`\`

## Events
\`\`\`yaml
out: { fuse.off: Fuse -> off }
\`\`\`

## Errors
\`\`\`yaml
standard: all
\`\`\`

## Limits
\`\`\`yaml
none
\`\`\`

## Versioning
\`\`\`yaml
none
\`\`\`
`;

test("killed again and again around the moments, each timer fires once and none is lost", async (t) => {
  const seed = Number(process.env["NONET_TEST_SEED"] ?? (Date.now() % 2_147_483_646) + 1);
  t.diagnostic(`NONET_TEST_SEED=${seed}`);
  const random = seeded(seed);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "fuses.md"), document);
  const start = () => nonet(t, ["serve", "fuses.md", "--port", "0", "--data", "fuses.db"], { folder });
  const post = async (address: string, path: string, body: object): Promise<{ id: string }> => {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`${address}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    assert.equal(response.status, 201, await response.clone().text());
    return (await response.json()) as { id: string };
  };

  let running = start();
  let address = await addressOf(running);
  const box = (await post(address, "/boxes", {})).id;
  const fuses = 150;
  const began = Date.now();
  await Promise.all(
    Array.from({ length: fuses }, () =>
      post(address, "/fuses", { box, goesOffAt: new Date(began + random() * 6000).toISOString() }),
    ),
  );
  // Until the last one's moment is past; each life ends in the middle of what it does.
  for (let round = 0; round < 4 || Date.now() < began + 6000; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, random() * 500));
    running.signal("SIGKILL");
    await running.ended;
    running = start();
    address = await addressOf(running);
  }
  const bangs = async (): Promise<number> => {
    const { bangs: count } = (await (await fetch(`${address}/boxes/${box}`)).json()) as { bangs: number };
    return count;
  };
  while ((await bangs()) < fuses) await new Promise((resolve) => setTimeout(resolve, 20));
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0);

  const database = new DatabaseSync(join(folder, "fuses.db"), { readOnly: true });
  const fired = database
    .prepare("SELECT count(*) AS entries, count(DISTINCT record) AS fuses FROM nonet_journal WHERE target = 'off'")
    .get();
  const boxes = database.prepare("SELECT bangs FROM boxes").get();
  database.close();
  assert.deepEqual([{ ...fired }, { ...boxes }], [{ entries: fuses, fuses }, { bangs: fuses }]);
});
