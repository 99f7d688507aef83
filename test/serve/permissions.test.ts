/** Permissions: the union of a caller's grants; denied if no line allows (R5.1, R5.10). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../../src/language/authentication/decide.ts";
import { crew, relay } from "./relay.ts";
import { served } from "./scenario.ts";

const condition = { kind: "literal", value: true } as never;
const grants = {
  role: { who: { kind: "role", role: "crew" } },
  roleIf: { who: { kind: "role", role: "crew" }, if: condition },
  signedIn: { who: { kind: "signed-in" } },
  signedInIf: { who: { kind: "signed-in" }, if: condition },
  anyone: { who: { kind: "anyone" } },
  anyoneIf: { who: { kind: "anyone" }, if: condition },
} as const;

const decisions: readonly (readonly [
  names: readonly (keyof typeof grants)[],
  roles: readonly string[] | undefined,
  decision: string,
])[] = [
  [[], undefined, "denied"],
  [[], ["crew"], "denied"],
  [["role"], undefined, "denied"],
  [["role"], [], "denied"],
  [["role"], ["chief"], "denied"],
  [["role"], ["chief", "crew"], "allowed"],
  [["roleIf"], ["crew"], "if"],
  [["roleIf"], [], "denied"],
  [["roleIf", "role"], ["crew"], "allowed"],
  [["signedIn"], undefined, "denied"],
  [["signedIn"], [], "allowed"],
  [["signedInIf"], [], "if"],
  [["signedInIf", "roleIf"], ["crew"], "if if"],
  [["signedInIf", "roleIf"], [], "if"],
  [["anyone"], undefined, "allowed"],
  [["anyone"], ["crew"], "allowed"],
  [["anyoneIf"], undefined, "if"],
  [["anyoneIf", "role"], ["crew"], "allowed"],
];
for (const [names, roles, expected] of decisions) {
  test(`${names.join(" | ") || "no grant"} for ${roles === undefined ? "nobody" : `[${roles.join()}]`} is ${expected}`, () => {
    for (const order of [names, names.toReversed()]) {
      const decision = decide(
        order.map((name) => grants[name]),
        roles && { roles, scoped: false },
      );
      assert.equal(typeof decision === "string" ? decision : decision.any.map(() => "if").join(" "), expected);
    }
  });
}

served("permissions", relay, (subject) => {
  const { send, job } = crew(subject);

  test("R5.1 the operation is barred before anything is read: also of a record that there is not", async () => {
    for (const path of ["/jobs/job_00000000000000000000000000/speed", "/jobs/x/speed"]) {
      assert.equal((await send("cleo", "POST", path)).status, 403);
      assert.equal((await send("guest", "POST", path)).status, 403);
      assert.equal((await send("nobody", "POST", path)).status, 401);
      assert.equal((await send("chief", "POST", path)).status, 404);
    }
  });

  test("403 for a record that the caller sees and may not act on, 404 for one that there is not", async () => {
    const { path } = await job();
    assert.equal((await send("carl", "POST", `${path}/start`, {})).status, 403);
    assert.equal((await send("carl", "PATCH", path, { title: "x" })).status, 403);
    assert.equal((await send("carl", "POST", "/jobs/job_00000000000000000000000000/start", {})).status, 404);
    assert.equal((await send("cleo", "GET", path)).headers["etag"], (await send("carl", "GET", path)).headers["etag"]);
  });

  test("a grant with a condition and one without are a union", async () => {
    const { path } = await job();
    await send("cleo", "POST", `${path}/start`, {});
    await send("cleo", "POST", `${path}/step`);
    assert.equal((await send("carl", "POST", `${path}/finish`)).status, 403);
    assert.equal((await send("chief", "POST", `${path}/finish`)).status, 200);
  });

  test("R5.10 what a caller owns goes by who it is, not by how it is known", async () => {
    const { path } = await job();
    assert.equal((await send("both", "POST", `${path}/start`, {})).status, 200, "another key of cleo's");
  });
});
