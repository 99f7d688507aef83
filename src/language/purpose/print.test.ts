/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { purposes } from "../../../test/arbitraries/purpose.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { purpose } from "./grammar.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(purposes, purpose.print, purpose.readPart);
});
