/** Webhooks for callers without a credential. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "events/nobodys-webhook",
  severity: "error",
  why: "A webhook belongs to the caller who created it: only that caller may read or change it, and it receives what that caller may see.",
  *run({ model }) {
    const grants = model.events.delivery?.webhook?.for ?? [];
    if (!grants.some(({ who }) => who.kind === "anyone")) return;
    yield {
      at: "events/delivery/webhook/for",
      message: "A caller without a credential cannot own a webhook",
      help: "write `signed-in`, or name a role",
    };
  },
};
