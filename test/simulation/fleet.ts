/** Many seeds on all cores: each thread takes some of them, and tells of what it finds. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

export interface Finding {
  readonly seed: number;
  readonly violation: string;
}

export interface FleetOptions {
  readonly from: number;
  readonly seeds: number;
  readonly threads?: number;
  /** It ends after so many findings. */
  readonly most?: number;
  /** Told of each, and from time to time how many seeds are done. */
  readonly found?: (finding: Finding) => void;
  readonly done?: (seeds: number) => void;
}

/** What a thread is asked for, and what it says. */
export interface Share {
  readonly from: number;
  readonly seeds: number;
}

export type Said =
  | { readonly kind: "found"; readonly finding: Finding }
  | { readonly kind: "done"; readonly seeds: number; readonly answers: number };

/** Seeds at a time: those of some worlds, so that few worlds are made by two threads. */
const share = 128;

export async function runFleet(
  options: FleetOptions,
): Promise<{ readonly findings: readonly Finding[]; readonly answers: number }> {
  // biome-ignore format: short
  const { done, found, from, most = 10, seeds, threads = availableParallelism() } = options;
  const findings: Finding[] = [];
  let [next, finished, answers] = [from, 0, 0];
  const end = from + seeds;
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL("./thread.ts", import.meta.url));
      const more = (): void => {
        if (next >= end || findings.length >= most) {
          void worker.terminate().then(() => resolve());
          return;
        }
        // A world is made once where its seeds are run by one thread.
        const until = Math.min(end, (Math.floor(next / share) + 1) * share);
        worker.postMessage({ from: next, seeds: until - next } satisfies Share);
        next = until;
      };
      worker.on("message", (said: Said) => {
        if (said.kind === "found") {
          findings.push(said.finding);
          found?.(said.finding);
          return;
        }
        finished += said.seeds;
        answers += said.answers;
        done?.(finished);
        more();
      });
      worker.on("error", reject);
      more();
    });
  await Promise.all(Array.from({ length: threads }, work));
  return { findings: findings.toSorted((a, b) => a.seed - b.seed), answers };
}
