/** An event that comes in and moves nothing. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "events/inbound-unused",
  severity: "warning",
  why: "It would be received, checked and forgotten.",
  *run(facts) {
    if (!says(facts, "states")) return;
    for (const name of Object.keys(facts.model.events.in ?? {})) {
      if (facts.movesWhen.has(name)) continue;
      yield {
        at: `events/in/${name}#key`,
        message: `\`${name}\` moves no record`,
        help: `write \`from -> to: when ${name}\` in part 3, or remove the event`,
      };
    }
  },
};
