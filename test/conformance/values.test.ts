/**
 * Values of fields: the valid ones, those at the edges and those one step outside are compared with the validators of a served document,
 * which are written apart from them.
 */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { Json } from "../../src/base/json.ts";
import { type Contract, contractOf } from "../../src/conformance/contract.ts";
import { edgeValues, invalidValues } from "../../src/conformance/values/boundaries.ts";
import { problemOf, problemsOf } from "../../src/conformance/values/fits.ts";
import { type Extent, distinctValue, type Supply, validValue } from "../../src/conformance/values/valid.ts";
import type { Field, FieldType } from "../../src/language/resources/model.ts";
import { everyDocument } from "../export/every-document.ts";
import { anyJson, changed, contract, servedProblems, supplyFor, typeFrom, types } from "./values-contract.ts";

const seeds = fc.integer({ min: 0, max: 1_000_000 });

// ── The comparison with a served document ──────────────────────────────────────────────────────────────────────────

test("a served document accepts every valid value", () => {
  fc.assert(
    fc.property(types, seeds, fc.constantFrom<Extent>("some", "all", "needed"), (type, seed, extent) => {
      const value = validValue(contract, type, supplyFor(seed), extent);
      if (value !== undefined) assert.deepEqual(servedProblems(contract, type, value), [], JSON.stringify(value));
    }),
    { numRuns: 300 },
  );
});

test("a served document accepts every value at an edge, and may return it", () => {
  fc.assert(
    fc.property(types, seeds, (type, seed) => {
      for (const { what, value } of edgeValues(contract, type, supplyFor(seed))) {
        assert.deepEqual(servedProblems(contract, type, value), [], what);
        const returned = problemsOf(contract, type, value, "output");
        // A client may leave out what has a default, and sends what is never returned.
        const others = returned.filter(({ code, message }) => code !== "required" && !message.includes("writeOnly"));
        assert.deepEqual(others, [], what);
      }
    }),
    { numRuns: 150 },
  );
});

test("a served document rejects every invalid value, at the pointer, with one of the codes", () => {
  fc.assert(
    fc.property(types, seeds, (type, seed) => {
      for (const invalid of invalidValues(contract, type, supplyFor(seed))) assertRejected(contract, type, invalid);
    }),
    { numRuns: 150 },
  );
});

test("this validator and that of a served document agree about any value", () => {
  fc.assert(
    fc.property(types, seeds, fc.array(anyJson, { maxLength: 5 }), (type, seed, others) => {
      const supply = supplyFor(seed);
      const fit = validValue(contract, type, supply, "all");
      const near = fit === undefined ? [] : Array.from({ length: 20 }, () => changed(fit, supply.random));
      for (const value of [...others, ...near]) assertAgreement(type, value);
    }),
    { numRuns: 200 },
  );
});

/** Texts near those of each type, so that the limits of the formats are met. */
const nearTexts: readonly (readonly [type: string, ...texts: readonly string[]])[] = [
  ["date", "2024-02-29", "0001-01-01", "9999-12-31", "2026-04-30"],
  ["time", "09:30", "20:00", "23:59:59"],
  ["datetime", "2024-02-29T23:59:60Z", "9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00+00:01"],
  ["datetime", "2026-01-31t12:00:00.123456789+05:30", "2026-06-30T16:59:60-07:00", "9999-12-31T23:30:00-01:00"],
  ["duration", "P1Y2M3DT4H5M6S", "P3W"],
  ["email", "a.b@example.com"],
  ["url", "https://example.com/a?b#c", "http://[::1]:80/"],
  ["uuid", "018f3f4e-0000-7000-8000-000000000000"],
  ["phone", "+4712345678"],
  ["country", "NO"],
  ["currency", "EUR"],
  ["language", "zh-cmn-Hans-CN-x-private", "de-1996"],
  ["timezone", "Europe/Oslo"],
  ["bytes(1..4)", "TWE=", "Qw==", "AAAA"],
  ["money(-1..100)", "1.50", "-0", "100.01", "9999999999999999"],
];

for (const [type, ...texts] of nearTexts)
  test(`this validator and that of a served document agree about texts near a ${type}: ${texts[0]}`, () => {
    const { random } = supplyFor(type);
    const field = typeFrom(type);
    for (let run = 0; run < 1500; run += 1) {
      let text: Json = random.pick(texts);
      for (let edits = random.integer(0, 3); edits > 0; edits -= 1) text = changed(text, random);
      const currency = random.pick(["EUR", "JPY", "KWD", "XXY"]);
      assertAgreement(field, type.startsWith("money") ? { amount: text, currency } : text);
    }
  });

function assertAgreement(type: FieldType, value: Json): void {
  const problems = problemsOf(contract, type, value, "input");
  const served = servedProblems(contract, type, value);
  assert.equal(problems.length === 0, served.length === 0, JSON.stringify([value, problems, served]));
  // What an implementation may return is at least what a served document returns.
  const returned = problemsOf(contract, type, value, "output").filter(({ message }) => !message.includes("writeOnly"));
  if (servedProblems(contract, type, value, "output").length === 0)
    assert.deepEqual(returned, [], JSON.stringify(value));
}

function assertRejected(
  within: Contract,
  type: FieldType,
  { what, value, codes, pointer }: ReturnType<typeof invalidValues>[number],
): void {
  const served = servedProblems(within, type, value);
  const here = served.filter((problem) => problem.pointer === `#${pointer}`);
  const words = `${what}: ${JSON.stringify([codes, pointer, served])}`;
  // Of the branches of a schema, the validators of a served document report some.
  const isSchema = /"schema"|"(?:Box|Order)"/.test(JSON.stringify(type)) || type.kind === "schema";
  if (isSchema)
    return assert.ok(
      served.some(({ code }) => codes.includes(code)),
      words,
    );
  assert.ok(here.length > 0 && here.every(({ code }) => codes.includes(code)), words);
  assert.equal(here.length, served.length, words);
}

test("every field of every document has values, and its served document agrees about them", () => {
  for (const { name, result } of everyDocument) {
    const own = contractOf(result.model, result.places);
    for (const [path, { type }] of fieldsOf(own)) {
      // A file is a part of a form, which no schema of JSON describes.
      if (JSON.stringify(type).includes('"kind":"file"')) continue;
      const supply = { ...supplyFor(path), reference: (resource: string) => idOf(own, resource) };
      const value = validValue(own, type, supply);
      assert.ok(value !== undefined, `${name}: ${path} has no value`);
      assert.deepEqual(servedProblems(own, type, value), [], `${name}: ${path}`);
      for (const edge of edgeValues(own, type, supply))
        assert.deepEqual(servedProblems(own, type, edge.value), [], `${name}: ${path}: ${edge.what}`);
      for (const invalid of invalidValues(own, type, supply)) {
        const served = servedProblems(own, type, invalid.value);
        const isThere = ({ pointer, code }: (typeof served)[number]): boolean =>
          pointer === `#${invalid.pointer}` && invalid.codes.includes(code);
        assert.ok(served.some(isThere), `${name}: ${path}: ${invalid.what}`);
      }
    }
  }
});

function fieldsOf({ model }: Contract): readonly (readonly [string, Field])[] {
  const { resources, types: embedded } = model.resources;
  const all = {
    ...Object.fromEntries(Object.entries(resources).map(([name, { fields }]) => [name, fields])),
    ...embedded,
  };
  return Object.entries(all).flatMap(([name, fields]) =>
    Object.entries(fields)
      .filter(([, field]) => field.computed === undefined)
      .map(([field, its]) => [`${name}.${field}`, its] as const),
  );
}

function idOf(within: Contract, resource: string): Json | undefined {
  const id = within.model.resources.resources[resource]?.fields["id"];
  return id && validValue(within, id.type, supplyFor("id"));
}

// ── Which values there are ─────────────────────────────────────────────────────────────────────────────────────────

/** By type, the edges; those that the document does not write have a minus in front. */
const edges: readonly (readonly [type: string, ...edges: readonly string[]])[] = [
  ["string(1..80)", "a text of 1 character", "a text of 80 characters", "a text of 80 emoji"],
  ["string(..9)", "-an empty text", "a text of 9 characters", "a text of 9 emoji"],
  ["text", "-an empty text", "-a text of 10000 characters", "-a text of 10000 emoji"],
  ["string(6) /^[0-9]+$/", "a text of 6 characters"],
  ["email", "-a text of 254 characters"],
  ["email(6..40) /@example\\.com$/", "a text of 40 characters"],
  ["integer(-3..12)", "the number -3", "the number 12", "the number 0"],
  ["integer(0.5..)", "the number 1", "-the number 9007199254740991"],
  ["number(0.1..30)", "the number 0.1", "the number 30"],
  ["number", "-the number 0"],
  ["money(0.5..1000)", "the amount 0.50 EUR", "the amount 1000.00 EUR"],
  ["boolean", "true", "false"],
  ["bytes(2..5)", "base 64 of 2 bytes", "base 64 of 5 bytes"],
  ["small | large", 'the text "small"', 'the text "large"'],
  ["a | b | string", 'the text "a"', 'the text "b"'],
  ["(a | b)[](1..3)", "a list of 1 item", "a list of 3 items", 'the text "a" at 1', 'the text "b" at 1'],
  ["boolean[]", "-an empty list", "-a list of 1000 items", "true at 1", "false at 1"],
  ["boolean | null", "null", "true", "false"],
  [
    "map(boolean)",
    "-an empty object",
    "-an object of 50 members",
    "-a name of 255 characters",
    "true at member",
    "false at member",
  ],
  ["Site"],
  [
    "Flag",
    "Flag with only what it needs",
    "Flag with all its members",
    "true at on",
    "false at on",
    "true at more",
    "false at more",
  ],
];

for (const [type, ...expected] of edges)
  test(`the edges of ${type}`, () => {
    const found = edgeValues(contract, typeFrom(type), supplyFor(type));
    assert.deepEqual(
      found.map(({ what, stated }) => `${stated ? "" : "-"}${what}`),
      expected,
    );
  });

test("a text at the longest edge has its length in code points", () => {
  const found = edgeValues(contract, typeFrom("string(2..3)"), supplyFor(1)).map(
    ({ value }) => typeof value === "string" && [...value].length,
  );
  assert.deepEqual(found, [2, 3, 3]);
});

test("a text at the longest edge is another one in another run: it may have to be unique", () => {
  const longest = (seed: number): readonly Json[] =>
    edgeValues(contract, typeFrom("string(20..20)"), supplyFor(seed)).map(({ value }) => value);
  const all = [1, 2, 3].flatMap(longest);
  assert.ok(all.length >= 6);
  assert.equal(new Set(all).size, all.length);
});

/** By type, the invalid values besides those of another type of JSON, with their codes and pointers. */
const invalids: readonly (readonly [type: string, ...invalids: readonly string[]])[] = [
  [
    "string(1..80)",
    "an empty text: too-short",
    "a text of 81 characters: too-long",
    "-a text with U+0000: wrong-pattern",
  ],
  ["string", "-a text of 10001 characters: too-long", "-a text with U+0000: wrong-pattern"],
  [
    "string(6) /^[0-9]+$/",
    ...["a text of 5 characters: too-short", "a text of 7 characters: too-long"],
    ...["a text that does not match the pattern: wrong-pattern", "-a text with U+0000: wrong-pattern"],
  ],
  ["integer(0..12)", "a number below 0: too-small", "a number above 12: too-large", "a fraction: wrong-type"],
  [
    "integer",
    "-a number below -9007199254740991: too-small",
    "-a number above 9007199254740991: too-large",
    "a fraction: wrong-type",
  ],
  ["decimal(0.1..)", "a number below 0.1: too-small", "-a number of 16 digits: wrong-format"],
  ["small | large", "a text that is not listed: not-one-of"],
  ["small | string", "-an empty text: too-short"],
  ["boolean[](1..2)", "an empty list: too-few", "a list of 3 items: too-many"],
  ["boolean[]", "-a list of 1001 items: too-many"],
  ["map(boolean)", "-an object of 51 members: too-many", "-a member without a name: too-short /"],
  ["date", 'the text "2026-02-30": wrong-format', 'the text "tomorrow": wrong-format'],
  ["country", 'the text "ZZ": wrong-format,wrong-pattern', 'the text "Norway": wrong-format,wrong-pattern'],
  [
    "bytes(2..5)",
    "a text that is not base 64: wrong-pattern",
    "base 64 of 1 byte: too-short",
    "base 64 of 6 bytes: too-long",
  ],
  ["Flag", "an object without on: required /on", "-an unknown member: unknown-field /unknownMember"],
  [
    "Flag[]",
    "-a list of 1001 items: too-many",
    "an object without on at 1: required /1/on",
    "-an unknown member at 1: unknown-field /1/unknownMember",
  ],
  ["Site", "a text that is no id: wrong-pattern,reference-not-found"],
  ["Ticket", "the number 0: too-small,reference-not-found"],
  [
    "money(0..1000)",
    ...["the amount -0.01: too-small /amount", "the amount 1000.01: too-large /amount"],
    ...["an amount that is no number: wrong-pattern /amount", "a number as amount: wrong-type /amount"],
    ...["the currency ZZZ: wrong-format,wrong-pattern /currency", "-half a yen: wrong-format /amount"],
    ...["an object without amount: required /amount", "an object without currency: required /currency"],
    "-an unknown member: unknown-field /unknownMember",
  ],
  ["json"],
  ["file(..5MB)"],
];

for (const [type, ...expected] of invalids)
  test(`the invalid values of ${type}`, () => {
    const found = invalidValues(contract, typeFrom(type), supplyFor(type)).filter(
      ({ what }) => !what.includes("instead of"),
    );
    assert.deepEqual(
      found.map(({ what, codes, pointer, stated }) => `${stated ? "" : "-"}${what}: ${codes.join()} ${pointer}`.trim()),
      expected,
    );
  });

test("a fraction is between the limits of whole numbers, if it can be", () => {
  const fractions = (type: string): readonly unknown[] =>
    [1, 2, 3, 4, 5, 6].flatMap((seed) =>
      invalidValues(contract, typeFrom(type), supplyFor(seed)).flatMap(({ value, what }) =>
        what === "a fraction" ? [value] : [],
      ),
    );
  assert.ok(fractions("integer(1..2)").every((value) => value === 1.5));
  assert.ok(fractions("integer(4..4)").every((value) => value === 4.5));
});

test("each type has values of other types of JSON", () => {
  const found = (type: string): readonly string[] =>
    invalidValues(contract, typeFrom(type), supplyFor(type))
      .filter(({ codes }) => codes.includes("wrong-type"))
      .map(({ what, completeOnly }) => `${what}${completeOnly ? "*" : ""}`);
  assert.deepEqual(found("string"), [
    "an object instead of a text",
    "a number instead of a text",
    "null instead of a text*",
  ]);
  assert.deepEqual(found("boolean | null"), ["a text instead of true or false", "a number instead of true or false"]);
  assert.deepEqual(found("Site"), [
    "an object instead of a text",
    "a number instead of a text",
    "null instead of a text*",
  ]);
  // A merge patch replaces a list as a whole, so that null in a list removes nothing.
  assert.ok(found("boolean[]").includes("null instead of true or false at 1"));
});

test("a merge patch would complete an object that lacks a member", () => {
  const found = invalidValues(contract, typeFrom("Flag"), supplyFor(1)).filter(({ completeOnly }) => completeOnly);
  assert.deepEqual(
    found.map(({ what }) => what),
    [
      "null instead of an object",
      "an object without on",
      "null instead of true or false at on",
      "null instead of true or false at more",
    ],
  );
});

/** By keywords of a schema, the codes of the invalid values. */
const keywords: readonly (readonly [schema: Json, ...codes: readonly string[]])[] = [
  [{ type: "string", minLength: 2, maxLength: 3 }, "too-short", "too-long"],
  [{ type: "string", pattern: "^a+$" }, "wrong-pattern"],
  [{ type: "string", format: "ipv4" }, "wrong-format"],
  [{ type: "integer", minimum: 1, exclusiveMaximum: 5 }, "too-small", "too-large"],
  [{ type: "number", multipleOf: 0.5 }, "multiple-of"],
  [{ enum: ["a", 1] }, "not-one-of"],
  [{ const: "a" }, "not-one-of"],
  [
    { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 2, uniqueItems: true },
    "too-few",
    "too-many",
    "repeated",
  ],
  [
    { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
    "required",
    "unknown-field",
  ],
  [{ type: "object", minProperties: 1, maxProperties: 2 }, "too-few", "too-many"],
  [{ $ref: "#/schemas/Box" }, "required", "too-long"],
];

for (const [schema, ...expected] of keywords)
  test(`the invalid values of ${JSON.stringify(schema)}`, () => {
    const found = invalidValues(contract, { kind: "schema", schema }, supplyFor(1)).flatMap(({ codes }) => codes);
    assert.deepEqual(
      expected.filter((code) => !found.includes(code)),
      [],
    );
  });

// ── Values that differ ─────────────────────────────────────────────────────────────────────────────────────────────

const roomy: readonly string[] = [
  ...["string(1..80)", "string", "string(6)", "string(2..8)", "email", "email(..40) /@example\\.com$/", "url", "phone"],
  ...[
    "phone /^\\+47/",
    "/^[a-z]+(?:-[a-z0-9]+)*$/",
    "/^[A-Z]{2}-[0-9]{4}$/",
    "string(..30) /x/",
    "integer",
    "integer(5..)",
  ],
  ...["integer(..-5)", "integer(0..2000)", "number", "number(0.1..30)", "decimal(0..1)", "decimal(-0.5..0.5)", "money"],
  ...["date", "time", "datetime", "duration", "uuid", "bytes", "bytes(3..6)", "language", "string(1..20)[]"],
  ...["Address", "json", "map(string(..40))", "string(..9) | null"],
];

for (const type of roomy)
  test(`values of ${type} differ for each number`, () => {
    const numbers = [...Array(400).keys(), ...[1_000_000, 1_000_001, 46_655, 46_656]];
    const found = numbers.map((number) => {
      const value = distinctValue(contract, typeFrom(type), supplyFor("the same"), number);
      assert.ok(value !== undefined, `number ${number}`);
      assert.deepEqual(servedProblems(contract, typeFrom(type), value), []);
      return JSON.stringify(value);
    });
    assert.equal(new Set(found).size, found.length);
  });

test("values of a type with little room are all used", () => {
  const values = (type: string): number =>
    new Set(
      Array.from({ length: 300 }, (_, number) =>
        JSON.stringify(distinctValue(contract, typeFrom(type), supplyFor(1), number)),
      ),
    ).size;
  const counts = ["a | b | c", "boolean", "integer(1..7)", "/^(?:a|b)[01]$/", "country", "string(1)"].map(values);
  assert.deepEqual(counts, [3, 2, 7, 4, 249, 36]);
});

test("the same seed gives the same values", () => {
  fc.assert(
    fc.property(types, seeds, (type, seed) => {
      const all = (supply: Supply): Json => [
        validValue(contract, type, supply) ?? null,
        ...edgeValues(contract, type, supply).map(({ value }) => value),
        ...invalidValues(contract, type, supply).map(({ value }) => value),
      ];
      assert.deepEqual(all(supplyFor(seed)), all(supplyFor(seed)));
    }),
    { numRuns: 30 },
  );
});

test("without a record to refer to, a required reference has no value, and an optional one is left out", () => {
  const supply = { ...supplyFor(1), reference: () => undefined };
  assert.equal(validValue(contract, typeFrom("Site"), supply), undefined);
  assert.equal(validValue(contract, typeFrom("Order"), supply), undefined);
  assert.deepEqual(validValue(contract, typeFrom("Site[]"), supply), []);
  assert.deepEqual(validValue(contract, typeFrom("Site | null"), supply, "all"), null);
  // A value that is no id needs no record.
  assert.ok(invalidValues(contract, typeFrom("Site"), supply).length > 0);
});

// ── What is wrong, in words ────────────────────────────────────────────────────────────────────────────────────────

const words: readonly (readonly [type: string, value: Json, problem: string | undefined])[] = [
  ["string(1..4)[]", ["a", "abcde"], "1: 5 characters, at most 4 are allowed"],
  ["string(1..4)", "😀😀😀😀", undefined],
  ["string(1..4)", "", "0 characters, at least 1 are needed"],
  ["string", 5, "a number instead of a text"],
  ["/^[a-z]+$/", "A", '"A" does not match /^[a-z]+$/'],
  ["integer", 1.5, "a fraction instead of a whole number"],
  ["integer(1..5)", 6, "6, at most 5 is allowed"],
  ["a | b", "c", '"c" is none of "a", "b"'],
  ["date", "2026-02-30", '"2026-02-30" is not a date such as 2026-09-01'],
  ["Flag", {}, "on: is missing"],
  ["Flag", { on: true, off: true }, "off: is no member that the document lists"],
  ["Flag", { on: "yes" }, "on: a text instead of true or false"],
  ["boolean[](..1)", [true, true], "2 items, at most 1 are allowed"],
  ["money(..5)", { amount: "6.00", currency: "EUR" }, "amount: 6, at most 5 is allowed"],
];

for (const [type, value, expected] of words)
  test(`${JSON.stringify(value)} as ${type}: ${expected ?? "fits"}`, () => {
    assert.equal(problemOf(contract, typeFrom(type), value, "output"), expected);
    assert.equal(problemOf(contract, typeFrom(type), value, "input"), expected);
  });

/** What a client may not send and an implementation may return. */
const returned: readonly (readonly [type: string, value: Json])[] = [
  ["string", "a".repeat(10_001)],
  ["email", `${"a".repeat(300)}@example.com`],
  ["email", "jürgen@example.com"],
  ["url", "ftp://example.com/"],
  ["a | string", ""],
  ["boolean[]", Array.from({ length: 1001 }, () => true)],
  ["decimal", 1.234567890123456],
  ["integer", 2 ** 53],
  ["money", { amount: "01.50000", currency: "EUR" }],
  ["duration", "PT0.5S"],
  ["datetime", "2026-01-31 12:00:00Z"],
  ["Site", "site_1"],
  ["Plain", "8f14e45f-ceea-467f-9575-1a3f0c1e7b3a"],
  ["file(..5MB, image/*)", { type: "image/png", bytes: 12, url: "/files/1" }],
];

for (const [type, value] of returned)
  test(`${JSON.stringify(value).slice(0, 60)} as ${type} may be returned and not be sent`, () => {
    assert.equal(problemOf(contract, typeFrom(type), value, "output"), undefined);
    assert.notEqual(problemOf(contract, typeFrom(type), value, "input"), undefined);
  });

/** What an implementation may not return either. */
const never: readonly (readonly [type: string, value: Json])[] = [
  ["email", "nobody"],
  ["url", "/relative"],
  ["Site", "par_00000000000000000000000000"],
  ["Site", null],
  ["Ticket", "7"],
  ["file(..5MB, image/*)", { type: "text/html", bytes: 12 }],
  ["file(..5MB)", { bytes: 5 * 1024 * 1024 + 1 }],
  ["country", "XX"],
  ["datetime", "2026-01-31"],
];

for (const [type, value] of never)
  test(`${JSON.stringify(value)} as ${type} may not be returned`, () => {
    assert.notEqual(problemOf(contract, typeFrom(type), value, "output"), undefined);
  });

test("a response lacks the members that a schema calls `writeOnly`", () => {
  const schema: Json = {
    type: "object",
    properties: { name: { type: "string" }, pin: { type: "string", writeOnly: true } },
    required: ["name", "pin"],
  };
  const type: FieldType = { kind: "schema", schema: { type: "array", items: schema } };
  assert.equal(problemOf(contract, type, [{ name: "a" }], "output"), undefined);
  assert.notEqual(problemOf(contract, type, [{ name: "a" }], "input"), undefined);
  assert.equal(
    problemOf(contract, type, [{ name: "a", pin: "1" }], "output"),
    "0/pin: is never returned, since it is `writeOnly`",
  );
});
