/** Events as the receivers of an older version know them: their names, and what they carry. */
import type { JsonObject } from "../../base/json.ts";
import type { Served } from "../context/version.ts";

/**
 * `data` is the record as its receiver may see it, as text. Undefined where the version has no such event, or is not served
 * any more: the newest shape would be one that its receiver has never seen (R9.2).
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
    // In the order in which the version lists them, as when it was the newest (R9.2).
    const ordered = converter
      .carries(type)
      ?.flatMap((name) => (Object.hasOwn(downgrade, name) ? [[name, downgrade[name]]] : []));
    return { type, data: JSON.stringify(ordered === undefined ? downgrade : Object.fromEntries(ordered)) };
  };
}

/** What the event is called and holds for an older version, the same for the newest; undefined where it has no such event. */
export type EventConverter = (
  version: string | undefined,
  event: { readonly type: string; readonly resource: string; readonly data: string; readonly carries: boolean },
) => { readonly type: string; readonly data: string } | undefined;
