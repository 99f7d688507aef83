/** Generates JSON Schemas of the usual keywords, most of which allow some value. */
import fc from "fast-check";
import type { Json } from "../../src/base/json.ts";

type Schema = Json;

const least = fc.integer({ min: 0, max: 4 });
const size = (min: string, max: string): fc.Arbitrary<Readonly<Record<string, number>>> =>
  fc
    .tuple(fc.option(least, { nil: undefined }), fc.option(fc.integer({ min: 4, max: 9 }), { nil: undefined }))
    .map(([one, other]) => ({
      ...(one === undefined ? {} : { [min]: one }),
      ...(other === undefined ? {} : { [max]: other }),
    }));

const text = fc.tuple(
  size("minLength", "maxLength"),
  fc.constantFrom<Record<string, Json>>(
    {},
    {},
    { pattern: "^[a-z]+$" },
    { pattern: "^[A-Z]{2}-\\d{1,4}$" },
    { pattern: "x" },
  ),
);
const formatted = fc.constantFrom<Json>(
  ...["date-time", "date", "duration", "email", "uri", "uuid", "hostname", "ipv4", "ipv6", "byte", "phone"].map(
    (format) => ({ type: "string", format }),
  ),
  ...["country", "currency", "language", "timezone"].map((format) => ({ type: "string", format })),
);

const limits = fc
  .tuple(
    fc.integer({ min: -50, max: 50 }),
    fc.integer({ min: 10, max: 100 }),
    fc.constantFrom("minimum", "exclusiveMinimum", ""),
    fc.constantFrom("maximum", "exclusiveMaximum", ""),
    fc.constantFrom(undefined, undefined, 5, 0.5),
  )
  .map(([low, span, min, max, multipleOf]) => ({
    ...(min === "" ? {} : { [min]: low }),
    ...(max === "" ? {} : { [max]: low + span }),
    ...(multipleOf === undefined ? {} : { multipleOf }),
  }));

const values = fc.uniqueArray(fc.constantFrom<Json>("a", "b", "in transit", 1, 2.5, true, null), {
  minLength: 1,
  maxLength: 4,
});
const names = fc.constantFrom("a", "b", "street", "a/b", "~", "size", "länge");

export const schemas: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: "schema" },
    text.map(([bounds, more]) => ({ type: "string", ...bounds, ...more })),
    formatted,
    limits.map((bounds) => ({ type: "integer", ...bounds })),
    limits.map((bounds) => ({ type: "number", ...bounds })),
    fc.constantFrom<Json>({ type: "boolean" }, { type: ["string", "null"], maxLength: 5 }, {}, true, { type: "null" }),
    values.map((list) => ({ enum: list })),
    fc.constantFrom<Json>({ const: "only" }, { const: 3 }),
    fc.tuple(tie("schema"), size("minItems", "maxItems"), fc.boolean()).map(([items, bounds, unique]) => ({
      type: "array",
      items,
      ...bounds,
      ...(unique ? { uniqueItems: true } : {}),
    })),
    fc
      .tuple(tie("schema"), tie("schema"))
      .map(([one, other]) => ({ type: "array", prefixItems: [one, other], items: false })),
    tie("object"),
    fc.tuple(tie("schema"), tie("schema")).map(([one, other]) => ({ anyOf: [one, other] })),
    fc.tuple(tie("schema"), tie("schema")).map(([one, other]) => ({ oneOf: [one, other] })),
    fc.tuple(tie("object"), tie("object")).map(([one, other]) => ({ allOf: [one, other] })),
    tie("schema").map((one) => ({ $defs: { it: one }, type: "array", maxItems: 3, items: { $ref: "#/$defs/it" } })),
    fc.constant<Json>({ $ref: "#/schemas/Box" }),
    fc.constant<Json>({ not: { type: "string" }, type: ["string", "integer"] }),
    fc.constant<Json>({
      type: "object",
      properties: { kind: { enum: ["a", "b"] }, of: { type: "string" } },
      required: ["kind"],
      if: { properties: { kind: { const: "a" } } },
      then: { required: ["of"] },
    }),
  ),
  object: fc
    .tuple(
      fc.dictionary(names, tie("schema"), { maxKeys: 4, noNullPrototype: true }),
      fc.array(names, { maxLength: 3 }),
      fc.constantFrom<Record<string, Json>>(
        {},
        { additionalProperties: false },
        { additionalProperties: { type: "integer" } },
        { minProperties: 1 },
        { maxProperties: 3 },
        { unevaluatedProperties: false },
        { patternProperties: { "^x-": { type: "string" } } },
        { propertyNames: { maxLength: 12 } },
      ),
      fc.boolean(),
    )
    .map(([properties, all, more, isWriteOnly]) => {
      const required = [...new Set(all)].filter((name) => Object.hasOwn(properties, name));
      return {
        type: "object",
        properties: isWriteOnly ? { ...properties, secret: { type: "string", writeOnly: true } } : properties,
        ...(required.length === 0 ? {} : { required: isWriteOnly ? [...required, "secret"] : required }),
        ...more,
      };
    }),
})).schema;
