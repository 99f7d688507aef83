/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { states as models } from "../../../test/arbitraries/states.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { states } from "./grammar.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(models, states.print, states.readPart);
});
