/** A quota in a state, or a retention after a moment, that does not exist. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { bareType, fieldsOf, own } from "../../resources/fields.ts";

export const check: Check = {
  code: "limits/unknown-moment",
  severity: "error",
  why: "Nothing would ever be counted, or deleted.",
  *run(facts) {
    if (!says(facts, "resources", "states")) return;
    const { quota = {}, keep = {} } = facts.model.limits;
    for (const [target, quotas] of Object.entries(quota)) {
      const states = facts.lifeOf.get(target)?.states ?? [];
      for (const [index, one] of quotas.entries()) {
        for (const state of one.kind === "live" ? one.states : []) {
          if (states.includes(state) || !facts.places.has(`resources/${target}`)) continue;
          const at = `limits/quota/${target}/${index}`;
          yield { at, message: `${target} has no state \`${state}\``, unknown: { name: state, known: states } };
        }
      }
    }
    for (const [resource, { after }] of Object.entries(keep)) {
      const life = facts.lifeOf.get(resource);
      const fields = fieldsOf(facts.model, resource);
      if (life?.states.includes(after) || (after === "final" && (life?.final.length ?? 0) > 0)) continue;
      const type = own(fields, after)?.type;
      const bare = type && bareType(type);
      if (bare?.kind === "scalar" && bare.name === "datetime") continue;
      if (!Object.hasOwn(facts.model.resources.resources, resource) || facts.gaps.has(`states/${resource}/final`))
        continue;
      yield {
        at: `limits/keep/${resource}`,
        message:
          after === "final"
            ? `${resource} has no final state after which it could be kept`
            : `\`${after}\` is neither a state of ${resource} nor a \`datetime\` of it`,
        help: "write `after final`, `after` a state, or `after` a field such as `createdAt`",
      };
    }
  },
};
