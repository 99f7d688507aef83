/** Who may: a table of callers against grants, and what holds for all of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { callers, grantLists } from "../../../test/arbitraries/authentication.ts";
import { createReader } from "../reader.ts";
import { anonymous, type Caller, type Decision, decide, permit, reveal } from "./decide.ts";
import { readGrants } from "./grants.ts";
import type { Authentication, Grant } from "./model.ts";

const courier: Caller = { id: "usr_1", roles: ["courier"], claims: {}, credential: "key" };
const operator: Caller = { id: "usr_2", roles: ["operator"], claims: {}, credential: "key" };
const both: Caller = { id: "usr_3", roles: ["operator", "courier"], claims: {}, credential: "key" };
const nothing: Caller = { id: "usr_4", roles: [], claims: {}, credential: "key" };
const stranger: Caller = { id: "usr_5", roles: ["admin", "anyone", "signed-in"], claims: {}, credential: "key" };
const claimant: Caller = { id: null, roles: ["operator"], claims: { roles: ["operator"] }, credential: "" };

const allowed: Decision = { kind: "allowed" };
const forbidden: Decision = { kind: "denied", because: "forbidden" };
const unauthenticated: Decision = { kind: "denied", because: "unauthenticated" };

function grants(line: string): readonly Grant[] {
  const reader = createReader();
  const start = { line: 1, column: 1, offset: 0 };
  const end = { line: 1, column: 1 + line.length, offset: line.length };
  const read = readGrants(reader, ["authentication"], {
    kind: "text",
    value: line,
    quoted: false,
    span: { start, end },
  });
  assert.deepEqual(reader.diagnostics, []);
  return read;
}

function onlyIf(...conditions: string[]): Decision {
  return { kind: "conditional", conditions };
}

const rows: readonly [line: string, caller: Caller, decision: Decision][] = [
  ["operator", operator, allowed],
  ["operator", courier, forbidden],
  ["operator", nothing, forbidden],
  ["operator", stranger, forbidden],
  ["operator", anonymous, unauthenticated],
  ["operator", claimant, unauthenticated],
  ["signed-in", nothing, allowed],
  ["signed-in", stranger, allowed],
  ["signed-in", anonymous, unauthenticated],
  ["signed-in", claimant, unauthenticated],
  ["anyone", anonymous, allowed],
  ["anyone", courier, allowed],
  ["none", operator, forbidden],
  ["none", anonymous, unauthenticated],
  ["operator | courier if own", operator, allowed],
  ["operator | courier if own", courier, onlyIf("own")],
  ["operator | courier if own", both, allowed],
  ["operator | courier if own", stranger, forbidden],
  ["operator | courier if own", anonymous, unauthenticated],
  ["operator if state == 'free' | courier if own", both, onlyIf("own", "state == 'free'")],
  ["operator if own | courier if own", both, onlyIf("own")],
  ["anyone if open", anonymous, onlyIf("open")],
  ["anyone if open | signed-in", courier, allowed],
  ["signed-in if own || open", anonymous, unauthenticated],
];

for (const [line, caller, decision] of rows) {
  test(`${line}: ${caller.id ?? "nobody"} as ${caller.roles.join(" and ") || "no role"} is ${decision.kind}`, () => {
    assert.deepEqual(decide(grants(line), caller), decision);
  });
}

const authentication: Authentication = {
  credentials: {},
  own: {},
  allow: { addSite: grants("operator") },
  show: { "Parcel.pickupCode": grants("operator") },
};

test("what no line allows is refused, and what the language knows is no line", () => {
  assert.deepEqual(permit(authentication, "addSite", operator), allowed);
  assert.deepEqual(permit(authentication, "addSite", courier), forbidden);
  assert.deepEqual(permit(authentication, "dropSite", operator), forbidden);
  assert.deepEqual(permit(authentication, "dropSite", anonymous), unauthenticated);
  assert.deepEqual(permit(authentication, "constructor", operator), forbidden);
});

test("a field is hidden only by its own line", () => {
  assert.deepEqual(reveal(authentication, "Parcel.pickupCode", operator), allowed);
  assert.deepEqual(reveal(authentication, "Parcel.pickupCode", courier), forbidden);
  assert.deepEqual(reveal(authentication, "Parcel.size", anonymous), allowed);
});

test("the order of grants never matters", () => {
  fc.assert(
    fc.property(grantLists, fc.infiniteStream(fc.nat()), callers, (list, keys, caller) => {
      const shuffled = list
        .map((grant) => ({ grant, key: keys.next().value as number }))
        .sort((one, other) => one.key - other.key)
        .map(({ grant }) => grant);
      assert.deepEqual(decide(shuffled, caller), decide(list, caller));
    }),
  );
});

test("one more grant never takes anything away", () => {
  const reach = (decision: Decision) => ["denied", "conditional", "allowed"].indexOf(decision.kind);
  fc.assert(
    fc.property(grantLists, grantLists, callers, (some, more, caller) => {
      const before = decide(some, caller);
      const after = decide([...some, ...more], caller);
      assert.ok(reach(after) >= reach(before));
      if (before.kind !== "conditional" || after.kind !== "conditional") return;
      assert.ok(before.conditions.every((condition) => after.conditions.includes(condition)));
    }),
  );
});

test("nobody who is not signed in gets what anyone cannot have", () => {
  fc.assert(
    fc.property(grantLists, callers, (list, caller) => {
      const open = list.filter((grant) => grant.who.kind === "anyone");
      const nobody = { ...caller, id: null };
      assert.deepEqual(decide(list, nobody), decide(open, nobody));
    }),
  );
});
