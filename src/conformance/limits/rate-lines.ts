/** The lines of `rate`: to which requests they apply, and how many requests they admit in which time. */
import { rateCountedBy } from "../../language/limits/counted.ts";
import { type Rate, windowMilliseconds } from "../../language/limits/model.ts";
import type { Caller } from "../caller.ts";
import type { Contract, Operation } from "../contract.ts";

export interface RateLine {
  /** `all`, `anyone` or an operation. */
  readonly target: string;
  readonly rate: Rate;
  /** The path of the line, as in `SourceLocations`. */
  readonly path: string;
  /** How many requests it admits at once. */
  readonly capacity: number;
  /** How long after that it admits one more: the window, or the time in which a bucket gets one token. */
  readonly nextMilliseconds: number;
  /** How long it takes until it is as if nobody had sent anything. */
  readonly freshMilliseconds: number;
  /** The time of the limit in `RateLimit-Policy`. */
  readonly policyMilliseconds: number;
}

/** Returns how long a window may be, in milliseconds: a month of the calendar may have 31 days, and a day 25 hours. */
export function longestWindow({ window, zone }: Pick<Rate, "window" | "zone">): number {
  return windowMilliseconds(window) + (zone === undefined ? 0 : 2 * 86_400_000);
}

/** Returns all lines, in the document's order. */
export function rateLines({ model }: Contract): readonly RateLine[] {
  return Object.entries(model.limits.rate ?? {}).flatMap(([target, rates]) =>
    rates.map((rate, index): RateLine => {
      const { burst, count, window } = rate;
      const length = longestWindow(rate);
      const nextMilliseconds = burst === undefined ? length : length / count;
      const freshMilliseconds = nextMilliseconds * (burst ?? 1);
      return {
        ...{ target, rate, path: `limits/rate/${target}/${index}`, capacity: burst ?? count },
        ...{ nextMilliseconds, freshMilliseconds },
        policyMilliseconds: burst === undefined ? windowMilliseconds(window) : freshMilliseconds,
      };
    }),
  );
}

/** Returns the lines that count a caller's requests for an operation. */
export function linesFor(contract: Contract, called: Operation, caller: Pick<Caller, "signedIn">): readonly RateLine[] {
  return rateLines(contract).filter((line) => applies(line, called, caller));
}

export function applies(
  { target, rate }: RateLine,
  called: Operation,
  { signedIn }: Pick<Caller, "signedIn">,
): boolean {
  if (target === "anyone" ? signedIn : target !== "all" && target !== called.operation) return false;
  return countedBy(called, rate) !== undefined;
}

/** What a line counts requests for an operation by; undefined if their path identifies no such record. */
export function countedBy(called: Operation, { per }: Rate): ReturnType<typeof rateCountedBy> {
  const { resource = "", operation, key, parents } = called;
  return rateCountedBy({ operation, resource, parents, ...(key === undefined ? {} : { key }) }, per);
}

/** Whether a line counts the requests of this caller apart from those of all others. */
export function isByCaller({ rate }: RateLine, { signedIn }: Pick<Caller, "signedIn">): boolean {
  return rate.per === "user" && signedIn;
}

export function isByRecord({ rate }: RateLine): boolean {
  return rate.per !== "user" && rate.per !== "ip";
}

/** Returns `600 requests in 1min per user`. */
export function lineText({ capacity, rate: { burst, count, per, window, zone } }: RateLine): string {
  const who = `${zone === undefined ? "" : `of ${zone} `}per ${per}`;
  return burst === undefined
    ? `${capacity} requests in ${/^\d/.test(window) ? window : `1${window}`} ${who}`
    : `${capacity} requests at once ${who}, then ${count} in ${/^\d/.test(window) ? window : `1${window}`}`;
}
