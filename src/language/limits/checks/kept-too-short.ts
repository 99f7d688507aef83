/** Records that retention deletes while the server may still retry deliveries about them. */
import { capital, withArticle } from "../../../base/case.ts";
import { lengthOf, parseDuration } from "../../../base/duration.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "limits/kept-too-short",
  severity: "warning",
  why: "A receiver would get an event about a record that it can no longer read.",
  *run({ model, outEvents }) {
    const { webhook, stream } = model.events.delivery ?? {};
    const windows = [
      { what: "webhooks are retried", length: (webhook?.retry ?? []).reduce((sum, wait) => sum + spanOf(wait), 0) },
      { what: "the stream can be replayed", length: stream?.keep === undefined ? 0 : spanOf(stream.keep) },
    ];
    const emitting = new Set([...outEvents.values()].map(({ resource }) => resource));
    for (const [resource, { duration }] of Object.entries(model.limits.keep ?? {})) {
      const longer = emitting.has(resource) ? windows.find(({ length }) => length > spanOf(duration)) : undefined;
      if (longer === undefined) continue;
      yield {
        at: `limits/keep/${resource}`,
        message: `${capital(withArticle(resource))} is kept for ${duration}, and ${longer.what} for longer`,
        help: "keep it longer, or deliver for a shorter time",
      };
    }
  },
};

function spanOf(text: string): number {
  const duration = parseDuration(text);
  return duration === undefined ? 0 : lengthOf(duration);
}
