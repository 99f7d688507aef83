/** A quota on live records that never stop counting. */
import { isDeletable } from "../../endpoints/deletable.ts";
import { reachableFrom, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
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
        // Without states named, all but the finished count.
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
