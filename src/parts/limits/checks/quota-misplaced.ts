/** A quota that its target cannot have: it would count nothing. */
import { readingDeeds } from "../../endpoints/model.ts";
import { type Facts, isWritten, says } from "../../facts.ts";
import type { Check, Finding } from "../../finding.ts";
import { own } from "../../resources/fields.ts";
import type { Quota } from "../model.ts";

export const check: Check = {
  code: "limits/quota-misplaced",
  severity: "error",
  why: "It would count nothing.",
  *run(facts) {
    for (const [target, quotas] of Object.entries(facts.model.limits.quota ?? {})) {
      for (const [index, quota] of quotas.entries()) {
        const found = target === "webhook" ? ofWebhooks(facts, quota) : ofOthers(facts, target, quota);
        if (found !== undefined) yield { at: `limits/quota/${target}/${index}`, ...found };
      }
    }
  },
};

type Found = Omit<Finding, "at">;

function ofWebhooks(facts: Facts, quota: Quota): Found | undefined {
  if (hasNoWebhooks(facts)) {
    const help = "take the line out, or say in part 6 who may subscribe";
    return { message: "This service has no webhooks", help };
  }
  if (quota.kind === "live" && quota.states.length === 0) return undefined;
  return { message: "Webhooks are only counted as they are", help: `write \`webhook: ${quota.count} per user\`` };
}

/** Where part 6 leaves open how events are delivered, or its line for webhooks is open in some place, there may be some. */
function hasNoWebhooks(facts: Facts): boolean {
  if (facts.model.events.delivery?.webhook !== undefined || !says(facts, "events")) return false;
  return !isWritten(facts, "events/delivery/webhook") && !facts.gaps.has("events/delivery");
}

function ofOthers(facts: Facts, target: string, quota: Quota): Found | undefined {
  if (!says(facts, "resources", "endpoints")) return undefined;
  const resource = own(facts.model.resources.resources, target) !== undefined;
  const meaning = facts.endpoints.get(target);
  if (quota.kind === "live" && quota.per === "ip") {
    return { message: `No ${target} belongs to an address`, help: "count `per user`, or in a window" };
  }
  if (quota.kind === "live" && !resource && meaning !== undefined) {
    const message = `\`${target}\` is an operation, and only records are live`;
    const help = `say in which time, \`${quota.count}/day per ${quota.per}\`, or count records of a resource`;
    return { message, help };
  }
  if (meaning?.kind === "resource" && readingDeeds.has(meaning.deed)) {
    const message = `\`${target}\` changes nothing, and quotas count changes`;
    return { message, help: `write it below \`rate\`: \`${target}: 600/h per ${quota.per}\`` };
  }
  return undefined;
}
