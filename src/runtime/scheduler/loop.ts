/**
 * Runs a recurring task (timers, webhook delivery): never two runs at once, each can be stopped, and errors are reported instead
 * of thrown.
 */
import { isPassing } from "../../store/port/error.ts";
import type { Time } from "./timers.ts";

export interface SchedulerLoop {
  /** Runs the task, or waits for its current run; returns the number of completed jobs. Never rejects. */
  tick(): Promise<number>;
  /** Stops the current run of the task early; resolves when it has ended. */
  rest(): Promise<void>;
}

export function createSchedulerLoop(time: Time, report: (failure: unknown) => void): SchedulerLoop {
  let running: Promise<number> | undefined;
  let resting = false;
  // A failure usually repeats several times a second: report it once until a run succeeds.
  let isReported = false;

  async function run(): Promise<number> {
    try {
      const count = await time.run(() => resting);
      isReported = false;
      return count;
    } catch (thrown) {
      // After a temporary failure the next run tries again.
      if (isPassing(thrown)) return 0;
      if (!isReported) report(thrown);
      isReported = true;
      return 0;
    } finally {
      running = undefined;
    }
  }

  return {
    tick: () => {
      if (resting) return Promise.resolve(0);
      running ??= run();
      return running;
    },
    rest: async () => {
      resting = true;
      await running;
      resting = false;
    },
  };
}
