/** Records that are gone while deliveries about them are still being tried. */
import { capital, withArticle } from "../../../base/case.ts";
import { parseDuration } from "../../../base/duration.ts";
import type { Check } from "../../finding.ts";

const month = 30 * 86_400_000;

export const check: Check = {
  code: "limits/kept-too-short",
  severity: "warning",
  why: "A receiver would be told of a record that it can no longer read.",
  *run({ model, outEvents }) {
    const { webhook, stream } = model.events.delivery ?? {};
    const windows = [
      { what: "webhooks are retried", length: (webhook?.retry ?? []).reduce((sum, wait) => sum + lengthOf(wait), 0) },
      { what: "the stream can be replayed", length: stream?.keep === undefined ? 0 : lengthOf(stream.keep) },
    ];
    const told = new Set([...outEvents.values()].map(({ resource }) => resource));
    for (const [resource, { duration }] of Object.entries(model.limits.keep ?? {})) {
      const longer = told.has(resource) ? windows.find(({ length }) => length > lengthOf(duration)) : undefined;
      if (longer === undefined) continue;
      yield {
        at: `limits/keep/${resource}`,
        message: `${capital(withArticle(resource))} is kept for ${duration}, and ${longer.what} for longer`,
        help: "keep it longer, or deliver for a shorter time",
      };
    }
  },
};

function lengthOf(text: string): number {
  const { milliseconds = 0, months = 0 } = parseDuration(text) ?? {};
  return milliseconds + months * month;
}
