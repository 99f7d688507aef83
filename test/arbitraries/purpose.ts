/** Generates any valid part 1. */
import fc from "fast-check";
import type { Purpose } from "../../src/language/purpose/model.ts";
import { kebabNames, names, records, sentences } from "./words.ts";

const described = records(names, fc.oneof(sentences, fc.constant("")));

export const purposes: fc.Arbitrary<Purpose> = fc.record(
  {
    nonet: fc.constant("1"),
    service: kebabNames,
    domain: sentences,
    purpose: sentences,
    users: described,
    outside: fc.uniqueArray(sentences, { maxLength: 3 }),
    operations: described,
  },
  { requiredKeys: ["users", "operations"] },
);
