/** What is given for a time, in a map. */
import type { Grant, GrantStore } from "../grants.ts";

export function grantStore(grants: Map<string, Grant>): GrantStore {
  const keyOf = (kind: string, id: string): string => JSON.stringify([kind, id]);
  return {
    put: (grant) => {
      grants.set(keyOf(grant.kind, grant.id), grant);
    },
    find: (kind, id) => grants.get(keyOf(kind, id)),
    end: (kind, id) => grants.delete(keyOf(kind, id)),
    endGroup: (group) => {
      for (const [key, grant] of grants) if (grant.group === group) grants.delete(key);
    },
  };
}

export function purgeGrants(grants: Map<string, Grant>, now: number): void {
  for (const [key, { expires }] of grants) if (expires <= now) grants.delete(key);
}
