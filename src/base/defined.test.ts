/** Null, nothing and zero are there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defined } from "./defined.ts";

test("what is there is given; for what is not an error is thrown that names it", () => {
  for (const value of [0, "", false, null]) assert.equal(defined(value, "a value"), value);
  assert.throws(() => defined(undefined, "the table of Locker"), { message: "the table of Locker: undefined" });
});
