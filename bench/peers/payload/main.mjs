/**
 * `node main.mjs PORT DATABASE`: Payload's Local API behind a minimal node:http server. Its REST needs Next, which would be
 * slower; what is measured is what Payload does itself: access, validation, hooks, and its store.
 */
import { postgresAdapter } from "@payloadcms/db-postgres";
import { sqliteAdapter } from "@payloadcms/db-sqlite";
import { createServer } from "node:http";
import { buildConfig, getPayload } from "payload";
import { callerOf } from "./caller.mjs";

const [port, address, prepare] = process.argv.slice(2);
// The tables are only made by itself where it is not in production.
if (prepare !== undefined) process.env["NODE_ENV"] = "development";
const onPostgres = address.startsWith("postgres:");
const own = ({ req: { user } }) => user !== null && user !== undefined && { courier: { equals: user.id } };

const payload = await getPayload({
  config: buildConfig({
    secret: process.env["PEER_SECRET"],
    telemetry: false,
    logger: { options: { level: "error" } },
    db: onPostgres
      ? postgresAdapter({ pool: { connectionString: address, max: 10 } })
      : sqliteAdapter({ client: { url: `file:${address}` }, wal: true, busyTimeout: 5000 }),
    collections: [
      {
        slug: "parcels",
        access: { create: ({ req: { user } }) => Boolean(user), read: own, update: own, delete: () => false },
        hooks: {
          beforeChange: [
            ({ data, operation, originalDoc, req }) => {
              if (operation === "create") return { ...data, courier: req.user.id, state: "announced" };
              if (originalDoc.state !== "announced") throw Object.assign(new Error("not announced"), { status: 409 });
              return data;
            },
          ],
        },
        indexes: [{ fields: ["courier", "createdAt"] }],
        fields: [
          { name: "courier", type: "text" },
          { name: "site", type: "text", required: true, minLength: 1, maxLength: 40 },
          { name: "size", type: "select", options: ["small", "medium", "large"], required: true },
          { name: "trackingNumber", type: "text", required: true, unique: true, minLength: 6, maxLength: 40 },
          { name: "recipientEmail", type: "email", required: true },
          { name: "weightKg", type: "number", required: true, min: 0.1, max: 30 },
          { name: "note", type: "text", maxLength: 200 },
          { name: "state", type: "select", options: ["announced", "stored"], defaultValue: "announced" },
        ],
      },
      { slug: "users", auth: true, fields: [] },
    ],
  }),
});

if (prepare !== undefined) process.exit(0);

const collection = "parcels";
const asCaller = (user) => ({ collection, user, overrideAccess: false, depth: 0 });

async function answer({ method, url, headers }, body) {
  if (url === "/readyz") return [200, {}];
  const id = callerOf(headers.authorization);
  if (id === undefined) return [401, { message: "who are you?" }];
  const caller = asCaller({ id, collection: "users" });
  const [, , key, move] = url.split("?")[0].split("/");
  if (method === "POST" && key === undefined) return [201, await payload.create({ ...caller, data: JSON.parse(body) })];
  if (method === "POST" && move === "drop-off") {
    return [200, await payload.update({ ...caller, id: Number(key), data: { state: "stored" } })];
  }
  if (key === undefined) {
    // Without a count of all pages, which a cursor does not need.
    return [200, await payload.find({ ...caller, sort: ["-createdAt", "-id"], limit: 50, pagination: false })];
  }
  return [200, await payload.findByID({ ...caller, id: Number(key) })];
}

async function respond(request, response) {
  let body = "";
  for await (const chunk of request) body += chunk;
  const [status, value] = await answer(request, body).catch((error) => [
    error.status ?? 500,
    { message: error.message },
  ]);
  const text = JSON.stringify(value);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

createServer((request, response) => void respond(request, response)).listen(Number(port), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
