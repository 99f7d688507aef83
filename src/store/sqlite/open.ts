/** Opens a store in one SQLite file, through `node:sqlite`. */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "../../plan/resources/types.ts";
import { deadlineOf } from "../port/deadline.ts";
import type { Following } from "../migration/migration.ts";
import type { Variables } from "../../expression/evaluate.ts";
import { isLate } from "../port/error.ts";
import type { Awaitable, Store, Transaction } from "../port/store.ts";
import { openCheckpointer } from "./checkpoint.ts";
import { withRejections } from "../sql/rejections.ts";
import { Connection, explained, rejectionOf } from "./connection.ts";
import { countStore } from "./counts.ts";
import { immediate, openDurability } from "./durability.ts";
import { fileStore } from "./files.ts";
import { type Elsewhere, openWriter } from "./write-batches.ts";
import { grantStore } from "./grants.ts";
import { dueFinder } from "./due.ts";
import { journalOf } from "./journal.ts";
import { keyStore } from "./keys.ts";
import { prepareList } from "./list.ts";
import { pinStore } from "./pinned-versions.ts";
import { migrate } from "./migrate.ts";
import { checkFile, linkedFile } from "./file-location.ts";
import type { Stoppable } from "./deadline.ts";
import { purge } from "./purge.ts";
import { prepareRead } from "./read.ts";
import { relationsOf } from "./relations.ts";
import { secretStore } from "./secrets.ts";
import { holdServingLock } from "./serving-lock.ts";
import { sessionStore } from "./sessions.ts";
import { openSnapshot } from "./snapshot.ts";
import type { ReadKind } from "./thread.ts";
import { openThreads } from "./threads.ts";
import { SqliteTransaction, TransactionDeps } from "./transaction.ts";
import { prepareAggregate } from "./aggregate.ts";
import { prepareSummary } from "./summary.ts";

export interface SqliteOptions {
  /** The path of the file. `:memory:` is a temporary file that the store deletes when it closes. */
  readonly file: string;
  readonly tables: readonly Table[];
  /** How to migrate the data of another document; absent: such data is rejected. */
  readonly following?: Following;
  /** When a confirmed write survives. `FULL`: a power failure too. `NORMAL`: only a process crash. */
  readonly synchronous?: "FULL" | "NORMAL";
  /** Returns the time in epoch milliseconds. */
  readonly clock: () => number;
  /** Whether this store serves requests; one process at a time may, while others read and write the file. */
  readonly serving?: boolean;
  /** How long to wait for another process's lock on the file, in milliseconds. */
  readonly waitMilliseconds?: number;
  /** The bytes of the log per checkpoint. */
  readonly logBytes?: number;
  /** The number of processors to use; default: `availableParallelism`. */
  readonly processors?: number;
  /** How long a statement may take on the main thread before it moves to a worker thread, in milliseconds. */
  readonly sliceMilliseconds?: number;
}

/** How many runs after a long read go to a thread, before the main thread tries it again. */
const longRuns = 32;

interface Settings {
  readonly file: string;
  readonly tables: readonly Table[];
  readonly following: Following | undefined;
  readonly clock: () => number;
  readonly synchronous: "FULL" | "NORMAL" | "OFF";
  readonly serving: boolean;
  readonly waitMilliseconds: number;
  readonly logBytes: number;
  readonly processors: number;
  readonly sliceMilliseconds: number;
  /** Called after everything else is closed. */
  readonly release: () => void;
}

/** Opens the store. @throws StoreError if the file cannot be used, or its data does not fit the tables. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const {
    clock,
    following,
    logBytes = 32 * 1024 * 1024,
    processors = availableParallelism(),
    serving = false,
    sliceMilliseconds = 20,
    synchronous = "FULL",
    tables,
    waitMilliseconds = 5_000,
  } = options;
  const folder = options.file === ":memory:" ? mkdtempSync(join(tmpdir(), "nonet-")) : undefined;
  const file = folder ? join(folder, "store.db") : linkedFile(options.file);
  const release = (): void => {
    if (folder) rmSync(folder, { recursive: true, force: true });
  };
  try {
    return await open({
      file,
      tables,
      following,
      clock,
      synchronous: folder ? "OFF" : synchronous,
      serving: serving && folder === undefined,
      waitMilliseconds,
      logBytes,
      processors,
      sliceMilliseconds,
      release,
    });
  } catch (thrown) {
    release();
    throw explained(thrown, file);
  }
}

async function open(settings: Settings): Promise<Store> {
  const { clock, file, following, logBytes, processors, release, sliceMilliseconds, synchronous } = settings;
  const { tables: declared } = settings;
  const { waitMilliseconds } = settings;
  checkFile(file);
  const unlock = settings.serving ? await holdServingLock(file, waitMilliseconds) : () => {};
  const connections: Connection[] = [];
  try {
    const writing = new Connection(file, waitMilliseconds);
    connections.push(writing);
    // Nothing changes the file before it is verified as a Nonet database, not even the journal mode.
    const tables = await migrate(writing, { file, tables: declared, following, clock });
    writing.exec("PRAGMA journal_mode = WAL");
    const memory = ["cache_size = -8000", "temp_store = MEMORY"];
    const forWriting = [
      "foreign_keys = ON",
      `synchronous = ${synchronous === "FULL" ? "NORMAL" : synchronous}`,
      // Otherwise deleted data would stay readable in the file until its pages are reused.
      ...(holdsPersonal(tables) ? ["secure_delete = ON"] : []),
      ...memory,
    ];
    const forReading = ["query_only = ON", ...memory];
    for (const pragma of [...forWriting, "busy_timeout = 0"]) writing.exec(`PRAGMA ${pragma}`);
    const reading = new Connection(file, waitMilliseconds);
    connections.push(reading);
    for (const pragma of forReading) reading.exec(`PRAGMA ${pragma}`);

    const relations = relationsOf(tables);
    const deps = new TransactionDeps(relations, writing, clock);
    const snapshot = openSnapshot(reading);
    const durability = synchronous === "FULL" ? openDurability(file, snapshot) : immediate(snapshot);
    const checkpointer = synchronous === "OFF" ? undefined : openCheckpointer(writing, file, logBytes);
    const limits = { size: 256, milliseconds: 10, waitMilliseconds, processors, sliceMilliseconds };
    const writer = openWriter(writing, file, limits, durability, checkpointer);
    const onThread = { file, tables, waitMilliseconds };
    const threads = openThreads({
      reading: { ...onThread, pragmas: forReading },
      // Only the checkpointer copies the log.
      writing: { ...onThread, pragmas: [...forWriting, "wal_autocheckpoint = 0"] },
      readers: Math.max(1, Math.min(4, processors - 1)),
      clock,
    });
    const left = (until: number | undefined): number | undefined => (until === undefined ? undefined : until - clock());
    /** Runs short reads on the main thread, and those known to be long on a worker thread. */
    const sliced = <A extends readonly unknown[], T>(
      kind: ReadKind,
      query: object,
      { stops, run }: Stoppable<A, T>,
    ): ((...args: A) => Awaitable<T>) => {
      if (!stops) return withStoreErrors(file, run);
      /** How many further runs go directly to a thread. */
      let long = 0;
      const onThread = async (args: A): Promise<T> => {
        let { value, milliseconds } = { value: undefined as unknown, milliseconds: Number.POSITIVE_INFINITY };
        try {
          ({ value, milliseconds } = await threads.read(kind, query, args, left(deadlineOf(args.at(-1) as Variables))));
        } finally {
          // A busy machine can make a short read look long on the main thread, so the thread's own time decides.
          long = milliseconds > sliceMilliseconds ? longRuns : 0;
        }
        // The result waits until all commits are durable, since the thread may have read some that are not.
        await writer.durable();
        return value as T;
      };
      return (...args) => {
        if (long > 0) {
          long -= 1;
          return onThread(args);
        }
        reading.stop.at = performance.now() + sliceMilliseconds;
        try {
          return run(...args);
        } catch (thrown) {
          const error = explained(thrown, file);
          if (!isLate(error)) throw error;
          return onThread(args);
        } finally {
          reading.stop.at = Number.POSITIVE_INFINITY;
        }
      };
    };
    const elsewhere =
      <T>(task: (tx: Transaction) => Promise<T>, until: number | undefined): Elsewhere<T> =>
      async () => {
        const long = await threads.begin(left(until));
        try {
          return { value: await task(long.transaction), commit: () => long.commit() };
        } catch (thrown) {
          await long.rollback();
          throw thrown;
        }
      };
    let open = true;
    return {
      ready: () => open && writer.isSound() && isReadable(reading),
      read: (query) => sliced("read", query, prepareRead(query, relations, reading, snapshot)),
      aggregate: (query) => sliced("aggregate", query, prepareAggregate(query, relations, reading, snapshot)),
      list: (query) => sliced("list", query, prepareList(query, relations, reading, snapshot)),
      summary: (query) => sliced("summary", query, prepareSummary(query, relations, reading, snapshot)),
      transaction: withRejections(tables, rejectionOf, (task, until) =>
        writer.enqueue((slot) => task(new SqliteTransaction(deps, slot)), elsewhere(task, until)),
      ),
      due: dueFinder(relations, reading, snapshot),
      journal: journalOf(reading, snapshot, writer),
      keys: keyStore(reading, writer),
      sessions: sessionStore(reading, writer),
      grants: grantStore(reading, writer),
      counts: countStore(writer),
      pins: pinStore(reading, writer),
      files: fileStore(reading, snapshot, writer, clock),
      // Only one process serves a file, so it always has the lease.
      acquireLease: () => true,
      changes: () => () => {},
      ...secretStore(writer),
      purge: async (now) => {
        await purge(writer, now);
        if (holdsPersonal(tables)) await checkpointer?.empty(() => writer.enqueue(() => undefined));
      },
      close: async () => {
        open = false;
        await writer.finish();
        await threads.close();
        await checkpointer?.close();
        durability.close();
        snapshot.close();
        for (const connection of connections.splice(0)) connection.close();
        unlock();
        release();
      },
    };
  } catch (thrown) {
    for (const connection of connections) connection.close();
    unlock();
    throw thrown;
  }
}

/** Wraps a read: converts errors of the file or the disk to a `StoreError`. */
function withStoreErrors<A extends readonly unknown[], T>(file: string, read: (...args: A) => T): (...args: A) => T {
  return (...args) => {
    try {
      return read(...args);
    } catch (thrown) {
      throw explained(thrown, file);
    }
  };
}

/** Whether deleted data must also become unreadable in the file. */
function holdsPersonal(tables: readonly Table[]): boolean {
  return tables.some(({ columns }) => columns.some(({ marks }) => marks.includes("personal")));
}

function isReadable(connection: Connection): boolean {
  try {
    return connection.get("SELECT 1 FROM nonet_schema") !== undefined;
  } catch {
    return false;
  }
}
