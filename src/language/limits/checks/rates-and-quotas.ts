/** Reports limits that count nothing, or that cannot determine for whom they count. */
import { withArticle } from "../../../base/case.ts";
import { type DocumentIndex, declares, isWritten, reachableFrom } from "../../analysis/document-index.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import { isDeletable } from "../../endpoints/deletable.ts";
import { creates } from "../../endpoints/input.ts";
import { readingActions } from "../../endpoints/model.ts";
import type { ResourceEndpoint } from "../../endpoints/resolve.ts";
import { lookup } from "../../resources/fields.ts";
import { ownerFields, rateCountedBy, windowCountedBy } from "../counted.ts";
import type { Quota } from "../model.ts";

/** Reports rates for some operations without a rate for the rest. */
const noGeneralRate: Check = {
  code: "limits/no-general-rate",
  severity: "hint",
  why: "Attackers use the operation that has no rate.",
  *run(documentIndex) {
    const { rate } = documentIndex.model.limits;
    if (
      !declares(documentIndex, "endpoints") ||
      rate === undefined ||
      Object.hasOwn(rate, "all") ||
      Object.keys(rate).length === 0
    )
      return;
    const free = [...documentIndex.endpoints.keys()].find((operation) => !Object.hasOwn(rate, operation));
    if (free === undefined) return;
    yield { at: "limits/rate#key", message: `\`${free}\` has no rate limit`, help: "add `all: 600/min per user`" };
  },
};

/** Reports a limit per resource whose record is unknown when the limit is counted. */
const unknownPer: Check = {
  code: "limits/unknown-per",
  severity: "error",
  why: "The service could not tell which record a request counts for.",
  *run(documentIndex) {
    if (!declares(documentIndex, "resources")) return;
    const { resources } = documentIndex.model.resources;
    for (const kind of ["rate", "quota"] as const) {
      for (const [target, limits] of Object.entries(documentIndex.model.limits[kind] ?? {})) {
        for (const [index, limit] of limits.entries()) {
          const { per } = limit;
          const at = `limits/${kind}/${target}/${index}`;
          if (per !== "user" && per !== "ip" && !documentIndex.places.has(`resources/${per}`)) {
            yield {
              at,
              message: `There is no resource \`${per}\` to count for`,
              unknown: { name: per, known: [...Object.keys(resources), "user", "ip"] },
            };
          } else if ("kind" in limit && limit.kind === "live") yield* ofRecords(documentIndex, at, target, per);
          else yield* ofRequests(documentIndex, at, kind, target, per);
        }
      }
    }
  },
};

/** Reports the limits per record in requests. Rates are counted before the body is read, quotas after the write. */
function* ofRequests(
  documentIndex: DocumentIndex,
  at: string,
  kind: "rate" | "quota",
  target: string,
  per: string,
): Iterable<Finding> {
  if (per === "user" || per === "ip" || !declares(documentIndex, "endpoints")) return;
  const isCounted = (resolved: ResourceEndpoint): boolean =>
    (kind === "rate" ? rateCountedBy(resolved, per) : windowCountedBy(documentIndex.model, resolved, per)) !==
    undefined;
  const help =
    kind === "rate"
      ? `count \`per user\` or \`per ip\`, or give it a path such as \`/${per.toLowerCase()}s/{id}/…\``
      : `count \`per user\`, or name one ${per} in the path or the body`;
  if (target === "all" || target === "anyone") {
    const about = [...documentIndex.endpoints.values()].filter((resolved) => resolved.kind === "resource");
    if (!about.some(isCounted)) yield { at, message: `No operation has a ${per} in its path to count for`, help };
    return;
  }
  const targets = [documentIndex.endpoints.get(target), ...(kind === "quota" ? makersOf(documentIndex, target) : [])];
  for (const resolved of targets) {
    if (resolved?.kind !== "resource" || isCounted(resolved)) continue;
    const where = kind === "rate" ? "in its path" : "in its path, and not exactly one in its body,";
    yield { at, message: `\`${resolved.operation}\` has no ${per} ${where} to count for`, help };
  }
}

/** Returns the operations that create records of a resource. */
function makersOf(documentIndex: DocumentIndex, resource: string): readonly ResourceEndpoint[] {
  const about = documentIndex.endpointsOf.get(resource) ?? [];
  return about.filter((resolved) => resolved.action === "create" || creates(documentIndex.model, resolved));
}

function* ofRecords({ model, gaps }: DocumentIndex, at: string, resource: string, per: string): Iterable<Finding> {
  if (per === "ip" || lookup(model.resources.resources, resource) === undefined) return;
  const fields = ownerFields(model, resource, per);
  // Other checks report fields whose type is `not shown`.
  const open = [...gaps].some((path) => path.startsWith(`resources/${resource}/`));
  if (fields.length === 1 || (fields.length === 0 && open)) return;
  const wanted = per === "user" ? "`owner: user = caller, read-only`" : `\`${per.toLowerCase()}: ${per}\``;
  yield {
    at,
    message:
      fields.length === 0
        ? `No field says to which ${per} ${withArticle(resource)} belongs`
        : `More than one field may say to which ${per} ${withArticle(resource)} belongs: ${fields.map((name) => `\`${name}\``).join(", ")}`,
    help: fields.length === 0 ? `add ${wanted} to ${resource}` : "keep one of them, or count for something else",
  };
}

/** Reports a quota that counts nothing for its target. */
const quotaMisplaced: Check = {
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

/**
 * Whether the service has no webhooks. False if part 6 leaves the delivery of events, or a member of its webhook line, open.
 */
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

/** Reports a quota on live records that can never stop counting. */
const quotaNeverFreed: Check = {
  code: "limits/quota-never-freed",
  severity: "warning",
  why: "A caller who has used up the quota can never create another record.",
  *run(documentIndex) {
    if (!declares(documentIndex, "states", "endpoints")) return;
    for (const [resource, quotas] of Object.entries(documentIndex.model.limits.quota ?? {})) {
      if (!Object.hasOwn(documentIndex.model.resources.resources, resource)) continue;
      if (documentIndex.hasHandlers || isDeletable(documentIndex.model, resource)) continue;
      const life = documentIndex.lifeOf.get(resource);
      for (const [index, quota] of quotas.entries()) {
        if (quota.kind !== "live") continue;
        // A quota that names no states counts the records in all states that are not final.
        const free = (life?.states ?? []).filter((state) =>
          quota.states.length === 0 ? life?.final.includes(state) : !quota.states.includes(state),
        );
        const next = (state: string): readonly string[] => (life?.out.get(state) ?? []).map(({ to }) => to);
        const counted = quota.states.length === 0 ? [life?.start] : quota.states;
        if (counted.some((state) => [...reachableFrom(state, next)].some((other) => free.includes(other)))) continue;
        yield {
          at: `limits/quota/${resource}/${index}`,
          message: `Nothing ever frees this quota: a counted ${resource} is never deleted and never leaves the counted states`,
          help: "add a deletion or a transition out of the counted states, or count per time window: `300/month per user`",
        };
      }
    }
  },
};

export const checks: readonly Check[] = [noGeneralRate, unknownPer, quotaMisplaced, quotaNeverFreed];
