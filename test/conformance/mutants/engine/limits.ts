/** Mistakes about rates, quotas and sizes (part 8). */
import assert from "node:assert/strict";
import type { QuotaPlan, RatePlan } from "../../../../src/plan/limits/types.ts";
import { ask, pass, type Step } from "../../../enforced/proof.ts";
import { type Change, type EngineMutant, mutantsOf } from "./mutant.ts";
import { add, saw } from "./resources.ts";
import { operations, planned, responses, tables, withField } from "./wrappers.ts";

const hour = 3_600_000;
const attempt = ask("ann POST /things/{1}/close", { pin: "9999" }, "403 wrong-pin");
const four: readonly Step[] = [attempt, attempt, attempt, attempt];
const limited = ask(
  "ann POST /things/{1}/close",
  { pin: "9999" },
  { status: "429 rate-limited", headers: { "Retry-After": /^\d+$/ } },
);
const thing = (name: string, gets: string): Step => ask("ann POST /things", { ...saw, name }, gets);
const loan = (gets: string): Step => ask("ann POST /loans", { thing: "{1}", days: 1 }, gets);

export const limitMutants: readonly EngineMutant[] = mutantsOf("things", {
  "one request too many is admitted": [rates((rate) => ({ ...rate, count: rate.count + 1 })), add, ...four, limited],
  "one request too few is admitted": [rates((rate) => ({ ...rate, count: rate.count - 1 })), add, ...four],
  "a window is too short": [
    rates((rate) => ({ ...rate, windowMilliseconds: 30_000 })),
    add,
    ...four,
    pass(45_000),
    limited,
  ],
  "a window is too long": [
    rates((rate) => ({ ...rate, windowMilliseconds: 90_000 })),
    add,
    ...four,
    pass(61_000),
    attempt,
  ],
  "a rate counts the requests for all records": [
    planned((plan) => ({
      operations: plan.operations.map((one) => ({
        ...one,
        rates: one.rates.map((rate) => ({ ...rate, by: { kind: "user" as const } })),
      })),
    })),
    add,
    thing("axe", "201"),
    ...four,
    ask("ann POST /things/{2}/close", { pin: "9999" }, "403 wrong-pin"),
  ],
  "a rate is not enforced": [operations("closeThing", () => ({ rates: [] })), add, ...four, limited],
  "a limited request is not told when to try again": [
    responses((response) => (response.status === 429 ? withField(response, "retry-after") : response)),
    add,
    ...four,
    limited,
  ],
  "a quota of records admits one too many": [
    quotas((quota) => (quota.kind === "live" ? { ...quota, count: 4 } : quota)),
    ...["a1", "a2", "a3"].map((name) => thing(name, "201")),
    thing("a4", "403 quota-exceeded"),
  ],
  "a quota counts records that no longer count": [
    quotas(({ ...quota }) => (quota.kind === "live" ? { ...quota, states: ["open", "closed", "lost"] } : quota)),
    ...["a1", "a2", "a3"].map((name) => thing(name, "201")),
    ask("ann POST /things/{1}/close", { pin: "1234" }, "200"),
    pass(49 * hour),
    thing("a4", "201"),
  ],
  "a quota of requests admits one too many": [
    quotas((quota) => (quota.kind === "window" ? { ...quota, count: 3 } : quota)),
    add,
    loan("201"),
    loan("201"),
    loan("403 quota-exceeded"),
  ],
  "a quota of requests never ends": [
    quotas((quota) => (quota.kind === "window" ? { ...quota, windowMilliseconds: 10 * 86_400_000 } : quota)),
    add,
    loan("201"),
    loan("201"),
    pass(25 * hour),
    loan("201"),
  ],
  "a record is kept for longer": [
    tables(({ timed = [] }) => ({
      timed: timed.map((job) =>
        job.action.kind === "delete" ? { ...job, after: { months: 0, milliseconds: 48 * hour } } : job,
      ),
    })),
    add,
    ask("ann POST /things/{1}/close", { pin: "1234" }, "200"),
    pass(49 * hour),
    ask("ann GET /things/{1}", { has: { state: "lost" } }),
    pass(25 * hour),
    ask("ann GET /things/{1}", "404"),
  ],
  "a body may be one byte too large": [largest(2049), body(2048, "201"), body(2049, "413 too-large")],
  "the largest body is rejected": [largest(2047), body(2048, "201")],
});

function rates(change: (rate: RatePlan) => RatePlan): Change {
  return planned((plan) => ({ rates: plan.rates.map(change) }));
}

function quotas(change: (quota: QuotaPlan) => QuotaPlan): Change {
  return planned((plan) => ({ quotas: plan.quotas.map(change) }));
}

function largest(bytes: number): Change {
  return operations(undefined, ({ limits }) => ({ limits: { ...limits, requestBytes: bytes } }));
}

/** A body of so many bytes, most of which are blanks. */
function body(bytes: number, gets: string): Step {
  return async (scene) => {
    const text = JSON.stringify(saw);
    const padded = `${text}${" ".repeat(bytes - text.length)}`;
    const headers = {
      Authorization: `Bearer ${await scene.key("ann")}`,
      "Content-Type": "application/json",
      "Content-Length": String(bytes),
    };
    const { status, text: found } = await scene.send({ method: "POST", path: "/things", headers, body: padded });
    assert.equal(String(status), gets.split(" ")[0], found);
  };
}
