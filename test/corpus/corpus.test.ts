/**
 * The outputs and responses of all documents change only on purpose: each output has its digest in `frozen.txt`. `npm run corpus
 * -- --freeze` rewrites that file; `npm run corpus -- --out FOLDER` writes the outputs themselves, so that `diff -r` can compare
 * two commits.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isNightly, sampled } from "../nightly.ts";
import { onPostgres } from "../postgres/service-schema.ts";
import { answerOutputs, answersOf } from "./answers.ts";
import { documents } from "./documents.ts";
import { digestOf, frozen } from "./frozen.ts";
import { differencesBetween, findingOutputs, type Output, outputsOf } from "./outputs.ts";

function assertFrozen(outputs: Iterable<Output>): void {
  const changed = [...outputs].filter((one) => frozen.get(`${one.document}: ${one.name}`) !== digestOf(one.text));
  assert.deepEqual(
    changed.map(({ document, name }) => `${document}: ${name}`),
    [],
    "run npm run corpus -- --out FOLDER before and after the change, and compare the folders",
  );
}

// The documents that are generated are tried at night only: they take most of the time.
const usual = documents.filter(({ name }) => isNightly || !name.startsWith("world-"));

if (!onPostgres) {
  for (const document of usual) test(document.name, () => assertFrozen(outputsOf(document)));
  test("differences between documents", () => assertFrozen(differencesBetween(documents)));
  test("findings of the checks' examples", () => assertFrozen(findingOutputs()));
}

for (const document of sampled(usual, 2))
  test(`${document.name}: answers`, async () => {
    const text = await answersOf(document);
    const outputs = answerOutputs(document.name, text);
    assertFrozen(onPostgres ? outputs.slice(1) : outputs);
    // Clients of a service know neither the program that runs it nor its document.
    assert.doesNotMatch(text, /\bNonet\b|\b[Tt]he document\b/);
  });
