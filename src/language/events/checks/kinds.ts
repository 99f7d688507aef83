/** Checks the incoming events that share an address: their kinds differ, and their sender is the same. */
import type { Check } from "../../analysis/finding.ts";
import type { InEvent } from "../model.ts";
import { areDistinct, requestValueOf } from "../request-value.ts";
import { lookup } from "../../resources/fields.ts";

type Named = readonly [name: string, event: InEvent];

/** Returns each event with the events before it at its address. */
function* sharing(events: Readonly<Record<string, InEvent>> = {}): Iterable<readonly [Named, readonly Named[]]> {
  const groups = Map.groupBy(Object.entries(events), ([, { method, path }]) => `${method} ${path}`);
  for (const group of groups.values())
    for (const [index, named] of group.entries()) yield [named, group.slice(0, index)];
}

/** Reports an event that a request to its address could be as well as another one. */
const sameKind: Check = {
  code: "events/same-kind",
  severity: "error",
  why: "The service could not tell which of the two a request is.",
  *run({ model }) {
    for (const [[name, event], before] of sharing(model.events.in)) {
      const [other] = before.find(([, one]) => !areDistinct(one, event)) ?? [];
      if (other === undefined) continue;
      yield {
        at: `events/in/${name}/${event.is === undefined ? "at" : "is"}`,
        message: `A request to \`${event.method} ${event.path}\` can be \`${name}\` and \`${other}\``,
        help: "let one value differ in the `is` of both; one event at an address may have no `is`, and receives all other kinds",
      };
    }
  },
};

/** Reports an event with another sender than the event before it at its address. */
const otherSender: Check = {
  code: "events/other-sender",
  severity: "error",
  why: "The service proves the sender before it reads which kind of event the request is.",
  *run({ model }) {
    for (const [[name, event], before] of sharing(model.events.in)) {
      const [other, first] = before.find(([, one]) => one.with !== event.with) ?? [];
      if (first === undefined) continue;
      yield {
        at: `events/in/${name}/with`,
        message: `\`${name}\` has the address of \`${other}\`, but another credential`,
        help: `write \`with: ${first.with}\`, or another path`,
      };
    }
  },
};

/** Reports an id of deliveries in a member that the event does not carry. */
const onceUnknown: Check = {
  code: "events/once-not-carried",
  severity: "error",
  why: "The id of a delivery is a value that the service has read and checked.",
  *run({ model }) {
    for (const [name, { once, carries }] of Object.entries(model.events.in ?? {})) {
      const at = once === undefined ? undefined : requestValueOf(once);
      if (at?.kind !== "member" || lookup(carries, at.path[0] ?? "") !== undefined) continue;
      yield {
        at: `events/in/${name}/once`,
        message: `\`${name}\` does not carry \`${at.path[0]}\``,
        help: `add \`${at.path[0]}\` to \`carries\`, or name a header field: \`once: header Delivery-Id\``,
      };
    }
  },
};

export const checks: readonly Check[] = [sameKind, otherSender, onceUnknown];
