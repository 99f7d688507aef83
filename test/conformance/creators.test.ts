/** Which caller of the tester creates a record. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymous, type Caller } from "../../src/conformance/caller.ts";
import { creatorFor } from "../../src/conformance/trial/records.ts";
import type { Trial } from "../../src/conformance/trial/trial.ts";
import { type Block, crud, documentOf } from "../enforced/document.ts";
import { contractFrom } from "./values-contract.ts";

const rest = Object.fromEntries(Object.keys(crud).map((name) => [name, "member"]));
const clerk: Caller = {
  ...{ name: "a clerk", id: "user-1", roles: ["member"], signedIn: true, scoped: false },
  authorize: (request) => request,
};

for (const [what, authentication, expected] of [
  ["an anonymous creation signs up no user", { allow: { ...rest, addThing: "anyone" } }, anonymous],
  [
    "a user who may set more fields is signed up",
    { allow: { ...rest, addThing: "anyone" }, set: { "Thing.name": "member" } },
    clerk,
  ],
  ["a user creates what no anonymous caller may create", { allow: rest }, clerk],
] satisfies [string, Block, Caller][]) {
  test(what, async () => {
    const contract = contractFrom("creators.md", documentOf({ authentication }));
    let signedUp = 0;
    const trial = { contract, callers: async () => [clerk].slice(0, ++signedUp) } as unknown as Trial;
    const called = contract.operations.get("addThing");
    assert(called !== undefined);
    assert.equal(await creatorFor(trial, called, {}), expected);
    assert.equal(signedUp, expected === anonymous ? 0 : 1);
  });
}
