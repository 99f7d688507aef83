/**
 * The library that compiles schemas. It is loaded when the first schema is compiled: it has more modules than all that answers
 * requests, and whoever starts a service waits for what loads with it.
 */
import { createRequire } from "node:module";
import type * as Library from "ajv";
import type { CodeKeywordDefinition } from "ajv";
import type * as Draft2020 from "ajv/dist/2020.js";

interface SchemaLibrary {
  readonly Ajv2020: typeof Draft2020.Ajv2020;
  readonly _: typeof Library._;
  readonly Name: typeof Library.Name;
  readonly patternProperties: CodeKeywordDefinition;
}

let loaded: SchemaLibrary | undefined;

export function library(): SchemaLibrary {
  loaded ??= load();
  return loaded;
}

function load(): SchemaLibrary {
  const require = createRequire(import.meta.url);
  const { _, Name } = require("ajv") as typeof Library;
  const { Ajv2020 } = require("ajv/dist/2020.js") as typeof Draft2020;
  const { default: patternProperties } = require("ajv/dist/vocabularies/applicator/patternProperties.js") as {
    readonly default: CodeKeywordDefinition;
  };
  return { Ajv2020, _, Name, patternProperties };
}

/**
 * `patternProperties` for Ajv, where what stands beside it does not hold. Ajv notes which members have been judged, for
 * `unevaluatedProperties`, in a variable that `anyOf`, `oneOf` or `if` give a value only where they hold; its own
 * `patternProperties` sets a member of it all the same, and throws. Its other keywords give it a value first, as here.
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
