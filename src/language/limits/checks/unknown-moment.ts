/** Reports a quota on a state, or a retention after a moment, that does not exist. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { bareType, fieldsOf, lookup } from "../../resources/fields.ts";

export const check: Check = {
  code: "limits/unknown-moment",
  severity: "error",
  why: "The limit would have no effect.",
  *run(documentIndex) {
    if (!declares(documentIndex, "resources", "states")) return;
    const { quota = {}, keep = {} } = documentIndex.model.limits;
    for (const [target, quotas] of Object.entries(quota)) {
      const states = documentIndex.lifeOf.get(target)?.states ?? [];
      for (const [index, one] of quotas.entries()) {
        for (const state of one.kind === "live" ? one.states : []) {
          if (states.includes(state) || !documentIndex.places.has(`resources/${target}`)) continue;
          const at = `limits/quota/${target}/${index}`;
          yield { at, message: `${target} has no state \`${state}\``, unknown: { name: state, known: states } };
        }
      }
    }
    for (const [resource, { after }] of Object.entries(keep)) {
      const life = documentIndex.lifeOf.get(resource);
      const fields = fieldsOf(documentIndex.model, resource);
      if (life?.states.includes(after) || (after === "final" && (life?.final.length ?? 0) > 0)) continue;
      const type = lookup(fields, after)?.type;
      const bare = type && bareType(type);
      if (bare?.kind === "scalar" && bare.name === "datetime") continue;
      if (
        !Object.hasOwn(documentIndex.model.resources.resources, resource) ||
        documentIndex.gaps.has(`states/${resource}/final`)
      )
        continue;
      yield {
        at: `limits/keep/${resource}`,
        message:
          after === "final"
            ? `${resource} has no final state, so \`after final\` never happens`
            : `\`${after}\` is neither a state of ${resource} nor a \`datetime\` of it`,
        help: "write `after final`, `after` a state, or `after` a field such as `createdAt`",
      };
    }
  },
};
