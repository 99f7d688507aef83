/** Builds the schema of a document's custom error body from its shape with placeholders (language, section 11). */
import type { Json, JsonObject } from "../../base/json.ts";
import { errorVariables } from "../../language/errors/model.ts";
import type { ErrorPlan } from "../../plan/errors/types.ts";

/**
 * Returns the schema of a body for any of `errors`. The server repeats a list, or a member with a placeholder as its name, for
 * each violation.
 */
export function bodyOfShape(shape: Json, errors: Readonly<Record<string, ErrorPlan>>): JsonObject {
  const titles = Object.values(errors).map(({ title }) => title);
  const [only] = titles;
  const description = titles.length === 1 && only !== undefined ? { description: only } : {};
  return { ...description, ...schemaOf(shape, errors) };
}

function schemaOf(shape: Json, errors: Readonly<Record<string, ErrorPlan>>): JsonObject {
  if (typeof shape === "string") return textSchema(shape, errors);
  if (Array.isArray(shape)) return listSchema(shape, errors);
  if (shape === null) return { type: "null" };
  if (typeof shape !== "object") return { const: shape };
  const members = Object.entries(shape as JsonObject);
  const named = members.filter(([name]) => !varies(name));
  const repeated = members.filter(([name]) => varies(name)).map(([, member]) => schemaOf(member, errors));
  return {
    type: "object",
    ...(named.length === 0
      ? {}
      : {
          properties: Object.fromEntries(named.map(([name, member]) => [name, schemaOf(member, errors)])),
          required: named.map(([name]) => name),
        }),
    additionalProperties: repeated.length === 0 ? false : oneOrAny(repeated),
  };
}

function listSchema(items: readonly Json[], errors: Readonly<Record<string, ErrorPlan>>): JsonObject {
  const schemas = items.map((item) => schemaOf(item, errors));
  return { type: "array", ...(schemas.length === 0 ? { maxItems: 0 } : { items: oneOrAny(schemas) }) };
}

/** Combines schemas with `anyOf`: custom error bodies may not contain their code, so several schemas may match one body. */
export function oneOrAny(schemas: readonly JsonObject[]): JsonObject {
  const [first, ...rest] = schemas;
  return rest.length === 0 && first !== undefined ? first : { anyOf: schemas };
}

/** Returns the schema of a text. A text that is a single placeholder has the type of the placeholder's value. */
function textSchema(text: string, errors: Readonly<Record<string, ErrorPlan>>): JsonObject {
  switch (text) {
    case "{code}":
      return { type: "string", enum: [...new Set(Object.entries(errors).map(([code, { wire }]) => wire ?? code))] };
    case "{status}":
      return { type: "integer", enum: [...new Set(Object.values(errors).flatMap(({ statuses }) => statuses))] };
    case "{path}":
      return { type: "string", examples: ["items.0.price"] };
    default:
      return errorVariables.some((variable) => text.includes(`{${variable}}`))
        ? { type: "string" }
        : { type: "string", const: text };
  }
}

/** Whether the member's name contains a placeholder. */
function varies(name: string): boolean {
  return errorVariables.some((variable) => name.includes(`{${variable}}`));
}
