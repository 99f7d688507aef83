/** Tests that a schema counts as wider only if all values valid before remain valid. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../base/json.ts";
import { isWider } from "./migration/schema-compatibility.ts";

test("a schema is wider where that is plain to see", () => {
  const text = { type: "string", maxLength: 5 };
  const rows: readonly (readonly [before: JsonObject, after: JsonObject, wider: boolean])[] = [
    [text, text, true],
    [text, { ...text, description: "said" }, true],
    [text, { ...text, maxLength: 6 }, true],
    [text, { ...text, maxLength: 4 }, false],
    [text, { ...text, minLength: 1 }, false],
    [{ ...text, minLength: 1 }, text, true],
    [text, { type: "string" }, true],
    [text, { ...text, pattern: "^a" }, false],
    [{ ...text, pattern: "^a" }, text, true],
    [{ type: "string", enum: ["a", "b"] }, { type: "string", enum: ["b", "c", "a"] }, true],
    [{ type: "string", enum: ["a", "b"] }, { type: "string", enum: ["a"] }, false],
    [{ type: "string" }, { type: ["string", "null"] }, true],
    [{ type: ["string", "null"] }, { type: "string" }, false],
    [{ type: "integer", minimum: 2 }, { type: "integer", minimum: 1 }, true],
    [{ type: "array", items: text }, { type: "array", items: { type: "string", maxLength: 9 } }, true],
    [{ type: "array", items: text }, { type: "array", items: { type: "string", maxLength: 1 } }, false],
    [{ type: "object", properties: { a: text } }, { type: "object", properties: {} }, false],
    [{ type: "object", additionalProperties: false }, { type: "object" }, false],
    [{}, text, false],
  ];
  for (const [before, after, wider] of rows) {
    assert.equal(isWider(before, after), wider, `${JSON.stringify(before)} to ${JSON.stringify(after)}`);
  }
});
