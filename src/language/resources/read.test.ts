/** Part 2: what each form means, and what is complained about, where. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBlock } from "../../../test/part-block.ts";
import type { Field, FieldType } from "./model.ts";
import { resources } from "./grammar.ts";

function fieldOf(line: string): Partial<Field> {
  const { part, faults } = readBlock(resources.readPart, `A:\n  id: id(a)\n  f: ${line}\n`);
  assert.deepEqual(faults, [], line);
  const { optional: _optional, ...field } = part.resources["A"]?.fields["f"] ?? {};
  return field;
}

const string = { kind: "scalar", name: "string" } as const;

const types: readonly (readonly [line: string, type: FieldType])[] = [
  ["string", string],
  ["string(6)", { ...string, min: 6, max: 6 }],
  ["string(..80)", { ...string, max: 80 }],
  ["text(1..)", { kind: "scalar", name: "text", min: 1 }],
  ["integer(-5..5)", { kind: "scalar", name: "integer", min: -5, max: 5 }],
  ["decimal(0.1 .. 30)", { kind: "scalar", name: "decimal", min: 0.1, max: 30 }],
  ["string /^[0-9]{6}$/", { ...string, pattern: "^[0-9]{6}$" }],
  ["string(1..9) /a\\/b, = [/]|c/", { ...string, min: 1, max: 9, pattern: "a/b, = [/]|c" }],
  ["/^x$/", { ...string, pattern: "^x$" }],
  ["small | medium | in-transit", { kind: "one-of", values: ["small", "medium", "in-transit"], open: false }],
  ["a | string | b", { kind: "one-of", values: ["a", "b"], open: true }],
  ["email | sms", { kind: "one-of", values: ["email", "sms"], open: false }],
  ["'\"one\"'", { kind: "one-of", values: ["one"], open: false }],
  ['a | \'in transit\' | "c\\"d"', { kind: "one-of", values: ["a", "in transit", 'c"d'], open: false }],
  ["1 | 2.5", { kind: "one-of", values: ["1", "2.5"], open: false }],
  ["string | null", { kind: "nullable", of: string }],
  ["null | a | b", { kind: "nullable", of: { kind: "one-of", values: ["a", "b"], open: false } }],
  ["Site", { kind: "named", name: "Site" }],
  ["string(1..20)[](0..5)", { kind: "list", of: { ...string, min: 1, max: 20 }, min: 0, max: 5 }],
  ["Site[]", { kind: "list", of: { kind: "named", name: "Site" } }],
  ["(a | b)[](1..)", { kind: "list", of: { kind: "one-of", values: ["a", "b"], open: false }, min: 1 }],
  ["integer[][](3)", { kind: "list", of: { kind: "list", of: { kind: "scalar", name: "integer" } }, min: 3, max: 3 }],
  ["map(string(1..9) | null)", { kind: "map", of: { kind: "nullable", of: { ...string, min: 1, max: 9 } } }],
  [
    "map(a | b)[] | null",
    {
      kind: "nullable",
      of: { kind: "list", of: { kind: "map", of: { kind: "one-of", values: ["a", "b"], open: false } } },
    },
  ],
  ["id(usr)", { kind: "id", prefix: "usr", made: "server" }],
];

for (const [line, type] of types) test(`type ${line}`, () => assert.deepEqual(fieldOf(line).type, type));

const lines: readonly (readonly [line: string, field: Partial<Field>])[] = [
  ["timezone = Europe/Oslo", { default: { kind: "literal", text: "Europe/Oslo" }, marks: [] }],
  ["datetime = now on change, read-only, sort", { default: { kind: "now-on-change" }, marks: ["read-only", "sort"] }],
  ["string = digits(6), read-only", { default: { kind: "digits", length: 6 }, marks: ["read-only"] }],
  ["string = token(32), secret", { default: { kind: "token", length: 32 }, marks: ["secret"] }],
  ["string[] = [a, b], filter", { default: { kind: "literal", text: "[a, b]" }, marks: ["filter"] }],
  ["map(integer) = { a: 1, b: 2 }", { default: { kind: "literal", text: "{ a: 1, b: 2 }" }, marks: [] }],
  ['string = "now"', { default: { kind: "literal", text: "now" }, marks: [] }],
  ['string = "a, b", unique', { default: { kind: "literal", text: "a, b" }, marks: ["unique"] }],
  ['string = ""', { default: { kind: "literal", text: "" }, marks: [] }],
  ["string := slugify(title, '-'), unique", { computed: "slugify(title, '-')", marks: ["unique"] }],
  ["boolean := a == 'x' || b", { computed: "a == 'x' || b", marks: [] }],
  ["Site, delete with, create-only", { marks: ["delete with", "create-only"] }],
  [
    "{ type: string(1..80), default: none yet, marks: [filter], note: Shown, example: 1 }",
    { default: { kind: "literal", text: "none yet" }, marks: ["filter"], note: "Shown", example: 1 },
  ],
  [
    '{ schema: { type: object, required: [hs], minProperties: 1, const: "1" }, marks: read-only }',
    {
      type: { kind: "schema", schema: { type: "object", required: ["hs"], minProperties: 1, const: "1" } },
      marks: ["read-only"],
    },
  ],
];

for (const [line, expected] of lines) {
  test(`field ${line}`, () => {
    // YAML takes braces and colons in a plain value for its own.
    const field = fieldOf(line.includes(": 1, b") ? `'${line}'` : line);
    const { type: _type, ...rest } = field;
    assert.deepEqual("type" in expected ? field : rest, expected);
  });
}

const identities: readonly (readonly [line: string, type: FieldType])[] = [
  ["id(par)", { kind: "id", prefix: "par", made: "server" }],
  ["id", { kind: "id", made: "server" }],
  ["id(counter)", { kind: "id", made: "counter" }],
  ["integer = counter", { kind: "id", made: "counter", of: { kind: "scalar", name: "integer" } }],
  ["uuid = uuid", { kind: "id", made: "server", of: { kind: "scalar", name: "uuid" } }],
  ["string, read-only", { kind: "id", made: "server", of: string }],
  [
    "string(1..40) /^[a-z-]+$/, create-only",
    { kind: "id", made: "client", of: { ...string, min: 1, max: 40, pattern: "^[a-z-]+$" } },
  ],
];

for (const [line, type] of identities) {
  test(`identity ${line}`, () => {
    const { part, faults } = readBlock(resources.readPart, `A: { id: '${line}' }`);
    assert.deepEqual(faults, []);
    assert.deepEqual(part.resources["A"]?.fields["id"]?.type, type);
  });
}

test("rules are one or a list, on a line or in a map, and each part of them has its place", () => {
  const yaml =
    "rules:\n  A: unique a + b else taken\n  B:\n    - labels == null || w <= 20 else too-heavy\n    - { unique: [a, b] }\n    - { holds: a else b, else: c }\n";
  const { part, faults, reader } = readBlock(resources.readPart, yaml);
  assert.deepEqual(faults, []);
  assert.deepEqual(part.rules, {
    A: [{ kind: "unique", fields: ["a", "b"], else: "taken" }],
    B: [
      { kind: "holds", expression: "labels == null || w <= 20", else: "too-heavy" },
      { kind: "unique", fields: ["a", "b"] },
      { kind: "holds", expression: "a else b", else: "c" },
    ],
  });
  const at = (path: string): string => {
    const span = reader.places.get(path);
    return span === undefined ? "nowhere" : yaml.slice(span.start.offset, span.end.offset);
  };
  assert.equal(at("resources/rules/A/0/else"), "taken");
  assert.equal(at("resources/rules/B/0/holds#value"), "labels == null || w <= 20");
  assert.equal(at("resources/rules/B/2/holds#value"), "a else b");
});

test("a rule says whether absent values are equal, and has a place for it", () => {
  const yaml =
    "rules:\n  A:\n    - unique a + b, absent equal else taken\n    - unique a+b ,absent  distinct\n    - { unique: [a, b], absent: equal }\n";
  const { part, faults, reader } = readBlock(resources.readPart, yaml);
  assert.deepEqual(faults, []);
  assert.deepEqual(part.rules["A"], [
    { kind: "unique", fields: ["a", "b"], absent: "equal", else: "taken" },
    { kind: "unique", fields: ["a", "b"], absent: "distinct" },
    { kind: "unique", fields: ["a", "b"], absent: "equal" },
  ]);
  for (const [index, word] of ["equal", "distinct", "equal"].entries()) {
    const span =
      reader.places.get(`resources/rules/A/${index}/absent#value`) ??
      reader.places.get(`resources/rules/A/${index}/absent`);
    assert.equal(span && yaml.slice(span.start.offset, span.end.offset), word);
  }
});

test("the members of a line have places, under the name with and without its question mark", () => {
  const yaml = 'A:\n  id: id(a)\n  slug?: "string := lower(title), unique"\n';
  const { reader } = readBlock(resources.readPart, yaml);
  for (const name of ["slug", "slug?"]) {
    const span = reader.places.get(`resources/A/${name}/computed#value`);
    assert.equal(span && yaml.slice(span.start.offset, span.end.offset), "lower(title)");
    assert.equal(reader.places.get(`resources/A/${name}#key`)?.start.column, 3);
    assert.equal(reader.places.get(`resources/A/${name}/marks/unique`)?.start.column, 35);
  }
});

test("what is not shown is a gap and no fault", () => {
  const { part, faults, reader } = readBlock(
    resources.readPart,
    "A:\n  id: id(a)\n  b?: not shown\n  c: { type: string, default: not shown }\n  d: { type: not shown }\ntypes: not shown\n",
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(Object.keys(part.resources["A"]?.fields ?? {}), ["id", "c"]);
  assert.deepEqual(reader.gaps.toSorted(), [
    "resources/A/b?",
    "resources/A/c/default",
    "resources/A/d/type",
    "resources/types",
  ]);
});

const faults: readonly (readonly [yaml: string, ...faults: string[]])[] = [
  ["parcel: { id: id(a) }", "1:1 resources/unknown-key parcel"],
  ["typs: {}", "1:1 resources/unknown-key typs"],
  ["views: { x: {} }", "1:10 resources/bad-name x"],
  ["views: { X: {} }", "1:10 resources/view-of-nothing X"],
  ["A: { name: string }", "1:1 resources/no-identity A"],
  ["A: string", "1:4 resources/not-a-map string"],
  ["types: { address: { a: string } }", "1:10 resources/bad-name address"],
  ["types: { A: string }", "1:13 resources/not-a-map string"],
  ["types:\n  A:\n    f: strng(1..9)", "3:8 resources/unknown-type strng"],
  ["types:\n  A:\n    f: strng", "3:8 resources/unknown-type strng"],
  ["types:\n  A:\n    f: int", "3:8 resources/unknown-type int"],
  ["types:\n  A:\n    f: string(9..1)", "3:14 resources/empty-range (9..1)"],
  ["types:\n  A:\n    f: string(1-9)", "3:14 resources/bad-bounds (1-9)"],
  ["types:\n  A:\n    f: string(1..9", "3:14 resources/unclosed (1..9"],
  ["types:\n  A:\n    f: boolean(1)", "3:15 resources/no-bounds (1)"],
  ["types:\n  A:\n    f: integer /x/", "3:16 resources/no-pattern /x/"],
  ["types:\n  A:\n    f: string /x, unique", "3:15 resources/unclosed /x, unique"],
  ["types:\n  A:\n    f: 'string unique'", "3:16 resources/unexpected-words unique"],
  [
    "types:\n  A:\n    f: string, uniqe, unique, unique",
    "3:16 resources/unknown-mark uniqe",
    "3:31 resources/mark-twice unique",
  ],
  ['types:\n  A:\n    f: "string, required"', "3:17 resources/unknown-mark required"],
  ["types:\n  A:\n    f: string = digits", "3:17 resources/bad-default digits"],
  ["types:\n  A:\n    f: string =", "3:15 resources/bad-default ="],
  ["types:\n  A:\n    f: string :=", "3:15 resources/empty :="],
  ["types:\n  A:\n    f: integer | string", "3:8 resources/union-of-types integer | string"],
  ["types:\n  A:\n    f: a | string(1..9)", "3:12 resources/not-a-value string(1..9)"],
  ["types:\n  A:\n    f: a | b[]", "3:12 resources/unknown-type b"],
  ["types:\n  A:\n    f: map string", "3:8 resources/unknown-type map"],
  ["types:\n  A:\n    f: id(Par)", "3:11 resources/bad-prefix Par"],
  ["types:\n  A:\n    f:", "3:5 resources/empty f"],
  ["types:\n  A:\n    f: { marks: [unique] }", "3:8 resources/no-type { marks: [unique] }"],
  ["types:\n  A:\n    f: { type: string, schema: {} }", "3:10 resources/two-types type"],
  ["types:\n  A:\n    f: { type: string, default: a, computed: b }", "3:46 resources/two-values b"],
  [
    "types:\n  A:\n    f-g: string\n    __proto__: string",
    "3:5 resources/bad-name f-g",
    "4:5 resources/bad-name __proto__",
  ],
  ["types:\n  A:\n    f: string\n    f?: string", "4:5 resources/field-twice f?"],
  ["rules:\n  A: a == b", "2:6 resources/rule-without-error a == b"],
  ["rules:\n  A: unique a b", "2:13 resources/bad-rule a b"],
  ["rules:\n  A: unique a + b, absent", "2:20 resources/bad-rule absent"],
  ["rules:\n  A: unique a + b, equal", "2:20 resources/bad-rule equal"],
  ["rules:\n  A: unique a + b, absent same else c", "2:27 resources/unknown-value same"],
  ["rules:\n  A: unique a + b, absent equal, absent equal", "2:27 resources/unknown-value equal, absent equal"],
  ["rules:\n  A: { unique: [a, b], absent: 3 }", "2:32 resources/unknown-value 3"],
  ["rules:\n  A: { holds: a, absent: equal, else: b }", "2:18 resources/bad-rule absent"],
  ["rules:\n  A: [unique a + b, absent equal]", "2:21 resources/rule-without-error absent equal"],
  ["rules:\n  A: { else: x }", "2:6 resources/bad-rule { else: x }"],
  ["rules: none\ntypes: none"],
];

for (const [yaml, ...expected] of faults) {
  test(JSON.stringify(yaml), () => assert.deepEqual(readBlock(resources.readPart, yaml).faults, expected));
}
