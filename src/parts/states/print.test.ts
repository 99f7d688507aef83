/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { states } from "../../../test/arbitraries/states.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { printStates } from "./print.ts";
import { readStates } from "./read.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(states, printStates, readStates);
});
