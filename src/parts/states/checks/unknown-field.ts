/** `set` or `at` with a field that the resource does not have. */
import { isWritten } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { fieldsOf } from "../../resources/fields.ts";

export const check: Check = {
  code: "states/unknown-field",
  severity: "error",
  why: "A move sets and reads fields of its own record.",
  *run(facts) {
    for (const { resource, trigger, at } of facts.transitions) {
      if (!Object.hasOwn(facts.model.resources.resources, resource)) continue;
      const fields = fieldsOf(facts.model, resource);
      const named = [
        ...Object.keys(trigger.set ?? {}).map((name) => ({ name, at: `${at}/set/${name}#key` })),
        ...(trigger.on.kind === "at" ? [{ name: trigger.on.field, at: `${at}/at` }] : []),
      ];
      for (const { name, at: place } of named) {
        if (Object.hasOwn(fields, name) || isWritten(facts, `resources/${resource}/${name}`)) continue;
        yield {
          at: place,
          message: `${resource} has no field \`${name}\``,
          unknown: { name, known: Object.keys(fields) },
        };
      }
    }
  },
};
