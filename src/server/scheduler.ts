/** What makes time pass for a service: a call of its `tick`, four times a second. */
import type { Service } from "../runtime/service.ts";

/** What is due is done within this time of its moment where the service is idle (R3.5 asks for 5 seconds). */
const schedulerMilliseconds = 250;

/** Starts at once with what became due while nothing ran. Gives what stops it; the service's `drain` ends a run under way. */
export function startScheduler(service: () => Service): () => void {
  let expected = performance.now();
  const tick = (): void => {
    const now = performance.now();
    void service().tick(Math.max(0, now - expected));
    expected = now + schedulerMilliseconds;
  };
  const timer = setInterval(tick, schedulerMilliseconds);
  // A process that has nothing else to do may end.
  timer.unref();
  tick();
  return () => clearInterval(timer);
}
