/**
 * What is done again and again (what time does, what webhooks are sent), one run after another: never two at once, each able
 * to be stopped, none of them failing its caller.
 */
import { StoreError } from "../store/error.ts";
import type { Time } from "./time.ts";

export interface Ticking {
  /** Does what is due; 0 where a run is under way. Never rejects. */
  tick(): Promise<number>;
  /** Resolves once no run is under way; the present one is cut short. */
  rest(): Promise<void>;
}

export function createTicking(time: Time, report: (failure: unknown) => void): Ticking {
  let running: Promise<number> | undefined;
  let resting = false;
  // What fails at one run fails at the next, several times a second: it is told once, until a run succeeds.
  let told = false;

  async function run(): Promise<number> {
    try {
      const count = await time.run(() => resting);
      told = false;
      return count;
    } catch (thrown) {
      // A store that is held by another process, or is closing, is no failure: the next run does it.
      const passes = thrown instanceof StoreError && (thrown.kind === "busy" || thrown.kind === "closed");
      if (!passes && !told) report(thrown);
      told ||= !passes;
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
