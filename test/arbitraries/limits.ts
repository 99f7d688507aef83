/** Generates any valid part 8. */
import fc from "fast-check";
import type { Limits, Quota, Rate, Retention } from "../../src/language/limits/model.ts";
import { durations, names, records, resourceNames, waits } from "./words.ts";

const counts = fc.integer({ min: 1, max: 1_000_000 });
const windows = fc
  .tuple(
    fc.constantFrom("", "1", "15", "60"),
    fc.constantFrom("s", "second", "min", "minute", "h", "day", "week", "month"),
  )
  .map(([amount, unit]) => amount + unit);
const whom = fc.oneof(fc.constantFrom("user", "ip"), resourceNames);

const rates: fc.Arbitrary<Rate> = fc.record(
  { count: counts, window: windows, per: whom, burst: counts },
  { requiredKeys: ["count", "window", "per"] },
);

const quotas: fc.Arbitrary<Quota> = fc.oneof(
  fc.record({ kind: fc.constant("window" as const), count: counts, window: windows, per: whom }),
  fc.record({
    kind: fc.constant("live" as const),
    count: counts,
    states: fc.uniqueArray(names, { maxLength: 3 }),
    per: whom,
  }),
);

const sizes = fc
  .tuple(fc.integer({ min: 1, max: 9999 }), fc.constantFrom("B", "KB", "MB", "KiB"))
  .map(([amount, unit]) => amount + unit);

const retentions: fc.Arbitrary<Retention> = fc.record({
  duration: fc.oneof(durations, fc.constantFrom("12mo", "7y")),
  after: fc.oneof(names, fc.constant("final")),
  act: fc.constantFrom("delete" as const, "erase" as const),
});

export const limits: fc.Arbitrary<Limits> = fc.record(
  {
    rate: records(names, fc.array(rates, { maxLength: 3 })),
    quota: records(fc.oneof(names, resourceNames), fc.array(quotas, { maxLength: 3 })),
    size: records(names, sizes),
    time: records(names, waits),
    keep: records(resourceNames, retentions),
  },
  { requiredKeys: [] },
);
