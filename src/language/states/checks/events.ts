/** Checks transitions by events: reports an event that refers to no record, or to two, and events that trigger themselves. */
import { withArticle } from "../../../base/case.ts";
import { onCircles } from "../../analysis/circles.ts";
import type { DocumentIndex } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { referencesTo, hasUnknownType, referenceOf } from "../../resources/fields.ts";
import { isSelecting } from "../further-writes.ts";

/** Reports an event that refers to no record of the resource that it should transition. */
const eventFindsNone: Check = {
  code: "states/event-finds-none",
  severity: "error",
  why: "An event changes the state of the record that its payload refers to.",
  *run(documentIndex) {
    for (const [event, transitions] of documentIndex.transitionsWhen) {
      for (const { resource, trigger, at } of transitions) {
        if (isSelecting(trigger)) continue;
        const members = referredBy(documentIndex, event, resource);
        const named = trigger.on.kind === "when" ? trigger.on.field : undefined;
        if (members === undefined || (named === undefined ? members.length > 0 : members.includes(named))) continue;
        yield {
          at: `${at}/when/${event}`,
          message:
            named === undefined
              ? `\`${event}\` carries no reference to ${withArticle(resource)}`
              : `\`${named}\` of \`${event}\` does not refer to ${withArticle(resource)}`,
          help: helpOf(documentIndex, event, resource),
        };
      }
    }
  },
};

/**
 * Returns what to write. If the resource refers to the event's record, many records can match, but an event transitions only
 * one.
 */
function helpOf({ model, outEvents }: DocumentIndex, event: string, resource: string): string {
  const about = outEvents.get(event)?.resource;
  const [back] = about === undefined ? [] : referencesTo(model, resource, about);
  if (about === undefined || back === undefined)
    return `add a field that refers to the ${resource}, or select the records with \`where\``;
  return `many ${resource} records can refer to one ${about} by \`${back}\`: select those to change with \`where: ${back} == input.id\``;
}

/** Reports an event that refers to two records of the resource that it should transition. */
const eventFindsTwo: Check = {
  code: "states/event-finds-two",
  severity: "error",
  why: "An event changes the state of one record, and it has to be clear which one.",
  *run(documentIndex) {
    for (const [event, transitions] of documentIndex.transitionsWhen) {
      for (const { resource, trigger, at } of transitions) {
        if (isSelecting(trigger)) continue;
        const members = referredBy(documentIndex, event, resource) ?? [];
        const unclear = trigger.on.kind === "when" && trigger.on.field === undefined && members[0] !== "id";
        if (!unclear || members.length < 2) continue;
        yield {
          at: `${at}/when/${event}`,
          message: `\`${event}\` refers to ${withArticle(resource)} as ${members.map((name) => `\`${name}\``).join(" and as ")}`,
          help: `write \`when ${event} at ${members[0]}\``,
        };
      }
    }
  },
};

/** Reports events that trigger each other without end. */
const eventLoop: Check = {
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

/** Returns, by event, the events of the states that the event makes records enter, also new records of further writes. */
function causedEvents({ lifeOf, outEvents, transitionsWhen }: DocumentIndex): ReadonlyMap<string, readonly string[]> {
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
    const created = transitions.flatMap(({ trigger: { also = [] } }) =>
      also.flatMap(({ kind, resource }) => (kind === "create" ? [resource] : [])),
    );
    const reached = [
      ...targetStates.map(({ resource, to }) => `${resource} ${to}`),
      ...created.map((resource) => `${resource} ${lifeOf.get(resource)?.start}`),
    ];
    return [event, reached.flatMap((state) => ofState.get(state) ?? [])] as const;
  });
  return new Map(caused);
}

/**
 * Returns the members of an event's payload that refer to a record of the resource `target`; undefined if the event or its
 * resource is unknown.
 */
function referredBy({ model, outEvents }: DocumentIndex, event: string, target: string): readonly string[] | undefined {
  const inbound = model.events.in ?? {};
  if (Object.hasOwn(inbound, event)) {
    return Object.entries(inbound[event]?.carries ?? {})
      .filter(([, type]) => referenceOf(model, type) === target)
      .map(([name]) => name);
  }
  const out = outEvents.get(event);
  if (out?.resource === undefined) return undefined;
  // An event about this resource refers to its own record by `id`, and may refer to other records of the resource.
  if (out.resource === target) return ["id", ...referencesTo(model, target, target)];
  const { carries } = out.event;
  // A field whose type is unknown may be the reference; another check reports the type.
  if (hasUnknownType(model, out.resource)) return undefined;
  return referencesTo(model, out.resource, target).filter((field) => carries?.includes(field) ?? true);
}

export const checks: readonly Check[] = [eventFindsNone, eventFindsTwo, eventLoop];
