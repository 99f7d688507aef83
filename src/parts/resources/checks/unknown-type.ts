/** A type that is neither a resource nor an entry of `types:`. */
import { isWritten } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { scalarNames } from "../model.ts";
import { namedTypes } from "../type-names.ts";

export const check: Check = {
  code: "resources/unknown-type",
  severity: "error",
  why: "Without its type the field can be neither checked nor stored.",
  *run(facts) {
    const { resources, types, schemas = {}, views = {} } = facts.model.resources;
    const names = [...Object.keys(resources), ...Object.keys(types), ...scalarNames];
    const withSchemas = [...Object.keys(schemas), ...names];
    for (const { name, at, schemas: taken, views: viewed } of namedTypes(facts.model)) {
      if (Object.hasOwn(resources, name) || Object.hasOwn(types, name)) continue;
      if (isWritten(facts, `resources/${name}`) || isWritten(facts, `resources/types/${name}`)) continue;
      if (Object.hasOwn(views, name) || isWritten(facts, `resources/views/${name}`)) {
        if (viewed) continue;
        const help = "name the resource or the type; a view is what `takes`, `gives` and other views give of it";
        yield { at, message: `\`${name}\` is a view, and no type of a field`, help };
        continue;
      }
      const isSchema = Object.hasOwn(schemas, name) || isWritten(facts, `resources/schemas/${name}`);
      if (isSchema && taken) continue;
      if (isSchema) {
        const help = `write \`{ schema: { $ref: "#/schemas/${name}" } }\``;
        yield { at, message: `\`${name}\` is a schema, and no type of a field`, help };
        continue;
      }
      const known = taken ? withSchemas : viewed ? [...Object.keys(views), ...names] : names;
      yield { at, message: `There is no type \`${name}\``, unknown: { name, known } };
    }
  },
};
