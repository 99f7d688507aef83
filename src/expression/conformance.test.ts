/**
 * CEL's own published conformance cases, as far as they fall into the subset: https://github.com/google/cel-spec,
 * tests/simple/testdata, shipped by @bufbuild/cel-spec.
 *
 * A case is taken when the language accepts its expression; then its result must be CEL's. Where CEL answers with an error,
 * this language, being total, answers with some value. Cases left out are counted by the reason, and the counts are
 * asserted: neither the filter nor the language can shrink unseen.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { tests as conformance } from "@bufbuild/cel-spec/testdata/conformance.js";
import type { SerializedIncrementalTestSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import { checkExpression } from "./check.ts";
import { compileFunction, type Value } from "./evaluate.ts";
import { readDuration, readTimestamp } from "./instant.ts";
import { parseExpression } from "./parse.ts";
import type { NamedType, ValueType } from "./types.ts";

/** A case in the JSON form of cel.expr.conformance.test.SimpleTest. */
interface Case {
  readonly name: string;
  readonly expr: string;
  readonly disableMacros?: boolean;
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
  readonly container?: string;
  readonly typeEnv?: readonly { name: string; ident?: { type: TypeJson } }[];
  readonly bindings?: Readonly<Record<string, { value: ValueJson }>>;
  readonly value?: ValueJson;
  readonly typedResult?: { readonly result?: ValueJson };
  readonly evalError?: object;
  readonly anyEvalErrors?: object;
}

type TypeJson = Readonly<Record<string, unknown>>;
type ValueJson = Readonly<Record<string, unknown>>;

type Outcome =
  | { readonly kind: "right" | "total" }
  | { readonly kind: "left out"; readonly reason: string }
  | { readonly kind: "wrong"; readonly why: string };

function allCases(suite: SerializedIncrementalTestSuite, path: string): { path: string; example: Case }[] {
  const own = (suite.tests ?? []).map(({ original }) => ({
    path: `${path}/${original.name ?? ""}`,
    example: original as unknown as Case,
  }));
  return [...own, ...(suite.suites ?? []).flatMap((inner) => allCases(inner, `${path}/${inner.name}`))];
}

/** Extensions of CEL that are libraries of their own, and protobuf. */
const otherLibraries =
  /^\/(bindings_ext|block_ext|encoders_ext|math_ext|macros2|optionals|proto2|proto2_ext|proto3|wrappers|enums|dynamic)\//;

/** Null stands for NaN and the infinities, and is equal to itself. */
const aboutNaN = /^\/comparisons\/(?:eq|ne)_literal\/\w*_nan$/;

function validate(path: string, example: Case): Outcome {
  const library = otherLibraries.exec(path)?.[1];
  if (library !== undefined) return { kind: "left out", reason: "extension or protobuf" };
  if (aboutNaN.test(path)) return { kind: "left out", reason: "NaN" };
  if (example.disableMacros || example.checkOnly || example.container)
    return { kind: "left out", reason: "host settings" };
  const names: Record<string, NamedType> = {};
  for (const { name, ident } of example.typeEnv ?? []) {
    const type = ident && typeOf(ident.type);
    if (!type) return { kind: "left out", reason: "declared type" };
    names[name] = { type, nullable: type.kind === "any" || type.kind === "null", from: "variables" };
  }
  const parsed = parseExpression(example.expr);
  const checked = parsed.expression ? checkExpression(parsed.expression, { names, resources: {} }) : parsed;
  const [problem] = checked.problems;
  if (problem) return { kind: "left out", reason: problem.code };
  if (!("typed" in checked) || !checked.typed) return { kind: "wrong", why: "neither typed nor refused" };
  const bindings = Object.entries(example.bindings ?? {}).map(([name, { value }]) => [name, valueOf(value)]);
  if (bindings.some(([, value]) => value === undefined)) return { kind: "left out", reason: "bound value" };
  const given = compileFunction(checked.typed)({
    record: {},
    variables: Object.fromEntries(bindings) as Record<string, Value>,
  });
  return compareWith(example, given);
}

function compareWith(example: Case, given: Value): Outcome {
  if (example.evalError || example.anyEvalErrors) {
    return { kind: "total" };
  }
  const wanted = example.value ?? example.typedResult?.result ?? { boolValue: true };
  const value = valueOf(wanted);
  if (value === undefined) return { kind: "left out", reason: "expected value" };
  try {
    assert.deepEqual(given, value);
    return { kind: "right" };
  } catch {
    return { kind: "wrong", why: `gives ${JSON.stringify(given)}, not ${JSON.stringify(value)}` };
  }
}

const primitives: Readonly<Record<string, ValueType>> = {
  BOOL: { kind: "bool" },
  INT64: { kind: "int" },
  DOUBLE: { kind: "double" },
  STRING: { kind: "string" },
};

function typeOf(type: TypeJson): ValueType | undefined {
  if ("primitive" in type) return primitives[String(type["primitive"])];
  if (type["wellKnown"] === "TIMESTAMP") return { kind: "timestamp" };
  if (type["wellKnown"] === "DURATION") return { kind: "duration" };
  if ("dyn" in type) return { kind: "any" };
  if ("listType" in type) {
    const of = typeOf((type["listType"] as { elemType: TypeJson }).elemType);
    return of && { kind: "list", of };
  }
  if ("mapType" in type) {
    const { keyType, valueType } = type["mapType"] as { keyType: TypeJson; valueType: TypeJson };
    const of = typeOf(valueType);
    return keyType["primitive"] === "STRING" && of ? { kind: "map", of } : undefined;
  }
  return undefined;
}

/** A value in its run-time form; undefined when the language has none for it. */
function valueOf(json: ValueJson): Value | undefined {
  const [[kind, value] = []] = Object.entries(json);
  switch (kind) {
    case "boolValue":
    case "stringValue":
      return value as Value;
    case "nullValue":
      return null;
    case "int64Value":
      return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
    case "doubleValue":
      return Number.isFinite(Number(value)) ? Number(value) : undefined;
    case "listValue": {
      const items = ((value as { values?: ValueJson[] }).values ?? []).map(valueOf);
      return items.includes(undefined) ? undefined : (items as Value);
    }
    case "mapValue": {
      const entries = (value as { entries?: { key: ValueJson; value: ValueJson }[] }).entries ?? [];
      return Object.fromEntries(entries.map((entry) => [valueOf(entry.key), valueOf(entry.value)])) as Value;
    }
    case "objectValue": {
      const { "@type": type, value: inner } = value as { "@type": string; value: string };
      if (type.endsWith(".Timestamp")) return readTimestamp(inner);
      return type.endsWith(".Duration") ? readDuration(inner) : undefined;
    }
    default:
      return undefined;
  }
}

/** Every case of the suite, by what became of it. A reason is the code of the problem, or says what is missing. */
const expected: Readonly<Record<string, number>> = {
  right: 441,
  total: 27,
  "left out: extension or protobuf": 909,
  "left out: host settings": 98,
  "left out: NaN": 7,
  // Indexes, maps, bytes and unsigned numbers.
  "left out: not-in-language": 418,
  // Other conversions, `dyn`, `type`, `format`, positions in texts and the parts of timestamps.
  "left out: unknown-function": 278,
  "left out: wrong-arguments": 8,
  "left out: unknown-name": 22,
  "left out: unknown-field": 1,
  "left out: unexpected-token": 6,
  // Beyond 2^53, U+0000, finer than a millisecond.
  "left out: number-too-large": 36,
  "left out: bad-text": 20,
  "left out: bad-timestamp": 7,
  "left out: bad-timezone": 5,
  "left out: bad-duration": 3,
  "left out: expected value": 3,
  // What only a dynamically typed CEL accepts.
  "left out: declared type": 7,
  "left out: wrong-type": 28,
  "left out: mixed-list": 7,
  "left out: never-equal": 1,
  "left out: never-true": 4,
  "left out: no-order": 8,
};

test("CEL's conformance cases have CEL's results", () => {
  const counts: Record<string, number> = {};
  const wrong: string[] = [];
  for (const { path, example } of allCases(conformance, "")) {
    const outcome = validate(path, example);
    const counted = outcome.kind === "left out" ? `left out: ${outcome.reason}` : outcome.kind;
    counts[counted] = (counts[counted] ?? 0) + 1;
    if (outcome.kind === "wrong") wrong.push(`${path}: ${example.expr} ${outcome.why}`);
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(counts, expected);
});
