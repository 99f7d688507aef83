/** Measures how late this process is: on a machine with too much load, timers fire late, and what should come in time does not. */
import type { Target } from "./target.ts";

export interface Lateness {
  /** Returns by how much this process was late at most since a moment of its clock, in milliseconds. */
  since(moment: number): number;
  stop(): void;
}

const intervalMilliseconds = 50;
/** What is less is usual. */
const leastMilliseconds = 50;

export function watchLateness({ now, wait }: Pick<Target, "now" | "wait">): Lateness {
  const found: { readonly at: number; readonly late: number }[] = [];
  let isStopped = false;
  const watch = async (): Promise<void> => {
    while (!isStopped) {
      const due = now() + intervalMilliseconds;
      await wait(intervalMilliseconds);
      const at = now();
      if (at - due >= leastMilliseconds) found.push({ at, late: at - due });
    }
  };
  void watch();
  return {
    since: (moment) => Math.max(0, ...found.map(({ at, late }) => (at >= moment ? late : 0))),
    stop: () => void (isStopped = true),
  };
}
