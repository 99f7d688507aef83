/** Reports a type that is neither a resource nor an entry of `types:`. */
import { isWritten } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { scalarNames } from "../model.ts";
import { namedTypes } from "../type-names.ts";

export const check: Check = {
  code: "resources/unknown-type",
  severity: "error",
  why: "Without a type the service can neither validate nor store the field.",
  *run(documentIndex) {
    const { resources, types, schemas = {}, views = {} } = documentIndex.model.resources;
    const names = [...Object.keys(resources), ...Object.keys(types), ...scalarNames];
    const withSchemas = [...Object.keys(schemas), ...names];
    for (const { name, at, schemas: allowsSchemas, views: viewed } of namedTypes(documentIndex.model)) {
      if (Object.hasOwn(resources, name) || Object.hasOwn(types, name)) continue;
      if (isWritten(documentIndex, `resources/${name}`) || isWritten(documentIndex, `resources/types/${name}`))
        continue;
      if (Object.hasOwn(views, name) || isWritten(documentIndex, `resources/views/${name}`)) {
        if (viewed) continue;
        const help = "name the resource or the type; a view is for `takes`, `gives` and other views";
        yield { at, message: `\`${name}\` is a view, not a type of a field`, help };
        continue;
      }
      const isSchema = Object.hasOwn(schemas, name) || isWritten(documentIndex, `resources/schemas/${name}`);
      if (isSchema && allowsSchemas) continue;
      if (isSchema) {
        const help = `write \`{ schema: { $ref: "#/schemas/${name}" } }\``;
        yield { at, message: `\`${name}\` is a schema, not a type of a field`, help };
        continue;
      }
      const known = allowsSchemas ? withSchemas : viewed ? [...Object.keys(views), ...names] : names;
      yield { at, message: `There is no type \`${name}\``, unknown: { name, known } };
    }
  },
};
