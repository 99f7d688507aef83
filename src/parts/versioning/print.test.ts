/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { versionings } from "../../../test/arbitraries/versioning.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { printVersioning } from "./print.ts";
import { readVersioning } from "./read.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(versionings, printVersioning, readVersioning);
});
