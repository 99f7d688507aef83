/** Who may: a table of callers against grants, and what holds for all of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { callerRoles, grantLists } from "../../../test/arbitraries/authentication.ts";
import { createReader } from "../grammar/reader.ts";
import { type Decision, decide, type Subject } from "./decide.ts";
import { readGrants } from "./grants.ts";
import type { Grant } from "./model.ts";

type Roles = readonly string[] | undefined;

const subjectOf = (roles: Roles, scoped = false): Subject | undefined => roles && { roles, scoped };
const anonymous = undefined;
const both = ["operator", "courier"];
/** Roles that have the names of what is no role. */
const stranger = ["admin", "anyone", "signed-in"];

function grants(line: string): readonly Grant[] {
  const reader = createReader();
  const start = { line: 1, column: 1, offset: 0 };
  const end = { line: 1, column: 1 + line.length, offset: line.length };
  const node = { kind: "text", value: line, quoted: false, span: { start, end } } as const;
  const read = readGrants(reader, ["authentication"], node);
  assert.deepEqual(reader.diagnostics, []);
  return read;
}

const rows: readonly [line: string, roles: Roles, decision: Decision<string>][] = [
  ["operator", ["operator"], "allowed"],
  ["operator", ["courier"], "denied"],
  ["operator", [], "denied"],
  ["operator", stranger, "denied"],
  ["operator", anonymous, "denied"],
  ["signed-in", [], "allowed"],
  ["signed-in", stranger, "allowed"],
  ["signed-in", anonymous, "denied"],
  ["anyone", anonymous, "allowed"],
  ["anyone", ["courier"], "allowed"],
  ["none", ["operator"], "denied"],
  ["none", anonymous, "denied"],
  ["operator | courier if own", ["operator"], "allowed"],
  ["operator | courier if own", ["courier"], { any: ["own"] }],
  ["operator | courier if own", both, "allowed"],
  ["operator | courier if own", stranger, "denied"],
  ["operator | courier if own", anonymous, "denied"],
  ["operator if state == 'free' | courier if own", both, { any: ["state == 'free'", "own"] }],
  ["anyone if open", anonymous, { any: ["open"] }],
  ["anyone if open | signed-in", ["courier"], "allowed"],
  ["signed-in if own || open", anonymous, "denied"],
];

for (const [line, roles, decision] of rows) {
  test(`${line}: ${roles === undefined ? "nobody" : roles.join(" and ") || "no role"} gets ${JSON.stringify(decision)}`, () => {
    assert.deepEqual(decide(grants(line), subjectOf(roles)), decision);
  });
}

function conditionsOf(decision: Decision<string>): ReadonlySet<string> {
  return new Set(typeof decision === "string" ? [] : decision.any);
}

function reach(decision: Decision<string>): number {
  return decision === "denied" ? 0 : decision === "allowed" ? 2 : 1;
}

test("the order of grants never matters", () => {
  fc.assert(
    fc.property(grantLists, fc.infiniteStream(fc.nat()), callerRoles, (list, keys, roles) => {
      const shuffled = list
        .map((grant) => ({ grant, key: keys.next().value as number }))
        .sort((one, other) => one.key - other.key)
        .map(({ grant }) => grant);
      const [one, other] = [decide(shuffled, subjectOf(roles)), decide(list, subjectOf(roles))];
      assert.equal(reach(one), reach(other));
      assert.deepEqual(conditionsOf(one), conditionsOf(other));
    }),
  );
});

test("one more grant never takes anything away", () => {
  fc.assert(
    fc.property(grantLists, grantLists, callerRoles, (some, more, roles) => {
      const before = decide(some, subjectOf(roles));
      const after = decide([...some, ...more], subjectOf(roles));
      assert.ok(reach(after) >= reach(before));
      if (after !== "allowed") assert.ok(conditionsOf(before).isSubsetOf(conditionsOf(after)));
    }),
  );
});

test("nobody who is not signed in gets what anyone cannot have", () => {
  fc.assert(
    fc.property(grantLists, (list) => {
      const open = list.filter((grant) => grant.who.kind === "anyone");
      assert.deepEqual(decide(list, undefined), decide(open, undefined));
    }),
  );
});

const unscoped = [
  [{ kind: "signed-in", unscoped: true }, ["reader"], "denied"],
  [{ kind: "signed-in" }, [], "allowed"],
  [{ kind: "anyone", unscoped: true }, ["reader"], "denied"],
  [{ kind: "anyone" }, [], "allowed"],
  [{ kind: "role", role: "reader" }, ["reader"], "allowed"],
  [{ kind: "role", role: "writer" }, ["reader"], "denied"],
] as const;
for (const [who, roles, expected] of unscoped) {
  test(`a token bound by scopes, with ${roles.join() || "no role"}: ${JSON.stringify(who)} is ${expected}`, () => {
    assert.equal(decide([{ who }], subjectOf(roles, true)), expected);
    if (who.kind !== "role") assert.equal(decide([{ who }], subjectOf(roles)), "allowed");
    if (who.kind === "anyone") assert.equal(decide([{ who }], anonymous), "allowed");
  });
}
