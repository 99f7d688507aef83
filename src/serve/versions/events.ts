/** Events as the receivers of an older version know them: their names, and what they carry. */
import type { JsonObject } from "../../base/json.ts";
import type { EventDown } from "../events/tell.ts";
import type { Served } from "./served.ts";

/**
 * `data` is the record as its receiver may see it, as text. Undefined where the version has no such event, or is not served
 * any more: the newest shape would be one that its receiver has never seen (R9.2).
 */
export function createEventDown(versions: readonly Served[]): EventDown {
  const byName = new Map(versions.map((version) => [version.name, version]));
  const isVersioned = !byName.has(undefined);
  return (version, event) => {
    const served = byName.get(version);
    if (served === undefined && version !== undefined && isVersioned) return undefined;
    const chain = served?.chain;
    if (chain === undefined) return event;
    const { resource, data } = event;
    const type = chain.olderEvent(event.type);
    if (type === undefined) return undefined;
    const down = chain.down({ kind: "record", resource }, JSON.parse(data) as JsonObject);
    // In the order in which the version lists them, as when it was the newest (R9.2).
    const told = chain.carries(type)?.flatMap((name) => (Object.hasOwn(down, name) ? [[name, down[name]]] : []));
    return { type, data: JSON.stringify(told === undefined ? down : Object.fromEntries(told)) };
  };
}
