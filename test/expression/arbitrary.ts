/**
 * Generates typed expressions and rows for property tests: two resources with a field of every kind, each once required and once
 * optional, and expressions about them that pass the type check.
 */

import fc from "fast-check";
import type { Row } from "../../src/expression/evaluate.ts";
import type { FieldType, TypeEnvironment, ValueType } from "../../src/expression/types.ts";

const must = (type: ValueType): FieldType => ({ type, nullable: false });
const may = (type: ValueType): FieldType => ({ type, nullable: true });
const bool: ValueType = { kind: "bool" };
const int: ValueType = { kind: "int" };
const double: ValueType = { kind: "double" };
const text: ValueType = { kind: "string" };
const moment: ValueType = { kind: "timestamp" };
const length: ValueType = { kind: "duration" };

export const box: ValueType = {
  kind: "object",
  members: {
    n: must(int),
    d: must(double),
    s: may(text),
    b: may(bool),
    inner: may({ kind: "object", members: { n: may(int) } }),
  },
};

export const sampleFields: Readonly<Record<string, FieldType>> = {
  id: must({ kind: "record", resource: "Thing" }),
  b: must(bool),
  bn: may(bool),
  i: must(int),
  inn: may(int),
  d: must(double),
  dn: may(double),
  s: must(text),
  sn: may(text),
  t: must(moment),
  tn: may(moment),
  l: must(length),
  ln: may(length),
  tags: must({ kind: "list", of: text }),
  tagsn: may({ kind: "list", of: text }),
  nums: must({ kind: "list", of: int }),
  box: may(box),
  boxes: must({ kind: "list", of: box }),
  map: may({ kind: "map", of: int }),
  any: may({ kind: "any" }),
  other: must({ kind: "record", resource: "Other" }),
  othern: may({ kind: "record", resource: "Other" }),
};

export const other: Readonly<Record<string, FieldType>> = {
  id: must({ kind: "record", resource: "Other" }),
  k: must(int),
  kn: may(int),
  name: may(text),
  thing: may({ kind: "record", resource: "Thing" }),
};

export const env: TypeEnvironment = {
  names: {
    ...sampleFields,
    input: must({
      kind: "object",
      members: {
        i: may(int),
        s: may(text),
        b: may(bool),
        t: may(moment),
        tags: may({ kind: "list", of: text }),
        any: may({ kind: "any" }),
      },
    }),
    now: must(moment),
  },
  resources: { Thing: sampleFields, Other: other },
};

const texts = ["", "a", "A", "ab", "ba", "é", "\u{1f600}", "\uffff", "%", "_", "a%", "it's", 'q"', "\\", "ß", "7"];
/** @bufbuild/cel orders texts by UTF-16 units, and so puts an emoji before U+FFFF; CEL says code points. */
const plainText = fc.constantFrom(...texts.filter((text) => text !== "\uffff"));
const anyText = fc.constantFrom(...texts);
const anyInt = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -9, max: 9 }) },
  { weight: 1, arbitrary: fc.constantFrom(9007199254740991, -9007199254740991, 4503599627370496, 3037000500) },
);
const smallInt = fc.integer({ min: -9, max: 9 });
const anyDouble = fc.constantFrom(0, 1, 0.1, -2.25, 1.5, 2.5, 1e300, -1e308, 1.7976931348623157e308, 5e-324, 3);
const smallDouble = fc.constantFrom(0, 1, 0.1, -2.25, 1.5, 2.5, 3);
const anyMoment = fc.constantFrom(
  "2026-01-31T12:00:00.000Z",
  "2026-01-31T12:00:00.001Z",
  "1969-12-31T23:59:59.999Z",
  "0001-01-01T00:00:00.000Z",
  "9999-12-31T23:59:59.999Z",
  "2024-02-29T00:00:00.289Z",
);
const anyLength = fc.constantFrom(
  0,
  1,
  -1,
  999,
  1001,
  86_400_000,
  -3_600_000,
  315_576_000_000_000,
  259_200_000,
  1_234_567_891,
);
const anyBox = fc.record({
  n: anyInt,
  d: smallDouble,
  s: fc.option(anyText),
  b: fc.option(fc.boolean()),
  inner: fc.option(fc.record({ n: fc.option(smallInt) })),
});
const anyJson = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, 2.5, "a", "1", "true", '{"n":1}', [], ["a", 1], {}),
  fc.record({
    n: fc.constantFrom<unknown>(1, "1", null, true, 1e16),
    s: fc.constantFrom<unknown>("a", 1, null, ["a"]),
  }),
);
const otherIds = ["o1", "o2", "o3"];

export const anyRecord: fc.Arbitrary<Row> = fc.record({
  b: fc.boolean(),
  bn: fc.option(fc.boolean()),
  i: anyInt,
  inn: fc.option(anyInt),
  d: anyDouble,
  dn: fc.option(anyDouble),
  s: anyText,
  sn: fc.option(anyText),
  t: anyMoment,
  tn: fc.option(anyMoment),
  l: anyLength,
  ln: fc.option(anyLength),
  tags: fc.array(anyText, { maxLength: 3 }),
  tagsn: fc.option(fc.array(anyText, { maxLength: 3 })),
  nums: fc.array(anyInt, { maxLength: 3 }),
  box: fc.option(anyBox),
  boxes: fc.array(anyBox, { maxLength: 2 }),
  map: fc.option(fc.dictionary(fc.constantFrom("a", "b", "%"), anyInt, { maxKeys: 2 })),
  any: fc.option(anyJson),
  other: fc.constantFrom(...otherIds),
  othern: fc.option(fc.constantFrom(...otherIds)),
});

export const plainRecord: fc.Arbitrary<Row & { readonly i: number; readonly nums: readonly number[] }> = fc.record({
  b: fc.boolean(),
  i: smallInt,
  d: smallDouble,
  s: plainText,
  tags: fc.array(plainText, { maxLength: 3 }),
  nums: fc.array(smallInt, { maxLength: 3 }),
});

export const anyOthers: fc.Arbitrary<readonly Row[]> = fc.tuple(
  ...otherIds.map((id) =>
    fc.record({
      id: fc.constant(id),
      k: smallInt,
      kn: fc.option(smallInt),
      name: fc.option(anyText),
      thing: fc.option(fc.constantFrom("t1", "t2")),
    }),
  ),
);

export const anyInput: fc.Arbitrary<Row> = fc.record({
  i: fc.option(anyInt),
  s: fc.option(anyText),
  b: fc.option(fc.boolean()),
  t: fc.option(anyMoment),
  tags: fc.option(fc.array(anyText, { maxLength: 3 })),
  any: fc.option(anyJson),
});

/** `texts` is a list of them. */
export type Kind = "bool" | "int" | "double" | "string" | "timestamp" | "duration" | "texts";

/** Where an expression stands: how much it may still hold, and which names macros have bound to what. */
interface Budget {
  readonly depth: number;
  readonly items: readonly { readonly name: string; readonly of: "string" | "int" | "box" | "Other" }[];
  readonly recordMacros: number;
  readonly plain: boolean;
}

/** The text of an expression of a kind. A plain one has no nulls, no records, no time and nothing that can overflow. */
export function anyExpression(kind: Kind, plain = false): fc.Arbitrary<string> {
  // Lists of lists grow faster than values do.
  return expression(kind, { depth: kind === "texts" ? 2 : 3, items: [], recordMacros: 0, plain });
}

function expression(kind: Kind, budget: Budget): fc.Arbitrary<string> {
  const leaf = leaves(kind, budget);
  if (budget.depth === 0) return leaf;
  const below: Budget = { ...budget, depth: budget.depth - 1 };
  const of = (wanted: Kind): fc.Arbitrary<string> => expression(wanted, below);
  const inner = (budget.plain ? plainInner : fullInner)(kind, below, of);
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 1, arbitrary: leaf },
    ...inner.map((arbitrary) => ({ weight: 1, arbitrary })),
  );
}

const fmt = (parts: TemplateStringsArray, ...holes: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...holes).map((values) => parts.map((part, i) => part + (values[i] ?? "")).join(""));

const order = fc.constantFrom("<", "<=", ">", ">=", "==", "!=");

function leaves(kind: Kind, { items, plain }: Budget): fc.Arbitrary<string> {
  const names = fieldsOf[kind].filter(([, isPlain]) => isPlain || !plain).map(([name]) => name);
  for (const { name, of } of items) {
    if (of === kind) names.push(name, name);
    if (of === "box")
      names.push(
        ...({
          int: [`${name}.n`, `${name}.inner.n`],
          double: [`${name}.d`],
          string: [`${name}.s`],
          bool: [`${name}.b`],
        }[kind as string] ?? []),
      );
    if (of === "Other")
      names.push(
        ...({
          int: [`${name}.k`, `${name}.kn`, `${name}.thing.i`],
          string: [`${name}.name`, `${name}.thing.sn`],
          bool: [`${name}.thing.b`],
        }[kind as string] ?? []),
      );
  }
  return fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: literals[kind] });
}

/** Where a value of each kind can be read, and whether it is there in the plain world. */
const fieldsOf: Readonly<Record<Kind, readonly (readonly [name: string, plain: boolean])[]>> = {
  bool: [
    ["b", true],
    ["bn", false],
    ["box.b", false],
    ["input.b", false],
  ],
  int: [
    ["i", true],
    ["inn", false],
    ["box.n", false],
    ["box.inner.n", false],
    ["input.i", false],
    ["other.k", false],
    ["othern.kn", false],
    ["map.a", false],
  ],
  double: [
    ["d", true],
    ["dn", false],
    ["box.d", false],
  ],
  string: [
    ["s", true],
    ["sn", false],
    ["box.s", false],
    ["input.s", false],
    ["other.name", false],
    ["othern.name", false],
  ],
  timestamp: [
    ["t", false],
    ["tn", false],
    ["now", false],
    ["input.t", false],
    ["timestamp('2026-01-31T12:00:00Z')", true],
  ],
  duration: [
    ["l", false],
    ["ln", false],
    ["duration('1h')", true],
  ],
  texts: [
    ["tags", true],
    ["tagsn", false],
    ["input.tags", false],
    ["boxes.map(q, q.s)", false],
  ],
};

const literals: Readonly<Record<Kind, fc.Arbitrary<string>>> = {
  bool: fc.constantFrom("true", "false"),
  int: fc.constantFrom("0", "1", "2", "7", "(-3)"),
  double: fc.constantFrom("0.0", "1.5", "2.0", "(-0.25)"),
  string: plainText.map((value) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`),
  timestamp: fc.constantFrom("timestamp('2024-02-29T00:00:00.289Z')", "timestamp('9999-12-31T23:59:59Z')"),
  duration: fc.constantFrom("duration('72h')", "duration('-1.001s')", "duration('0')"),
  texts: fc.constantFrom("['b', 'a', 'b']", "[' a ']"),
};

type Of = (kind: Kind) => fc.Arbitrary<string>;

function plainInner(kind: Kind, below: Budget, of: Of): fc.Arbitrary<string>[] {
  switch (kind) {
    case "bool":
      return [
        fmt`(${of("bool")} && ${of("bool")})`,
        fmt`(${of("bool")} || ${of("bool")})`,
        fmt`!(${of("bool")})`,
        fmt`(${of("int")} ${order} ${of("int")})`,
        fmt`(${of("double")} ${order} ${of("double")})`,
        fmt`(${of("int")} ${order} ${of("double")})`,
        fmt`(${of("string")} ${order} ${of("string")})`,
        fmt`(${of("bool")} ? ${of("bool")} : ${of("bool")})`,
        fmt`(${of("string")}).${fc.constantFrom("startsWith", "endsWith", "contains")}(${of("string")})`,
        fmt`(${of("string")} in tags)`,
        fmt`(${of("string")} in [${of("string")}, ${of("string")}])`,
        fmt`(${of("int")} in nums)`,
        listMacro("tags", "string", below),
        listMacro("nums", "int", below),
        fmt`(${of("string")}).matches('${fc.constantFrom("^a", "[0-9]+", "^.{2}$", "\\\\\\\\", "é|😀")}')`,
        fc.constantFrom("(tags == ['a'])", "(nums != [1, 2])"),
        fmt`(${of("texts")} ${fc.constantFrom("==", "!=")} ${of("texts")})`,
        fmt`(${of("string")} in ${of("texts")})`,
      ];
    case "int":
      return [
        fmt`(${of("int")} ${fc.constantFrom("+", "-", "*", "/", "%")} ${of("int")})`,
        fmt`(-(${of("int")}))`,
        fmt`(${of("bool")} ? ${of("int")} : ${of("int")})`,
        fmt`(${of("string")}).size()`,
        fc.constantFrom("tags.size()", "size(nums)"),
        filtered("tags", "string", below),
        fmt`${of("texts")}.size()`,
      ];
    case "double":
      return [
        fmt`(${of("double")} ${fc.constantFrom("+", "-", "*")} ${of("double")})`,
        fmt`(-(${of("double")}))`,
        fmt`double(${of("int")})`,
        fmt`(${of("bool")} ? ${of("double")} : ${of("double")})`,
      ];
    case "string":
      return [
        fmt`(${of("string")} + ${of("string")})`,
        fmt`(${of("bool")} ? ${of("string")} : ${of("string")})`,
        fmt`(${of("string")} + ' ').trim()`,
        fmt`(${of("string")}).${fc.constantFrom("lowerAscii()", "upperAscii()", "replace('a', 'aa')", "replace('a', '')")}`,
        fmt`string(${fc.oneof(of("int"), of("bool"), of("string"))})`,
        fmt`${of("texts")}.join(${fc.oneof(fc.constant(""), of("string"))})`,
      ];
    case "texts":
      return [
        fmt`(${of("texts")} + ${of("texts")})`,
        fmt`(${of("bool")} ? ${of("texts")} : ${of("texts")})`,
        madeOf("filter", below),
        madeOf("map", below),
      ];
    default:
      return [];
  }
}

function fullInner(kind: Kind, below: Budget, of: Of): fc.Arbitrary<string>[] {
  const nullable = fc.constantFrom(
    "bn",
    "inn",
    "dn",
    "sn",
    "tn",
    "ln",
    "tagsn",
    "box",
    "box.s",
    "box.inner.n",
    "input.s",
    "any",
    "any.n",
    "othern",
    "othern.kn",
    "map",
    "map.b",
  );
  switch (kind) {
    case "bool":
      return [
        ...plainInner(kind, below, of).filter((_, i) => i !== 14),
        fmt`(${nullable} ${fc.constantFrom("==", "!=")} null)`,
        fmt`(${of("timestamp")} ${order} ${of("timestamp")})`,
        fmt`(${of("duration")} ${order} ${of("duration")})`,
        fmt`(${of("bool")} ${order} ${of("bool")})`,
        fmt`(${of("string")} in tagsn)`,
        fmt`(${of("string")} in map)`,
        fmt`(${of("string")} in input.tags)`,
        fmt`(${of("int")} in [${of("int")}, ${of("int")}])`,
        listMacro("tagsn", "string", below),
        listMacro("boxes", "box", below),
        listMacro("input.tags", "string", below),
        fmt`(${fc.constantFrom("any", "any.n", "any.s", "input.any", "input.any.n")} ${fc.constantFrom("==", "!=")} ${fc.oneof(of("int"), of("string"), of("bool"), of("double"))})`,
        fmt`(${fc.constantFrom("any", "any.n", "any.s", "input.any")} ${order} ${fc.oneof(of("int"), of("string"))})`,
        fmt`(${of("string")} in ${fc.constantFrom("any", "any.s", "input.any")})`,
        fmt`(${of("int")} in ${fc.constantFrom("any", "input.any")})`,
        fc.constantFrom(
          "(other == othern)",
          "(othern != other)",
          "(other.thing == id)",
          "(tags == tagsn)",
          "(tagsn == ['a'])",
          "(id == 't1')",
        ),
        ...(below.recordMacros < 2 ? [recordMacro(below)] : []),
        ...(below.recordMacros < 2 ? [fmt`(${of("int")} in ${recordSource(below)}.map(o, o.kn))`] : []),
      ];
    case "int":
      return [
        ...plainInner(kind, below, of),
        filtered("tagsn", "string", below),
        fmt`int(${fc.oneof(of("string"), of("double"), of("timestamp"), fc.constantFrom("'-12'", "'+9'", "'9007199254740992'"))})`,
        fc.constantFrom(
          "nums.sum()",
          "boxes.map(b, b.n).sum()",
          "map.size()",
          "boxes.map(b, b.inner.n).sum()",
          "tagsn.size()",
          "nums.filter(n, n > 0).map(m, m + 1).sum()",
        ),
        ...(below.recordMacros < 2
          ? [
              fmt`${recordSource(below)}.size()`,
              fmt`${recordSource(below)}.map(o, o.kn).sum()`,
              fmt`${recordSource(below)}.filter(o, o.kn != null).size()`,
            ]
          : []),
      ];
    case "double":
      return [...plainInner(kind, below, of), fmt`(${of("double")} / ${of("double")})`, fmt`(${of("double")} * 2)`];
    case "string":
      return plainInner(kind, below, of);
    case "texts":
      return [
        ...plainInner(kind, below, of),
        fmt`${of("texts")}.${fc.constantFrom("distinct()", "sort()", "reverse()")}`,
        fmt`[${of("texts")}, ${of("texts")}].flatten()`,
        madeOf("sortBy", below),
        ...(below.recordMacros < 2
          ? [
              fmt`${recordSource(below)}.map(o, o.name)`,
              fmt`${recordSource(below)}${fc.constantFrom("", ".reverse()")}.sortBy(o, o.${fc.constantFrom("kn", "k", "name", "thing.inn")})${fc.constantFrom("", ".reverse()")}.map(o, ${fc.constantFrom("o.name", "string(o.k)", "o.id")})`,
              fmt`${recordSource(below)}.map(o, o.thing.tags).flatten()`,
            ]
          : []),
      ];
    case "timestamp":
      return [
        fmt`(${of("timestamp")} ${fc.constantFrom("+", "-")} ${of("duration")})`,
        fmt`(${of("bool")} ? ${of("timestamp")} : ${of("timestamp")})`,
      ];
    case "duration":
      return [
        fmt`(${of("duration")} ${fc.constantFrom("+", "-")} ${of("duration")})`,
        fmt`(${of("timestamp")} - ${of("timestamp")})`,
      ];
  }
}

/** A name for the item that no macro around has taken. */
function bind(budget: Budget, of: Budget["items"][number]["of"]): { readonly name: string; readonly budget: Budget } {
  const name = `x${budget.items.length}`;
  const recordMacros = budget.recordMacros + (of === "Other" ? 1 : 0);
  return { name, budget: { ...budget, recordMacros, items: [...budget.items, { name, of }] } };
}

function listMacro(list: string, of: "string" | "int" | "box", budget: Budget): fc.Arbitrary<string> {
  if (budget.items.length >= 3) return fc.constant("b");
  const bound = bind(budget, of);
  return fmt`${fc.constant(list)}.${fc.constantFrom("exists", "all")}(${fc.constant(bound.name)}, ${expression("bool", bound.budget)})`;
}

function filtered(list: string, of: "string" | "int", budget: Budget): fc.Arbitrary<string> {
  if (budget.items.length >= 3) return fc.constant("i");
  const bound = bind(budget, of);
  return fmt`${fc.constant(list)}.filter(${fc.constant(bound.name)}, ${expression("bool", bound.budget)}).size()`;
}

function madeOf(macro: "filter" | "map" | "sortBy", budget: Budget): fc.Arbitrary<string> {
  if (budget.items.length >= 3) return fc.constant("tags");
  const bound = bind(budget, "string");
  const kinds = { filter: ["bool"], map: ["string"], sortBy: ["string", "int", "bool"] } as const;
  const body = fc.oneof(...kinds[macro].map((kind) => expression(kind, bound.budget)));
  return fmt`${expression("texts", { ...budget, depth: Math.max(0, budget.depth - 1) })}.${fc.constant(macro)}(${fc.constant(bound.name)}, ${body})`;
}

function recordMacro(budget: Budget): fc.Arbitrary<string> {
  if (budget.items.length >= 3) return fc.constant("b");
  const bound = bind(budget, "Other");
  return fmt`Other.${fc.constantFrom("exists", "all")}(${fc.constant(bound.name)}, ${expression("bool", bound.budget)})`;
}

/** The name `o` is free for what is chained behind. */
function recordSource(budget: Budget): fc.Arbitrary<string> {
  if (budget.items.length >= 2) return fc.constant("Other");
  const bound = bind(budget, "Other");
  return fc.oneof(
    fc.constant("Other"),
    fmt`Other.filter(${fc.constant(bound.name)}, ${expression("bool", bound.budget)})`,
  );
}
