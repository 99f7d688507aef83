/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { resources } from "../../../test/arbitraries/resources.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { printResources } from "./print.ts";
import { readResources } from "./read.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(resources, printResources, readResources);
});
