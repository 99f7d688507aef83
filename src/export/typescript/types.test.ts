/** Types from schemas: one row for each form, and what must not come of odd names and texts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../base/json.ts";
import { comment, declaration, literal, typeText } from "./types.ts";

const named = (reference: string): string | undefined => (reference === "#/Site" ? "Site" : undefined);

const rows: readonly (readonly [schema: Json, type: string])[] = [
  [{ type: "string", maxLength: 9 }, "string"],
  [{ type: "integer" }, "number"],
  [{ type: ["string", "null"] }, "string | null"],
  [{ type: ["string", "null"], enum: ["a", null] }, '"a" | null'],
  [{ enum: ["small", "it's"] }, '"small" | "it\'s"'],
  [{ const: "a\u2028b" }, '"a\\u2028b"'],
  [{ const: { a: [1] } }, "{ readonly a: readonly [1] }"],
  [{ $ref: "#/Site" }, "Site"],
  [{ $ref: "#/Site", description: "With words." }, "Site"],
  [{ $ref: "#/Elsewhere" }, "unknown"],
  [{ type: "array", items: { type: "string" } }, "readonly string[]"],
  [{ type: "array", items: { type: ["string", "null"] } }, "readonly (string | null)[]"],
  [{ type: "array", items: { type: "array", items: true } }, "readonly (readonly unknown[])[]"],
  [{ type: "array", items: { enum: ["a | b"] } }, 'readonly "a | b"[]'],
  [{ type: "array", prefixItems: [{ type: "string" }], items: false }, "readonly [string?]"],
  [{ type: ["array", "null"], items: { type: "string" } }, "readonly string[] | null"],
  [{ anyOf: [{ type: "string" }, {}] }, "unknown"],
  [{ oneOf: [{ type: "string" }, { not: {} }] }, "string"],
  [{ allOf: [{ $ref: "#/Site" }, { anyOf: [{ type: "string" }, { type: "number" }] }] }, "Site & (string | number)"],
  [{ type: "object", additionalProperties: { type: "number" } }, "{ readonly [name: string]: number }"],
  [{ type: "object", additionalProperties: false }, "{ readonly [name: string]: never }"],
  [{ type: "object" }, "{ readonly [name: string]: unknown }"],
  [{ properties: { "a-b": { type: "null" } } }, '{\n  readonly "a-b"?: null;\n}'],
  [
    { type: "array", items: { type: "object", properties: { a: true }, additionalProperties: {} } },
    "readonly ({\n  readonly a?: unknown;\n} & { readonly [name: string]: unknown })[]",
  ],
  [true, "unknown"],
  [false, "never"],
  [{}, "unknown"],
];

test("each form of a schema has its type", () => {
  for (const [schema, type] of rows) assert.equal(typeText(schema, { named }), type, JSON.stringify(schema));
});

test("an object is an interface with the words of its members", () => {
  const schema: JsonObject = {
    type: "object",
    description: "A site.",
    properties: {
      id: { type: "string", description: "Its id.\nMade here." },
      at: { type: "object", properties: { x: { type: "number" } } },
    },
    required: ["id"],
  };
  assert.equal(
    declaration("Site", schema, { named }),
    `/** A site. */
export interface Site {
  /**
   * Its id.
   * Made here.
   */
  readonly id: string;
  readonly at?: {
    readonly x?: number;
  };
}
`,
  );
  assert.equal(declaration("Size", { enum: ["s", "m"] }, { named }), 'export type Size = "s" | "m";\n');
});

test("no text ends a comment or a literal before its end", () => {
  assert.equal(comment("a */ b", ""), "/** a *\u200b/ b */\n");
  assert.equal(comment("a\u2028b", ""), "/**\n * a\n * b\n */\n");
  assert.equal(comment(" ", ""), "");
  assert.equal(literal('a"b\\'), String.raw`"a\"b\\"`);
});
