/** `set` or `at` with a field that the resource does not have. */
import { isWritten } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { fieldsOf } from "../../resources/fields.ts";

export const check: Check = {
  code: "states/unknown-field",
  severity: "error",
  why: "A move sets and reads fields of its own record.",
  *run(documentIndex) {
    for (const { resource, trigger, at } of documentIndex.transitions) {
      if (!Object.hasOwn(documentIndex.model.resources.resources, resource)) continue;
      const fields = fieldsOf(documentIndex.model, resource);
      const named = [
        ...Object.keys(trigger.set ?? {}).map((name) => ({ name, at: `${at}/set/${name}#key` })),
        ...(trigger.on.kind === "at" ? [{ name: trigger.on.field, at: `${at}/at` }] : []),
      ];
      for (const { name, at: path } of named) {
        if (Object.hasOwn(fields, name) || isWritten(documentIndex, `resources/${resource}/${name}`)) continue;
        yield {
          at: path,
          message: `${resource} has no field \`${name}\``,
          unknown: { name, known: Object.keys(fields) },
        };
      }
    }
  },
};
