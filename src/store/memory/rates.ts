/** Rates that are counted together by whoever is given them, in memory: what every other way to count them comes to. */
import { counted, type RateCount, type Rates } from "../rates.ts";

export function memoryRates(): Rates {
  const kept = new Map<string, RateCount>();
  return {
    count: (asks, now) =>
      Promise.resolve(
        asks.map((ask) => {
          const place = JSON.stringify([ask.name, ask.key]);
          const after = counted(kept.get(place), ask, now);
          kept.set(place, after);
          return after;
        }),
      ),
  };
}
