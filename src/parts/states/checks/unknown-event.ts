/** A move by an event that neither comes in nor goes out. */
import { isWritten, says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "states/unknown-event",
  severity: "error",
  why: "The move would wait for something that never happens.",
  *run(facts) {
    if (!says(facts, "events")) return;
    const inbound = facts.model.events.in ?? {};
    for (const [event, transitions] of facts.movesWhen) {
      if (facts.outEvents.has(event) || Object.hasOwn(inbound, event)) continue;
      if (isWritten(facts, `events/out/${event}`) || isWritten(facts, `events/in/${event}`)) continue;
      for (const { at } of transitions) {
        const known = [...facts.outEvents.keys(), ...Object.keys(inbound)];
        yield { at: `${at}/when/${event}`, message: `There is no event \`${event}\``, unknown: { name: event, known } };
      }
    }
  },
};
