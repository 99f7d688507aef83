/**
 * The JSON Schema (2020-12) of the one-file form, for editors: every key, every map form, the closed sets of words, and
 * the shape of the one-line forms. What a line says beyond its shape is for `nonet check`. A scalar may be written without
 * quotes (`nonet: 1`, `unseen: 404`), and a value may be `not shown` wherever the language lets it.
 */
import type { Json, JsonObject } from "../base/json.ts";
import { authentication } from "./authentication/grammar.ts";
import { endpoints } from "./endpoints/grammar.ts";
import { listsSchema } from "./endpoints/lists.ts";
import { addressSchema } from "./endpoints/address.ts";
import { events } from "./events/grammar.ts";
import { errors } from "./errors/grammar.ts";
import { type PartName, partNames } from "./model.ts";
import { purpose } from "./purpose/grammar.ts";
import type { fieldKeys } from "./resources/field.ts";
import { absences } from "./resources/model.ts";
import type { resourcesKeys } from "./resources/read.ts";
import {
  closed,
  either,
  lineSchema,
  mapOf,
  oneOf,
  oneOrMore,
  orNone,
  orOpen,
  said,
  shared,
  sharedSchemas,
} from "./grammar/schema.ts";
import { limits } from "./limits/grammar.ts";
import { versioning } from "./versioning/grammar.ts";
import { partHeadings } from "./sections.ts";
import { states, triggerSchema } from "./states/grammar.ts";

/** The schema, as one JSON value with a definition for each part. */
export function documentSchema(): Json {
  const parts = Object.fromEntries(partNames.map((part) => [part, { $ref: `#/$defs/${part}` }]));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "urn:nonet:document:1",
    title: "A Nonet document in one file",
    description: "The nine parts of a service. Generated from the code that reads them.",
    type: "object",
    properties: { $schema: { type: "string" }, title: said, ...parts },
    required: [...partNames],
    additionalProperties: false,
    $defs: { ...Object.fromEntries(partNames.map((part) => [part, partSchema(part)])), ...definitions },
  };
}

function partSchema(part: PartName): JsonObject {
  return {
    title: partHeadings[part][0],
    description: summaries[part],
    anyOf: [{ enum: ["none", "not shown", "", null] }, bodies[part]],
  };
}

const summaries: Readonly<Record<PartName, string>> = {
  purpose: "The name of the service, its purpose, who uses it, and every operation it offers.",
  resources: "What the service keeps: resources with their fields, embedded types, rules across fields.",
  states: "The states of each resource, and what moves a record from one to another.",
  endpoints: "The method and path of each operation, and how lists, edits and repeats work.",
  authentication: "Who callers are, what they may run, and what they may see.",
  events: "What the service says and hears, and how it is delivered.",
  errors: "The errors that the service can answer with.",
  limits: "Rates, quotas, sizes, time-outs and retention.",
  versioning: "How a caller chooses a version, and what each version changed.",
};

// ── Pieces ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const text = shared("text");
const expression = shared("expression");
const names = shared("names");

const fieldName = "^_?[A-Za-z][A-Za-z0-9_]*\\??$";
const typeName = "^[A-Z][A-Za-z0-9]*$";

const fieldMembers: Readonly<Record<(typeof fieldKeys)[number], JsonObject>> = {
  type: { type: "string", minLength: 1 },
  schema: { type: ["object", "boolean", "array", "string", "number", "null"] },
  default: text,
  computed: expression,
  marks: names,
  note: text,
  example: {},
};

/** Kept under `$defs`, because several parts say them. */
const definitions: Readonly<Record<string, JsonObject>> = {
  ...sharedSchemas,
  field: either(
    {
      type: "string",
      minLength: 1,
      description:
        "`type [= default | := expression] {, mark}`: `string(1..80) = none, unique, filter`; a file is `file(..5MB, image/*)`.",
      // A file that does not say how large it may be is the one type whose brackets an editor can judge.
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

// ── Parts ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const rule = either(
  lineSchema("unique\\s.+|.+\\selse\\s+\\S+", "`unique a + b [, absent equal|distinct]`, or `expression else error`."),
  closed({ unique: names, absent: oneOf(...absences), holds: expression, else: text }),
);

const resourcesMembers: Readonly<Record<(typeof resourcesKeys)[number], JsonObject>> = {
  types: orNone(mapOf(orOpen(shared("fields")), typeName)),
  schemas: orNone(mapOf(fieldMembers.schema, typeName)),
  views: orNone(
    mapOf(
      orOpen({
        type: "object",
        properties: { of: text, fields: names },
        patternProperties: { "^(?!(of|fields)$)": shared("field") },
        propertyNames: { pattern: fieldName },
        required: ["of"],
      }),
      typeName,
    ),
  ),
  rules: orNone(mapOf(either({ const: "none" }, oneOrMore(rule)))),
};

const bodies: Readonly<Record<PartName, JsonObject>> = {
  purpose: purpose.schema,
  resources: {
    type: "object",
    properties: resourcesMembers,
    patternProperties: { [typeName]: orOpen(shared("fields")) },
    additionalProperties: false,
  },
  states: states.schema,
  endpoints: endpoints.schema,
  authentication: authentication.schema,
  events: events.schema,
  errors: errors.schema,
  limits: limits.schema,
  versioning: versioning.schema,
};
