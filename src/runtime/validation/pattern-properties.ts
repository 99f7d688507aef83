/** Corrects one keyword of the JSON Schema library. */
import type { CodeKeywordDefinition } from "ajv";
import { library } from "./schema-library.ts";

/**
 * Returns a corrected keyword `patternProperties`, for schemas with `unevaluatedProperties`. Ajv tracks validated members in a
 * variable that `anyOf`, `oneOf` or `if` set only if they match; its own `patternProperties` sets a member of the variable
 * anyway, and throws. Like Ajv's other keywords, this one initialises the variable.
 */
export function patternProperties(): CodeKeywordDefinition {
  const { _, Name, patternProperties: its } = library();
  return {
    ...its,
    before: "unevaluatedProperties",
    code(context) {
      const { gen, it } = context;
      if (it.props instanceof Name) gen.assign(it.props, _`${it.props} || {}`);
      its.code(context);
    },
  };
}
