/**
 * What is done again and again (what time does, what webhooks are sent), one run after another: never two at once, each able
 * to be stopped, none of them failing its caller.
 */
import { isPassing } from "../../store/port/error.ts";
import type { Time } from "./timers.ts";

export interface SchedulerLoop {
  /** Does what is due; 0 where a run is under way. Never rejects. */
  tick(): Promise<number>;
  /** Resolves once no run is under way; the present one is cut short. */
  rest(): Promise<void>;
}

export function createSchedulerLoop(time: Time, report: (failure: unknown) => void): SchedulerLoop {
  let running: Promise<number> | undefined;
  let resting = false;
  // What fails at one run fails at the next, several times a second: it is reported once, until a run succeeds.
  let isReported = false;

  async function run(): Promise<number> {
    try {
      const count = await time.run(() => resting);
      isReported = false;
      return count;
    } catch (thrown) {
      // The next run does it.
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
      if (running !== undefined || resting) return Promise.resolve(0);
      running = run();
      return running;
    },
    rest: async () => {
      resting = true;
      await running;
      resting = false;
    },
  };
}
