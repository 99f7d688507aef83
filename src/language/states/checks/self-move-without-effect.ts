/** A move from a state to itself that changes nothing. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/self-move-without-effect",
  severity: "warning",
  why: "Nothing changes, so the caller would get a success for a change that did not happen.",
  *run({ transitions, outEvents, endpoints }) {
    const emitting = new Set(
      [...outEvents.values()].flatMap(({ event: { when } }) => (when.kind === "operation" ? [when.operation] : [])),
    );
    for (const { trigger, from, to, at } of transitions) {
      if (from.length !== 1 || from[0] !== to || trigger.set !== undefined) continue;
      const { on } = trigger;
      const operation = on.kind === "by" ? on.operation : "";
      const endpoint = endpoints.get(operation)?.endpoint;
      if (emitting.has(operation) || endpoint?.choose !== undefined || endpoint?.gives !== undefined) continue;
      yield {
        at: at.replace(/\/\d+$/, "#key"),
        message: `This transition leads from \`${to}\` to itself and changes nothing`,
        help: "add `set:` with the fields that it changes, or an event of the operation",
      };
    }
  },
};
