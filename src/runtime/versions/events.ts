/** Converts events for receivers of an older version: their names and their data. */
import type { JsonObject } from "../../base/json.ts";
import type { Served, Subject } from "../context/version.ts";

/**
 * Creates the converter. `data` is the JSON text of the record for its receiver. The converter returns undefined if the
 * version has no such event or is no longer served, since its receiver does not know the newest shape (R9.2).
 */
export function createEventConverter(versions: readonly Served[]): EventConverter {
  const byName = new Map(versions.map((version) => [version.name, version]));
  const isVersioned = !byName.has(undefined);
  return (version, event) => {
    const served = byName.get(version);
    if (served === undefined && version !== undefined && isVersioned) return undefined;
    const converter = served?.converter;
    if (converter === undefined) return event;
    const { resource, data, view } = event;
    const type = converter.olderEvent(event.type);
    if (type === undefined) return undefined;
    const subject: Subject = view === undefined ? { kind: "record", resource } : { kind: "view", view };
    const downgrade = converter.downgrade(subject, JSON.parse(data) as JsonObject);
    // The members are in the order that the version declares (R9.2).
    const ordered = converter
      .carries(type)
      ?.flatMap((name) => (Object.hasOwn(downgrade, name) ? [[name, downgrade[name]]] : []));
    return { type, data: JSON.stringify(ordered === undefined ? downgrade : Object.fromEntries(ordered)) };
  };
}

/** Returns the name and data of the event in the older version; undefined if the version does not have the event. */
export type EventConverter = (
  version: string | undefined,
  event: { readonly type: string; readonly resource: string; readonly data: string; readonly view?: string },
) => { readonly type: string; readonly data: string } | undefined;
