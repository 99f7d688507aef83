/** A webhook or stream that no caller may use. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
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
