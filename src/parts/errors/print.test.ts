/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { errors } from "../../../test/arbitraries/errors.ts";
import { assertRoundTrip } from "../part.test-support.ts";
import { printErrors } from "./print.ts";
import { readErrors } from "./read.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(errors, printErrors, readErrors);
});
