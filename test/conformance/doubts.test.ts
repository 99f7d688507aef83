/** Permissions that depend on another record: a correct service breaks nothing, and one that permits less is found. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Block, crud, documentOf } from "../enforced/document.ts";
import { testServed } from "./served.ts";

interface Permitted {
  readonly box?: Block;
  readonly boxes?: string;
  readonly things?: string;
  readonly more?: Block;
}

/** Things in boxes. `boxes`: who sees a box; `things`: who may put a thing into it. */
function boxed({ box = {}, boxes = "member", things = "member", more = {} }: Permitted): string {
  const owner = "user = caller, read-only";
  const rest = Object.fromEntries(Object.keys(crud).map((name) => [name, "member"]));
  return documentOf({
    resources: {
      Box: { id: "id(box)", owner, ...box },
      Thing: { id: "id(thi)", box: "Box", owner, "note?": "string(1..9)" },
    },
    endpoints: {
      endpoints: {
        ...crud,
        ...{
          addBox: "POST /boxes",
          getBox: "GET /boxes/{id}",
          listBoxes: "GET /boxes",
          changeBox: "PATCH /boxes/{id}",
        },
      },
    },
    authentication: {
      allow: { ...rest, addBox: "member", changeBox: "member", getBox: boxes, listBoxes: boxes, addThing: things },
      ...more,
    },
  });
}

const rows: Readonly<Record<string, Permitted>> = {
  "a reference that its caller sees later": { box: { open: "boolean = false" }, boxes: "member if open == true" },
  "a reference that its caller never sees": {
    box: { open: "boolean = false, read-only" },
    boxes: "member if open == true | admin",
  },
  "a creation for the owner of another record": { things: "member if box.owner == caller.id" },
  "a creation while another record is open": {
    box: { open: "boolean = false" },
    things: "member if box.open == true",
  },
  "a creation for the keeper of another record": {
    box: { "keeper?": "user" },
    things: "member if box.keeper == caller.id",
  },
  "a field of those who own another record": { more: { set: { "Thing.note": "member if box.owner == caller.id" } } },
};

void describe("a permission that depends on another record", () => {
  for (const [what, permitted] of Object.entries(rows))
    void test(what, async () => {
      const { cases } = await testServed(boxed(permitted));
      assert.deepEqual(
        cases.filter(({ kind }) => kind === "broken").map(({ id }) => id),
        [],
      );
    });
});

void test("a creation that the owner of the other record may not make is found", async () => {
  const { cases } = await testServed(boxed({ things: "member if box.owner == caller.id" }), {
    served: boxed({ things: "admin" }),
    only: ["addThing"],
  });
  const found = cases.filter(({ kind }) => kind === "broken").flatMap(({ aspects }) => aspects);
  assert(found.some(({ path }) => path.startsWith("authentication/allow/addThing")));
});
