/** One name for an incoming and an outgoing event. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "events/name-twice",
  severity: "error",
  why: "A transition `when` the event occurs could mean either of the two.",
  *run({ outEvents, model }) {
    for (const name of Object.keys(model.events.in ?? {})) {
      if (!outEvents.has(name)) continue;
      yield {
        at: `events/in/${name}#key`,
        message: `\`${name}\` is also an outgoing event`,
        help: "give one of the two another name",
      };
    }
  },
};
