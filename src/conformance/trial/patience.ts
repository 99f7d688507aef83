/**
 * How long the test waits for what takes real time, and what it does not conclude on a slow machine: a case whose verdict depends on
 * time runs again with more patience, see `run.ts`.
 */
import { Broken, TooSlow } from "../case.ts";
import type { Trial } from "./trial.ts";

const usualMilliseconds = 10_000;
const quietMilliseconds = 250;
const pollMilliseconds = 50;

/** How long an event, or the work of another process, may take, in milliseconds. */
export function patienceOf({ patience, world }: Trial): number {
  return (world.target.eventMilliseconds ?? usualMilliseconds) * patience;
}

/** Waits to see that nothing more arrives, or until the service has noted what came last. */
export function quiet({ patience, world }: Trial): Promise<void> {
  return world.target.wait(quietMilliseconds * patience);
}

/** How long the test waits for what time does once the clock has moved: another process may do it, a moment late. */
export function momentOf(trial: Trial): number {
  return Math.min(patienceOf(trial), 3000 * trial.patience);
}

/** Waits for a condition, by default as long as an event may take; returns whether it is true in time. */
export async function isSoon(
  trial: Trial,
  condition: () => Promise<boolean>,
  milliseconds: number = patienceOf(trial),
): Promise<boolean> {
  const { now, wait } = trial.world.target;
  const end = now() + milliseconds;
  while (!(await condition())) {
    if (now() >= end) return false;
    await wait(pollMilliseconds);
  }
  return true;
}

/**
 * Expects something that is so until a moment of this machine's clock, in milliseconds since 1970. What comes after the moment shows
 * nothing.
 *
 * @throws TooSlow if it is not so, but may have been so until that moment
 */
export async function expectUntil(trial: Trial, moment: number, expect: () => Promise<void>): Promise<void> {
  try {
    await expect();
  } catch (thrown) {
    if (!(thrown instanceof Broken) || trial.world.target.now() < moment) throw thrown;
    throw new TooSlow("the responses took longer than the time that the case is about");
  }
}
