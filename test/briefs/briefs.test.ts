/**
 * Ten short briefs, and the document that a language model wrote for each with the guide alone: each document checks without
 * findings, and does what its brief promises when it is served. The documents stay as the model wrote them.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { check } from "../../src/language/check.ts";
import { type Difference, play, type Plays } from "../docs/play.ts";
import { blog } from "./blog/plays.ts";
import { clinic } from "./clinic/plays.ts";
import { courses } from "./courses/plays.ts";
import { files } from "./files/plays.ts";
import { flags } from "./flags/plays.ts";
import { hotel } from "./hotel/plays.ts";
import { ledger } from "./ledger/plays.ts";
import { marketplace } from "./marketplace/plays.ts";
import { sensors } from "./sensors/plays.ts";
import { tracker } from "./tracker/plays.ts";

const briefs: Readonly<Record<string, Plays>> = {
  ...{ blog, clinic, courses, files, flags },
  ...{ hotel, ledger, marketplace, sensors, tracker },
};

/** A promise that a served document breaks, and what misled the model. */
interface Broken extends Difference {
  readonly brief: string;
  /** How the promise begins. */
  readonly promise: string;
  readonly why: string;
}

const broken: readonly Broken[] = [
  {
    ...{ brief: "courses", promise: "The school has a sandbox", request: "ann POST /enrolments" },
    ...{ expected: "201 state=enrolled", came: "201 state=waiting" },
    why:
      "keys of the sandbox are a second credential of the same service, and its text says that it is installed twice: neither " +
      "the guide nor the language has a word for a sandbox",
  },
];

test("each broken promise is one of a brief", () => {
  for (const { brief, promise } of broken)
    assert(
      Object.keys(briefs[brief]?.promises ?? {}).some((one) => one.startsWith(promise)),
      promise,
    );
});

for (const [brief, { promises, ...scene }] of Object.entries(briefs)) {
  const document = readFileSync(new URL(`${brief}/document.md`, import.meta.url), "utf8");
  test(`${brief}: no findings`, () => {
    assert.deepEqual(
      check("document.md", document).diagnostics.map(
        ({ code, message, severity }) => `${severity} ${code}: ${message}`,
      ),
      [],
    );
  });
  for (const [promise, steps] of Object.entries(promises))
    test(`${brief}: ${promise}`, async () => {
      const known = broken.filter((one) => one.brief === brief && promise.startsWith(one.promise));
      assert.deepEqual(
        await play({ document, ...scene, steps }),
        known.map(({ request, expected, came }) => ({ request, expected, came })),
      );
    });
}
