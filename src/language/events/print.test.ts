/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { events as models } from "../../../test/arbitraries/events.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { events } from "./grammar.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(models, events.print, events.readPart);
});
