/** A full disk, or a missing, replaced, damaged or read-only data file: the service reports it, and loses no write. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { doesNotTell } from "../does-not-tell.ts";
import { finished, temporaryFolder } from "../commands/process.ts";
import { shelf } from "../commands/shelf.ts";
import { type Reply, type Service, serve } from "./service.ts";

function shelfIn(t: TestContext): string {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), shelf({ getBook: true }));
  return folder;
}

const data = (folder: string): string => join(folder, ".nonet", "shelf.db");

/** Adds books until one is refused; gives their ids and the refusal. */
async function fill(service: Service): Promise<{ readonly ids: readonly string[]; readonly refused: Reply }> {
  const ids: string[] = [];
  for (;;) {
    const reply = await service.send("POST", "/books", { title: `book ${ids.length} ${"x".repeat(60)}` });
    if (reply.status !== 201) return { ids, refused: reply };
    ids.push(reply.json["id"] as string);
    assert.ok(ids.length < 20_000, "the disk is never full");
  }
}

/** R7.4: when to come again, and nothing of the file or the driver. */
function isLater(reply: Reply): void {
  assert.equal(reply.status, 503, reply.text);
  assert.equal(reply.json["code"], "overloaded");
  assert.match(reply.headers.get("retry-after") ?? "", /^[1-5]$/);
  doesNotTell(reply.text, /sqlite|disk|shelf\.db/i);
}

function booksIn(file: string): ReadonlySet<string> {
  const database = new DatabaseSync(file);
  assert.equal(database.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
  const ids = database.prepare("SELECT id FROM books").all();
  database.close();
  return new Set(ids.map(({ id }) => String(id)));
}

async function health(service: Service): Promise<string> {
  const { status, text } = await service.send("GET", "/readyz");
  return `${status} ${text}`;
}

test("a disk that is full: writes are 503, reads go on, it is told once; with space again all goes on, and nothing is lost", async (t) => {
  const folder = shelfIn(t);
  const service = await serve(t, ["shelf.md"], { folder, limit: "-f 700" });
  const { ids, refused } = await fill(service);
  assert.ok(ids.length > 10);
  isLater(refused);
  for (let number = 0; number < 20; number += 1) isLater(await service.send("POST", "/books", { title: "no" }));
  assert.equal(await health(service), '200 {"status":"warn"}');
  assert.equal((await service.send("GET", `/books/${ids[0]}`)).status, 200);
  assert.equal((await service.send("GET", "/books")).status, 200);
  const told = service.output.split("\n").filter((line) => line.includes("StoreError"));
  assert.equal(told.length, 1, "not for each request");
  assert.match(told[0] ?? "", /reading or writing \.nonet\/shelf\.db failed/);
  execFileSync("prlimit", ["--pid", String(service.pid), "--fsize=unlimited:"]);
  const after = await service.send("POST", "/books", { title: "yes" });
  assert.equal(after.status, 201, after.text);
  assert.equal(await health(service), '200 {"status":"pass"}');
  await service.stop();
  assert.deepEqual(booksIn(data(folder)), new Set([...ids, after.json["id"] as string]));
});

test("a disk that is full when the process is killed: what was answered is there, and nothing else", async (t) => {
  const folder = shelfIn(t);
  const service = await serve(t, ["shelf.md"], { folder, limit: "-f 700" });
  const { ids } = await fill(service);
  service.signal("SIGKILL");
  await service.ended;
  const again = await serve(t, ["shelf.md"], { folder });
  assert.equal((await again.send("POST", "/books", { title: "yes" })).status, 201);
  await again.stop();
  assert.equal(booksIn(data(folder)).size, ids.length + 1);
});

for (const [what, change] of [
  ["deleted", (file: string) => rmSync(file)],
  [
    "replaced",
    (file: string) => {
      copyFileSync(file, `${file}.other`);
      renameSync(`${file}.other`, file);
    },
  ],
  ["without its log", (file: string) => rmSync(`${file}-wal`)],
] as const) {
  test(`a database that is ${what} under the service: no write is answered that would be gone with it`, async (t) => {
    const folder = shelfIn(t);
    const service = await serve(t, ["shelf.md"], { folder });
    assert.equal((await service.send("POST", "/books", { title: "before" })).status, 201);
    change(data(folder));
    for (let number = 0; number < 3; number += 1) isLater(await service.send("POST", "/books", { title: "after" }));
    assert.equal(await health(service), '503 {"status":"fail"}', "its requests are to go elsewhere");
    assert.equal((await service.send("GET", "/livez")).status, 200);
    assert.match(service.output, /was deleted or replaced while it was in use/);
    await service.stop();
  });
}

test("a damaged page: what is on it is a 500 that is told, what is not is served, and nothing wrong is", async (t) => {
  const folder = shelfIn(t);
  const first = await serve(t, ["shelf.md"], { folder });
  const titles = new Map<string, string>();
  for (let number = 0; number < 150; number += 1) {
    const title = `book-${number}-${"x".repeat(70)}`;
    titles.set((await first.send("POST", "/books", { title })).json["id"] as string, title);
  }
  await first.stop();
  const file = data(folder);
  const bytes = readFileSync(file);
  const page = Math.floor(bytes.indexOf("book-75-") / 4096);
  // A leaf of the table, whose first byte says so.
  assert.equal(bytes[page * 4096], 13);
  writeFileSync(file, bytes.fill(0xee, page * 4096, (page + 1) * 4096));
  const service = await serve(t, ["shelf.md"], { folder });
  const statuses = new Map<number, number>();
  for (const [id, title] of titles) {
    const { json, status, text } = await service.send("GET", `/books/${id}`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 200) assert.equal(json["title"], title);
    else {
      assert.equal(status, 500, "not 404: it is not said to be absent");
      doesNotTell(text, /malformed|damaged|sqlite/i);
    }
  }
  assert.deepEqual(new Set(statuses.keys()), new Set([200, 500]));
  assert.ok((statuses.get(500) ?? 0) < 100);
  assert.match(service.output, /\.nonet\/shelf\.db is damaged/);
  assert.equal(await health(service), '200 {"status":"warn"}');
  await service.stop();
  const { code, output } = await finished(t, ["backup", "shelf.backup"], { folder });
  assert.equal(code, 2);
  assert.match(output, /is damaged/);
});

test("a folder that may not be written is told at the start, and not served", async (t) => {
  const folder = shelfIn(t);
  await (await serve(t, ["shelf.md"], { folder })).stop();
  const nobody = 65_534;
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) {
    chownSync(data(folder), nobody, nobody);
    chmodSync(folder, 0o755);
  }
  chmodSync(data(folder), 0o444);
  chmodSync(join(folder, ".nonet"), 0o555);
  const { code, output } = await finished(t, ["serve", "shelf.md", "--port", "0"], {
    folder,
    ...(isRoot ? { user: nobody } : {}),
  });
  chmodSync(join(folder, ".nonet"), 0o755);
  assert.equal(code, 2, output);
  assert.match(output, /^nonet serve: \.nonet\/shelf\.db (?:may not be written|cannot be opened)/m);
});
