/** Runs many seeds on all cores. A seed that violates an invariant, fails or makes no progress becomes a numbered finding. */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

export interface Finding {
  readonly seed: number;
  readonly violation: string;
}

export interface FleetOptions {
  readonly from: number;
  readonly seeds: number;
  /** Plays every nth seed: as many runs, over more documents. */
  readonly every?: number;
  readonly threads?: number;
  /** It ends after so many findings. */
  readonly most?: number;
  /** Real time that one seed may take. A seed takes 20 ms, or seconds where its thread begins and the machine is busy. */
  readonly timeoutMilliseconds?: number;
  /** Receives each finding, and after each seed how many are done. */
  readonly found?: (finding: Finding) => void;
  readonly done?: (seeds: number) => void;
}

/** What a thread reports of one seed. */
export interface Played {
  readonly answers: number;
  readonly violation?: string;
}

/** Seeds at a time: those of some worlds, so that few worlds are made by two threads. */
const share = 128;

export async function runFleet(
  options: FleetOptions,
): Promise<{ readonly findings: readonly Finding[]; readonly answers: number }> {
  // biome-ignore format: short
  const { done, every = 1, found, from, most = 10, seeds, threads = availableParallelism(), timeoutMilliseconds = 180_000 } = options;
  const findings: Finding[] = [];
  let [next, finished, answers] = [from, 0, 0];
  const end = from + seeds * every;

  async function work(): Promise<void> {
    let thread = startThread();
    while (next < end && findings.length < most) {
      const mine: number[] = [];
      do {
        mine.push(next);
        next += every;
      } while (next < end && next % share >= every);
      for (const seed of mine) {
        const played = await play(thread, seed, timeoutMilliseconds);
        answers += played.answers;
        finished += 1;
        if (played.violation !== undefined) {
          const finding = { seed, violation: played.violation };
          findings.push(finding);
          found?.(finding);
        }
        done?.(finished);
        if (!played.isStuck) continue;
        await thread.terminate();
        thread = startThread();
      }
    }
    await thread.terminate();
  }

  await Promise.all(Array.from({ length: threads }, work));
  return { findings: findings.toSorted((a, b) => a.seed - b.seed), answers };
}

function startThread(): Worker {
  return new Worker(new URL("./thread.ts", import.meta.url));
}

/** Plays one seed on a thread; `isStuck` if it reports nothing in time. */
async function play(
  thread: Worker,
  seed: number,
  milliseconds: number,
): Promise<Played & { readonly isStuck: boolean }> {
  const signal = AbortSignal.timeout(milliseconds);
  try {
    const reported = once(thread, "message", { signal });
    thread.postMessage(seed);
    const [played] = (await reported) as [Played];
    return { ...played, isStuck: false };
  } catch (thrown) {
    const violation = signal.aborted
      ? `it made no progress within ${milliseconds / 1000} s`
      : `the simulation itself failed: ${String(thrown)}`;
    return { answers: 0, violation, isStuck: true };
  }
}
