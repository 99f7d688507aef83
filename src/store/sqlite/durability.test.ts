/** Tests that confirmed writes survive, however the process ends. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { disk } from "../../../test/disk.ts";
import { tables, sampleRow, fullView } from "../../../test/store/contract-tables.ts";
import { StoreError } from "../port/error.ts";
import type { Store } from "../port/store.ts";
import { openSqliteStore } from "./open.ts";

const writer = `
  import { tables, sampleRow, fullView } from ${JSON.stringify(import.meta.resolve("../../../test/store/contract-tables.ts"))};
  import { openSqliteStore } from ${JSON.stringify(import.meta.resolve("./open.ts"))};
  import { writeSync } from "node:fs";
  const [file, round] = process.argv.slice(-2);
  const store = await openSqliteStore({ file, tables, clock: Date.now, processors: 1 + (round % 2) });
  let next = 0;
  async function client() {
    for (;;) {
      const id = round + "-" + next++;
      await store.transaction(async (tx) => {
        await tx.insert("Thing", sampleRow(id, { note: "x".repeat(500) }), 1, fullView("Thing"), {});
        await tx.saveResponse("ann", id, { fingerprint: "f", status: 201, headers: {}, body: id, expires: 1e15 });
        if (next % 7 === 0) throw new Error("undone");
      }).then(() => writeSync(1, id + "\\n"), () => undefined);
    }
  }
  for (let index = 0; index < 16; index += 1) client();
`;

const rounds = 3;

test("after kill -9 at any moment every acknowledged write is there, with all that belongs to it", async () => {
  const folder = mkdtempSync(join(disk, "nonet-kill-"));
  const file = join(folder, "store.db");
  try {
    for (let round = 0; round < rounds; round += 1) {
      const acknowledged = await writeUntilKilled(file, round, 40 + 700 * round + Math.floor(Math.random() * 500));
      assert.ok(acknowledged.length > 0);
      const store = await openSqliteStore({ file, tables, clock: Date.now });
      const read = store.read({ resource: "Thing", key: "id", view: fullView("Thing") });
      const list = store.list({ resource: "Thing", view: fullView("Thing"), sort: [], filters: [], from: "start" });
      await store.transaction(async (tx) => {
        for (const id of acknowledged) {
          assert.ok(await read(id, {}), `${id} was acknowledged`);
          assert.equal((await tx.findResponse("ann", id))?.body, id);
        }
        // No transaction is stored partially.
        const { text } = await list({ limit: 100_000, filters: [] }, {});
        for (const { id } of JSON.parse(`[${text}]`) as { id: string }[]) {
          assert.equal((await tx.findResponse("ann", id))?.body, id);
        }
      });
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Kills the writer after `count` acknowledged writes; returns their ids. */
async function writeUntilKilled(file: string, round: number, count: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", writer, file, `${round}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === count) child.kill("SIGKILL");
  }
  return acknowledged;
}

test("the log stays small while it is written and read without pause, and nothing is lost by copying it", async () => {
  const folder = mkdtempSync(join(disk, "nonet-log-"));
  const file = join(folder, "store.db");
  try {
    const store = await openSqliteStore({ file, tables, clock: Date.now, logBytes: 200_000 });
    const read = store.read({ resource: "Thing", key: "id", view: fullView("Thing") });
    // A busy machine may delay the thread that copies the log: the test writes until it has run.
    const isSmall = (): boolean => statSync(`${file}-wal`).size < statSync(file).size;
    let count = 0;
    const client = async (name: string): Promise<void> => {
      for (let index = 0; index < 500 || (index < 10_000 && !isSmall()); index += 1) {
        const values = sampleRow(`${name}-${index}`, { note: "x".repeat(1000) });
        await store.transaction(async (tx) => tx.insert("Thing", values, 1, fullView("Thing"), {}));
        assert.ok(await read(`${name}-${index}`, {}), "an acknowledged write is read");
        count += 1;
      }
    };
    await Promise.all(["a", "b", "c", "d"].map(client));
    const list = store.list({ resource: "Thing", view: fullView("Thing"), sort: [], filters: [], from: "start" });
    assert.equal((await list({ limit: 100_000, filters: [] }, {})).count, count);
    assert.ok(isSmall(), `the log is larger than the database after ${count} writes`);
    await store.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the log is copied each time it has grown by so much, and begins anew at a fourth of the copies", async () => {
  const folder = mkdtempSync(join(disk, "nonet-log-"));
  const file = join(folder, "store.db");
  const logBytes = 1_000_000;
  try {
    const store = await openSqliteStore({ file, tables, clock: Date.now, logBytes });
    const log = `${file}-wal`;
    // Each is a separate group, and changes a few pages.
    const write = async (from: number, to: number): Promise<void> => {
      for (let index = from; index < to; index += 1) {
        const values = sampleRow(`${index}`, { note: "x".repeat(1000) });
        await store.transaction(async (tx) => tx.insert("Thing", values, 1, fullView("Thing"), {}));
      }
    };
    await write(0, 50);
    const bytesOfEach = statSync(log).size / 50;
    await write(50, 1000);
    // The log's header counts its restarts.
    const begun = readFileSync(log).readUInt32BE(12);
    const needed = (1000 * bytesOfEach) / logBytes;
    assert.ok(begun > 0 && begun <= needed / 3, `begun anew ${begun} times, with ${needed} copies`);
    await store.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

// A single writer may flush synchronously, and all writers with one processor; others flush on another thread.
for (const [writers, processors] of [
  [1, 2],
  [3, 2],
  [3, 1],
] as const) {
  const inFolder = async (work: (store: Store, file: string) => Promise<void>): Promise<void> => {
    const folder = mkdtempSync(join(disk, "nonet-hold-"));
    const file = join(folder, "store.db");
    const store = await openSqliteStore({ file, tables, clock: Date.now, processors });
    try {
      await work(store, file);
    } finally {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  };
  const write = (store: Store): readonly Promise<unknown>[] =>
    Array.from({ length: writers }, (_, index) =>
      store.transaction(async (tx) => tx.insert("Thing", sampleRow(`${index}`), 1, fullView("Thing"), {})),
    );
  const seen = (store: Store): Promise<unknown> =>
    Promise.try(() => store.read({ resource: "Thing", key: "id", view: fullView("Thing") })("0", {}));

  test(`a read shows nothing that is not yet durable (${writers} at once, processors: ${processors})`, () =>
    inFolder(async (store) => {
      let answered = false;
      let early = 0;
      // The others may be in a later group.
      const [first, ...others] = write(store);
      const writing = first?.then(() => (answered = true));
      while (!answered) {
        if ((await seen(store)) !== undefined && !answered) early += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all([writing, ...others]);
      assert.equal(early, 0);
      assert.ok(await seen(store));
    }));

  test(`nor what could not be made durable, ever (${writers} at once, processors: ${processors})`, () =>
    inFolder(async (store, file) => {
      // Later writes go to a deleted file.
      rmSync(`${file}-wal`);
      const outcomes = await Promise.allSettled(write(store));
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        outcomes.map(() => "rejected"),
      );
      // A reader that opens the log only now finds less than its index says: an error shows nothing, too.
      const shown = await seen(store).catch((error: unknown) => {
        assert.ok(error instanceof StoreError && error.kind === "disk");
      });
      assert.equal(shown, undefined);
    }));
}
