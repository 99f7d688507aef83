/** An event that refers to two records of the resource it is to move. */
import { withArticle } from "../../../base/case.ts";
import type { Check } from "../../analysis/finding.ts";
import { referredBy } from "../referred.ts";

export const check: Check = {
  code: "states/event-finds-two",
  severity: "error",
  why: "An event changes the state of one record, and it has to be clear which one.",
  *run(documentIndex) {
    for (const [event, transitions] of documentIndex.transitionsWhen) {
      for (const { resource, trigger, at } of transitions) {
        const members = referredBy(documentIndex, event, resource) ?? [];
        const unclear = trigger.on.kind === "when" && trigger.on.field === undefined && members[0] !== "id";
        if (!unclear || members.length < 2) continue;
        yield {
          at: `${at}/when/${event}`,
          message: `\`${event}\` refers to ${withArticle(resource)} as ${members.map((name) => `\`${name}\``).join(" and as ")}`,
          help: `write \`when ${event} at ${members[0]}\``,
        };
      }
    }
  },
};
