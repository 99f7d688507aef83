/** Tests the order of journal positions with concurrent writers, sequencers and readers, on a real server. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { postgresForFile } from "../../../test/postgres/for-file.ts";
import type { JournalEntry, JournalRecord } from "../port/store.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { openChanges } from "./changes.ts";
import { type Connections, openConnections, type PgSession } from "./connection.ts";
import { forget, journalOf, record } from "./journal.ts";
import { createSystemTables } from "./system-tables.ts";
import { openSequencer, type Sequencer } from "./sequencer.ts";

const { server } = await postgresForFile();
let schemas = 0;

const start = Date.parse("2026-06-01T12:00:00.000Z");
const entry: JournalEntry = { at: start, resource: "Thing", record: "a", by: "ann", cause: "addThing", event: "e" };

const addressOf = (schema: number): string => `${server.address}?schema=journal_${schema}`;

/** The journal objects of one process. */
interface Process {
  readonly connections: Connections;
  readonly sequencer: Sequencer;
  readonly journal: ReturnType<typeof journalOf>;
  readonly failures: readonly unknown[];
}

/** Runs `body` with processes on one schema, which has a separate table of records to change. */
async function withProcesses(count: number, body: (...processes: readonly Process[]) => Promise<void>): Promise<void> {
  const place = parseDatabaseUrl(addressOf((schemas += 1)));
  const made = openConnections(place);
  await made.rows(`CREATE SCHEMA ${place.schema}`);
  await made.transaction(createSystemTables);
  await made.rows("CREATE TABLE things (id text PRIMARY KEY, n integer NOT NULL)");
  const processes = Array.from({ length: count }, (): Process => {
    const connections = openConnections(place);
    const failures: unknown[] = [];
    const sequencer = openSequencer(connections, (failure) => failures.push(failure));
    return { connections, sequencer, failures, journal: journalOf(connections, sequencer) };
  });
  try {
    await body(...processes);
    for (const { failures } of processes) assert.deepEqual(failures, []);
  } finally {
    for (const { connections, sequencer } of processes) {
      await sequencer.close();
      await connections.close();
    }
    await made.close();
  }
}

const enter = ({ connections }: Process, ...entries: readonly Partial<JournalEntry>[]): Promise<void> =>
  connections.transaction(async (work) => {
    for (const one of entries) record(work, { ...entry, ...one });
  });

/** Changes a record, adds the number of the change to the journal, and pauses before and after. */
async function change(work: PgSession, id: string, pauses: readonly [number, number], entries: number): Promise<void> {
  await work.rows("SELECT pg_sleep($1)", [pauses[0] / 1000]);
  const [row] = await work.rows<[number]>(
    "INSERT INTO things VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET n = things.n + 1 RETURNING n",
    [id],
  );
  for (let part = 0; part < entries; part += 1) record(work, { ...entry, record: id, cause: `${row?.[0]}.${part}` });
  await work.rows("SELECT pg_sleep($1)", [pauses[1] / 1000]);
}

/** Reads as a consumer does, from the last position seen, until `done` and nothing is left. */
async function followed({ journal }: Process, limit: number, done: () => boolean): Promise<readonly JournalRecord[]> {
  const seen: JournalRecord[] = [];
  for (;;) {
    const wasDone = done();
    const page = await journal.events(seen.at(-1)?.position ?? 0, limit);
    seen.push(...page);
    if (wasDone && page.length === 0) return seen;
  }
}

const keyOf = ({ record: id, cause }: JournalRecord): string => `${id} ${cause}`;

test("readers skip no entry and see none twice, and each record's entries are in the order of its commits", async () => {
  const work = fc.record({
    process: fc.nat({ max: 2 }),
    id: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"),
    pauses: fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 })),
    entries: fc.integer({ min: 1, max: 3 }),
    fate: fc.constantFrom("written", "written", "silent", "undone"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(work, { minLength: 20, maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (works, limit) =>
      withProcesses(3, async (...processes) => {
        let writing = true;
        const readers = processes.map((process) => followed(process, limit, () => !writing));
        const committed = new Map<string, number>();
        await Promise.all(
          works.map(async ({ process, id, pauses, entries, fate }) => {
            const { connections, sequencer } = processes[process] as Process;
            const undo = new Error("undo");
            const run = connections.transaction(async (tx) => {
              await change(tx, id, pauses, entries);
              if (fate === "undone") throw undo;
            });
            await run.catch((thrown: unknown) => assert.equal(thrown, undo));
            // A process killed after its commit does not notify its sequencer.
            if (fate === "written") sequencer.written();
            if (fate !== "undone") committed.set(id, (committed.get(id) ?? 0) + entries);
          }),
        );
        writing = false;
        const [first = [], ...others] = await Promise.all(readers);
        for (const seen of others) assert.deepEqual(seen, first, "all see the same");
        for (const [at, one] of first.entries())
          assert.ok(at === 0 || one.position > (first[at - 1] as JournalRecord).position);
        assert.equal(new Set(first.map(keyOf)).size, first.length, "none twice");
        for (const [id, count] of committed) {
          const own = first.filter((one) => one.record === id).map(({ cause }) => cause.split(".").map(Number));
          assert.equal(own.length, count, "none skipped");
          assert.deepEqual(
            own,
            own.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d),
            "in order",
          );
        }
        assert.equal(first.length, [...committed.values()].reduce((sum, count) => sum + count, 0)); // biome-ignore format: short
      }),
    ),
    { numRuns: 12 },
  );
});

test("an entry that is committed later comes later, whichever was written first", () =>
  withProcesses(2, async (one, other) => {
    let wrote = (): void => undefined;
    let commit = (): void => undefined;
    const written = new Promise<void>((resolve) => (wrote = resolve));
    const slow = one.connections.transaction(async (work) => {
      record(work, { ...entry, record: "slow" });
      await work.rows("SELECT 1");
      wrote();
      await new Promise<void>((resolve) => (commit = resolve));
    });
    await written;
    await enter(other, { record: "quick" });
    const early = await other.journal.events(0, 9);
    assert.deepEqual(early.map((each) => each.record), ["quick"], "nobody waits for the slow one"); // biome-ignore format: short
    assert.equal(await other.journal.last(), early[0]?.position);
    commit();
    await slow;
    const late = await other.journal.events(early[0]?.position ?? 0, 9);
    assert.deepEqual(late.map((each) => each.record), ["slow"]); // biome-ignore format: short
  }));

test("what a process that was killed after its commit left is placed by whoever reads next, of whatever kind the read is", async () => {
  const reads: Readonly<Record<string, (process: Process) => Promise<unknown>>> = {
    events: async ({ journal }) => (await journal.events(0, 9)).length,
    moves: async ({ journal }) => (await journal.moves("Thing", "a", 0, 9)).length,
    last: async ({ journal }) => journal.last(),
    first: async ({ journal }) => journal.first(),
  };
  for (const [name, read] of Object.entries(reads)) {
    await withProcesses(2, async (killed, other) => {
      await enter(killed, { to: "open" });
      assert.equal(await read(other), 1, name);
    });
  }
});

test("of three processes that write and are killed one after the other nothing is lost, doubled or out of order", () =>
  withProcesses(1, async (reader) => {
    const { connections } = reader;
    const role = `writer_${schemas}`;
    await connections.rows(`CREATE ROLE ${role} SUPERUSER LOGIN`);
    const address = addressOf(schemas).replace("postgres@", `${role}@`);
    const program = join(import.meta.dirname, "../../../test/postgres/journal-writer.ts");
    const writers = [1, 2, 3].map(() => spawn(process.execPath, [program, address], { stdio: "inherit" }));
    let killed = 0;
    const isOver = (): boolean => killed === writers.length;
    const reading = followed(reader, 50, isOver);
    try {
      for (const writer of writers) {
        const reached = await reader.journal.last();
        while ((await reader.journal.last()) < reached + 150);
        await new Promise((resolve) => {
          writer.once("exit", resolve);
          writer.kill("SIGKILL");
        });
        assert.equal(writer.signalCode, "SIGKILL", "it wrote until then");
        const left = "SELECT 1 FROM pg_stat_activity WHERE usename = $1";
        // Statements that it sent may still commit after its end.
        if (killed === 2) while ((await connections.rows(left, [role])).length > 0);
        killed += 1;
      }
    } finally {
      for (const writer of writers) writer.kill("SIGKILL");
    }
    const seen = await reading;
    const records = await connections.rows<[string, number]>("SELECT id, n FROM things");
    assert.ok(records.length > 0);
    for (const [id, n] of records) {
      const causes = seen.filter((one) => one.record === id).map(({ cause }) => Number(cause));
      assert.deepEqual(causes, Array.from({ length: n }, (_, index) => index + 1), id); // biome-ignore format: short
    }
    assert.equal(seen.length, records.reduce((sum, [, n]) => sum + n, 0)); // biome-ignore format: short
  }));

test("a move is in the history right after its own commit, in every process, while others write", () =>
  withProcesses(3, async (...processes) => {
    await Promise.all(
      Array.from({ length: 90 }, async (_, index) => {
        const writer = processes[index % 3] as Process;
        const reader = processes[(index + 1) % 3] as Process;
        await enter(writer, { record: `r${index}`, to: "open" }, { record: `r${index}`, from: "open", to: "shut" });
        writer.sequencer.written();
        const moves = await reader.journal.moves("Thing", `r${index}`, 0, 9);
        assert.deepEqual(moves.map(({ to }) => to), ["open", "shut"]); // biome-ignore format: short
      }),
    );
  }));

test("sequencers of several processes at once place each entry once", () =>
  withProcesses(3, async (...processes) => {
    const [one] = processes;
    assert.ok(one);
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(processes.map((process) => enter(process, { record: "a" }, { record: "b" })));
      await Promise.all([...processes, ...processes].map(({ sequencer }) => sequencer.flush()));
    }
    const all = await one.journal.events(0, 999);
    assert.deepEqual(all.map(({ position }) => position), Array.from({ length: 120 }, (_, index) => index + 1)); // biome-ignore format: short
    assert.equal(await one.journal.last(), 120);
  }));

/** Counts notifications; `until` resolves after that many. */
function counting(): { readonly tell: () => void; readonly count: () => number; until(times: number): Promise<void> } {
  let told = 0;
  const waiting = new Set<() => void>();
  return {
    tell: () => {
      told += 1;
      for (const wake of waiting) wake();
    },
    count: () => told,
    until: async (times) => {
      while (told < times) {
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
  };
}

test("a batch is notified once, to those who listen for this schema", () =>
  withProcesses(2, (one, other) =>
    withProcesses(1, async (stranger) => {
      const [mine, theirs] = [counting(), counting()];
      const changes = [openChanges(other.connections), openChanges(stranger.connections)] as const;
      const end = changes[0].listen(mine.tell);
      changes[1].listen(theirs.tell);
      // Each listener is notified once when it starts to listen.
      await Promise.all([mine.until(1), theirs.until(1)]);
      await enter(one, ...Array.from({ length: 50 }, () => ({})));
      await Promise.all([one.sequencer.flush(), other.sequencer.flush()]);
      await mine.until(2);
      await enter(stranger, {});
      await stranger.sequencer.flush();
      await theirs.until(2);
      assert.deepEqual([mine.count(), theirs.count()], [2, 2]);
      end();
      await enter(one, {});
      await one.sequencer.flush();
      await Promise.all(changes.map((each) => each.close()));
      assert.equal(mine.count(), 2, "who has ended it is not told any more");
    }),
  ));

test("a listener whose connection was cut off is told once it is back", () =>
  withProcesses(1, async (process) => {
    const changes = openChanges(process.connections);
    const told = counting();
    changes.listen(told.tell);
    await told.until(1);
    const [cut] = await process.connections.rows<[number]>(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid()",
    );
    assert.equal(cut?.[0], 1);
    await told.until(2);
    await enter(process, {});
    process.sequencer.written();
    await told.until(3);
    await changes.close();
  }));

test("an erasure that has not ended holds up no position for longer than itself, nor the order", () =>
  withProcesses(2, async (one, other) => {
    await enter(one, { data: { id: "a" } }, { data: { id: "a" }, event: "f" });
    let commit = (): void => undefined;
    let erased = (): void => undefined;
    const erasing = new Promise<void>((resolve) => (erased = resolve));
    const erasure = one.connections.transaction(async (work) => {
      forget(work, "Thing", "a");
      record(work, { ...entry, event: "gone" });
      await work.rows("SELECT 1");
      erased();
      await new Promise<void>((resolve) => (commit = resolve));
    });
    await erasing;
    const reading = other.journal.events(0, 9);
    commit();
    await erasure;
    await reading;
    const events = await other.journal.events(0, 9);
    assert.deepEqual(events.map(({ event, data }) => [event, data]), [["e", undefined], ["f", undefined], ["gone", undefined]]); // biome-ignore format: a table
  }));

test("what is trimmed or forgotten is in no row that a query can find", () =>
  withProcesses(1, async (process) => {
    const { connections, journal } = process;
    const data = { id: "a", name: "Marguerite" };
    for (let index = 0; index < 30; index += 1) await enter(process, { data, to: "open" }, { data, at: start + 10 });
    await journal.last();
    const rows = async (): Promise<unknown> => {
      const sql = "SELECT count(*) FROM nonet_journal AS j WHERE j::text LIKE '%Marguerite%'";
      return (await connections.rows(sql))[0]?.[0];
    };
    assert.equal(await rows(), 60);
    await journal.trim(start + 10);
    assert.equal(await rows(), 30);
    await connections.transaction(async (work) => forget(work, "Thing", "a"));
    assert.equal(await rows(), 0);
    await journal.trim(start + 11);
    assert.equal(
      (await connections.rows("SELECT count(*) FROM nonet_journal"))[0]?.[0],
      31,
      "moves stay, and the newest entry",
    );
    await enter(process, {});
    assert.equal(await journal.last(), 61);
  }));

test("no reading and no placing goes through the journal, whatever the planner knew of it", () =>
  withProcesses(1, async (process) => {
    const { connections, journal, sequencer } = process;
    const walked = async (): Promise<unknown> => {
      await connections.rows("SELECT pg_stat_force_next_flush()");
      const sql = "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'nonet_journal' AND schemaname = current_schema()"; // biome-ignore format: short
      return (await connections.rows(sql))[0]?.[0];
    };
    // Plans made for an empty table, and statistics taken when every row has a position, both mislead the planner.
    await sequencer.flush();
    const many = (): Promise<void> =>
      enter(process, ...Array.from({ length: 3000 }, (_, index) => ({ record: `r${index}`, to: "open" })));
    await many();
    await connections.rows("ANALYZE nonet_journal");
    const before = await walked();
    await sequencer.flush();
    await many();
    for (let round = 0; round < 9; round += 1) {
      await journal.last();
      await journal.events(round * 100, 50);
      await journal.moves("Thing", `r${round}`, 0, 9);
      await journal.at(round + 1);
      await journal.first();
    }
    assert.equal(await walked(), before);
  }));

test("while a long transaction could still see all as it was, nobody goes through what has been placed since", () =>
  withProcesses(2, async (process, other) => {
    const { connections, journal, sequencer } = process;
    const looked = async (): Promise<number> => {
      await connections.rows("SELECT pg_stat_force_next_flush()");
      const sql = "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'nonet_journal_unplaced' AND schemaname = current_schema()"; // biome-ignore format: short
      return (await connections.rows<[number]>(sql))[0]?.[0] ?? 0;
    };
    await other.connections.transaction(async (work) => {
      await work.rows("SELECT count(*) FROM nonet_journal");
      for (let round = 0; round < 80; round += 1) {
        await enter(process, ...Array.from({ length: 100 }, () => ({})));
        await sequencer.flush();
      }
      const before = await looked();
      assert.equal(await journal.last(), 8000);
      const once = (await looked()) - before;
      assert.ok(once < 5000, `${once} of 8000`);
    });
  }));

test("an entry that was begun before the floor rose past others is placed when it is committed", () =>
  withProcesses(2, async (slow, quick) => {
    let commit = (): void => undefined;
    let wrote = (): void => undefined;
    const written = new Promise<void>((resolve) => (wrote = resolve));
    const late = slow.connections.transaction(async (work) => {
      record(work, { ...entry, record: "late" });
      await work.rows("SELECT 1");
      wrote();
      await new Promise<void>((resolve) => (commit = resolve));
    });
    await written;
    const many = async (): Promise<unknown> => {
      for (let round = 0; round < 9; round += 1) {
        await enter(quick, ...Array.from({ length: 500 }, () => ({})));
        await quick.sequencer.flush();
      }
      return (await quick.connections.rows("SELECT floor FROM nonet_journal_floor"))[0]?.[0];
    };
    assert.equal(await many(), 0, "it waits for what is under way");
    commit();
    await late;
    assert.ok(Number(await many()) > 4000, "and rises afterwards");
    assert.deepEqual((await quick.journal.events(4500, 1)).map((one) => one.record), ["late"]); // biome-ignore format: short
    assert.equal(await quick.journal.last(), 9001);
  }));
