/** Only the user who runs a service can read its files: data, log, copies, backups and their folder (I15). */
import assert from "node:assert/strict";
import { chmodSync, globSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addressOf, finishedHere, nonet, temporaryFolder } from "./process.ts";
import { shelf } from "./shelf.ts";

test("I15 data, its log, copies of it, backups and their folder are their owner's alone", async (t) => {
  const folder = temporaryFolder(t);
  const document = (fields: readonly string[]): void => writeFileSync(join(folder, "shelf.md"), shelf({ fields }));
  const finished = async (...args: readonly string[]): Promise<string> => {
    const { code, output } = await finishedHere(args, { folder });
    assert.equal(code, 0, output);
    return output;
  };
  document(["title: string(1..80)", "pages: integer = 1"]);
  const running = nonet(t, ["serve", "shelf.md", "--port", "0"], { folder });
  const books = `${await addressOf(running)}/books`;
  const headers = { "Content-Type": "application/json" };
  const reply = await fetch(books, { method: "POST", headers, body: JSON.stringify({ title: "one" }) });
  assert.equal(reply.status, 201, await reply.text());
  const served = modes(folder);
  for (const name of [".nonet/shelf.db", ".nonet/shelf.db-wal", ".nonet/shelf.db-shm"]) assert(served.has(name), name);
  await finished("backup", "shelf.backup");
  running.signal("SIGTERM");
  await running.ended;
  document(["title: string(1..80)"]);
  await finished("migrate", "shelf.md", "--allow-loss");
  await finished("restore", "shelf.backup", "--data", "elsewhere.db");
  const made = modes(folder);
  assert(made.has("elsewhere.db") && made.has("shelf.backup"));
  assert(
    [...made.keys()].some((name) => name.includes(".db.backup-")),
    "the migration left a copy",
  );
  for (const [name, mode] of [...served, ...made]) {
    if (name !== "shelf.md") assert.equal(mode, name === ".nonet" ? "700" : "600", name);
  }
  assert.doesNotMatch(await finished("doctor", "shelf.md", "--port", "0"), /other users of this machine/);
  chmodSync(join(folder, ".nonet", "shelf.db"), 0o644);
  assert.match(
    await finished("doctor", "shelf.md", "--port", "0"),
    /mode 644\n\s+other users of this machine may read it/,
  );
});

function modes(folder: string): ReadonlyMap<string, string> {
  const names = globSync(["*", ".nonet", ".nonet/*"], { cwd: folder });
  return new Map(names.map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]));
}
