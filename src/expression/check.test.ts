/** The type of each expression, and everything that is wrong with one at once: named, with its place and the near miss. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkExpression, checkRecords, type Checked } from "./check.ts";
import { parseExpression } from "./parse.ts";
import type { FieldType, TypeEnvironment, ValueType } from "./types.ts";

const kind = (name: "bool" | "int" | "double" | "string" | "timestamp" | "duration" | "any"): ValueType => ({
  kind: name,
});
const must = (type: ValueType): FieldType => ({ type, nullable: false });
const may = (type: ValueType): FieldType => ({ type, nullable: true });
const ref = (resource: string): ValueType => ({ kind: "record", resource });
const oneOf = (...values: string[]): ValueType => ({ kind: "string", values });

const address: ValueType = {
  kind: "object",
  members: { street: must(kind("string")), postcode: must(kind("string")) },
};
const parcel: Record<string, FieldType> = {
  id: must(ref("Parcel")),
  state: must(oneOf("announced", "stored", "expired")),
  courier: must(ref("User")),
  locker: may(ref("Locker")),
  size: must(oneOf("small", "medium", "large")),
  weightKg: must(kind("double")),
  extensions: must(kind("int")),
  labels: may({ kind: "list", of: kind("string") }),
  pickupCode: must(kind("string")),
  collectBy: may(kind("timestamp")),
  address: may(address),
  customs: may(kind("any")),
  fragile: must(kind("bool")),
  page: may({ kind: "record", resource: "Page", number: true }),
};
const env: TypeEnvironment = {
  names: {
    ...parcel,
    input: must({
      kind: "object",
      members: { code: may(kind("string")), size: may(oneOf("small", "tiny")), by: must(kind("duration")) },
    }),
    caller: must({
      kind: "object",
      members: { id: may(ref("User")), roles: must({ kind: "list", of: kind("string") }), claims: may(kind("any")) },
    }),
    now: must(kind("timestamp")),
    value: { ...must(kind("string")), from: "variables" },
  },
  resources: {
    Parcel: parcel,
    User: { id: must(ref("User")), handle: must(kind("string")), boss: may(ref("User")) },
    Locker: {
      id: must(ref("Locker")),
      door: must(kind("int")),
      site: must(ref("Site")),
      state: must(oneOf("free", "held")),
    },
    Page: { id: must(kind("int")), before: may({ kind: "record", resource: "Page", number: true }) },
    Site: { id: must(ref("Site")), name: must(kind("string")), parcel: may(ref("Parcel")) },
  },
};

function check(text: string, expected?: ValueType): Checked {
  const { expression, problems } = parseExpression(text);
  return expression ? checkExpression(expression, env, expected) : { problems };
}

test("an expression has a type", () => {
  const examples: readonly [text: string, type: string][] = [
    ["courier == caller.id", "bool"],
    ["input.code == pickupCode", "bool"],
    ["extensions + 1", "int"],
    ["extensions / 2", "int"],
    ["extensions / extensions", "int?"],
    ["weightKg * 2", "double"],
    ["weightKg < extensions", "bool"],
    ["collectBy + duration('24h')", "timestamp?"],
    ["now + duration('72h')", "timestamp"],
    ["duration('1h') + now", "timestamp"],
    ["now - now", "duration"],
    ["locker.door", "int?"],
    ["locker.id", "record?"],
    ["address.postcode", "string?"],
    ["labels.size()", "int?"],
    ["size(labels)", "int?"],
    ["'fragile' in labels", "bool"],
    ["labels.exists(l, l.startsWith('x'))", "bool"],
    ["labels.map(l, l.size())", "list?"],
    ["locker.site.name", "string?"],
    ["locker.site.parcel.locker.door", "int?"],
    ["pickupCode.trim().lowerAscii().replace('a', 'b')", "string"],
    ["labels.sort().reverse().join(', ')", "string?"],
    ["Parcel.map(p, p.labels).flatten().distinct()", "list"],
    ["Parcel.sortBy(p, p.extensions).reverse().map(p, p.size)", "list"],
    ["string(extensions)", "string"],
    ["int(pickupCode)", "int?"],
    ["int(now)", "int"],
    ["double(extensions)", "double"],
    ["labels.map(l, l.size() > 1, l.size()).sum()", "int?"],
    ["Parcel.filter(p, p.courier == courier).size()", "int"],
    ["Parcel.map(p, p.weightKg).sum()", "double"],
    ["Parcel.exists(p, p.locker.door == 3)", "bool"],
    ["User.exists(u, u == courier)", "bool"],
    ["page == extensions && page.before != extensions", "bool"],
    ["Page.exists(x, x.id == extensions && x.before == page && x == page)", "bool"],
    ["string(page)", "string?"],
    ["has(input.code)", "bool"],
    ["has(labels)", "bool"],
    ["caller.claims.tenant", "any?"],
    ["caller.claims.tenant == pickupCode", "bool"],
    ["'admin' in caller.claims.groups", "bool"],
    ["'operator' in caller.roles", "bool"],
    ["customs.hs.size()", "int?"],
    ["fragile ? 1 : 2.5", "double"],
    ["fragile ? null : 'x'", "string?"],
    ["slugify(pickupCode)", "string"],
    ["pickupCode.matches('^[0-9]{6}$')", "bool"],
    ["value + '!'", "string"],
    ["size == input.size", "bool"],
    ["[]", "list"],
    ["labels == []", "bool"],
    ["collectBy < now && !(state == 'stored')", "bool"],
    ["collectBy == null ? now : collectBy", "timestamp"],
    ["null != collectBy ? collectBy : now", "timestamp"],
    ["!(collectBy == null || fragile) ? collectBy : now", "timestamp"],
    ["collectBy == null && fragile ? now : collectBy", "timestamp?"],
    ["collectBy == null || fragile ? collectBy : now", "timestamp?"],
    ["collectBy != null ? now : collectBy", "timestamp?"],
    ["labels != null ? labels.size() : 0", "int"],
    ["input.code == null ? '' : input.code", "string"],
    ["has(input.code) ? input.code : ''", "string"],
    ["locker != null ? locker.door : 0", "int"],
    ["locker.site.parcel == null ? courier.boss.id == null : true", "bool"],
    ["courier.boss != null ? courier.boss : courier", "record"],
    ["Site.map(s, s.parcel != null ? s.parcel.size : 'none')", "list"],
    ["input.size == null ? '' : input.code", "string?"],
    ["(collectBy == null ? now : now) < now ? collectBy : now", "timestamp?"],
  ];
  for (const [text, type] of examples) {
    const { typed, problems } = check(text);
    assert.deepEqual(problems, [], text);
    assert.equal(`${typed?.type.kind}${typed?.nullable ? "?" : ""}`, type, text);
  }
});

test("what is wrong is named, with its place and the near miss", () => {
  const examples: readonly [text: string, code: string, faulty: string, says?: RegExp][] = [
    ["colectBy == null", "unknown-name", "colectBy", /no `colectBy`.*did you mean `collectBy`/],
    ["locker.dor", "unknown-field", "dor", /Locker has no field `dor`; did you mean `door`/],
    ["input.cod", "unknown-field", "cod", /`cod` in `input`; did you mean `code`/],
    ["address.post", "unknown-field", "post"],
    ["pickupCode.x", "unknown-field", "x"],
    ["Parcel.id", "unknown-field", "id", /list of records/],
    ["locker.site.parcel.locker.site.name", "walk-too-long", "name"],
    ["pickupCode.replace(value, 'x')", "wrong-arguments", "value"],
    ["pickupCode.replace('', 'x')", "wrong-arguments", "''"],
    ["pickupCode.replace('x')", "wrong-arguments", "pickupCode.replace('x')"],
    ["extensions.trim()", "wrong-type", "extensions"],
    ["trim(pickupCode)", "wrong-arguments", "trim(pickupCode)"],
    ["[1].join(', ')", "wrong-type", "[1]", /cannot be joined/],
    ["labels.flatten()", "wrong-type", "labels"],
    ["[labels].distinct()", "wrong-type", "[labels]"],
    ["Parcel.distinct()", "records-as-value", "Parcel"],
    ["Parcel.reverse()", "records-as-value", "Parcel.reverse()"],
    ["Parcel.sortBy(p, p.extensions)", "records-as-value", "Parcel.sortBy(p, p.extensions)"],
    ["Parcel.sortBy(p, p.labels).map(p, p.id)", "no-order", "p.labels"],
    ["[address].sort()", "wrong-type", "[address]"],
    ["string(weightKg)", "wrong-type", "weightKg"],
    ["int(fragile)", "wrong-type", "fragile"],
    ["pickupCode.toLowerCase()", "unknown-function", "toLowerCase"],
    ["state == 'strored'", "never-equal", "'strored'", /did you mean `stored`/],
    ["'strored' != state", "never-equal", "'strored'"],
    ["state in ['stored', 'lost']", "never-equal", "'lost'"],
    ["size == state", "never-equal", "size", /no value in common/],
    ["extensions == '1'", "never-equal", "extensions == '1'"],
    ["page == pickupCode", "never-equal", "page == pickupCode"],
    ["page.startsWith('1')", "wrong-type", "page"],
    ["size(page)", "wrong-type", "page"],
    ["page in labels", "never-equal", "page in labels"],
    ["courier == extensions", "never-equal", "courier == extensions"],
    ["courier == locker", "never-equal", "courier == locker"],
    ["collectBy == '2026-01-01'", "never-equal", "collectBy == '2026-01-01'"],
    ["1 in labels", "never-equal", "1 in labels"],
    ["null in labels", "never-true", "null"],
    ["collectBy < null", "never-true", "collectBy < null"],
    ["locker < locker", "no-order", "locker < locker"],
    ["weightKg + extensions", "mixed-numbers", "weightKg + extensions"],
    ["weightKg % 2.0", "wrong-type", "weightKg % 2.0"],
    ["pickupCode + 1", "wrong-type", "pickupCode + 1"],
    ["now + now", "wrong-type", "now + now"],
    ["-pickupCode", "wrong-type", "-pickupCode"],
    ["extensions && fragile", "wrong-type", "extensions"],
    ["!extensions", "wrong-type", "extensions"],
    ["fragile ? 1 : 'x'", "wrong-type", "fragile ? 1 : 'x'"],
    ["[1, 'a']", "mixed-list", "'a'"],
    ["extensions in extensions", "wrong-type", "extensions"],
    ["fragile.exists(x, true)", "wrong-type", "fragile"],
    ["duration('3d')", "bad-duration", "'3d'"],
    ["duration('1ns')", "bad-duration", "'1ns'"],
    ["duration(pickupCode)", "wrong-arguments", "duration(pickupCode)"],
    ["timestamp('2026-02-30T00:00:00Z')", "bad-timestamp", "'2026-02-30T00:00:00Z'"],
    ["pickupCode.matches('(')", "bad-pattern", "'('"],
    ["pickupCode.matches(value)", "pattern-not-literal", "value"],
    ["pickupCode.starstWith('x')", "unknown-function", "starstWith", /did you mean `startsWith`/],
    ["labels.exists_one(l, true)", "unknown-function", "exists_one"],
    ["labels.exists('x')", "wrong-arguments", "labels.exists('x')"],
    ["labels.exists(state, true)", "name-taken", "state"],
    ["size(1)", "wrong-type", "1"],
    ["labels.sum()", "wrong-type", "labels"],
    ["Parcel", "records-as-value", "Parcel"],
    ["Parcel.filter(p, true)", "records-as-value", "Parcel.filter(p, true)"],
    ["id in Parcel", "records-as-value", "Parcel"],
    ["has(1)", "wrong-arguments", "has(1)"],
    ["Parcel.exists(a, Parcel.exists(b, Parcel.exists(c, a == c)))", "macros-too-deep", "Parcel.exists(c, a == c)"],
    ["[1].exists(a, [1].exists(b, [1].exists(c, [1].exists(d, true))))", "macros-too-deep", "[1].exists(d, true)"],
  ];
  for (const [text, code, faulty, says] of examples) {
    const { typed, problems } = check(text);
    assert.equal(typed, undefined, text);
    const [problem] = problems;
    assert.equal(problem?.code, code, `${text}: ${problem?.message}`);
    assert.equal(text.slice(problem?.start, problem?.end), faulty, text);
    if (says) assert.match(problem?.message ?? "", says);
  }
});

test("what to write instead is said", () => {
  const examples: readonly (readonly [text: string, help: RegExp])[] = [
    ["courier + 1", /^undefined$/],
    ["pickupCode + locker.door", /`string\(…\)` makes a text of it/],
    ["'no. ' + page", /`string\(…\)` makes a text of it/],
    ["page == pickupCode", /a Page is known by a number: compare its text, `string\(…\)`/],
  ];
  for (const [text, help] of examples) assert.match(String(check(text).problems[0]?.help), help, text);
});

test("all that is wrong is said at once", () => {
  const { problems } = check("colectBy == null && stat == 'x' && fragile");
  assert.deepEqual(
    problems.map(({ code, start }) => [code, start]),
    [
      ["unknown-name", 0],
      ["unknown-name", 20],
    ],
  );
});

test("a value has to fit where it goes", () => {
  const fits: readonly [string, ValueType][] = [
    ["extensions", kind("double")],
    ["1", kind("double")],
    ["courier", kind("string")],
    ["pickupCode", ref("User")],
    ["null", kind("int")],
    ["'small'", oneOf("small", "medium")],
    ["[]", { kind: "list", of: kind("string") }],
    ["caller.claims.admin", kind("bool")],
  ];
  for (const [text, type] of fits) assert.deepEqual(check(text, type).problems, [], text);
  const doesNot: readonly [string, ValueType, string][] = [
    ["weightKg", kind("int"), "wrong-type"],
    ["'huge'", oneOf("small", "medium"), "never-equal"],
    ["courier", ref("Locker"), "wrong-type"],
    ["extensions", kind("bool"), "wrong-type"],
    ["['a']", { kind: "list", of: kind("int") }, "wrong-type"],
  ];
  for (const [text, type, code] of doesNot) assert.equal(check(text, type).problems[0]?.code, code, text);
});

test("a typed expression is plain data", () => {
  const { typed } = check("Parcel.exists(p, p.locker.door == 3 && p.courier == caller.id)");
  assert.deepEqual(JSON.parse(JSON.stringify(typed)), typed);
});

test("what repeats itself stays bounded", () => {
  let text = "extensions";
  for (let level = 0; level < 24; level += 1)
    text = `((caller.claims.n == ${text} && ${text.length} in caller.claims.l) ? labels.size() : 1)`;
  const { typed, problems } = check(text);
  assert.equal(typed, undefined);
  assert.equal(problems[0]?.code, "too-large");
});

test("records are asked for as such, by a list of them or of references to them", () => {
  const asked = (text: string, resource: string): readonly string[] => {
    const { expression } = parseExpression(text);
    assert.ok(expression);
    return checkRecords(expression, env, resource).problems.map(({ code }) => code);
  };
  const examples: readonly [text: string, resource: string, codes: readonly string[]][] = [
    ["Parcel", "Parcel", []],
    ["Parcel.filter(p, p.courier == courier)", "Parcel", []],
    ["Parcel.filter(p, p.fragile).sortBy(p, p.extensions).reverse()", "Parcel", []],
    ["Parcel.filter(p, p.fragile).map(p, p.locker)", "Locker", []],
    ["Parcel.map(p, p.locker).distinct()", "Locker", []],
    ["Parcel", "Locker", ["wrong-type"]],
    ["labels", "Locker", ["wrong-type"]],
    ["locker", "Locker", ["wrong-type"]],
    ["Parcel.size()", "Parcel", ["wrong-type"]],
    ["Parcel.filter(p, p.locker.dor == 1)", "Parcel", ["unknown-field"]],
  ];
  for (const [text, resource, codes] of examples) assert.deepEqual(asked(text, resource), codes, text);
});
