/** Fields that a creation sets itself: those of its transitions are not compared with the request, and a record that it chooses by an id is known. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Report } from "../../src/conformance/result.ts";
import { crud, documentOf } from "../enforced/document.ts";
import { testServed } from "./served.ts";

const idsOf = ({ cases }: Report, kind: string): readonly string[] =>
  cases.flatMap((one) => (one.kind === kind ? [one.id] : []));

void test("a field that a transition of the creation sets may differ from what was sent and from its default", async () => {
  const text = documentOf({
    resources: { Thing: { id: "id(thi)", amount: "integer(0..900) = 0", sent: "integer(0..900) = 0, filter" } },
    states: {
      Thing: {
        states: ["pending", "done"],
        start: "pending",
        final: "done",
        moves: { "pending -> done": { by: "addThing", set: { amount: "amount == 0 ? 7 : amount + 1" } } },
      },
    },
    endpoints: { endpoints: crud },
  });
  const report = await testServed(text);
  assert.deepEqual(idsOf(report, "broken"), []);
  assert.ok(idsOf(report, "holds").includes("resources/Thing/sent: default in addThing"));
});

void test("operations below a record that is chosen by its id are tried, although no response shows it", async () => {
  const text = documentOf({
    resources: {
      Box: { id: "id(box)", label: "string(1..9)" },
      Shelf: { id: "id(she)", box: "Box, read-only, delete with" },
      Thing: {
        id: "id(thi)",
        box: "Box, read-only, delete with",
        shelf: "Shelf, read-only, delete with",
        note: "string(1..9)",
      },
      views: { ThingOut: { of: "Thing", fields: ["id", "note"] } },
    },
    endpoints: {
      endpoints: {
        addBox: "POST /boxes",
        addShelf: "POST /boxes/{box}/shelves",
        addThing: {
          at: "POST /boxes/{box}/shelves/{shelf}/things",
          choose: { box: { from: "Box", if: "id == this.shelf.box", else: "no-box" } },
          gives: "ThingOut",
        },
        getThing: { at: "GET /boxes/{box}/things/{id}", gives: "ThingOut" },
      },
    },
    errors: { errors: { "no-box": "404 There is no such box" } },
  });
  const report = await testServed(text);
  assert.deepEqual(idsOf(report, "broken"), []);
  assert.ok(idsOf(report, "holds").includes("purpose/operations/getThing: is there"));
});
