/** A quota that its target cannot have: it would count nothing. */
import { type Facts, isWritten, says } from "../../facts.ts";
import { readingDeeds } from "../../endpoints/model.ts";
import type { Check } from "../../finding.ts";
import { own } from "../../resources/fields.ts";

export const check: Check = {
  code: "limits/quota-misplaced",
  severity: "error",
  why: "It would count nothing.",
  *run(facts) {
    if (!says(facts, "resources", "endpoints")) return;
    for (const [target, quotas] of Object.entries(facts.model.limits.quota ?? {})) {
      const resource = own(facts.model.resources.resources, target) !== undefined;
      const meaning = facts.endpoints.get(target);
      for (const [index, quota] of quotas.entries()) {
        const at = `limits/quota/${target}/${index}`;
        if (target === "webhook") {
          if (facts.model.events.delivery?.webhook === undefined) {
            if (isOpen(facts)) continue;
            yield {
              at,
              message: "This service has no webhooks",
              help: "take the line out, or say in part 6 who may subscribe",
            };
            continue;
          }
          if (quota.kind === "live" && quota.states.length === 0) continue;
          yield {
            at,
            message: "Webhooks are only counted as they are",
            help: `write \`webhook: ${quota.count} per user\``,
          };
        } else if (quota.kind === "live" && quota.per === "ip") {
          const help = "count `per user`, or in a window";
          yield { at, message: `No ${target} belongs to an address`, help };
        } else if (quota.kind === "live" && !resource && meaning !== undefined) {
          const message = `\`${target}\` is an operation, and only records are live`;
          const help = `say in which time, \`${quota.count}/day per ${quota.per}\`, or count records of a resource`;
          yield { at, message, help };
        } else if (meaning?.kind === "resource" && readingDeeds.has(meaning.deed)) {
          const message = `\`${target}\` changes nothing, and quotas count changes`;
          yield { at, message, help: `write it below \`rate\`: \`${target}: 600/h per ${quota.per}\`` };
        }
      }
    }
  },
};

/** Whether the document says that it is open whether or how there are webhooks. */
function isOpen(facts: Facts): boolean {
  const written = isWritten(facts, "events/delivery/webhook");
  return written || facts.gaps.has("events/delivery") || !says(facts, "events");
}
