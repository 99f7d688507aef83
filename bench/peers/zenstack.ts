/** ZenStack: a model with access policies, served by its handler for remote calls; the policy is the guard of the move. */
import type { Peer } from "./peer.ts";

const query = (value: object): string => encodeURIComponent(JSON.stringify(value));

export const zenstack: Peer = {
  folder: "zenstack",
  stores: ["sqlite", "postgres"],
  differs: [
    "whoever may move may change every other field of the parcel in the same call",
    "who calls is found by hand (caller.mjs, a token is verified once); on SQLite `node:sqlite` stands in for better-sqlite3",
    "no idempotency keys, events, rates, quotas, ETags or versions; the caller may create a parcel that is stored already",
    "Fastify's log is off",
  ],
  serve: (port, data) => ["main.mjs", `${port}`, data],
  read: (id) => ({
    method: "GET",
    path: `/api/parcel/findUnique?q=${query({ where: { id: Number(id) } })}`,
    expect: 200,
  }),
  list: () => ({
    method: "GET",
    path: `/api/parcel/findMany?q=${query({ orderBy: [{ createdAt: "desc" }, { id: "desc" }], take: 50 })}`,
    expect: 200,
  }),
  create: (data) => ({ method: "POST", path: "/api/parcel/create", body: { data }, expect: 201 }),
  move: (id) => ({
    method: "PUT",
    path: "/api/parcel/update",
    body: { where: { id: Number(id) }, data: { state: "stored" } },
    expect: 200,
  }),
  records: (answer) => {
    const { data } = answer as { data?: unknown };
    return Array.isArray(data) ? data : data === null || data === undefined ? [] : [data];
  },
};
