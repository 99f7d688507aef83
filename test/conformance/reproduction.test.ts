/** A finding has as few requests as show it: a broken case runs again with the smallest values, and what only reads is left out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Broken, type Case } from "../../src/conformance/case.ts";
import { contractOf } from "../../src/conformance/contract.ts";
import type { Interaction, Response } from "../../src/conformance/interaction.ts";
import { runCases } from "../../src/conformance/run.ts";
import type { Target } from "../../src/conformance/target.ts";
import type { Trial } from "../../src/conformance/trial/trial.ts";
import { check } from "../../src/language/check.ts";
import { crud, documentOf } from "../enforced/document.ts";
import { testServed } from "./served.ts";

const { model, places } = check("things.md", documentOf({}));
const contract = contractOf(model, places);

const accepted: Response = { status: 200, headers: {}, text: "", json: undefined };
let time = 0;
const target: Target = {
  ...{ address: "http://127.0.0.1:1", secrets: {}, skipped: new Set<string>() },
  send: async () => accepted,
  now: () => (time += 1),
  wait: async () => {},
  caller: async () => undefined,
};

function send(trial: Trial, method: string): Promise<Interaction> {
  return trial.send({ method, url: `${target.address}/things`, headers: {} });
}

interface Found {
  /** The methods of the requests that the finding has. */
  readonly reported: string;
  readonly expected: string;
  /** How often the case ran. */
  readonly runs: number;
}

/** Runs a case that fails, and returns its reported result. */
async function foundBy(run: (trial: Trial, number: number) => Promise<void>, seed = 1, more: Partial<Case> = {}) {
  let runs = 0;
  const one: Case = {
    ...{ id: "resources/Thing/name: too many", aspects: [{ path: "resources/Thing/name", expects: "few things" }] },
    run: (trial) => run(trial, (runs += 1)),
    ...more,
  };
  const options = { seed, budgetMilliseconds: 60_000, workers: 1 };
  const { results } = await runCases(contract, target, { cases: [one], unobservable: [] }, options);
  const [result] = results;
  assert.ok(result?.kind === "broken");
  const reported = result.interactions.map(({ request }) => request.method).join(" ");
  return { reported, expected: result.expected, runs } satisfies Found;
}

/** Sends `count` requests, and finds the last one wrong. */
async function failAfter(trial: Trial, count: number, expected = "a rejection"): Promise<void> {
  for (let index = 1; index < count; index += 1) await send(trial, "POST");
  throw new Broken(expected, "200", await send(trial, "PUT"));
}

test("whatever the seed, the finding has the fewest requests that show it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 40 }),
      async (seed, least, more) => {
        const { reported } = await foundBy(
          (trial) => failAfter(trial, trial.random.integer(least, least + more)),
          seed,
        );
        assert.equal(reported, ["POST ".repeat(least - 1), "PUT"].join(""));
      },
    ),
    { numRuns: 50 },
  );
});

interface Row {
  readonly what: string;
  /** What the case does when it runs for the first time, and for the second. */
  readonly runs: readonly [(trial: Trial) => Promise<void>, (trial: Trial) => Promise<void>];
  readonly case?: Partial<Case>;
  readonly found: Found;
}

const long = "POST POST POST PUT";
const rows: readonly Row[] = [
  {
    what: "the shorter list of the second run",
    runs: [(trial) => failAfter(trial, 4), (trial) => failAfter(trial, 2)],
    found: { reported: "POST PUT", expected: "a rejection", runs: 2 },
  },
  {
    what: "the same finding with other values in its words",
    runs: [(trial) => failAfter(trial, 4, '`name` with "x81"'), (trial) => failAfter(trial, 1, '`name` with "a"')],
    found: { reported: "PUT", expected: '`name` with "a"', runs: 2 },
  },
  {
    what: "not a second list that is longer",
    runs: [(trial) => failAfter(trial, 4), (trial) => failAfter(trial, 9)],
    found: { reported: long, expected: "a rejection", runs: 2 },
  },
  {
    what: "not a second run that finds nothing",
    runs: [(trial) => failAfter(trial, 4), async () => {}],
    found: { reported: long, expected: "a rejection", runs: 2 },
  },
  {
    what: "not a second run that finds something else",
    runs: [(trial) => failAfter(trial, 4), (trial) => failAfter(trial, 1, "another thing")],
    found: { reported: long, expected: "a rejection", runs: 2 },
  },
  {
    what: "a case that moves the clock, once",
    runs: [(trial) => failAfter(trial, 4), (trial) => failAfter(trial, 1)],
    case: { exclusive: true },
    found: { reported: long, expected: "a rejection", runs: 1 },
  },
  {
    what: "no requests that only read, but for the one that shows it",
    runs: [
      async (trial) => {
        await send(trial, "GET");
        await send(trial, "POST");
        await send(trial, "GET");
        throw new Broken("a name", "none", await send(trial, "GET"));
      },
      async () => {},
    ],
    found: { reported: "POST GET", expected: "a name", runs: 2 },
  },
  {
    what: "nothing from before the value that shows it",
    runs: [
      async (trial) => {
        for (const count of [1, 2, 3]) {
          trial.startOver();
          if (count === 3) await failAfter(trial, 2);
          await failAfter(trial, 3).catch(() => {});
        }
      },
      async () => {},
    ],
    found: { reported: "POST PUT", expected: "a rejection", runs: 2 },
  },
];

for (const row of rows)
  test(`a finding has ${row.what}`, async () => {
    const [first, second] = row.runs;
    assert.deepEqual(await foundBy((trial, number) => (number === 1 ? first : second)(trial), 1, row.case), row.found);
  });

test("cases with one cause run again three times at most", async () => {
  let runs = 0;
  const cases = Array.from(
    { length: 6 },
    (_, index): Case => ({
      ...{ id: `case ${index}`, aspects: [{ path: "resources/Thing/name", expects: "few things" }] },
      async run(trial) {
        runs += 1;
        await failAfter(trial, 2);
      },
    }),
  );
  const options = { seed: 1, budgetMilliseconds: 60_000, workers: 1 };
  await runCases(contract, target, { cases, unobservable: [] }, options);
  assert.equal(runs, 6 + 3);
});

test("of a field that a service limits too much, each write shows one request with the value", async () => {
  const withLength = (most: number): string =>
    documentOf({
      resources: { Thing: { id: "id(thi)", name: `string(1..${most})`, "note?": "string(0..20)" } },
      endpoints: { endpoints: crud },
    });
  const { cases } = await testServed(withLength(40), { served: withLength(39), seed: 9 });
  const found = cases
    .filter((one) => one.kind === "broken")
    .map(({ aspects, interactions }) => [
      aspects[0]?.path,
      interactions.map(({ request }) => request.method).join(" "),
    ]);
  assert.deepEqual(
    found,
    ["POST", "POST PATCH", "POST PUT"].map((requests) => ["resources/Thing/name", requests]),
  );
});
