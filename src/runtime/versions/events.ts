/** Converts events for receivers of an older version: their names and their data. */
import type { JsonObject } from "../../base/json.ts";
import type { Served } from "../context/version.ts";

/**
 * `data` is the JSON text of the record for its receiver. Returns undefined if the version has no such event or is no longer
 * served: its receiver does not know the newest shape (R9.2).
 */
export function createEventConverter(versions: readonly Served[]): EventConverter {
  const byName = new Map(versions.map((version) => [version.name, version]));
  const isVersioned = !byName.has(undefined);
  return (version, event) => {
    const served = byName.get(version);
    if (served === undefined && version !== undefined && isVersioned) return undefined;
    const converter = served?.converter;
    if (converter === undefined) return event;
    const { resource, data } = event;
    const type = converter.olderEvent(event.type);
    if (type === undefined) return undefined;
    const downgrade = converter.downgrade({ kind: "record", resource }, JSON.parse(data) as JsonObject);
    // Order the members as the version declares them (R9.2).
    const ordered = converter
      .carries(type)
      ?.flatMap((name) => (Object.hasOwn(downgrade, name) ? [[name, downgrade[name]]] : []));
    return { type, data: JSON.stringify(ordered === undefined ? downgrade : Object.fromEntries(ordered)) };
  };
}

/** Name and data of the event in the older version; undefined if the version does not have the event. */
export type EventConverter = (
  version: string | undefined,
  event: { readonly type: string; readonly resource: string; readonly data: string; readonly carries: boolean },
) => { readonly type: string; readonly data: string } | undefined;
