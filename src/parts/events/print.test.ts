/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { events } from "../../../test/arbitraries/events.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { printEvents } from "./print.ts";
import { readEvents } from "./read.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(events, printEvents, readEvents);
});
