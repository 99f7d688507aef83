/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { resources as models } from "../../../test/arbitraries/resources.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { resources } from "./grammar.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(models, resources.print, resources.readPart);
});
