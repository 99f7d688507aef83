/**
 * `node main.mjs PORT DATABASE`: the parcels as an expert would write them by hand for PostgreSQL: Fastify, its schemas for what
 * comes in and what goes out, `pg` with prepared statements, one statement or one transaction a request. A POST with an
 * `Idempotency-Key` is done once: its answer is kept in the transaction of its work.
 */
import { createHash, randomUUID } from "node:crypto";
import fastify from "fastify";
import pg from "pg";
import { callerOf } from "../caller.mjs";

const [port, address] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: address, max: 10 });
await pool.query(`
  CREATE TABLE IF NOT EXISTS parcels (
    id text PRIMARY KEY,
    state text NOT NULL CHECK (state IN ('announced', 'stored')),
    courier text NOT NULL,
    site text NOT NULL,
    size text NOT NULL CHECK (size IN ('small', 'medium', 'large')),
    "trackingNumber" text NOT NULL UNIQUE,
    "recipientEmail" text NOT NULL,
    "weightKg" double precision NOT NULL,
    note text,
    "createdAt" timestamptz NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY
  );
  CREATE INDEX IF NOT EXISTS parcels_of_courier ON parcels (courier, number);
  CREATE TABLE IF NOT EXISTS answers (
    caller text, key text, fingerprint bytea NOT NULL, status integer, body text, at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (caller, key)
  )`);

const columns = 'id, state, courier, site, size, "trackingNumber", "recipientEmail", "weightKg", note, "createdAt"';
const text = { type: "string" };
const body = {
  type: "object",
  additionalProperties: false,
  required: ["site", "size", "trackingNumber", "recipientEmail", "weightKg"],
  properties: {
    site: { ...text, minLength: 1, maxLength: 40 },
    size: { enum: ["small", "medium", "large"] },
    trackingNumber: { ...text, minLength: 6, maxLength: 40 },
    recipientEmail: { ...text, format: "email", maxLength: 254 },
    weightKg: { type: "number", minimum: 0.1, maximum: 30 },
    note: { ...text, maxLength: 200 },
  },
};
const parcel = {
  type: "object",
  properties: {
    ...{ id: text, state: text, courier: text, site: text, size: text, trackingNumber: text, recipientEmail: text },
    ...{ weightKg: { type: "number" }, note: text, createdAt: text },
  },
};
const page = { type: "object", properties: { items: { type: "array", items: parcel } } };

const app = fastify({ logger: false, ajv: { customOptions: { removeAdditional: false, coerceTypes: false } } });
// A move has no body, whatever its fields say.
app.removeContentTypeParser("application/json");
app.addContentTypeParser("application/json", { parseAs: "string" }, (_, sent, done) => {
  if (sent === "") return done(null, undefined);
  return app.getDefaultJsonParser("error", "error")(_, sent, done);
});
app.addHook("onRequest", async (request, reply) => {
  if (request.url === "/readyz") return;
  request.caller = callerOf(request.headers.authorization);
  if (request.caller === undefined) return reply.code(401).send({ title: "Say who you are" });
});
app.get("/readyz", () => ({}));

app.get("/parcels/:id", { schema: { response: { 200: parcel } } }, async ({ caller, params }, reply) => {
  const sql = `SELECT ${columns} FROM parcels WHERE id = $1 AND courier = $2`;
  const { rows } = await pool.query({ name: "read", text: sql, values: [params.id, caller] });
  return rows.length === 0 ? reply.code(404).send({ title: "There is none" }) : given(rows[0]);
});

app.get("/parcels", { schema: { response: { 200: page } } }, async ({ caller }) => {
  const sql = `SELECT ${columns} FROM parcels WHERE courier = $1 ORDER BY number DESC LIMIT 50`;
  const { rows } = await pool.query({ name: "list", text: sql, values: [caller] });
  return { items: rows.map(given) };
});

app.post("/parcels", { schema: { body, response: { 201: parcel } } }, (request, reply) =>
  once(request, reply, async (session) => {
    const { note, recipientEmail, site, size, trackingNumber, weightKg } = request.body;
    const made = [`par_${randomUUID()}`, request.caller, site, size, trackingNumber, recipientEmail, weightKg, note];
    const sql = `INSERT INTO parcels (id, state, courier, site, size, "trackingNumber", "recipientEmail", "weightKg", note, "createdAt")
      VALUES ($1, 'announced', $2, $3, $4, $5, $6, $7, $8, date_trunc('milliseconds', now()))
      ON CONFLICT ("trackingNumber") DO NOTHING RETURNING ${columns}`;
    const { rows } = await session.query({ name: "create", text: sql, values: made });
    return rows.length === 0 ? [409, { title: "There is one already" }] : [201, given(rows[0])];
  }),
);

app.post("/parcels/:id/drop-off", { schema: { response: { 200: parcel } } }, (request, reply) =>
  once(request, reply, async (session) => {
    const values = [request.params.id, request.caller];
    const sql = `UPDATE parcels SET state = 'stored' WHERE id = $1 AND courier = $2 AND state = 'announced' RETURNING ${columns}`;
    const { rows } = await session.query({ name: "move", text: sql, values });
    if (rows.length > 0) return [200, given(rows[0])];
    const found = await session.query({
      name: "is there",
      text: "SELECT 1 FROM parcels WHERE id = $1 AND courier = $2",
      values,
    });
    return found.rows.length === 0 ? [404, { title: "There is none" }] : [409, { title: "It is stored already" }];
  }),
);

await app.listen({ host: "127.0.0.1", port: Number(port) });
process.on("SIGTERM", () => process.exit(0));

function given({ note, ...row }) {
  return note === null ? row : { ...row, note };
}

/** Without a key one statement is its own transaction. */
async function once(request, reply, work) {
  const key = request.headers["idempotency-key"];
  if (key === undefined) {
    const [status, answer] = await work(pool);
    return reply.code(status).send(answer);
  }
  const fingerprint = createHash("sha256")
    .update(`${request.url}\n${JSON.stringify(request.body ?? null)}`)
    .digest();
  const session = await pool.connect();
  try {
    await session.query("BEGIN");
    const claim = `INSERT INTO answers (caller, key, fingerprint) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1`;
    const claimed = await session.query({ name: "claim", text: claim, values: [request.caller, key, fingerprint] });
    if (claimed.rows.length === 0) {
      const sql = "SELECT fingerprint, status, body FROM answers WHERE caller = $1 AND key = $2";
      const { rows } = await session.query({ name: "kept", text: sql, values: [request.caller, key] });
      await session.query("ROLLBACK");
      if (!rows[0].fingerprint.equals(fingerprint)) return reply.code(422).send({ title: "This key was used before" });
      return reply.code(rows[0].status).type("application/json").send(rows[0].body);
    }
    const [status, answer] = await work(session);
    reply.code(status).type("application/json");
    const sent = reply.serialize(answer);
    const keep = "UPDATE answers SET status = $3, body = $4 WHERE caller = $1 AND key = $2";
    await session.query({ name: "keep", text: keep, values: [request.caller, key, status, sent] });
    await session.query("COMMIT");
    return reply.send(sent);
  } catch (thrown) {
    await session.query("ROLLBACK");
    throw thrown;
  } finally {
    session.release();
  }
}
