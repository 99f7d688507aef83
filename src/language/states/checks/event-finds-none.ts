/** An event that refers to no record of the resource it is to move. */
import { withArticle } from "../../../base/case.ts";
import type { DocumentIndex } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { referencesTo } from "../../resources/fields.ts";
import { referredBy } from "../referred.ts";

export const check: Check = {
  code: "states/event-finds-none",
  severity: "error",
  why: "An event changes the state of the record that its payload refers to.",
  *run(documentIndex) {
    for (const [event, transitions] of documentIndex.transitionsWhen) {
      for (const { resource, trigger, at } of transitions) {
        const members = referredBy(documentIndex, event, resource);
        const named = trigger.on.kind === "when" ? trigger.on.field : undefined;
        if (members === undefined || (named === undefined ? members.length > 0 : members.includes(named))) continue;
        yield {
          at: `${at}/when/${event}`,
          message:
            named === undefined
              ? `\`${event}\` carries no reference to ${withArticle(resource)}`
              : `\`${named}\` of \`${event}\` does not refer to ${withArticle(resource)}`,
          help: helpOf(documentIndex, event, resource),
        };
      }
    }
  },
};

/** If the resource refers to the event's record, many records can match, but an event changes only one. */
function helpOf({ model, outEvents }: DocumentIndex, event: string, resource: string): string {
  const about = outEvents.get(event)?.resource;
  const [back] = about === undefined ? [] : referencesTo(model, resource, about);
  if (about === undefined || back === undefined) return `add a field that refers to the ${resource}`;
  return `many ${resource} records can refer to one ${about} by \`${back}\`, but an event changes one record: use an operation for each, or a function that runs \`on\` the event for all`;
}
