/** Which counts of limits survive when the real command is stopped, and when it is killed (R8.3, R8.7). */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseList } from "structured-headers";
import { desks } from "../serve/desks.ts";
import { addressOf, finishedHere, nonet, temporaryFolder } from "./process.ts";

/** What is left of the one limit that the answer tells of. */
function leftIn({ headers }: Response): number {
  return Number(parseList(headers.get("ratelimit") ?? "")[0]?.[1].get("r"));
}

test("R8.3 R8.7 long windows survive a stop exactly, quotas a kill, and rates a kill but for its last second", async (t) => {
  const folder = temporaryFolder(t);
  const document = desks({
    rate: "{ listTickets: 9/h per user, getTicket: 9/min per user }",
    quota: "{ addDesk: 3/day per user }",
  });
  writeFileSync(join(folder, "desks.md"), document);
  const made = await finishedHere(["key", "create", "desks.md", "--data", "d.db", "--user", "kim", "--role", "clerk"], {
    folder,
  });
  const key = /^dk_\S+$/m.exec(made.output)?.[0] ?? assert.fail(made.output);
  let url = "";
  const start = async () => {
    const running = nonet(t, ["serve", "desks.md", "--data", "d.db", "--port", "0"], { folder });
    url = await addressOf(running);
    return running;
  };
  const list = () => fetch(`${url}/tickets`, { headers: { Authorization: `Bearer ${key}` } });
  const get = () => fetch(`${url}/tickets/tic_1`, { headers: { Authorization: `Bearer ${key}` } });
  const add = (name: string) =>
    fetch(`${url}/desks`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ name }),
    });

  const first = await start();
  for (const left of [8, 7, 6]) assert.equal(leftIn(await list()), left);
  assert.equal(leftIn(await get()), 8);
  for (const [name, left] of [["A", 2], ["B", 1]] as const) assert.equal(leftIn(await add(name)), left); // biome-ignore format: two
  first.signal("SIGTERM");
  assert.equal(await first.ended, 0);

  const second = await start();
  assert.equal(leftIn(await list()), 5, "exactly");
  assert.equal(leftIn(await get()), 8, "a short window begins anew");
  assert.equal(leftIn(await add("C")), 0);
  second.signal("SIGKILL");
  await second.ended;

  await start();
  const left = leftIn(await list());
  assert.ok(left === 4 || left === 5, `${left}: what was kept at the stop is there`);
  const refused = await add("D");
  assert.equal(refused.status, 403);
  assert.equal(((await refused.json()) as { code: string }).code, "quota-exceeded");
});
