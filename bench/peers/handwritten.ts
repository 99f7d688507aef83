/** The service by hand, for the same store: with keys it keeps what `nonet-more` keeps of an answer, and no events, rates or quotas. */
import type { Announcement, Ask, Peer } from "./peer.ts";

export function handwritten(withKeys: boolean): Peer {
  let count = 0;
  const repeatable = (ask: Ask): Ask =>
    withKeys ? { ...ask, headers: { "Idempotency-Key": `by-hand-${count++}-5f0c2a9e` } } : ask;
  return {
    stores: ["postgres"],
    differs: [
      "who calls is verified once (caller.mjs); no journal, events, rates, quotas, ETags, pages after the first or versions",
      ...(withKeys ? ["keeps the answer of each POST under its Idempotency-Key, in the transaction of its work"] : []),
    ],
    serve: (port, data) => ["bench/peers/handwritten/main.mjs", `${port}`, data],
    read: (id) => ({ method: "GET", path: `/parcels/${id}`, expect: 200 }),
    list: () => ({ method: "GET", path: "/parcels", expect: 200 }),
    create: (body: Announcement) => repeatable({ method: "POST", path: "/parcels", body, expect: 201 }),
    move: (id) => repeatable({ method: "POST", path: `/parcels/${id}/drop-off`, expect: 200 }),
    records: (answer) => {
      const { items } = answer as { items?: unknown[] };
      return items ?? [answer];
    },
  };
}
