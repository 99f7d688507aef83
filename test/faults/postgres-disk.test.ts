/**
 * The disk of a PostgreSQL server is full: first for its tables, and service resumes when there is space again; then for its WAL,
 * after which the server stops and must be restarted. Callers are told to retry, and confirmed writes are there.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import pg from "pg";
import { doesNotTell } from "../does-not-tell.ts";
import { shelf } from "../commands/shelf.ts";
import { temporaryFolder } from "../commands/process.ts";
import { startPostgres } from "../postgres/server.ts";
import { until } from "../until.ts";
import { serve } from "./service.ts";

const MiB = 1 << 20;

/** A disk of its own, which only root may have; undefined where it may not be mounted. */
function smallDisk(t: TestContext): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "nonet-small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=320m", "tmpfs", folder], { stdio: "pipe" });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  t.after(() => {
    execFileSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true });
  });
  chmodSync(folder, 0o755);
  return folder;
}

function fill(file: string, folder: string): void {
  const piece = Buffer.alloc(MiB, "x");
  writeFileSync(file, "");
  for (;;) {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail === 0) return;
    try {
      appendFileSync(file, piece.subarray(0, Math.min(MiB, bavail * bsize)));
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "ENOSPC") throw thrown;
    }
  }
}

test("R7.4 the disk of PostgreSQL is full, for its tables and then for its log", async (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return t.skip("a file system may not be mounted here");
  const settings = ["shared_buffers=16MB", "max_connections=60", "max_wal_size=32MB", "min_wal_size=32MB"];
  await using server = await startPostgres({ folder: disk, settings });
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), shelf({ getBook: true }));
  const service = await serve(t, ["shelf.md", "--data", server.address], { folder });
  const answered: string[] = [];
  const tally = new Map<string, number>();
  const count = (what: string): number => tally.get(what) ?? 0;
  let over = false;
  const write = async (): Promise<void> => {
    while (!over) {
      const reply = await service.send("POST", "/books", { title: "x".repeat(80) });
      assert.ok(reply.status === 201 || reply.status === 503, reply.text);
      tally.set(`POST ${reply.status}`, count(`POST ${reply.status}`) + 1);
      if (reply.status === 201) answered.push(reply.json["id"] as string);
      else {
        assert.match(reply.headers.get("retry-after") ?? "", /^[1-5]$/);
        doesNotTell(reply.text, /postgres|disk|space|SQL/i);
        await pass(20);
      }
    }
  };
  const read = async (): Promise<void> => {
    for (; !over; await pass(20)) {
      const [id] = answered;
      if (id === undefined) continue;
      const { status, text } = await service.send("GET", `/books/${id}`);
      assert.ok(status === 200 || status === 503, text);
      tally.set(`GET ${status}`, count(`GET ${status}`) + 1);
      const ready = await service.send("GET", "/readyz");
      const how = `readyz ${ready.status} ${ready.text}`;
      tally.set(how, count(how) + 1);
    }
  };
  const working = Promise.all([write(), write(), write(), write(), read()]);
  working.catch(() => undefined);
  t.after(() => {
    over = true;
  });
  const phase = async (what: string, ended: () => boolean | Promise<boolean>): Promise<void> => {
    const before = new Map(tally);
    await Promise.race([until(ended, what), working]);
    const more = [...tally].map(([name, many]) => `${name}: ${many - (before.get(name) ?? 0)}`);
    t.diagnostic(`${what}: ${more.join(", ")}`);
    if (process.env["NONET_FIGURES"] !== undefined) console.log(`${what}: ${more.join(", ")}`);
  };
  const more = (many: number, what: string): (() => boolean) => {
    const before = count(what);
    return () => count(what) >= before + many;
  };
  await phase("at first", more(50, "POST 201"));
  const filler = join(disk, "filler");
  fill(filler, disk);
  await phase("no space for tables", more(20, "POST 503"));
  await phase("reads go on", more(5, "GET 200"));
  const warned = 'readyz 200 {"status":"warn"}';
  await phase("it is told", more(2, warned));
  rmSync(filler);
  await phase("space again", more(50, "POST 201"));
  fill(filler, disk);
  // A new file of its log at each, until there is no room for one.
  const client = new pg.Client({ connectionString: server.address });
  client.on("error", () => undefined);
  await client.connect();
  await assert.rejects(async () => {
    for (;;) await client.query("SELECT pg_logical_emit_message(false, 'a', 'b'), pg_switch_wal()");
  });
  await phase("no space for its log", more(20, "POST 503"));
  await phase("nor is it ready", more(2, 'readyz 503 {"status":"fail"}'));
  await server.stop("fast");
  rmSync(filler);
  await server.start();
  await phase("space again, and started", more(50, "POST 201"));
  over = true;
  await working;
  await service.stop();
  const told = service.output.split("\n").filter((line) => line.includes("the server's disk is full"));
  assert.equal(told.length, 1, "not for each request");
  const admin = new pg.Client({ connectionString: server.address });
  await admin.connect();
  const { rows } = await admin.query("SELECT id FROM books");
  await admin.end();
  const present = new Set((rows as { id: string }[]).map(({ id }) => id));
  const lost = answered.filter((id) => !present.has(id));
  assert.deepEqual(lost, [], "what was answered is there");
  t.diagnostic(`${answered.length} answered, ${present.size} there`);
});
