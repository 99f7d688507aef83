/**
 * The clock of `serve --test-clock`: a request moves the time of the whole service forward, so that a test need not wait for
 * timers, retries and the ends of windows.
 */
import { type Clock, instantText, parseInstant } from "../base/clock.ts";
import { addDuration, parseDuration, parseIsoDuration } from "../base/duration.ts";
import { isObject } from "../base/json.ts";
import { parseJson } from "../http/json.ts";
import type { HttpResponse } from "../http/message.ts";
import type { Page } from "../runtime/context/endpoint.ts";
import { malformed } from "../runtime/errors/api-error.ts";
import { literalPath } from "../runtime/routing/router.ts";
import { checkMedia, readBytes } from "../runtime/validation/read-body.ts";

export interface TestClock extends Clock {
  /** Moves the time forward to an instant in milliseconds since 1970; never back. */
  advanceTo(instant: number): void;
}

export function createTestClock(clock: Clock): TestClock {
  let ahead = 0;
  return {
    now: () => clock.now() + ahead,
    advanceTo(instant) {
      ahead = Math.max(ahead, instant - clock.now());
    },
  };
}

export const testClockPath = "/.well-known/test-clock";

const mostBytes = 1024;
const mostMilliseconds = 10_000;

/** Returns the pages that read and move the clock. `tick`: runs the service's due timers. */
export function testClockPages(clock: TestClock, tick: () => Promise<number>): readonly Page[] {
  const path = literalPath(testClockPath);
  const present = (): HttpResponse => ({
    status: 200,
    headers: ["Content-Type", "application/json", "Cache-Control", "no-store"],
    body: JSON.stringify({ now: instantText(clock.now()) }),
  });
  return [
    { rate: "none", path, page: present },
    {
      rate: "none",
      method: "POST",
      path,
      page: async (httpRequest) => {
        // A page of another origin cannot send this media type without permission, so it cannot move the clock.
        checkMedia(httpRequest, ["application/json"], "POST");
        const bytes = await readBytes(httpRequest, mostBytes, mostMilliseconds);
        clock.advanceTo(instantIn(bytes, clock.now()));
        await runDue(tick);
        return present();
      },
    },
  ];
}

/** Returns the instant to which a body moves the clock. @throws ApiError 400 for another body */
function instantIn(bytes: Uint8Array, now: number): number {
  const parsed = parseJson(bytes);
  const [[member, value] = [], ...others] =
    parsed.kind === "value" && isObject(parsed.value) ? Object.entries(parsed.value) : [];
  if (typeof value === "string" && others.length === 0) {
    const duration = member === "advance" ? (parseIsoDuration(value) ?? parseDuration(value)) : undefined;
    const instant = member === "now" ? parseInstant(value) : duration && addDuration(now, duration);
    if (instant !== undefined && instant < now)
      throw malformed({ pointer: "#/now", code: "out-of-range", detail: `now must not be before ${instantText(now)}` });
    if (instant !== undefined && instant <= latest) return instant;
  }
  throw malformed({
    pointer: "#",
    code: "does-not-fit",
    detail: `The body must be { "advance": "PT48H" } or { "now": "${instantText(now + 172_800_000)}" }`,
  });
}

/** The last instant that a document can write. */
const latest = Date.parse("9999-12-31T23:59:59.999Z");

/** How many runs may follow one another: timers of less than a millisecond would never end. */
const mostRuns = 1000;

async function runDue(tick: () => Promise<number>): Promise<void> {
  // This run may have begun before the clock moved; those that follow have not.
  await tick();
  for (let runs = 0; runs < mostRuns && (await tick()) > 0; ) runs += 1;
}
