/** Reports a `datetime(seconds)` inside a stored value, which JSON shows as it is stored. */
import type { Check } from "../../analysis/finding.ts";
import { fieldSites, innermost, unixUnitOf } from "../fields.ts";

export const check: Check = {
  code: "resources/unix-time-misplaced",
  severity: "error",
  why: "The service stores a moment as text and converts single members only.",
  *run({ model }) {
    for (const { at, enclosing, name, field } of fieldSites(model)) {
      const { of, enclosing: inside } = innermost(field.type);
      const unit = unixUnitOf(of);
      if (unit === undefined || enclosing === "takes" || (enclosing !== "type" && inside.length === 0)) continue;
      const place = enclosing === "type" ? "an embedded type" : "a list or a map";
      yield {
        at,
        message: `\`${name}\` cannot be \`datetime(${unit})\` in ${place}`,
        help:
          enclosing === "type"
            ? "make it a field of the resource, and put it into an object by a view; or write `datetime`"
            : "write `datetime`, or give each moment its own field",
      };
    }
  },
};
