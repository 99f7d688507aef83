/** Webhooks for callers without a credential. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "events/nobodys-webhook",
  severity: "error",
  why: "An endpoint belongs to whoever made it, who alone may see and change it, and is sent what they may know.",
  *run({ model }) {
    const grants = model.events.delivery?.webhook?.for ?? [];
    if (!grants.some(({ who }) => who.kind === "anyone")) return;
    yield {
      at: "events/delivery/webhook/for",
      message: "Whoever has no credential cannot have an endpoint",
      help: "write `signed-in`, or name a role",
    };
  },
};
