/**
 * Builds the JSON Schema (2020-12) of the one-file form, for editors: every key, every map form, the closed sets of words, and
 * the patterns of the one-line forms. `nonet check` checks what a line contains beyond its pattern. A scalar may have no
 * quotes (`nonet: 1`, `unseen: 404`), and a value may be `not shown` wherever the language allows it.
 */
import type { Json, JsonObject } from "../base/json.ts";
import { grammars } from "./grammars.ts";
import { listsSchema } from "./endpoints/lists.ts";
import { addressSchema } from "./endpoints/address.ts";
import { type PartName, partNames } from "./model.ts";
import type { fieldKeys } from "./resources/field.ts";
import { closed, either, fieldName, mapOf, oneOrMore, present, shared, sharedSchemas } from "./grammar/schema.ts";
import { partHeadings } from "./grammar/sections.ts";
import { triggerSchema } from "./states/grammar.ts";

/** Returns the schema, as one JSON value with a definition for each part. */
export function documentSchema(): Json {
  const parts = Object.fromEntries(partNames.map((part) => [part, { $ref: `#/$defs/${part}` }]));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "urn:nonet:document:1",
    title: "A Nonet document in one file",
    description: "The nine parts of a service. Generated from the code that reads them.",
    type: "object",
    properties: { $schema: { type: "string" }, title: present, ...parts },
    required: [...partNames],
    additionalProperties: false,
    $defs: { ...Object.fromEntries(partNames.map((part) => [part, partSchema(part)])), ...definitions },
  };
}

function partSchema(part: PartName): JsonObject {
  return {
    title: partHeadings[part][0],
    description: summaries[part],
    anyOf: [{ enum: ["none", "not shown", "", null] }, grammars[part].schema],
  };
}

const summaries: Readonly<Record<PartName, string>> = {
  purpose: "The name of the service, its purpose, who uses it, and every operation it offers.",
  resources: "The data of the service: resources with their fields, embedded types, rules across fields.",
  states: "The states of each resource, and the transitions between them.",
  endpoints: "The method and path of each operation, and how lists, edits and idempotency work.",
  authentication: "Who callers are, what they may run, and what they may see.",
  events: "The events that the service sends and receives, and how it delivers them.",
  errors: "The errors that the service can return.",
  limits: "Rates, quotas, sizes, time-outs and retention.",
  versioning: "How a caller chooses a version, and what each version changed.",
};

// ── Pieces ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const text = shared("text");
const expression = shared("expression");
const names = shared("names");

const fieldMembers: Readonly<Record<(typeof fieldKeys)[number], JsonObject>> = {
  type: { type: "string", minLength: 1 },
  schema: { type: ["object", "boolean", "array", "string", "number", "null"] },
  default: text,
  computed: expression,
  marks: names,
  note: text,
  example: {},
};

/** Definitions under `$defs`, since several parts share them. */
const definitions: Readonly<Record<string, JsonObject>> = {
  ...sharedSchemas,
  field: either(
    {
      type: "string",
      minLength: 1,
      description:
        "`type [= default | := expression] {, mark}`: `string(1..80) = none, unique, filter`; a file is `file(..5MB, image/*)`.",
      // A pattern that rejects `file(…)` without a size: the only error inside parentheses that an editor can report.
      pattern: "^\\s*(?!file\\s*\\()|^\\s*file\\(\\s*\\.\\.\\s*[0-9]+([KMGkmg][Ii]?)?[Bb]\\s*(,[^)]*)?\\)",
    },
    closed(fieldMembers),
  ),
  fields: mapOf({ $ref: "#/$defs/field" }, fieldName),
  taken: mapOf(either({ $ref: "#/$defs/field" }, { $ref: "#/$defs/taken" }), fieldName),
  given: either({ $ref: "#/$defs/expression" }, mapOf({ $ref: "#/$defs/given" })),
  fieldType: either(
    { type: "string", minLength: 1 },
    closed({ type: { type: "string" }, schema: fieldMembers.schema }),
  ),
  grants: oneOrMore(
    either(
      { type: "string", description: "`role | role if expression | signed-in | any-scope | anyone`" },
      closed({ who: text, if: expression }, "who"),
    ),
  ),
  address: addressSchema,
  lists: listsSchema,
  trigger: triggerSchema,
};
