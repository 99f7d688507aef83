/** `nonet serve --watch`: the served API and the stored data while the document changes. */
import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { addressOf, nonet, type Running, temporaryFolder } from "./process.ts";
import { type ShelfOptions, shelf } from "./shelf.ts";

interface Watched {
  readonly address: string;
  readonly running: Running;
  readonly file: string;
  readonly write: (options: ShelfOptions) => void;
}

async function watched(t: TestContext, ...options: readonly string[]): Promise<Watched> {
  const folder = temporaryFolder(t);
  const file = join(folder, "shelf.md");
  writeFileSync(file, shelf());
  const running = nonet(t, ["serve", "shelf.md", "--port", "0", "--watch", ...options], { folder });
  const address = await addressOf(running);
  return { address, running, file, write: (changed) => writeFileSync(file, shelf(changed)) };
}

async function addBook(address: string, book: object): Promise<number> {
  const headers = { "Content-Type": "application/json" };
  return (await fetch(`${address}/books`, { method: "POST", headers, body: JSON.stringify(book) })).status;
}

async function books(address: string): Promise<readonly Record<string, unknown>[]> {
  return ((await (await fetch(`${address}/books`)).json()) as { items: Record<string, unknown>[] }).items;
}

const served = /has changed and is served as it is now: .*\n/;
const kept = /shelf\.md is still served as it was before\n/;

test("a good document is served on the connections there are; a bad one is told of; a repaired one is served", async (t) => {
  const { address, running, file, write } = await watched(t);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const status = (path: string) =>
    new Promise<{ status: number | undefined; reused: boolean }>((resolve, reject) => {
      const request = get(`${address}${path}`, { agent }, (response) => {
        response.resume();
        response.on("end", () => resolve({ status: response.statusCode, reused: request.reusedSocket }));
      });
      request.on("error", reject);
    });
  assert.equal((await status("/books/book_none")).status, 404);
  assert.equal(await addBook(address, { title: "Momo" }), 201);
  const [{ id } = {}] = await books(address);

  write({ getBook: true });
  const [said] = await running.says(/has changed[^]*getBook\n/);
  assert.equal(said, "has changed and is served as it is now: 3 operations\n  new: getBook\n");
  assert.deepEqual(await status(`/books/${String(id)}`), { status: 200, reused: true });

  writeFileSync(file, shelf({ getBook: true }).replace("id: id(book)", "id: id(book), uniqe"));
  await running.says(/shelf\.md:\d+:\d+: error: There is no mark `uniqe`/);
  await running.says(/shelf\.md cannot be served: 1 error\n/);
  await running.says(kept);
  assert.deepEqual(await status(`/books/${String(id)}`), { status: 200, reused: true });

  write({});
  await running.says(/ {2}gone: getBook\n/);
  assert.equal((await status(`/books/${String(id)}`)).status, 404);
  assert.equal((await books(address)).length, 1);
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0);
});

test("a file that is replaced, removed and written anew is noticed", async (t) => {
  const { address, running, file } = await watched(t);
  writeFileSync(`${file}.new`, shelf({ getBook: true }));
  renameSync(`${file}.new`, file);
  await running.says(/ {2}new: getBook\n/);
  rmSync(file);
  await running.says(/cannot read shelf\.md: there is no such file\n/);
  await running.says(kept);
  assert.deepEqual(await books(address), []);
  writeFileSync(file, shelf());
  await running.says(/ {2}gone: getBook\n/);
});

test("a new optional field keeps the records; a change that would lose some is refused, with what it would lose", async (t) => {
  const { address, running, write } = await watched(t);
  assert.equal(await addBook(address, { title: "Momo" }), 201);
  write({ fields: ["title: string(1..80)", "pages?: integer(1..9999)"] });
  await running.says(served);
  assert.equal(await addBook(address, { title: "Krabat", pages: 256 }), 201);
  assert.deepEqual((await books(address)).map(({ title, pages }) => `${String(title)} ${String(pages)}`).sort(), ["Krabat 256", "Momo undefined"]); // biome-ignore format: a row

  write({ fields: ["pages?: integer(1..9999)"] });
  const [refused] = await running.says(/Shelf cannot be served with \.nonet\/shelf\.db: [^]*before\n/);
  assert.match(refused, /title/);
  assert.equal((await books(address)).length, 2);
  assert.equal(await addBook(address, { title: "Die kleine Hexe" }), 201);
});

test("a field that part 9 says was renamed keeps what it holds, and what was done is told", async (t) => {
  const { address, running, write } = await watched(t);
  assert.equal(await addBook(address, { title: "Momo" }), 201);
  write({ fields: ["name: string(1..80)"], changes: ["rename Book.title -> name"] });
  await running.says(/the data in \.nonet\/shelf\.db has followed the document: Book\.title is now called Book\.name\n/);
  await running.says(/ {2}as it was before: \.nonet\/shelf\.db\.backup-\S+\n/);
  await running.says(served);
  assert.deepEqual((await books(address)).map(({ name }) => name), ["Momo"]);
}); // biome-ignore format: rows

test("records in memory are gone when their tables change, and that is said; otherwise they stay", async (t) => {
  const { address, running, write } = await watched(t, "--data", "memory");
  assert.equal(await addBook(address, { title: "Momo" }), 201);
  write({ getBook: true });
  await running.says(/ {2}new: getBook\n/);
  assert.equal((await books(address)).length, 1);
  write({ getBook: true, fields: ["title: string(1..90)", "pages?: integer(1..9)"] });
  await running.says(/the records in memory are gone; keys are kept\n/);
  assert.deepEqual(await books(address), []);
  assert.equal(await addBook(address, { title: "Momo", pages: 3 }), 201);
});

test("another name of the service is another file", async (t) => {
  const { address, running, write } = await watched(t);
  assert.equal(await addBook(address, { title: "Momo" }), 201);
  write({ service: "board" });
  await running.says(/ {2}its data is now in \.nonet\/board\.db\n/);
  assert.deepEqual(await books(address), []);
  write({});
  await running.says(/ {2}its data is now in \.nonet\/shelf\.db\n/);
  assert.equal((await books(address)).length, 1);
});

test("no request is lost while documents are exchanged", async (t) => {
  const { address, running, write } = await watched(t);
  let sent = 0;
  let over = false;
  const senders = Array.from({ length: 4 }, async () => {
    while (!over) {
      assert.equal(await addBook(address, { title: `Book ${sent}` }), 201);
      sent += 1;
    }
  });
  for (const pages of [100, 200, 300, 400]) {
    write({
      fields: [
        "title: string(1..80)",
        `pages?: integer(1..${pages})`,
        ...(pages > 200 ? ["author?: string(1..80)"] : []),
      ],
    });
    await running.says(served);
  }
  over = true;
  await Promise.all(senders);
  const listed = await fetch(`${address}/books?limit=1`);
  assert.equal(listed.status, 200);
  assert.ok(sent > 10);
});
