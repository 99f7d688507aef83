/**
 * `patternProperties` for Ajv, where what stands beside it does not hold. Ajv notes which members have been judged, for
 * `unevaluatedProperties`, in a variable that `anyOf`, `oneOf` or `if` give a value only where they hold; its own
 * `patternProperties` sets a member of it all the same, and throws. Its other keywords give it a value first, as here.
 */
import type { CodeKeywordDefinition } from "ajv";
import { _, Name } from "ajv";
import library from "ajv/dist/vocabularies/applicator/patternProperties.js";

const { default: its } = library as unknown as { readonly default: CodeKeywordDefinition };

export const patternProperties: CodeKeywordDefinition = {
  ...its,
  before: "unevaluatedProperties",
  code(context) {
    const { gen, it } = context;
    if (it.props instanceof Name) gen.assign(it.props, _`${it.props} || {}`);
    its.code(context);
  },
};
