/** An event whose name is not what happened to what. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "events/name-style",
  severity: "hint",
  why: "Receivers select events by name, and a common prefix groups the events of one resource.",
  *run({ model }) {
    for (const [direction, events] of [
      ["out", model.events.out],
      ["in", model.events.in],
    ] as const) {
      for (const name of Object.keys(events ?? {})) {
        if (/^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*(?:\.[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)+$/.test(name)) continue;
        yield {
          at: `events/${direction}/${name}#key`,
          message: `\`${name}\` does not name a resource and what happened to it`,
          help: "write the resource, a dot, and what happened: `parcel.stored`",
        };
      }
    }
  },
};
