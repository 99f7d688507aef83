/**
 * `patternProperties` for Ajv, where what stands beside it does not hold. Ajv notes which members have been judged, for
 * `unevaluatedProperties`, in a variable that `anyOf`, `oneOf` or `if` give a value only where they hold; its own
 * `patternProperties` sets a member of it all the same, and throws. Its other keywords give it a value first, as here.
 */
import type { CodeKeywordDefinition } from "ajv";
import { library } from "./schema-library.ts";

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
