/** The JSON Schema library in a bundle, which has no `require`: in place of a file of `src/runtime/validation`. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { _, Name } from "ajv/dist/compile/codegen/index.js";
import patternProperties from "ajv/dist/vocabularies/applicator/patternProperties.js";

export const library = () => ({ Ajv2020, _, Name, patternProperties });
