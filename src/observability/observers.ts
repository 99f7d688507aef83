/** From the one observation of a request to all who want to know of it: a trace, the log, the figures. */
import type { Begun, Observation, Observe } from "../runtime/context/observation.ts";

/** Told when a request begins, gives who is told of its end; `traceparent` is that of the request's span, where it has one. */
export type Watch = (begun: Begun, traceparent: () => string | undefined) => (observation: Observation) => void;

const untraced = (): undefined => undefined;

/** Undefined where nobody wants to know, so that requests are not even timed. */
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
