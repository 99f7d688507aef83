/** A contract whose types the tests of values use, and the validators of a served document for the same types. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "../../src/base/json.ts";
import { type Contract, contractOf } from "../../src/conformance/contract.ts";
import { type Random, seeded } from "../../src/conformance/random.ts";
import type { Direction } from "../../src/conformance/values/problem.ts";
import type { Supply } from "../../src/conformance/values/valid.ts";
import { check } from "../../src/language/check.ts";
import { jsonSchemaOf, namedSchemas } from "../../src/language/resources/json-schema.ts";
import type { FieldType } from "../../src/language/resources/model.ts";
import { schemaErrors } from "../../src/language/resources/schema.ts";
import { createValidators, type Validator } from "../../src/runtime/validation/validator.ts";
import { fieldTypes } from "../arbitraries/resources.ts";
import { schemas } from "../arbitraries/schemas.ts";

const text = `
title: Values
resources:
  Site: { id: id(site) }
  Ticket: { id: id(counter) }
  Plain: { id: id }
  Shelf: { id: string(2..8) }
  Code: { id: '/^[A-Z]{2}-[0-9]{4}$/' }
  types:
    Flag: { on: boolean, "more?": boolean }
    Address: { street: string(1..120), postcode: string(3..10), country: country, "note?": text }
    Line: { what: a | b | c, price: decimal(0.01..999.99), "when?": datetime | null, shelf: Shelf }
    Order:
      lines: Line[](1..5)
      total: money(0..1000)
      ship?: Address
      count: integer(1..) = 1
      tags: map(string(..40))
      site: Site
      box: Box
  schemas:
    Box:
      type: object
      required: [label]
      properties:
        label: { type: string, maxLength: 40 }
        boxes: { type: array, maxItems: 9, items: { $ref: "#/schemas/Box" } }
`;

export const contract: Contract = contractFrom("values.yaml", text);

export function contractFrom(name: string, document: string): Contract {
  const { model, places } = check(name, document);
  return contractOf(model, places);
}

export function supplyFor(seed: number | string): Supply {
  const references: Readonly<Record<string, Json>> = {
    Site: `site_${"0".repeat(26)}`, Ticket: 7, Plain: "1".repeat(26), Shelf: "s-1", Code: "AB-1234",
  }; // biome-ignore format: a table
  return {
    random: seeded(seed),
    now: Date.UTC(2026, 8, 1, 12),
    reference: (resource) => references[resource],
    user: () => "user-1",
  };
}

const schemasOf = new WeakMap<FieldType, Readonly<Record<Direction, Validator>>>();

/** Returns what the validator of a served document finds wrong with a value. */
export function servedProblems(
  { model }: Contract,
  type: FieldType,
  value: Json,
  direction: Direction = "input",
): readonly { readonly pointer: string; readonly code: string }[] {
  let known = schemasOf.get(type);
  if (known === undefined) {
    const validatorOf = createValidators(undefined, namedSchemas(model));
    const of = (route: Direction): Validator => validatorOf(jsonSchemaOf(model, type, route));
    known = { input: of("input"), output: of("output") };
    schemasOf.set(type, known);
  }
  return known[direction](value).map(({ pointer = "", code }) => ({ pointer, code }));
}

/** Reads a type as a document writes it. */
export function typeFrom(type: string): FieldType {
  const known = read.get(type);
  if (known !== undefined) return known;
  const quoted = type.replaceAll("'", "''");
  const { model } = check("type.yaml", `title: Type\nresources:\n  A: { id: id, it: '${quoted}' }\n`);
  const found = model.resources.resources["A"]?.fields["it"]?.type;
  assert.ok(found !== undefined, `${type} is no type`);
  read.set(type, found);
  return found;
}

const read = new Map<string, FieldType>();

const names = ["Site", "Ticket", "Plain", "Shelf", "Code", "Address", "Line", "Order", "Box"];

const validSchemas = schemas.filter((schema) => schemaErrors(schema, contract.model.resources.schemas).length === 0);

/** Any type of the language; names are those of the contract. */
export const types: fc.Arbitrary<FieldType> = fc.oneof(
  { weight: 4, arbitrary: fieldTypes.map(retargeted) },
  { weight: 1, arbitrary: validSchemas.map((schema): FieldType => ({ kind: "schema", schema })) },
  { weight: 1, arbitrary: fc.constantFrom(...names).map((name): FieldType => ({ kind: "named", name })) },
);

function retargeted(type: FieldType): FieldType {
  switch (type.kind) {
    case "named":
      return { ...type, name: names[type.name.length % names.length] ?? "Site" };
    case "schema":
      return { kind: "scalar", name: "json" };
    // Files are sent in forms, so no JSON is compared with them.
    case "file":
      return { kind: "scalar", name: "boolean" };
    case "list":
      // Long lists of long lists have no value that is short enough to be tried.
      return { ...type, ...shortened(type), of: retargeted(type.of) };
    case "map":
    case "nullable":
      return { ...type, of: retargeted(type.of) };
    default:
      return type;
  }
}

function shortened({ min, max }: { readonly min?: number; readonly max?: number }): { min?: number; max?: number } {
  return {
    ...(min === undefined ? {} : { min: min % 5 }),
    ...(max === undefined ? {} : { max: 5 + (max % 7) }),
  };
}

export const anyJson: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json),
  fc.constantFrom<Json>(
    "",
    "a",
    "2026-02-29",
    "12.50",
    "😀",
    "\0",
    0,
    -1,
    1.5,
    2 ** 53,
    1e300,
    true,
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom<JsonObject>({ amount: "1.00", currency: "EUR" }, { amount: "1.005", currency: "EUR" }, { amount: 1 }),
);

const characters = Array.from("0123456789-+:.TZtz PYMDHSWeE/@_=aAxX~%#?[]😀ß\n\0");

/** Returns a value with one small change somewhere. */
export function changed(value: Json, random: Random): Json {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.8)) {
    const items = value as readonly Json[];
    const index = random.integer(0, items.length - 1);
    return random.chance(0.1) ? items.toSpliced(index, 1) : items.with(index, changed(items[index] ?? null, random));
  }
  if (isObject(value) && random.chance(0.9)) {
    const [name, member] = random.pick([...Object.entries(value), ["more", 1] as const]);
    if (random.chance(0.1)) return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
    return { ...value, [name]: changed(member, random) };
  }
  if (typeof value === "string" && random.chance(0.95)) {
    const at = random.integer(0, [...value].length);
    const inserted = random.chance(0.3) ? [] : [random.pick(characters)];
    return [...value].toSpliced(at, random.integer(0, 1), ...inserted).join("");
  }
  if (typeof value === "number" && random.chance(0.9))
    return random.pick([value + 1, value - 1, value + 0.5, -value + 0, value * 1e20, value / 3, value + 1e-9, 0]);
  return random.pick<Json>([null, true, 0, "", [], {}, "x", 1.5]);
}
