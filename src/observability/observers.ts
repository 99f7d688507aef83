/** Distributes the observation of a request to its observers: trace, log, metrics. */
import type { Begun, Observation, Observe } from "../runtime/context/observation.ts";

/**
 * Called at the start of a request; the returned function is called at its end. `traceparent`: returns that of the request's
 * span, if any.
 */
export type Watch = (begun: Begun, traceparent: () => string | undefined) => (observation: Observation) => void;

const untraced = (): undefined => undefined;

/** Returns what observes requests; undefined without observers: then requests are not measured at all. */
export function watching(tracing: Observe | undefined, watches: readonly Watch[]): Observe | undefined {
  if (watches.length === 0) return tracing;
  const [only] = watches;
  if (tracing === undefined && watches.length === 1 && only !== undefined)
    return (begun) => ({ ended: only(begun, untraced) });
  return (begun) => {
    const traced = tracing?.(begun);
    const traceparent = (): string | undefined => traced?.traceparent?.();
    const observers = watches.map((watch) => watch(begun, traceparent));
    return {
      ...traced,
      ended(observation) {
        traced?.ended(observation);
        for (const one of observers) one(observation);
      },
    };
  };
}
