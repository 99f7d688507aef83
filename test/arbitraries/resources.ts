/** Generates any valid part 2: types, fields, rules. */
import fc from "fast-check";
import type { Json } from "../../src/base/json.ts";
import { unixUnits } from "../../src/base/unix-time.ts";
import { measures, patterned } from "../../src/language/resources/field-type.ts";
import {
  absences,
  type Default,
  type ExistingTable,
  type Field,
  type Fields,
  type FieldType,
  marks,
  type Resources,
  type Rule,
  scalarNames,
  type ViewDefinition,
} from "../../src/language/resources/model.ts";
import { expressions, kebabNames, names, records, resourceNames, sentences } from "./words.ts";

type Bounds = { readonly min?: number; readonly max?: number };

function bounds(numbers: fc.Arbitrary<number>): fc.Arbitrary<Bounds> {
  return fc.oneof(
    fc.constant({}),
    numbers.map((min) => ({ min })),
    numbers.map((max) => ({ max })),
    fc.tuple(numbers, numbers).map(([one, other]) => ({ min: Math.min(one, other), max: Math.max(one, other) })),
  );
}

const lengths = bounds(fc.nat({ max: 10_000 }));
/** Minus zero is zero in a document. */
const values = bounds(
  fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((value) => value + 0),
);

const patterns = fc.constantFrom(
  "^[0-9]{6}$",
  "a|b",
  "^[^/]+/x$",
  "\\d+, = \\\\",
  "/",
  "^(?:a: b|#c)$",
  "[\"']",
  "\\[/",
);

const scalars: fc.Arbitrary<FieldType> = fc.constantFrom(...scalarNames).chain((name) => {
  const measure = measures[name];
  const limits = measure === undefined ? fc.constant({}) : measure === "length" ? lengths : values;
  const texts = patterned.includes(name)
    ? fc.oneof(
        fc.constant({}),
        patterns.map((pattern) => ({ pattern })),
      )
    : fc.constant({});
  const units = name === "datetime" ? fc.constantFrom({}, ...unixUnits.map((unix) => ({ unix }))) : fc.constant({});
  return fc
    .tuple(limits, texts, units)
    .map(([limit, text, unit]) => ({ kind: "scalar", name, ...limit, ...text, ...unit }) as const);
});

const oneOf: fc.Arbitrary<FieldType> = fc.record({
  kind: fc.constant("one-of" as const),
  values: fc.uniqueArray(
    fc.oneof(kebabNames, sentences, fc.constantFrom("string", "null", "email", "id", "1", "x'y\"z\\")),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  open: fc.boolean(),
});
const ids: fc.Arbitrary<FieldType> = fc.oneof(
  fc
    .stringMatching(/^[a-z]{1,6}$/)
    .filter((prefix) => prefix !== "counter")
    .map((prefix) => ({ kind: "id", prefix, made: "server" }) as const),
  fc.constantFrom(
    { kind: "id", prefix: "cus", made: "server", length: 14 } as const,
    { kind: "id", made: "server", length: 24, alphabet: "0-9a-f" } as const,
    { kind: "id", prefix: "a_b", made: "server", length: 20, alphabet: "A-Z0-9_-" } as const,
  ),
  fc.constant({ kind: "id", made: "server" } as const),
  fc.constant({ kind: "id", made: "counter" } as const),
);

const files: fc.Arbitrary<FieldType> = fc
  .tuple(
    fc.integer({ min: 1, max: 2 ** 40 }),
    fc.uniqueArray(fc.constantFrom("image/*", "image/png", "application/pdf", "text/vnd.a+b"), { maxLength: 3 }),
  )
  .map(([max, media]) => ({ kind: "file", max, media }) as const);

/** Types on one line. */
export const lineTypes: fc.Arbitrary<FieldType> = fc.letrec<{ type: FieldType; bare: FieldType }>((tie) => ({
  bare: fc.oneof(
    { maxDepth: 3, depthIdentifier: "type" },
    scalars,
    oneOf,
    ids,
    files,
    resourceNames.map((name): FieldType => ({ kind: "named", name })),
    fc.tuple(tie("type"), lengths).map(([of, limit]): FieldType => ({ kind: "list", of, ...limit })),
    tie("type").map((of): FieldType => ({ kind: "map", of })),
  ),
  type: fc.oneof(
    { maxDepth: 3, depthIdentifier: "type" },
    tie("bare"),
    tie("bare").map((of): FieldType => ({ kind: "nullable", of })),
  ),
})).type;

/** JSON without minus zero, which JSON does not keep. */
export const json: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);

/** Types of fields: also schemas, which have no one-line form. */
export const fieldTypes: fc.Arbitrary<FieldType> = fc.oneof(
  { weight: 6, arbitrary: lineTypes },
  { weight: 1, arbitrary: json.map((schema): FieldType => ({ kind: "schema", schema })) },
);

const literals = fc.oneof(
  sentences,
  fc.constantFrom(
    "0",
    "now",
    "digits",
    "[a, b]",
    "{ a: 1 }",
    "none",
    "not shown",
    "a, b",
    '"',
    "",
    " x",
    "(",
    "=",
    "= 1",
  ),
);

export const defaults: fc.Arbitrary<Default> = fc.oneof(
  literals.map((text): Default => ({ kind: "literal", text })),
  fc.constantFrom<Default>(
    { kind: "now" },
    { kind: "now-on-change" },
    { kind: "caller" },
    { kind: "counter" },
    { kind: "counter-per", per: "shelf" },
    { kind: "uuid" },
  ),
  fc
    .tuple(fc.constantFrom("digits" as const, "token" as const), fc.integer({ min: 1, max: 256 }))
    .map(([kind, length]): Default => ({ kind, length })),
);

function fieldsOf(types: fc.Arbitrary<FieldType>): fc.Arbitrary<Field> {
  const value = fc.oneof(
    fc.constant({}),
    defaults.map((made) => ({ default: made })),
    expressions.map((computed) => ({ computed })),
  );
  const rest = fc.record({ note: sentences, example: json }, { requiredKeys: [] });
  return fc
    .tuple(
      types,
      value,
      fc.boolean(),
      fc.uniqueArray(fc.constantFrom(...marks), { maxLength: 3 }),
      fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, rest),
    )
    .map(([type, made, optional, list, more]) => ({ type, ...made, optional, marks: list, ...more }));
}

export const fields: fc.Arbitrary<Fields> = records(names, fieldsOf(fieldTypes));

/** A field `id` as a document can say it: who makes it follows from its type, default and marks. */
const identities: fc.Arbitrary<Field> = fc.oneof(
  fieldsOf(ids),
  fieldsOf(lineTypes.filter((type) => type.kind !== "id")).map((field): Field => {
    const made =
      field.default?.kind === "counter"
        ? "counter"
        : field.default !== undefined || field.computed !== undefined || field.marks.includes("read-only")
          ? "server"
          : "client";
    return { ...field, type: { kind: "id", made, of: field.type } };
  }),
);

const rules: fc.Arbitrary<Rule> = fc.oneof(
  fc
    .tuple(
      fc.uniqueArray(names, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(undefined, ...absences),
      fc.option(kebabNames, { nil: undefined }),
    )
    .map(
      ([fields, absent, code]): Rule => ({
        kind: "unique",
        fields,
        ...(absent === undefined ? {} : { absent }),
        ...(code === undefined ? {} : { else: code }),
      }),
    ),
  fc
    .tuple(fc.oneof(expressions, fc.constantFrom("unique in [a, b]", "a == ' else b'", "{'a': 1}.a == 1")), kebabNames)
    .map(([expression, code]): Rule => ({ kind: "holds", expression, else: code })),
);

const views: fc.Arbitrary<ViewDefinition> = fc.record(
  {
    of: resourceNames,
    fields: fc.uniqueArray(names, { maxLength: 3 }),
    members: fields.filter((members) => {
      const said = Object.keys(members);
      return said.length > 0 && !said.includes("of") && !said.includes("fields");
    }),
  },
  { requiredKeys: ["of"] },
);

const tables: fc.Arbitrary<ExistingTable> = fc.record(
  { name: names, columns: records(names, names, 2).filter((columns) => Object.keys(columns).length > 0) },
  { requiredKeys: ["name"] },
);

const parts = fc.record({
  resources: records(
    resourceNames,
    fc.tuple(identities, fields).map(([id, others]) => ({ fields: { ...others, id } })),
  ),
  types: records(resourceNames, fields, 2),
  rules: records(resourceNames, fc.array(rules, { maxLength: 3 })),
});

export const resources: fc.Arbitrary<Resources> = fc
  .tuple(parts, fc.option(records(resourceNames, json, 2), { nil: {} }))
  .map(([part, schemas]): Resources => (Object.keys(schemas).length === 0 ? part : { ...part, schemas }))
  .chain((part) =>
    records(resourceNames, views, 2).map(
      (some): Resources => (Object.keys(some).length === 0 ? part : { ...part, views: some }),
    ),
  )
  .chain((part) =>
    records(resourceNames, tables, 2).map(
      (some): Resources => (Object.keys(some).length === 0 ? part : { ...part, tables: some }),
    ),
  );
