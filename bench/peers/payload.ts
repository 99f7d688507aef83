/** Payload: a collection with access functions and a hook that guards the move, by its Local API. */
import type { Peer } from "./peer.ts";

export const payload: Peer = {
  folder: "payload",
  stores: ["sqlite", "postgres"],
  differs: [
    "its Local API behind a minimal node:http server by hand: its REST stands on Next, which is not measured",
    "the guard of the move is a hook that reads and then writes, in a transaction on Postgres, without one on SQLite",
    "who calls is found by hand (caller.mjs, a token is verified once)",
    "no idempotency keys, events, rates, quotas, ETags or versions; unknown fields are dropped; drafts and its log are off",
  ],
  serve: (port, data) => ["main.mjs", `${port}`, data],
  prepare: (data) => ["main.mjs", "0", data, "prepare"],
  read: (id) => ({ method: "GET", path: `/parcels/${id}`, expect: 200 }),
  list: () => ({ method: "GET", path: "/parcels?limit=50", expect: 200 }),
  create: (body) => ({ method: "POST", path: "/parcels", body, expect: 201 }),
  move: (id) => ({ method: "POST", path: `/parcels/${id}/drop-off`, body: {}, expect: 200 }),
  records: (answer) => {
    const { docs } = answer as { docs?: unknown[] };
    return docs ?? [answer];
  },
};
