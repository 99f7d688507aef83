/** `nonet backup` of a running service, and `nonet restore` of the backup. */
import assert from "node:assert/strict";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { run } from "../../src/cli/run.ts";
import { processTerminal } from "../../src/server/terminal.ts";
import { addressOf, finishedHere, nonet, type Running, temporaryFolder } from "./process.ts";
import { type ShelfOptions, shelf } from "./shelf.ts";

interface BackupTable {
  readonly folder: string;
  readonly document: (options: ShelfOptions) => void;
  readonly nonet: (...args: readonly string[]) => Promise<{ readonly code: number | string; readonly output: string }>;
  readonly serve: () => Promise<Running & { readonly address: string }>;
}

function shelfIn(t: TestContext): BackupTable {
  const folder = temporaryFolder(t);
  const document = (options: ShelfOptions): void => writeFileSync(join(folder, "shelf.md"), shelf(options));
  document({});
  return {
    folder,
    document,
    nonet: (...args) => finishedHere(args, { folder }),
    serve: async () => {
      const running = nonet(t, ["serve", "shelf.md", "--port", "0"], { folder });
      return Object.assign(running, { address: await addressOf(running) });
    },
  };
}

async function add(address: string, title: string): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${address}/books`, { method: "POST", headers, body: JSON.stringify({ title }) });
  assert.equal(response.status, 201, await response.text());
}

/** All titles, oldest first. */
async function titles(address: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let next: string | null = `${address}/books?limit=100`; next !== null; ) {
    const response: Response = await fetch(next);
    const page = (await response.json()) as { items: { title: string }[]; next: string | null };
    found.push(...page.items.map(({ title }) => title));
    next = page.next === null ? null : `${address}/books?limit=100&cursor=${encodeURIComponent(page.next)}`;
  }
  return found.toReversed();
}

async function stop(running: Running): Promise<void> {
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0);
}

test("a backup under load holds what was answered before it and goes back to that moment, as often as wanted", async (t) => {
  const { folder, nonet, serve } = shelfIn(t);
  const running = await serve();
  for (let number = 0; number < 20; number += 1) await add(running.address, `before ${number}`);
  let isOver = false;
  let during = 0;
  const load = (async () => {
    while (!isOver) await add(running.address, `during ${(during += 1)}`);
  })();
  const { code, output } = await nonet("backup", "shelf.backup");
  isOver = true;
  await load;
  assert.equal(code, 0, output);
  assert.match(
    output,
    /^backed up \.nonet\/shelf\.db to shelf\.backup\n {2}moment {5}\S+Z\n {2}records {4}(\d+) \(books \1\)\n/,
  );
  const records = Number(/records {4}(\d+)/.exec(output)?.[1]);
  assert.ok(records >= 20 && records < 20 + during, `${records} of ${20 + during}`);
  assert.equal(statSync(join(folder, "shelf.backup")).mode & 0o777, 0o600, "it has what nobody else may see");
  assert.deepEqual(readdirSync(folder).toSorted(), [".nonet", "shelf.backup", "shelf.md"]);

  assert.deepEqual(await nonet("restore", "shelf.backup"), {
    code: 2,
    output:
      "nonet restore: there is data in .nonet/shelf.db; --overwrite replaces it, and keeps it under another name\n",
  });
  assert.deepEqual(await nonet("restore", "shelf.backup", "--overwrite"), {
    code: 2,
    output: "nonet restore: another process is using .nonet/shelf.db; stop the service before its data is replaced\n",
  });
  assert.equal((await titles(running.address)).length, 20 + during, "nothing has happened");
  await stop(running);

  const restored = await nonet("restore", "shelf.backup", "--overwrite");
  assert.equal(restored.code, 0, restored.output);
  assert.match(restored.output, /\n {2}before {5}\.nonet\/shelf\.db\.before-restore-\d{8}T\d{6}Z\n$/);
  const again = await serve();
  const back = await titles(again.address);
  assert.equal(back.length, records);
  assert.deepEqual(
    back.slice(0, 20),
    Array.from({ length: 20 }, (_, number) => `before ${number}`),
  );
  await add(again.address, "after");
  await stop(again);
  const files = readdirSync(join(folder, ".nonet"));
  const [kept = "", ...others] = files.filter((name) => name.includes("before-restore"));
  assert.deepEqual(others, []);
  const next = await nonet("backup", "--data", `.nonet/${kept}`, "other.backup", "--format", "json");
  assert.deepEqual(
    (JSON.parse(next.output) as { rows: { books: number } }).rows.books,
    20 + during,
    "what was there is kept",
  );
});

test("what is no whole backup is told so, and nothing is touched", async (t) => {
  const { folder, nonet, serve } = shelfIn(t);
  const running = await serve();
  await add(running.address, "Momo");
  await stop(running);
  const [place, good, bad, other] = [".nonet/shelf.db", "good", "bad", "new.db"].map((name) => join(folder, name)) as [string, string, string, string]; // biome-ignore format: short
  assert.equal((await nonet("backup", "good")).code, 0);
  const before = readFileSync(place);
  const spoil: Readonly<Record<string, () => void>> = {
    "cut off": () => truncateSync(bad, statSync(bad).size - 9),
    "half of it": () => truncateSync(bad, Math.floor(statSync(bad).size / 2)),
    "with a bit changed": () => {
      const bytes = readFileSync(bad);
      bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 1;
      writeFileSync(bad, bytes);
    },
    "with something behind it": () => appendFileSync(bad, "more"),
    "of something else": () => writeFileSync(bad, "# Notes\n"),
    empty: () => truncateSync(bad, 0),
  };
  for (const [what, change] of Object.entries(spoil)) {
    copyFileSync(good, bad);
    change();
    for (const args of [["--overwrite", "--data", place], ["--check"], ["--data", other]]) {
      const { code, output } = await inside("restore", bad, ...args);
      assert.equal(code, 2, `${what}: ${output}`);
      assert.match(output, /^nonet restore: \S+bad cannot be (?:read|restored): /);
    }
    const { code } = await inside("backup", bad, "--data", place);
    assert.equal(code, 2, "it is no earlier backup whose place may be taken");
  }
  assert.deepEqual(readFileSync(place), before);
  assert.deepEqual(readdirSync(folder).toSorted(), [".nonet", "bad", "good", "shelf.md"]);
  assert.deepEqual(readdirSync(join(folder, ".nonet")), ["shelf.db"]);
  assert.equal((await inside("restore", join(folder, "nothing"), "--check")).code, 2);
  assert.equal((await inside("backup", good, "--data", place)).code, 0, "an earlier one is replaced");
});

/** The command in this process, for lines of which there are many. */
async function inside(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  let output = "";
  const write = (text: string): void => {
    output += text;
  };
  const code = await run(args, { ...processTerminal(), out: write, err: write });
  return { code, output };
}

test("a backup of another document is restored where its data can follow, and refused before anything is replaced where not", async (t) => {
  const { document, folder, nonet, serve } = shelfIn(t);
  const running = await serve();
  await add(running.address, "Momo");
  await stop(running);
  assert.equal((await nonet("backup", "shelf.backup")).code, 0);
  document({ fields: ["name: string(1..80)"] });
  const refused = await nonet("restore", "shelf.backup", "--document", "shelf.md", "--data", "other.db");
  assert.equal(refused.code, 1, refused.output);
  assert.match(refused.output, /Book\.title is gone from the document, and 1 record would lose it/);
  assert.match(refused.output, /nothing was restored; without --document the data is restored unchanged\n$/);
  assert.ok(!existsSync(join(folder, "other.db")));
  document({ fields: ["name: string(1..80)"], changes: ["rename Book.title -> name"] });
  const taken = await nonet("restore", "shelf.backup", "--document", "shelf.md", "--overwrite");
  assert.equal(taken.code, 0, taken.output);
  assert.match(taken.output, /Book\.title is now called Book\.name \(1 record\)/);
  assert.match((await nonet("migrate", "shelf.md")).output, /has followed the document/);
});

test("a damaged file is replaced by a backup and never backed up", async (t) => {
  const { folder, nonet, serve } = shelfIn(t);
  const running = await serve();
  for (let number = 0; number < 200; number += 1) await add(running.address, `book ${number} ${"x".repeat(60)}`);
  await stop(running);
  assert.equal((await nonet("backup", "shelf.backup")).code, 0);
  const place = join(folder, ".nonet/shelf.db");
  const bytes = readFileSync(place);
  writeFileSync(place, bytes.fill(0xee, bytes.length - 20_000, bytes.length - 4_000));
  const refused = await nonet("backup", "another.backup");
  assert.equal(refused.code, 2);
  assert.match(refused.output, /^nonet backup: \.nonet\/shelf\.db is damaged/);
  assert.ok(!existsSync(join(folder, "another.backup")));
  assert.equal((await nonet("restore", "shelf.backup", "--overwrite")).code, 0);
  const again = await serve();
  assert.equal((await titles(again.address)).length, 200);
  await stop(again);
});

test("a backup that cannot be written leaves the earlier one", async (t) => {
  const { folder, serve } = shelfIn(t);
  await stop(await serve());
  const at = (name: string): string => join(folder, name);
  const data = ["--data", at(".nonet/shelf.db")];
  assert.equal((await inside("backup", at("shelf.backup"), ...data)).code, 0);
  const earlier = readFileSync(join(folder, "shelf.backup"));
  const rows: readonly (readonly [file: string, message: RegExp])[] = [
    ["no/such/folder", /no\/such\/folder cannot be written: ENOENT/],
    [".nonet/shelf.db", /\.nonet\/shelf\.db exists and is not a backup that this one could replace/],
    ["shelf.md", /shelf\.md exists and is not a backup/],
    [".nonet", /\.nonet exists and is not a backup/],
  ];
  for (const [file, message] of rows) {
    const { code, output } = await inside("backup", at(file), ...data);
    assert.equal(code, 2, output);
    assert.match(output, message);
  }
  assert.deepEqual(readFileSync(join(folder, "shelf.backup")), earlier);
  for (const place of ["memory", at("none.db")])
    assert.equal((await inside("backup", at("shelf.backup"), "--data", place)).code, 2);
});
