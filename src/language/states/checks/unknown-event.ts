/** A move by an event that neither comes in nor goes out. */
import { isWritten, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/unknown-event",
  severity: "error",
  why: "The move would wait for something that never happens.",
  *run(documentIndex) {
    if (!declares(documentIndex, "events")) return;
    const inbound = documentIndex.model.events.in ?? {};
    for (const [event, transitions] of documentIndex.transitionsWhen) {
      if (documentIndex.outEvents.has(event) || Object.hasOwn(inbound, event)) continue;
      if (isWritten(documentIndex, `events/out/${event}`) || isWritten(documentIndex, `events/in/${event}`)) continue;
      for (const { at } of transitions) {
        const known = [...documentIndex.outEvents.keys(), ...Object.keys(inbound)];
        yield { at: `${at}/when/${event}`, message: `There is no event \`${event}\``, unknown: { name: event, known } };
      }
    }
  },
};
