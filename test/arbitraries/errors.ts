/** Any part 7 that a document can say. */
import fc from "fast-check";
import type { Json } from "../../src/base/json.ts";
import { type DeclaredError, type Errors, standardErrors } from "../../src/parts/errors/model.ts";
import { durations, kebabNames, names, records, sentences } from "./words.ts";

const awkward = fc.constantFrom(
  "Try, retry after 10m",
  "Try, retry after",
  "5 retry after 3",
  "Not: this # one",
  "'Quoted', \"twice\"",
);

const declared: fc.Arbitrary<DeclaredError> = fc.record(
  { status: fc.integer({ min: 400, max: 599 }), sentence: fc.oneof(sentences, awkward), retryAfter: durations },
  { requiredKeys: ["status", "sentence"] },
);

/** Every scalar of a shape is a text. */
const shapes: fc.Arbitrary<Json> = fc.letrec<{ shape: Json; members: Json }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("{code}", "{message}", "{status}", "error {code} at {pointer}"),
    sentences.map((text) => text.replaceAll(/[{}]/g, "")),
    fc.array(tie("shape"), { maxLength: 2 }),
    tie("members"),
  ),
  members: records(fc.oneof(names, fc.constant("{field}")), tie("shape"), 3),
})).members;

export const errors: fc.Arbitrary<Errors> = fc.record(
  {
    body: fc.oneof(fc.constant("problem+json" as const), fc.record({ shape: shapes })),
    standard: fc.oneof(fc.constant("all" as const), fc.subarray(Object.keys(standardErrors))),
    errors: records(fc.oneof(names, kebabNames), declared),
  },
  { requiredKeys: ["errors"] },
);
