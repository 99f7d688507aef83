/** Imports a description and exports it again. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../src/base/json.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { type Imported, importDocument } from "../../src/import/import.ts";
import { check, soundModel } from "../../src/language/check.ts";
import { buildPlan } from "../../src/plan/build.ts";

/** What is imported; the document has no errors. */
export function carried(source: JsonObject): Imported & { readonly kind: "imported" } {
  const result = importDocument("source.json", JSON.stringify(source));
  assert(result.kind === "imported", JSON.stringify(result));
  const errors = check("import.md", result.document).diagnostics.filter(({ severity }) => severity === "error");
  assert.deepEqual(
    errors.map(({ code, message }) => `${code} ${message}`),
    [],
    result.document,
  );
  return result;
}

/** What a document is exported as. */
export function described(document: string): JsonObject {
  const result = check("import.md", document);
  const sound = soundModel(result);
  assert(sound !== undefined);
  return openapi(buildPlan(sound, result.places, result.expressions), "http://127.0.0.1:8080");
}
