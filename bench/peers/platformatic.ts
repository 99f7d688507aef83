/** Platformatic DB: routes from the tables, rules for roles in its configuration, the move by hand. */
import type { Peer } from "./peer.ts";

export const platformatic: Peer = {
  folder: "platformatic",
  // On SQLite it stands on better-sqlite3, a native build that there is not for every Node that it runs on.
  stores: ["postgres"],
  differs: [
    "the move is a route by hand (drop-off.mjs): its generated routes do not know states",
    "ranges and patterns are CHECKs of the table: what they refuse is answered with 500; unknown fields are dropped",
    "no idempotency keys, events, rates, quotas, ETags or versions; the caller may create a parcel that is stored already",
    "GraphQL and its own events are off, its log is at `error`",
  ],
  serve: (port, data) => ["main.mjs", `${port}`, data],
  read: (id) => ({ method: "GET", path: `/parcels/${id}`, expect: 200 }),
  list: () => ({
    method: "GET",
    path: "/parcels/?limit=50&orderby.createdAt=desc&orderby.id=desc",
    expect: 200,
  }),
  // A column with a default is required of callers all the same.
  create: (parcel) => ({ method: "POST", path: "/parcels/", body: { ...parcel, state: "announced" }, expect: 200 }),
  move: (id) => ({ method: "POST", path: `/parcels/${id}/drop-off`, body: {}, expect: 200 }),
  records: (answer) => (Array.isArray(answer) ? answer : [answer]),
};
