/** An event of a resource, a state or an operation that does not exist. */
import { isWritten, says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "events/unknown-source",
  severity: "error",
  why: "It would never be emitted.",
  *run(facts) {
    const { resources } = facts.model.resources;
    for (const [name, { event }] of facts.outEvents) {
      const { when } = event;
      const at = facts.places.has(`events/out/${name}/when`) ? `events/out/${name}/when` : `events/out/${name}#value`;
      if (when.kind === "operation") {
        const { operation } = when;
        if (!says(facts, "purpose", "endpoints") || facts.operations.has(operation)) continue;
        if (isWritten(facts, `endpoints/endpoints/${operation}`) || isWritten(facts, `purpose/operations/${operation}`))
          continue;
        yield {
          at,
          message: `There is no operation \`${operation}\``,
          unknown: { name: operation, known: facts.operations },
        };
        continue;
      }
      const { resource, state } = when;
      if (!Object.hasOwn(resources, resource)) {
        if (!says(facts, "resources") || isWritten(facts, `resources/${resource}`)) continue;
        yield {
          at,
          message: `There is no resource \`${resource}\``,
          unknown: { name: resource, known: Object.keys(resources) },
        };
        continue;
      }
      const states = facts.lifeOf.get(resource)?.states ?? [];
      if (!says(facts, "states") || states.includes(state) || isWritten(facts, `states/${resource}/states/${state}`))
        continue;
      if (facts.gaps.has(`states/${resource}`) || facts.gaps.has(`states/${resource}/states`)) continue;
      yield { at, message: `${resource} has no state \`${state}\``, unknown: { name: state, known: states } };
    }
  },
};
