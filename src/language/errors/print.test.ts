/** Whatever this part can say is printed so that it reads back as the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { errors as models } from "../../../test/arbitraries/errors.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { errors } from "./grammar.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(models, errors.print, errors.readPart);
});

test("an error with something open below it is a map", () => {
  const part = { errors: { a: { status: 409, sentence: "A" }, b: { status: 409, sentence: "B" } } };
  const below = (...path: readonly string[]) => path.join("/") === "errors/a";
  assert.deepEqual(errors.print(part, below), { errors: { a: { status: "409", sentence: "A" }, b: "409 B" } });
});
