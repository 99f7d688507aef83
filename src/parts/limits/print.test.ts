/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { limits } from "../../../test/arbitraries/limits.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { printLimits } from "./print.ts";
import { readLimits } from "./read.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(limits, printLimits, readLimits);
});
