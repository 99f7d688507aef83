/** Events that cause each other without end. */
import { onCircles } from "../../analysis/circles.ts";
import type { DocumentIndex } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/event-loop",
  severity: "error",
  why: "All effects of a request are one transaction, and this transaction would never end.",
  *run(documentIndex) {
    const triggered = causedEvents(documentIndex);
    const circles = onCircles(triggered);
    for (const [event, caused] of triggered) {
      if (!circles.has(event)) continue;
      for (const { at } of documentIndex.transitionsWhen.get(event) ?? []) {
        yield {
          at: `${at}/when/${event}`,
          message: `\`${event}\` causes \`${event}\` again, through ${caused.map((name) => `\`${name}\``).join(" or ")}`,
          help: "let an operation or a timer trigger one of the transitions",
        };
        break;
      }
    }
  },
};

/** By event, the events of the states that it makes records enter. */
function causedEvents({ outEvents, transitionsWhen }: DocumentIndex): ReadonlyMap<string, readonly string[]> {
  const ofState = new Map<string, string[]>();
  for (const [
    name,
    {
      event: { when },
    },
  ] of outEvents) {
    if (when.kind !== "enters") continue;
    const key = `${when.resource} ${when.state}`;
    const names = ofState.get(key);
    if (names === undefined) ofState.set(key, [name]);
    else names.push(name);
  }
  const caused = [...transitionsWhen].map(([event, transitions]) => {
    const targetStates = transitions.filter(({ from, to }) => from.some((state) => state !== to));
    return [event, targetStates.flatMap(({ resource, to }) => ofState.get(`${resource} ${to}`) ?? [])] as const;
  });
  return new Map(caused);
}
