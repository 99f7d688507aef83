/**
 * The single writer. Transactions queue; those of one event-loop tick run one after another in one database transaction (a
 * group), and all get their results once it is durable, so that one flush serves all. A failed task undoes only its own
 * writes: one by one with `undoWrite`, or by a savepoint from its first write that has no individual undo. A savepoint copies
 * every page changed within it, so most tasks use none.
 *
 * If flushes are short, a task alone in its group flushes synchronously; with a single processor every group does, because the
 * flush thread would compete for that processor. Otherwise the next group runs, and takes in arriving tasks, while one is
 * flushed; it commits when the previous group has its results. If a flush is short compared with a group's work, the next
 * group also takes in the next requests of the clients that just got their responses: half as many groups write fewer pages,
 * because a page is written once per group.
 *
 * A task whose statements exceed a slice is undone and runs again on a thread (`threads.ts`) between two groups.
 */
import { isLate, StoreError } from "../port/error.ts";
import type { Checkpointer } from "./checkpoint.ts";
import { type Connection, explained, isBusy } from "./connection.ts";
import type { Durability } from "./durability.ts";

/** The database access of one running transaction. */
export interface WriteSlot {
  readonly connection: Connection;
  /** Begins a read; must be called before each read, as `writing` before each write. */
  reading(): void;
  writing(): void;
  /** Begins a single atomic statement, instead of `writing`; `undoWrite` then registers its undo. */
  writingOne(): void;
  /** Registers the undo of a statement. Undos run in reverse order. */
  undoWrite(undo: () => void): void;
  /** Registers an action for the case that the transaction is undone. */
  whenUndone(action: () => void): void;
}

export interface Writer {
  /** Runs `task` exclusively; settles with its result when its writes are durable. */
  enqueue<T>(task: (slot: WriteSlot) => T | Promise<T>, elsewhere?: Elsewhere<T>): Promise<T>;
  /** Runs a synchronous task that writes. */
  write<T>(task: (slot: WriteSlot) => T): Promise<T>;
  /** Resolves when all accepted tasks have their results; later ones are rejected. */
  finish(): Promise<void>;
  /** Resolves when all current commits are durable; rejects if the disk failed. */
  durable(): Promise<void>;
  /** Whether the disk works; false after it has failed. */
  isSound(): boolean;
}

/** Runs a long task on a thread; returns the function that commits it. If it throws, it has rolled back. */
export type Elsewhere<T> = () => Promise<{ readonly value: T; readonly commit: () => Promise<void> }>;

export interface GroupLimits {
  /** The most transactions per group. */
  readonly size: number;
  /** After how many milliseconds a group takes in no more transactions. */
  readonly milliseconds: number;
  /** How long to wait for another process's lock, in milliseconds. */
  readonly waitMilliseconds: number;
  /** The number of processors that this process may use. */
  readonly processors: number;
  /** How long the statements of one task may take on the main thread, in milliseconds. */
  readonly sliceMilliseconds: number;
}

interface Waiting {
  readonly task: (slot: WriteSlot) => unknown;
  readonly elsewhere: Elsewhere<unknown> | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** A finished task and its result, until the group is durable. */
interface Done {
  readonly waiting: Waiting;
  readonly wrote: boolean;
  readonly undoing: readonly (() => void)[];
  readonly outcome:
    | { readonly kind: "value"; readonly value: unknown }
    | { readonly kind: "error"; readonly error: unknown };
}

/** The maximum idle time during a flush, as a share of the group's busy time; beyond it gathering does not pay. */
const idleShare = 0.05;
/** How many groups do not gather after such an idle flush; then gathering is tried again. */
const ungathered = 32;
/** For how many event-loop ticks a group gathers. */
const gatheringTicks = 2;

export function openWriter(
  connection: Connection,
  file: string,
  limits: GroupLimits,
  durability: Durability,
  checkpointer: Checkpointer | undefined,
): Writer {
  const queue: Waiting[] = [];
  /** Tasks that exceeded their slice. */
  const long: Waiting[] = [];
  let running: Promise<void> | undefined;
  /** The flush of the previous group. */
  let flushing: Promise<void> | undefined;
  let wake: (() => void) | undefined;
  let broken: StoreError | undefined;
  let finishing = false;
  /** The total milliseconds spent in tasks. */
  let busyMilliseconds = 0;
  let untilGathering = 0;

  async function runGroups(): Promise<void> {
    do {
      // The event loop reads requests that have already arrived, so that they join the group.
      await nextTick();
      if (queue.length > 0) await runGroup();
      const waiting = long.shift();
      if (waiting) await runElsewhere(waiting);
      const copyRest = checkpointer?.afterGroup();
      if (copyRest) {
        await flushing;
        await copyRest();
      }
    } while (queue.length > 0 || long.length > 0);
    running = undefined;
  }

  async function runGroup(): Promise<void> {
    const group: Done[] = [];
    const gathers = untilGathering === 0;
    if (!gathers) untilGathering -= 1;
    const before = busyMilliseconds;
    try {
      assertSound();
      await begin();
      const isSingle = queue.length === 1 && !flushing;
      const here = !flushing && (isSingle || limits.processors === 1) && durability.isShort();
      await fill(group, isSingle, gathers && !here);
      assertSound();
      // A failed task alone in its group was rolled back with the transaction.
      if (group.length === 0 && !connection.database.isTransaction) return;
      const wrote = group.some((done) => done.wrote);
      if (wrote) durability.hold();
      connection.run("COMMIT");
      if (!wrote) {
        complete(group);
        return;
      }
      if (here) {
        flushHere(group);
        return;
      }
    } catch (thrown) {
      fail(group, thrown);
      durability.release();
      return;
    }
    const committed = { at: performance.now(), busyMilliseconds };
    flush(group, () => {
      const idle = performance.now() - committed.at - (busyMilliseconds - committed.busyMilliseconds);
      if (gathers && group.length > 1 && idle > (committed.busyMilliseconds - before) * idleShare)
        untilGathering = ungathered;
    });
  }

  /** Runs a task on a thread, while this connection holds no lock: a group without results is already committed. */
  async function runElsewhere(waiting: Waiting): Promise<void> {
    await flushing;
    try {
      assertSound();
      const { value, commit } = await (waiting.elsewhere as Elsewhere<unknown>)();
      durability.hold();
      await commit();
      const done: Done = { waiting, wrote: true, undoing: [], outcome: { kind: "value", value } };
      flush([done]);
      await flushing;
    } catch (thrown) {
      durability.release();
      waiting.reject(explained(thrown, file));
    }
  }

  /** Flushes a committed group on the flush thread, and then answers it. */
  function flush(group: readonly Done[], flushed = (): void => {}): void {
    flushing = durability
      .flush()
      .then(
        () => {
          flushed();
          complete(group);
        },
        (thrown: unknown) => abandon(group, thrown),
      )
      .finally(() => {
        flushing = undefined;
      });
  }

  function flushHere(group: readonly Done[]): void {
    try {
      durability.flushHere();
      complete(group);
    } catch (thrown) {
      abandon(group, thrown);
    }
  }

  /** Gives up after a failed flush: the disk's contents are unknown, and another flush would not reveal them. */
  function abandon(group: readonly Done[], thrown: unknown): void {
    broken = new StoreError("disk", `writing ${file} failed`, [], thrown);
    for (const { waiting } of group) waiting.reject(broken);
  }

  function isFlushing(): boolean {
    return flushing !== undefined;
  }

  function assertSound(): void {
    if (broken) throw broken;
  }

  /**
   * Runs queued and arriving tasks until the previous group has its results; with `gathers` also the clients' next requests.
   */
  async function fill(group: Done[], isSingle: boolean, gathers: boolean): Promise<void> {
    const hasRoom = (): boolean => queue.length > 0 && group.length < limits.size && (group.length === 0 || !isSingle);
    let ends = performance.now() + limits.milliseconds;
    let ticks = 0;
    for (;;) {
      while (hasRoom()) {
        const begun = performance.now();
        const waiting = queue.shift() as Waiting;
        const done = await runTask(waiting, isSingle);
        const now = performance.now();
        busyMilliseconds += now - begun;
        const { outcome } = done;
        if (outcome.kind === "error" && isLate(outcome.error) && waiting.elsewhere) {
          long.push(waiting);
          if (isSingle || now > ends) break;
          continue;
        }
        group.push(done);
        if (outcome.kind === "error" && !connection.database.isTransaction) throw outcome.error;
        if (now > ends) break;
      }
      if (flushing) {
        await (group.length < limits.size ? Promise.race([flushing, arrival()]) : flushing);
        if (isFlushing()) {
          ends = performance.now() + limits.milliseconds;
          continue;
        }
      }
      if (isSingle || !gathers || ticks === gatheringTicks || performance.now() > ends) return;
      ticks += 1;
      await nextTick();
      if (!hasRoom()) return;
    }
  }

  /** Resolves in the next tick after a task arrives. */
  function arrival(): Promise<void> {
    return new Promise((resolve) => {
      wake = () => {
        wake = undefined;
        setImmediate(resolve);
      };
      if (queue.length > 0) wake();
    });
  }

  function complete(group: readonly Done[]): void {
    durability.release();
    for (const { waiting, outcome } of group) {
      if (outcome.kind === "value") waiting.resolve(outcome.value as never);
      else waiting.reject(outcome.error);
    }
  }

  /** Begins a transaction. Retries a lock without blocking the event loop, since SQLite itself does not wait. */
  async function begin(): Promise<void> {
    const deadline = performance.now() + limits.waitMilliseconds;
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      try {
        connection.run("BEGIN IMMEDIATE");
        return;
      } catch (thrown) {
        if (!isBusy(thrown) || performance.now() > deadline) throw thrown;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** Runs a task. A task that is alone in its group needs no savepoint, because it is the whole transaction. */
  async function runTask(waiting: Waiting, isSingle: boolean): Promise<Done> {
    let wrote = false;
    let saved = isSingle;
    let over = false;
    const undoing: (() => void)[] = [];
    const written: (() => void)[] = [];
    const reading = (): void => {
      if (over) throw new Error("a transaction was used after its end");
    };
    const slot: WriteSlot = {
      connection,
      reading,
      writing: () => {
        reading();
        if (!saved) connection.run("SAVEPOINT work");
        saved = true;
        wrote = true;
      },
      writingOne: () => {
        reading();
        wrote = true;
      },
      undoWrite: (undo) => {
        // The savepoint already covers this write.
        if (!saved) written.push(undo);
      },
      whenUndone: (action) => void undoing.push(action),
    };
    if (waiting.elsewhere) connection.stop.at = performance.now() + limits.sliceMilliseconds;
    try {
      const value = await waiting.task(slot);
      connection.stop.at = Number.POSITIVE_INFINITY;
      if (saved && !isSingle) connection.run("RELEASE work");
      return { waiting, wrote, undoing, outcome: { kind: "value", value } };
    } catch (thrown) {
      connection.stop.at = Number.POSITIVE_INFINITY;
      if (wrote) undo(isSingle, saved, written);
      for (const action of undoing) action();
      return { waiting, wrote, undoing, outcome: { kind: "error", error: explained(thrown, file) } };
    } finally {
      over = true;
    }
  }

  function undo(isSingle: boolean, saved: boolean, written: readonly (() => void)[]): void {
    // After a disk failure SQLite has already rolled back.
    if (!connection.database.isTransaction) return;
    if (isSingle) {
      connection.run("ROLLBACK");
      return;
    }
    try {
      if (saved) {
        connection.run("ROLLBACK TO work");
        connection.run("RELEASE work");
      }
      for (const undoWrite of written.toReversed()) undoWrite();
    } catch {
      // A partial undo must not remain, so the whole group is rolled back.
      if (connection.database.isTransaction) connection.run("ROLLBACK");
    }
  }

  /** Rolls back the group and rejects its tasks. */
  function fail(group: readonly Done[], thrown: unknown): void {
    const error = explained(thrown, file);
    for (const { undoing } of group) for (const action of undoing) action();
    try {
      if (connection.database.isTransaction) connection.run("ROLLBACK");
    } catch {
      // The original error explains the failure better.
    }
    // If there is no group, not even the lock was acquired; every queued task would wait as long and fail too.
    if (group.length === 0) for (const waiting of queue.splice(0)) waiting.reject(error);
    for (const { waiting, outcome } of group) waiting.reject(outcome.kind === "error" ? outcome.error : error);
  }

  const enqueue = <T>(task: (slot: WriteSlot) => T | Promise<T>, elsewhere?: Elsewhere<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (finishing) {
        reject(new StoreError("closed", "the store is closing"));
        return;
      }
      queue.push({ task, elsewhere, resolve, reject });
      wake?.();
      running ??= runGroups();
    });

  return {
    enqueue,
    write: (task) =>
      enqueue((slot) => {
        slot.writing();
        return task(slot);
      }),
    finish: async () => {
      finishing = true;
      while (running || flushing) await (running ?? flushing);
    },
    durable: async () => {
      await flushing;
      assertSound();
    },
    isSound: () => broken === undefined,
  };
}

/** Resolves after the event loop has processed pending input. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
