/** `nonet find`: lists the places that contain a text, to prove an erasure. */
import assert from "node:assert/strict";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { addressOf, finishedHere, nonet, temporaryFolder } from "./process.ts";
import { shelf } from "./shelf.ts";

test("a text is found in records, in free pages, in copies and in backups, and nowhere when it is gone from all of them", async (t) => {
  const folder = temporaryFolder(t);
  const at = (name: string): string => join(folder, name);
  writeFileSync(at("shelf.md"), shelf());
  const running = nonet(t, ["serve", "shelf.md", "--port", "0"], { folder });
  const address = await addressOf(running);
  const add = async (title: string): Promise<string> => {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`${address}/books`, { method: "POST", headers, body: JSON.stringify({ title }) });
    return ((await response.json()) as { id: string }).id;
  };
  const find = (...args: readonly string[]) => finishedHere(["find", ...args], { folder });
  const titles = ["Quastenflosser", "Axolotl", 'Das "Schnabeltier"'] as const;
  const [id, , third] = [await add(titles[0]), await add(titles[1]), await add(titles[2])];

  const log = ".nonet/shelf.db-wal";
  assert.deepEqual(await find("Quastenflosser"), {
    code: 1,
    output: `found in .nonet/shelf.db:\n  books.title: 1 row (${id})\n  the bytes of ${log}\n`,
  });
  assert.match((await find(titles[2])).output, new RegExp(`books.title: 1 row \\(${third}\\)\\n  the bytes of `));
  assert.deepEqual(await find("Nashorn"), { code: 0, output: "nowhere in .nonet/shelf.db\n" });
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0);
  assert.equal((await finishedHere(["backup", "shelf.backup"], { folder })).code, 0);
  copyFileSync(at(".nonet/shelf.db"), at(".nonet/shelf.db.before-restore-then"));

  // By hand, since the shelf lets nobody take books off it; the page where it was is free then, and as it was.
  const database = new DatabaseSync(at(".nonet/shelf.db"));
  database.exec("PRAGMA secure_delete = OFF");
  database.prepare("DELETE FROM books WHERE id = ?").run(id);
  database.close();
  assert.deepEqual(JSON.parse((await find("Quastenflosser", "--format", "json")).output), {
    where: ".nonet/shelf.db",
    matches: [],
    files: [".nonet/shelf.db", ".nonet/shelf.db.before-restore-then"],
  });
  assert.equal((await find("Quastenflosser", "--backup", "shelf.backup")).output, `found in shelf.backup:\n  books.title: 1 row (${id})\n`); // biome-ignore format: short
  assert.equal((await find("Nashorn", "--backup", "shelf.backup")).code, 0);

  // What a backup brings back has no free pages.
  assert.equal((await finishedHere(["backup", "after.backup"], { folder })).code, 0);
  assert.equal((await finishedHere(["restore", "after.backup", "--data", "new.db"], { folder })).code, 0);
  assert.deepEqual(await find("Quastenflosser", "--data", "new.db"), { code: 0, output: "nowhere in new.db\n" });
  assert.equal((await find("Axolotl", "--data", "new.db")).code, 1);

  const wrong: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [[], /give the text to find/],
    [["x", "--data", "none.db"], /there is no data in none\.db yet/],
    [["x", "--data", "new.db", "--backup", "after.backup"], /one at a time/],
    [["x", "--backup", "shelf.md"], /shelf\.md cannot be read/],
  ];
  for (const [args, message] of wrong) {
    const { code, output } = await find(...args);
    assert.equal(code, 2);
    assert.match(output, message);
  }
});
