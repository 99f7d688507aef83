/** An event of a resource, a state or an operation that does not exist. */
import { isWritten, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "events/unknown-source",
  severity: "error",
  why: "It would never be emitted.",
  *run(documentIndex) {
    const { resources } = documentIndex.model.resources;
    for (const [name, { event }] of documentIndex.outEvents) {
      const { when } = event;
      const at = documentIndex.places.has(`events/out/${name}/when`)
        ? `events/out/${name}/when`
        : `events/out/${name}#value`;
      if (when.kind === "operation") {
        const { operation } = when;
        if (!declares(documentIndex, "purpose", "endpoints") || documentIndex.operations.has(operation)) continue;
        if (
          isWritten(documentIndex, `endpoints/endpoints/${operation}`) ||
          isWritten(documentIndex, `purpose/operations/${operation}`)
        )
          continue;
        yield {
          at,
          message: `There is no operation \`${operation}\``,
          unknown: { name: operation, known: documentIndex.operations },
        };
        continue;
      }
      const { resource, state } = when;
      if (!Object.hasOwn(resources, resource)) {
        if (!declares(documentIndex, "resources") || isWritten(documentIndex, `resources/${resource}`)) continue;
        yield {
          at,
          message: `There is no resource \`${resource}\``,
          unknown: { name: resource, known: Object.keys(resources) },
        };
        continue;
      }
      const states = documentIndex.lifeOf.get(resource)?.states ?? [];
      if (
        !declares(documentIndex, "states") ||
        states.includes(state) ||
        isWritten(documentIndex, `states/${resource}/states/${state}`)
      )
        continue;
      if (documentIndex.gaps.has(`states/${resource}`) || documentIndex.gaps.has(`states/${resource}/states`)) continue;
      yield { at, message: `${resource} has no state \`${state}\``, unknown: { name: state, known: states } };
    }
  },
};
