/** Which members of an event's payload refer to a record of a resource. */
import type { DocumentIndex } from "../analysis/document-index.ts";
import { hasUnknownType, referenceOf, referencesTo } from "../resources/fields.ts";

/** Undefined if the event, or the resource that it is about, is unknown. */
export function referredBy(
  { model, outEvents }: DocumentIndex,
  event: string,
  target: string,
): readonly string[] | undefined {
  const inbound = model.events.in ?? {};
  if (Object.hasOwn(inbound, event)) {
    return Object.entries(inbound[event]?.carries ?? {})
      .filter(([, type]) => referenceOf(model, type) === target)
      .map(([name]) => name);
  }
  const out = outEvents.get(event);
  if (out?.resource === undefined) return undefined;
  // The event is about the very record, whatever else of it refers to another of its kind.
  if (out.resource === target) return ["id", ...referencesTo(model, target, target)];
  const { carries } = out.event;
  // A type that is not there may have been meant for the reference, and has been reported.
  if (hasUnknownType(model, out.resource)) return undefined;
  return referencesTo(model, out.resource, target).filter((field) => carries?.includes(field) ?? true);
}
