/** Generated requests for the tests of every implementation of shared rates. */
import fc from "fast-check";
import type { RateRequest, RateLimit } from "../../src/store/port/rates.ts";

export const rateLimits: readonly RateLimit[] = [
  { count: 3, windowMilliseconds: 1000 },
  { count: 1000, windowMilliseconds: 86_400_000 },
  { count: 2, windowMilliseconds: 1000, burst: 5 },
  { count: 7, windowMilliseconds: 3_600_000, burst: 300 },
  { count: 4, windowMilliseconds: 90_000_000, until: 1_700_006_400_000 },
];

interface SampleRequest {
  /** Its place in `rateLimits`. */
  readonly limit: number;
  readonly key: string;
  readonly consumed: number;
  readonly wanted: number;
}

const arbitraryRequest: fc.Arbitrary<SampleRequest> = fc.record({
  limit: fc.integer({ min: 0, max: rateLimits.length - 1 }),
  key: fc.constantFrom("ann", "bob", "*7", 'o"{},\\'),
  consumed: fc.integer({ min: -3, max: 4 }),
  wanted: fc.integer({ min: 0, max: 6 }),
});

/** Calls one after another, with how much the clock is put on, or back, before each. */
export const arbitraryCalls: fc.Arbitrary<
  readonly { readonly wait: number; readonly requests: readonly SampleRequest[] }[]
> = fc.array(
  fc.record({
    wait: fc.oneof(fc.integer({ min: -1500, max: 3000 }), fc.integer({ min: 0, max: 100_000_000 })),
    requests: fc.uniqueArray(arbitraryRequest, { maxLength: 6, selector: ({ limit, key }) => `${limit} ${key}` }),
  }),
  { maxLength: 12 },
);

/** Under names that no other run has. */
export function requestsOf(samples: readonly SampleRequest[], run: string): readonly RateRequest[] {
  return samples.map((sample) => ({
    ...sample,
    name: `${run} ${sample.limit}`,
    limit: rateLimits[sample.limit] as RateLimit,
  }));
}
