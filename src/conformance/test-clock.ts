/**
 * The test clock of an implementation: an address that tells its time and moves it forward, so that a test need not wait for
 * hours. `nonet serve --test-clock` has one.
 */
import { instantText, parseInstant } from "../base/clock.ts";
import { printMilliseconds } from "../base/duration.ts";
import { isObject } from "../base/json.ts";
import { NotTried } from "./case.ts";
import { isResponse, type NoResponse, type Response, type Send } from "./interaction.ts";

export interface TestClock {
  /** Returns the present of the implementation, in milliseconds since 1970. @throws NotTried */
  now(): Promise<number>;
  /** Moves the time forward; all that is due by then has happened afterwards. @throws NotTried */
  advance(milliseconds: number): Promise<void>;
}

const remedy =
  'An address that answers GET with { "now": "2026-01-31T12:00:00.000Z" }, and POST of { "advance": "PT48H" } with the same ' +
  "once all that is due has happened. `nonet serve --test-clock` has it at /.well-known/test-clock.";

/** @param url the absolute URL of the test clock */
export function createTestClock(send: Send, url: string): TestClock {
  async function now(): Promise<number> {
    return timeIn("GET", await send({ method: "GET", url, headers: {} }));
  }

  function timeIn(method: string, response: Response | NoResponse): number {
    const fail = (got: string) => new NotTried(`the test clock does not work: ${method} ${url} gives ${got}`, remedy);
    if (!isResponse(response)) throw fail(response.problem);
    const { json, status, text } = response;
    if (status !== 200) throw fail(`the status ${status}`);
    const value = isObject(json) ? json["now"] : undefined;
    const time = typeof value === "string" ? parseInstant(value) : undefined;
    if (time === undefined) throw fail(`no time in \`now\`: ${text.slice(0, 100)}`);
    return time;
  }

  return {
    now,
    async advance(milliseconds) {
      const before = await now();
      const headers = { "Content-Type": "application/json" };
      const body = JSON.stringify({ advance: `PT${milliseconds / 1000}S` });
      const after = timeIn("POST", await send({ method: "POST", url, headers, body }));
      // A clock may show whole seconds only.
      if (after >= before + milliseconds - 1000) return;
      const [from, to] = [before, after].map(instantText);
      throw new NotTried(
        `the test clock does not work: after ${printMilliseconds(milliseconds)} from ${from} it shows ${to}`,
        remedy,
      );
    },
  };
}
