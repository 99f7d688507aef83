/** One name for an event that comes in and one that goes out. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "events/name-twice",
  severity: "error",
  why: "A move `when` it comes could mean either.",
  *run({ outEvents, model }) {
    for (const name of Object.keys(model.events.in ?? {})) {
      if (!outEvents.has(name)) continue;
      yield {
        at: `events/in/${name}#key`,
        message: `\`${name}\` also goes out`,
        help: "give one of the two another name",
      };
    }
  },
};
