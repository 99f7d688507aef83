/** Whatever this part can say is printed so that it reads back as the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { errors } from "../../../test/arbitraries/errors.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { printErrors } from "./print.ts";
import { readErrors } from "./read.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(errors, printErrors, readErrors);
});

test("an error with something open below it is a map", () => {
  const errors = { errors: { a: { status: 409, sentence: "A" }, b: { status: 409, sentence: "B" } } };
  const below = (...path: readonly string[]) => path.join("/") === "errors/a";
  assert.deepEqual(printErrors(errors, below), { errors: { a: { status: "409", sentence: "A" }, b: "409 B" } });
});
