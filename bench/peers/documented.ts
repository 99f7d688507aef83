/** How a service is asked that has the paths of `parcels.md`: Nonet, and the one by hand. */
import type { Ask, Peer } from "./peer.ts";

/**
 * @param list the target of a list of 50
 * @param keys begins each POST's Idempotency-Key; absent: it has none
 */
export function documented(
  list: string,
  keys: string | undefined,
): Pick<Peer, "read" | "list" | "create" | "move" | "records"> {
  let count = 0;
  const repeatable = (ask: Ask): Ask =>
    keys === undefined ? ask : { ...ask, headers: { "Idempotency-Key": `${keys}-${count++}-5f0c2a9e` } };
  return {
    read: (id) => ({ method: "GET", path: `/parcels/${id}`, expect: 200 }),
    list: () => ({ method: "GET", path: list, expect: 200 }),
    create: (body) => repeatable({ method: "POST", path: "/parcels", body, expect: 201 }),
    move: (id) => repeatable({ method: "POST", path: `/parcels/${id}/drop-off`, expect: 200 }),
    records: (answer) => {
      const { items } = answer as { items?: unknown[] };
      return items ?? [answer];
    },
  };
}
