/**
 * Modified backups, with a matching or a stale checksum line: `restore` restores each or rejects it with a message and without a
 * stack trace, and the target stays unchanged. `NONET_FUZZ_MINUTES=60` runs for so long, with a seed that it prints.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { runs } from "../nightly.ts";
import { seeded } from "../random.ts";
import { addressOf, finishedHere, nonet, temporaryFolder } from "./process.ts";
import { shelf } from "./shelf.ts";

const minutes = Number(process.env["NONET_FUZZ_MINUTES"] ?? 0);
const seed = minutes > 0 ? Date.now() % 2 ** 31 : 20261124;

const deep = (): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < 20_000; level += 1) value = [value];
  return value;
};
const values: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => -1,
  () => 1e308,
  () => "",
  () => "x\0y",
  () => "x".repeat(100_000),
  () => [],
  () => [null],
  () => ({}),
  () => ({ a: 1 }),
  () => ({ __proto__: null, table: null }),
  deep,
];

type Random = () => number;
const pick = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;

/** Another value somewhere in it, or a member less. */
function changed(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random() < 0.15) return pick(random, values)();
  const keys = Object.keys(value);
  if (keys.length === 0) return pick(random, values)();
  const key = pick(random, keys);
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...value };
  if (random() < 0.15) {
    if (Array.isArray(copy)) copy.splice(Number(key), 1);
    else delete copy[key];
  } else (copy as Record<string, unknown>)[key] = changed(random, (value as Record<string, unknown>)[key]);
  return copy;
}

function written(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Too deep to be written as a whole.
    return `{"nonet":"backup","form":1,"made":1,"store":"sqlite","tables":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  }
}

function mutated(random: Random, lines: readonly string[]): string {
  const all = lines.slice(0, -1);
  const at = Math.floor(random() * all.length);
  const kind = random();
  // The first line says most, and each other one is of a few kinds.
  const where = random() < 0.5 ? 0 : at;
  if (kind < 0.6) all[where] = written(changed(random, JSON.parse(all[where] as string)));
  else if (kind < 0.7) all.splice(at, 1);
  else if (kind < 0.8) all.splice(at, 0, all[at] as string);
  else if (kind < 0.9) all[at] = (all[at] as string).slice(0, Math.floor(random() * 100));
  else all.splice(at, 0, written(pick(random, values)()));
  const text = `${all.join("\n")}\n`;
  const end = JSON.parse(lines.at(-1) as string) as { end: Record<string, unknown> };
  if (random() < 0.2) return `${text}${written(changed(random, end))}\n`;
  return `${text}${JSON.stringify({ end: { ...end.end, rows: counted(all, end.end["rows"]), sha256: createHash("sha256").update(text).digest("hex") } })}\n`;
} // biome-ignore format: long lines

/** As a reader counts them. */
function counted(lines: readonly string[], before: unknown): unknown {
  const rows: Record<string, number> = {};
  let table = "";
  for (const line of lines) {
    try {
      const value = JSON.parse(line) as { table?: string } | unknown[];
      if (Array.isArray(value)) rows[table] = (rows[table] ?? 0) + 1;
      else if (value.table !== undefined) rows[(table = value.table)] = 0;
    } catch {
      return before;
    }
  }
  return rows;
}

test("a backup that was changed is restored or refused in a line, and what is there is not touched", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), shelf({ fields: ["title: string(1..80), unique", "pages?: integer, filter", "shelf?: Book"] }));
  const running = nonet(t, ["serve", "shelf.md", "--port", "0", "--data", "books.db"], { folder });
  const address = await addressOf(running);
  for (let number = 0; number < 5; number += 1) {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ title: `Book ${number}`, pages: number });
    assert.equal((await fetch(`${address}/books`, { method: "POST", headers, body })).status, 201);
  }
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0);
  const inFolder = (...args: readonly string[]) => finishedHere(args, { folder });
  assert.equal((await inFolder("backup", "whole.gz", "--data", "books.db")).code, 0);
  const lines = gunzipSync(readFileSync(join(folder, "whole.gz"))).toString("utf8").trimEnd().split("\n");
  const data = (): string => createHash("sha256").update(readFileSync(join(folder, "books.db"))).digest("hex");
  const [before, files] = [data(), readdirSync(folder).length];

  const random = seeded(seed);
  const ends = performance.now() + minutes * 60_000;
  const outcomes = { restored: 0, refused: 0 };
  for (let round = 0; round < runs(25, 200) || performance.now() < ends; round += 1) {
    const bytes = gzipSync(mutated(random, lines), { level: 1 });
    const isCut = random() < 0.1;
    writeFileSync(join(folder, "changed.gz"), isCut ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes);
    const about = `seed ${seed}, round ${round}`;
    const fits = random() < 0.3 ? ["--document", "shelf.md"] : [];
    const { code, output } = await inFolder("restore", "changed.gz", "--data", "new.db", ...fits).catch((thrown: unknown) => assert.fail(`${about}: ${thrown instanceof Error ? thrown.stack : String(thrown)}`));
    assert(!/^\s+at /m.test(output), `${about}: ${output}`);
    if (code === 0) {
      outcomes.restored += 1;
      // What was restored can be read, or the file says what is wrong with it.
      const looked = await inFolder("backup", "again.gz", "--data", "new.db");
      assert.equal(looked.code, 0, `${about}: ${looked.output}`);
      for (const name of ["new.db", "new.db-wal", "new.db-shm", "again.gz"]) rmSync(join(folder, name), { force: true });
    } else {
      outcomes.refused += 1;
      assert([1, 2].includes(code as number), `${about}: ${code} ${output}`);
      assert(output.trim() !== "" && output.split("\n").length <= 12, `${about}: ${output}`);
      const over = await inFolder("restore", "changed.gz", "--data", "books.db", "--overwrite", ...fits);
      assert.notEqual(over.code, 0, about);
    }
    assert.equal(data(), before, `${about}: what was there is as it was`);
    assert.equal(readdirSync(folder).length, files + 1, `${about}: ${readdirSync(folder).join(" ")}`);
  }
  t.diagnostic(`seed ${seed}: ${JSON.stringify(outcomes)}`);
  assert(outcomes.refused > 0);
}); // biome-ignore format: long lines

test("a line that is longer than any row is refused before it is read to its end", async (t) => {
  const folder = temporaryFolder(t);
  const head = '{"nonet":"backup","form":1,"store":"sqlite","made":1,"tables":[],"step":null}\n{"table":"nonet_secrets","columns":["name","value"],"bytes":[]}\n["a","';
  const file = join(folder, "long.gz");
  const piece = gzipSync(Buffer.alloc(16 * 1024 * 1024, "x"), { level: 1 });
  writeFileSync(file, Buffer.concat([gzipSync(head), ...Array.from({ length: 20 }, () => piece), gzipSync('"]\n')]));
  const before = process.memoryUsage().rss;
  const { code, output } = await finishedHere(["restore", "long.gz", "--check"], { folder });
  assert.equal(code, 2, output);
  assert.match(output, /a line of it has more than 134217728 bytes/);
  assert(process.memoryUsage().rss - before < 300 * 1024 * 1024, "what is beyond was not kept");
}); // biome-ignore format: a long line
