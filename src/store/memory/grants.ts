/** Stores grants in a map. */
import type { Grant, GrantStore } from "../port/grants.ts";

export function grantStore(grants: Map<string, Grant>): GrantStore {
  const keyOf = (kind: string, id: string): string => JSON.stringify([kind, id]);
  return {
    put: (grant) => {
      grants.set(keyOf(grant.kind, grant.id), grant);
    },
    find: (kind, id) => grants.get(keyOf(kind, id)),
    replace: ({ kind, id, text: before }, next) => {
      const found = grants.get(keyOf(kind, id));
      if (found?.text !== before) return false;
      grants.set(keyOf(kind, id), { ...found, text: next.text, expires: next.expires });
      return true;
    },
    end: (kind, id) => grants.delete(keyOf(kind, id)),
    endGroup: (group) => {
      for (const [key, grant] of grants) if (grant.group === group) grants.delete(key);
    },
  };
}

export function purgeGrants(grants: Map<string, Grant>, now: number): void {
  for (const [key, { expires }] of grants) if (expires <= now) grants.delete(key);
}
