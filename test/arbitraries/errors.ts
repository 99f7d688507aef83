/** Generates any valid part 7. */
import fc from "fast-check";
import type { Json } from "../../src/base/json.ts";
import {
  type DeclaredError,
  type ErrorBody,
  type Errors,
  violationCodes,
  protocolErrors,
  standardErrors,
} from "../../src/language/errors/model.ts";
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

function withoutBraces(text: string): string {
  return text.replaceAll(/[{}]/g, "");
}

const shapes: fc.Arbitrary<Json> = fc.letrec<{ shape: Json; members: Json }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(
      "{code}",
      "{message}",
      "{status}",
      "{fault}",
      "{path}",
      "error {code} at {pointer}",
      "yes",
      "5",
    ),
    fc.constantFrom<Json>(null, true, false, 5),
    sentences.map(withoutBraces),
    fc.array(tie("shape"), { maxLength: 2 }),
    tie("members"),
  ),
  members: records(fc.oneof(names, fc.constant("{field}")), tie("shape"), 3),
})).members;

const bodies: fc.Arbitrary<ErrorBody> = fc.oneof(fc.constant("problem+json" as const), fc.record({ shape: shapes }));

const codes = fc.constantFrom(...Object.keys(standardErrors), ...Object.keys(protocolErrors));

export const errors: fc.Arbitrary<Errors> = fc.record(
  {
    body: bodies,
    bodies: records(fc.oneof(fc.constantFrom("without field", "stale in list"), codes), bodies, 3),
    status: records(codes, fc.integer({ min: 400, max: 599 }), 3),
    codes: records(codes, fc.oneof(names, fc.constant("Not Found: this")), 3),
    messages: records(
      fc.oneof(codes, fc.constantFrom(...violationCodes)),
      fc.constantFrom("can't be blank", "{field}: {message}", "Not: this # one", "5"),
      3,
    ),
    standard: fc.oneof(fc.constant("all" as const), fc.subarray(Object.keys(standardErrors))),
    errors: records(fc.oneof(names, kebabNames), declared),
  },
  { requiredKeys: ["errors"] },
);
