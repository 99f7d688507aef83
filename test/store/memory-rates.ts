/** Counts shared rate limits in memory: the reference implementation of `Rates`. */
import { counted, type RateCount, type Rates } from "../../src/store/port/rates.ts";

export function memoryRates(): Rates {
  const counts = new Map<string, RateCount>();
  return {
    count: (requests, now) =>
      Promise.resolve(
        requests.map((request) => {
          const key = JSON.stringify([request.name, request.key]);
          const after = counted(counts.get(key), request, now);
          counts.set(key, after);
          return after;
        }),
      ),
  };
}
