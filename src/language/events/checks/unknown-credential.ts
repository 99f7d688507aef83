/** An event that comes in with a credential that does not exist. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "events/unknown-credential",
  severity: "error",
  why: "Nothing would prove who sent it, and it moves records.",
  *run(documentIndex) {
    if (!declares(documentIndex, "authentication")) return;
    const { credentials } = documentIndex.model.authentication;
    for (const [name, event] of Object.entries(documentIndex.model.events.in ?? {})) {
      if (
        Object.hasOwn(credentials, event.with) ||
        documentIndex.places.has(`authentication/credentials/${event.with}`)
      )
        continue;
      yield {
        at: `events/in/${name}/with`,
        message: `There is no credential \`${event.with}\``,
        unknown: { name: event.with, known: Object.keys(credentials) },
      };
    }
  },
};
