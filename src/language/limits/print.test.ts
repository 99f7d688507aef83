/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { limits as models } from "../../../test/arbitraries/limits.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { limits } from "./grammar.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(models, limits.print, limits.readPart);
});
