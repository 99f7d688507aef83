/** Whatever this part can say is printed so that it reads back as the same. */
import { test } from "node:test";
import { authentications } from "../../../test/arbitraries/authentication.ts";
import { assertRoundTrip } from "../../../test/part-block.ts";
import { authentication } from "./grammar.ts";

test("what is printed reads back as the same", () => {
  assertRoundTrip(authentications, authentication.print, authentication.readPart);
});
