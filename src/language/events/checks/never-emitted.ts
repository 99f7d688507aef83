/** Reports an event for a state that records never enter, or for a handler that is about no record. */
import { resolveEndpoint } from "../../endpoints/resolve.ts";
import type { Check } from "../../analysis/finding.ts";
import type { Model } from "../../model.ts";

export const check: Check = {
  code: "events/never-emitted",
  severity: "warning",
  why: "Receivers would never get it.",
  *run({ model, outEvents, lifeOf }) {
    for (const [name, { event }] of outEvents) {
      const { when } = event;
      if (when.kind === "operation" && isOfNoRecord(model, when.operation)) {
        yield {
          at: `events/out/${name}#key`,
          message: `\`${when.operation}\` has no record that \`${name}\` could be about, so it is never emitted`,
          help: "add `of` with a resource and leave `gives` out, so that the function names the record; or use a path with the record's key",
        };
        continue;
      }
      const life = when.kind === "enters" ? lifeOf.get(when.resource) : undefined;
      if (life === undefined || when.kind !== "enters" || !life.states.includes(when.state)) continue;
      if (!life.closed) continue;
      const isReached = life.transitions.some(({ from, to }) => {
        return to === when.state && from.some((state) => state !== to && life.reachable.has(state));
      });
      if (isReached || when.state === life.start) continue;
      yield {
        at: `events/out/${name}#key`,
        message: `No ${when.resource} ever enters \`${when.state}\`, so \`${name}\` is never emitted`,
        help: `add a transition to \`${when.state}\`, or remove the event`,
      };
    }
  },
};

/**
 * Whether an event of a handler is about no record: the path identifies none, and the function does not return one as its
 * complete response.
 */
function isOfNoRecord(model: Model, operation: string): boolean {
  const resolved = resolveEndpoint(model, operation);
  if (resolved?.kind !== "free" || resolved.action !== "handler" || resolved.key !== undefined) return false;
  const { of, shape, wire } = resolved.endpoint;
  return of === undefined || shape !== undefined || wire !== undefined;
}
