/** An event that carries a field whose value is never returned. */
import type { Check } from "../../analysis/finding.ts";
import { fieldsOf, lookup } from "../../resources/fields.ts";

export const check: Check = {
  code: "events/secret-leaves",
  severity: "error",
  why: "The service never sends the value of a `secret` or `write-only` field.",
  *run({ outEvents, model }) {
    for (const [name, { event, resource }] of outEvents) {
      for (const field of event.carries ?? []) {
        const marks = lookup(fieldsOf(model, resource ?? ""), field)?.marks ?? [];
        const modifier = marks.find((one) => one === "secret" || one === "write-only");
        if (modifier === undefined) continue;
        yield {
          at: `events/out/${name}/carries`,
          message: `\`${name}\` carries \`${field}\`, which is \`${modifier}\``,
          help: "leave it out",
        };
      }
    }
  },
};
