/** An event of entering a state that nothing ever enters. */
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "events/never-emitted",
  severity: "warning",
  why: "Receivers would wait for it in vain.",
  *run({ outEvents, lifeOf }) {
    for (const [name, { event }] of outEvents) {
      const { when } = event;
      const life = when.kind === "enters" ? lifeOf.get(when.resource) : undefined;
      if (life === undefined || when.kind !== "enters" || !life.states.includes(when.state)) continue;
      if (!life.closed) continue;
      const entered = life.transitions.some(({ from, to }) => {
        return to === when.state && from.some((state) => state !== to && life.reachable.has(state));
      });
      if (entered || when.state === life.start) continue;
      yield {
        at: `events/out/${name}#key`,
        message: `No ${when.resource} ever enters \`${when.state}\`, so \`${name}\` is never emitted`,
        help: `add a move that leads to \`${when.state}\`, or remove the event`,
      };
    }
  },
};
