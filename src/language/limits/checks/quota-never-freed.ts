/** A quota on live records that never stop counting. */
import { withArticle } from "../../../base/case.ts";
import { isDeletable } from "../../endpoints/deletable.ts";
import { reachableFrom, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "limits/quota-never-freed",
  severity: "warning",
  why: "Whoever has used it up can never have another, whatever they do.",
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
          message: `Nothing ever frees this quota: ${withArticle(resource)} that counts counts for ever`,
          help: "add a deletion or a move out of the counted states, or count in a window: `300/month per user`",
        };
      }
    }
  },
};
