/**
 * Loads the JSON Schema library when the first schema is compiled: it has more modules than the rest of the service, and would
 * delay the start.
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
