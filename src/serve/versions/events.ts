/** Events as the receivers of an older version know them: their names, and what they carry. */
import type { JsonObject } from "../../base/json.ts";
import type { Served } from "./served.ts";

export interface ToldEvent {
  readonly name: string;
  readonly data: JsonObject;
}

/** An event of the newest version for one of another; undefined where that has no such event. `data` is the record's. */
export type EventDown = (version: string, resource: string, name: string, data: JsonObject) => ToldEvent | undefined;

export function createEventDown(versions: readonly Served[]): EventDown {
  const byName = new Map(versions.map((version) => [version.name, version]));
  return (version, resource, name, data) => {
    const chain = byName.get(version)?.chain;
    if (chain === undefined) return { name, data };
    const older = chain.olderEvent(name);
    if (older === undefined) return undefined;
    const down = chain.down({ kind: "record", resource }, data);
    const carried = chain.carries(older);
    const told =
      carried === undefined ? down : Object.fromEntries(Object.entries(down).filter(([one]) => carried.includes(one)));
    return { name: older, data: told };
  };
}
