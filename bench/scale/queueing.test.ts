/** The simulation against what queueing theory knows in closed form. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seeded } from "../../test/random.ts";
import { quantile, simulate, type Step } from "./queueing.ts";

const use = (station: string, milliseconds: number, spread: "none" | "exponential"): Step => ({
  kind: "use",
  station,
  milliseconds,
  spread,
});

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The mean time in a queue with Poisson arrivals and exponential service at several places (Erlang C). */
function erlang(rate: number, service: number, places: number): number {
  const load = (rate / 1000) * service;
  let term = 1;
  let sum = 0;
  for (let count = 0; count < places; count += 1) {
    sum += term;
    term *= load / (count + 1);
  }
  const waits = (term * places) / (places - load);
  const part = waits / (sum + waits);
  return service + (part * service) / (places - load);
}

const queues = [
  { places: 1, rate: 500, service: 1 },
  { places: 1, rate: 800, service: 1 },
  { places: 4, rate: 3200, service: 1 },
  { places: 16, rate: 1400, service: 10 },
];

for (const { places, rate, service } of queues) {
  test(`M/M/${places} at ${rate}/s of ${service} ms`, () => {
    const stations = [{ name: "desk", places }];
    const classes = [{ share: 1, ways: [[use("desk", service, "exponential")]] }];
    const { times, busy } = simulate({ stations, batchers: [], classes, rate, requests: 400_000, random: seeded(7) });
    const expected = erlang(rate, service, places);
    assert.ok(Math.abs(mean(times) / expected - 1) < 0.05, `${mean(times)} for ${expected}`);
    assert.ok(Math.abs((busy["desk"] ?? 0) - (rate * service) / 1000 / places) < 0.02);
  });
}

test("M/M/1: times are distributed exponentially", () => {
  const stations = [{ name: "desk", places: 1 }];
  const classes = [{ share: 1, ways: [[use("desk", 1, "exponential")]] }];
  const { times } = simulate({ stations, batchers: [], classes, rate: 500, requests: 400_000, random: seeded(3) });
  assert.ok(Math.abs(quantile(times, 0.99) / (2 * Math.log(100)) - 1) < 0.06, `${quantile(times, 0.99)}`);
});

test("M/D/1: without spread half as long is waited (Pollaczek and Khinchine)", () => {
  const stations = [{ name: "desk", places: 1 }];
  const classes = [{ share: 1, ways: [[use("desk", 1, "none")]] }];
  const { times } = simulate({ stations, batchers: [], classes, rate: 800, requests: 400_000, random: seeded(5) });
  assert.ok(Math.abs(mean(times) / (1 + 0.8 / (2 * 0.2)) - 1) < 0.05, `${mean(times)}`);
});

test("a batcher serves all that wait in one turn, so that its rate has no bound", () => {
  const classes = [{ share: 1, ways: [[{ kind: "flush" as const, batcher: "log" }]] }];
  const batchers = [{ name: "log", milliseconds: 4 }];
  const { times } = simulate({ stations: [], batchers, classes, rate: 50_000, requests: 100_000, random: seeded(9) });
  // Half a turn until the next begins, and that one.
  assert.ok(Math.abs(mean(times) - 6) < 0.1, `${mean(times)}`);
  assert.ok((times.at(-1) ?? 0) <= 8.001);
});

test("a place that is taken is held over the steps until it is given", () => {
  const steps: readonly Step[] = [
    { kind: "take", station: "pool" },
    { kind: "pause", milliseconds: 10 },
    { kind: "give", station: "pool" },
  ];
  const classes = [{ share: 1, ways: [steps] }];
  const stations = [{ name: "pool", places: 1 }];
  const { times } = simulate({ stations, batchers: [], classes, rate: 80, requests: 100_000, random: seeded(11) });
  assert.ok(Math.abs(mean(times) / (10 + (10 * 0.8) / (2 * 0.2)) - 1) < 0.05, `${mean(times)}`);
});
