/** An event that comes in and moves nothing. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "events/inbound-unused",
  severity: "warning",
  why: "It would be received, checked and forgotten.",
  *run(documentIndex) {
    if (!declares(documentIndex, "states")) return;
    for (const name of Object.keys(documentIndex.model.events.in ?? {})) {
      if (documentIndex.transitionsWhen.has(name)) continue;
      yield {
        at: `events/in/${name}#key`,
        message: `\`${name}\` moves no record`,
        help: `write \`from -> to: when ${name}\` in part 3, or remove the event`,
      };
    }
  },
};
