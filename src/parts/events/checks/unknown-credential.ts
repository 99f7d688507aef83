/** An event that comes in with a credential that does not exist. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "events/unknown-credential",
  severity: "error",
  why: "Nothing would prove who sent it, and it moves records.",
  *run(facts) {
    if (!says(facts, "authentication")) return;
    const { credentials } = facts.model.authentication;
    for (const [name, event] of Object.entries(facts.model.events.in ?? {})) {
      if (Object.hasOwn(credentials, event.with) || facts.places.has(`authentication/credentials/${event.with}`))
        continue;
      yield {
        at: `events/in/${name}/with`,
        message: `There is no credential \`${event.with}\``,
        unknown: { name: event.with, known: Object.keys(credentials) },
      };
    }
  },
};
