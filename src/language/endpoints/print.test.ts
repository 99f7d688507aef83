/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { endpointParts } from "../../../test/arbitraries/endpoints.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { endpoints } from "./grammar.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(endpointParts, endpoints.print, endpoints.readPart);
});
