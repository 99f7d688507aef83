/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { versionings } from "../../../test/arbitraries/versioning.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { versioning } from "./grammar.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(versionings, versioning.print, versioning.readPart);
});
