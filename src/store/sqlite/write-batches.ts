/**
 * The one writer. Transactions queue; those of one turn of the event loop run one after another in one transaction of the
 * database, and are answered together once that is durable. So one wait for the disk serves them all, and one that fails undoes
 * itself alone: what it wrote is taken back write by write, and from its first write on that cannot be taken back so, by a
 * savepoint. A savepoint costs a copy of each page that is changed within it, so most works have none.
 *
 * Where flushes are short, a work that is alone waits for its own on the spot; so does every group where there is one processor
 * alone, since the thread that waits for the disk would have to be given it between the works of this one, again and again. Else,
 * while one group becomes durable, the next one already runs, and takes in all that arrives; it is committed when the one before
 * is answered. Where a flush is short beside the work of a group, the next one also takes in what those ask for who have just been
 * answered: half as many groups write fewer pages, since pages are written once for a group, however often they change.
 *
 * A work whose statements take longer than a slice is undone, and done again on a thread (`threads.ts`) between two groups.
 */
import { isLate, StoreError } from "../port/error.ts";
import type { Checkpointer } from "./checkpoint.ts";
import { type Connection, explained, isBusy } from "./connection.ts";
import type { Durability } from "./durability.ts";

/** A transaction's turn at the database. */
export interface WriteSlot {
  readonly connection: Connection;
  /** To be called before anything is read, and before anything is written. */
  reading(): void;
  writing(): void;
  /** In place of `writing` for a single statement that changes or fails as a whole; `undoWrite` is then told how to undo it. */
  writingOne(): void;
  /** What a statement has written is undone by this. Nothing has been written since but what is undone before it. */
  undoWrite(undo: () => void): void;
  /** To be done if what the transaction has written is undone. */
  whenUndone(action: () => void): void;
}

export interface Writer {
  /** Runs `work` alone; settles as it did, when what it wrote is durable. */
  enqueue<T>(task: (slot: WriteSlot) => T | Promise<T>, elsewhere?: Elsewhere<T>): Promise<T>;
  /** For work that writes and does not wait. */
  write<T>(task: (slot: WriteSlot) => T): Promise<T>;
  /** Resolves when everything accepted so far is answered; refuses what comes later. */
  finish(): Promise<void>;
  /** Resolves when all that is committed at this moment is durable; rejects where it will never be. */
  durable(): Promise<void>;
  /** False once the disk has failed. */
  isSound(): boolean;
}

/** Does a work that takes long on a thread. Gives what commits it; what it throws has undone it. */
export type Elsewhere<T> = () => Promise<{ readonly value: T; readonly commit: () => Promise<void> }>;

export interface GroupLimits {
  /** The most transactions in a group. */
  readonly size: number;
  /** A group that could be committed takes in no more transactions after this time. */
  readonly milliseconds: number;
  /** How long a lock that another process holds is waited for. */
  readonly waitMilliseconds: number;
  /** How many this process may use. */
  readonly processors: number;
  /** How long the statements of one work may take here. */
  readonly sliceMilliseconds: number;
}

interface Waiting {
  readonly task: (slot: WriteSlot) => unknown;
  readonly elsewhere: Elsewhere<unknown> | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** A transaction that has run, and what it is to be told once the group is durable. */
interface Done {
  readonly waiting: Waiting;
  readonly wrote: boolean;
  readonly undoing: readonly (() => void)[];
  readonly outcome:
    | { readonly kind: "value"; readonly value: unknown }
    | { readonly kind: "error"; readonly error: unknown };
}

/** Of the time that a group works, what may be lost by waiting for its flush with nothing else to do. */
const idleShare = 0.05;
/** Groups that do not gather after one for which waiting was too long; then it is tried again. */
const ungathered = 32;
/** Turns of the event loop in which it gathers. */
const gatheringTicks = 2;

export function openWriter(
  connection: Connection,
  file: string,
  limits: GroupLimits,
  durability: Durability,
  checkpointer: Checkpointer | undefined,
): Writer {
  const queue: Waiting[] = [];
  /** Those that have been found to take long. */
  const long: Waiting[] = [];
  let running: Promise<void> | undefined;
  /** The group before becoming durable, and being answered. */
  let flushing: Promise<void> | undefined;
  let wake: (() => void) | undefined;
  let broken: StoreError | undefined;
  let finishing = false;
  /** Milliseconds in which works have run. */
  let busyMilliseconds = 0;
  let untilGathering = 0;

  async function runGroups(): Promise<void> {
    do {
      // Requests whose bytes are here already are read first, and become part of the group.
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
      // One that was alone was undone with the transaction.
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
    flushing = durability
      .flush()
      .then(
        () => {
          const idle = performance.now() - committed.at - (busyMilliseconds - committed.busyMilliseconds);
          if (gathers && group.length > 1 && idle > (committed.busyMilliseconds - before) * idleShare)
            untilGathering = ungathered;
          complete(group);
        },
        (thrown: unknown) => abandon(group, thrown),
      )
      .finally(() => {
        flushing = undefined;
      });
  }

  /** Nothing of this connection is in its way: a group that is not answered yet is committed. */
  async function runElsewhere(waiting: Waiting): Promise<void> {
    await flushing;
    try {
      assertSound();
      const { value, commit } = await (waiting.elsewhere as Elsewhere<unknown>)();
      durability.hold();
      await commit();
      const done: Done = { waiting, wrote: true, undoing: [], outcome: { kind: "value", value } };
      flushing = durability
        .flush()
        .then(
          () => complete([done]),
          (thrown: unknown) => abandon([done], thrown),
        )
        .finally(() => {
          flushing = undefined;
        });
      await flushing;
    } catch (thrown) {
      durability.release();
      waiting.reject(explained(thrown, file));
    }
  }

  function flushHere(group: readonly Done[]): void {
    try {
      durability.flushHere();
      complete(group);
    } catch (thrown) {
      abandon(group, thrown);
    }
  }

  /** What the disk has is not known any more, and asking it again would not tell. */
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

  /** Runs what waits, and what arrives until the group before is answered; where it gathers, also what comes of that. */
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

  /** The next turn in which something has arrived. */
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

  /** Waits for other processes without holding up this one: only the lock itself is tried at once. */
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

  /** Alone in its group, a work's savepoint is the transaction itself. */
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
        // What the savepoint undoes itself is not undone twice.
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
    // After a failure of the disk SQLite has already undone everything.
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
      // Undone in part it must not stay: the whole group goes with it.
      if (connection.database.isTransaction) connection.run("ROLLBACK");
    }
  }

  /** Nothing of the group has happened. */
  function fail(group: readonly Done[], thrown: unknown): void {
    const error = explained(thrown, file);
    for (const { undoing } of group) for (const action of undoing) action();
    try {
      if (connection.database.isTransaction) connection.run("ROLLBACK");
    } catch {
      // What made the group fail is the better account of it.
    }
    // Without a group not even the lock was had: all who wait would wait as long for nothing.
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

/** After the input that is ready now has been taken in. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
