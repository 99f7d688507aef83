/** Checks who receives events. */
import type { Check } from "../../analysis/finding.ts";

/** Reports a webhook or stream that no caller may use. */
const nobodyReceives: Check = {
  code: "events/nobody-receives",
  severity: "warning",
  why: "The service would store events for receivers that cannot exist.",
  *run({ model, gaps }) {
    for (const channel of ["webhook", "stream"] as const) {
      const delivery = model.events.delivery?.[channel];
      const at = `events/delivery/${channel}/for`;
      if (delivery === undefined || delivery.for.length > 0 || gaps.has(at)) continue;
      yield { at, message: `Nobody may receive events by ${channel}`, help: "name a role, or remove the delivery" };
    }
  },
};

/** Reports webhooks for callers without a credential. */
const webhookOfAnyone: Check = {
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

export const checks: readonly Check[] = [nobodyReceives, webhookOfAnyone];
