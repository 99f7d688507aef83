/** A quota that its target cannot have: it would count nothing. */
import { readingActions } from "../../endpoints/model.ts";
import { type DocumentIndex, isWritten, declares } from "../../analysis/document-index.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import { lookup } from "../../resources/fields.ts";
import type { Quota } from "../model.ts";

export const check: Check = {
  code: "limits/quota-misplaced",
  severity: "error",
  why: "The quota would count nothing.",
  *run(documentIndex) {
    for (const [target, quotas] of Object.entries(documentIndex.model.limits.quota ?? {})) {
      for (const [index, quota] of quotas.entries()) {
        const found = target === "webhook" ? ofWebhooks(documentIndex, quota) : ofOthers(documentIndex, target, quota);
        if (found !== undefined) yield { at: `limits/quota/${target}/${index}`, ...found };
      }
    }
  },
};

type Found = Omit<Finding, "at">;

function ofWebhooks(documentIndex: DocumentIndex, quota: Quota): Found | undefined {
  if (hasNoWebhooks(documentIndex)) {
    const help = "take the line out, or say in part 6 who may subscribe";
    return { message: "This service has no webhooks", help };
  }
  if (quota.kind === "live" && quota.states.length === 0) return undefined;
  return {
    message: "A quota of webhooks counts live webhooks per user only",
    help: `write \`webhook: ${quota.count} per user\``,
  };
}

/** Where part 6 leaves open how events are delivered, or its line for webhooks is open in some place, there may be some. */
function hasNoWebhooks(documentIndex: DocumentIndex): boolean {
  if (documentIndex.model.events.delivery?.webhook !== undefined || !declares(documentIndex, "events")) return false;
  return !isWritten(documentIndex, "events/delivery/webhook") && !documentIndex.gaps.has("events/delivery");
}

function ofOthers(documentIndex: DocumentIndex, target: string, quota: Quota): Found | undefined {
  if (!declares(documentIndex, "resources", "endpoints")) return undefined;
  const resource = lookup(documentIndex.model.resources.resources, target) !== undefined;
  const resolved = documentIndex.endpoints.get(target);
  if (quota.kind === "live" && quota.per === "ip") {
    return {
      message: `${target} records do not belong to an IP address`,
      help: "count `per user`, or per time window",
    };
  }
  if (quota.kind === "live" && !resource && resolved !== undefined) {
    const message = `\`${target}\` is an operation, and a quota without a time counts live records`;
    const help = `add a time, \`${quota.count}/day per ${quota.per}\`, or count records of a resource`;
    return { message, help };
  }
  if (resolved?.kind === "resource" && readingActions.has(resolved.action)) {
    const message = `\`${target}\` changes nothing, but quotas count changes`;
    return { message, help: `write it below \`rate\`: \`${target}: 600/h per ${quota.per}\`` };
  }
  return undefined;
}
