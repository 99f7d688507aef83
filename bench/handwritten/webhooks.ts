/**
 * Webhooks as one would write them by hand: a row of an outbox for each endpoint in the transaction of the change, and a loop that
 * signs by Standard Webhooks, posts with connections that stay open, keeps each record's events in order, and tries again later.
 */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { Agent, request as post } from "node:http";
import type { FastifyInstance } from "fastify";
import { type Database, newId } from "./database.ts";
import type { Once } from "./idempotency.ts";
import { notFound } from "./problem.ts";
import { requireValid } from "./validation.ts";

const TABLES = `
create table if not exists webhook (
  seq integer primary key, id text not null unique, url text not null, events text not null, secret text not null
) strict;
create table if not exists outbox (
  seq integer primary key, webhook integer not null references webhook (seq) on delete cascade, event text not null,
  record text not null, body text not null, state text not null default 'pending', attempts integer not null default 0,
  dueAt integer not null
) strict;
create index if not exists outbox_due on outbox (dueAt) where state = 'pending';
create index if not exists outbox_record on outbox (record, seq) where state = 'pending';
create index if not exists outbox_webhook on outbox (webhook);
`;

const AT_ONCE = 32;
const TIMEOUT_MS = 15_000;
const RETRY_MS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1000);
const ROUND_MS = 100;

export interface Webhooks {
  /** To be called in the transaction of the change. */
  readonly emit: (type: string, record: string, data: object) => void;
}

interface Endpoint {
  readonly seq: number;
  readonly url: string;
  readonly events: readonly string[];
  readonly key: Buffer;
}

interface Due {
  readonly seq: number;
  readonly webhook: number;
  readonly event: string;
  readonly record: string;
  readonly body: string;
  readonly attempts: number;
}

const input = {
  type: "object",
  additionalProperties: false,
  required: ["url"],
  properties: {
    url: { type: "string", format: "uri", maxLength: 2048 },
    events: { type: "array", items: { type: "string", enum: ["parcel.announced"] } },
  },
};

export function addWebhooks(app: FastifyInstance, database: Database, baseUrl: string, once: Once): Webhooks {
  database.connection.exec(TABLES);
  const add = database.statement("insert into webhook (id, url, events, secret) values (?, ?, ?, ?)");
  const remove = database.statement("delete from webhook where id = ?");
  const insert = database.statement("insert into outbox (webhook, event, record, body, dueAt) values (?, ?, ?, ?, ?)");
  const due = database.statement(
    "select seq, webhook, event, record, body, attempts from outbox where state = 'pending' and dueAt <= ? order by dueAt, seq limit ?",
  );
  const earlier = database.statement(
    "select 1 from outbox where state = 'pending' and record = ? and webhook = ? and seq < ? limit 1",
  );
  const settle = database.statement("update outbox set state = ?, attempts = ?, dueAt = ? where seq = ?");

  let endpoints: readonly Endpoint[] = [];
  const load = (): void => {
    const rows = database.statement("select seq, url, events, secret from webhook").all();
    endpoints = rows.map(({ seq, url, events, secret }) => ({
      seq: Number(seq),
      url: String(url),
      events: JSON.parse(String(events)) as string[],
      key: Buffer.from(String(secret).slice("whsec_".length), "base64"),
    }));
  };
  load();

  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const underWay = new Set<number>();
  let done: (Due & { readonly ok: boolean })[] = [];
  let planned = false;

  const plan = (): void => {
    if (planned) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      settleAll();
      sendDue();
    });
  };
  /** What has come of the attempts since, in one transaction. */
  const settleAll = (): void => {
    const settled = done;
    done = [];
    if (settled.length === 0) return;
    database.transaction(() => {
      for (const { seq, attempts, ok } of settled) {
        const wait = RETRY_MS[attempts];
        const state = ok ? "delivered" : wait === undefined ? "failed" : "pending";
        settle.run(state, attempts + 1, Date.now() + (wait ?? 0), seq);
      }
    });
    for (const { seq } of settled) underWay.delete(seq);
  };
  const sendDue = (): void => {
    if (endpoints.length === 0 || underWay.size >= AT_ONCE) return;
    for (const row of due.all(Date.now(), AT_ONCE * 2) as unknown as Due[]) {
      if (underWay.size >= AT_ONCE) return;
      const endpoint = endpoints.find(({ seq }) => seq === row.webhook);
      if (endpoint === undefined || underWay.has(row.seq)) continue;
      if (earlier.get(row.record, row.webhook, row.seq) !== undefined) continue;
      underWay.add(row.seq);
      send(endpoint, row);
    }
  };
  const send = (endpoint: Endpoint, row: Due): void => {
    const seconds = String(Math.floor(Date.now() / 1000));
    const signature = createHmac("sha256", endpoint.key).update(`${row.event}.${seconds}.${row.body}`).digest("base64");
    let over = false;
    const end = (ok: boolean): void => {
      if (over) return;
      over = true;
      done.push({ ...row, ok });
      plan();
    };
    const sent = post(endpoint.url, {
      method: "POST",
      agent,
      timeout: TIMEOUT_MS,
      headers: {
        "content-type": "application/cloudevents+json; charset=UTF-8",
        "content-length": Buffer.byteLength(row.body),
        "webhook-id": row.event,
        "webhook-timestamp": seconds,
        "webhook-signature": `v1,${signature}`,
      },
    });
    sent.on("response", (response) => {
      const { statusCode = 0 } = response;
      response.resume();
      response.on("end", () => end(statusCode >= 200 && statusCode <= 299));
      response.on("error", () => end(false));
    });
    sent.on("timeout", () => sent.destroy());
    sent.on("error", () => end(false));
    sent.end(row.body);
  };
  // What was not sent before a restart, and what is to be tried again.
  const timer = setInterval(plan, ROUND_MS);
  timer.unref();
  app.addHook("onClose", () => {
    clearInterval(timer);
    agent.destroy();
  });

  app.post(
    "/webhooks",
    { config: { roles: ["operator"] }, attachValidation: true, schema: { body: input } },
    (request, reply) =>
      once(request, reply, () => {
        requireValid(request);
        const { url, events = ["parcel.announced"] } = request.body as { url: string; events?: string[] };
        const id = newId("whk");
        const secret = `whsec_${randomBytes(32).toString("base64")}`;
        add.run(id, url, JSON.stringify(events), secret);
        load();
        return { status: 201, headers: { location: `/webhooks/${id}` }, body: { id, url, events, secret } };
      }),
  );
  app.delete("/webhooks/:id", { config: { roles: ["operator"] } }, (request, reply) => {
    const { id } = request.params as { id: string };
    const { changes } = database.transaction(() => remove.run(id));
    load();
    if (Number(changes) === 0) throw notFound();
    return reply.code(204).send();
  });

  return {
    emit(type, record, data) {
      for (const { events, seq } of endpoints) {
        if (!events.includes(type)) continue;
        const event = `evt_${randomUUID()}`;
        const time = new Date();
        const body = JSON.stringify({
          specversion: "1.0",
          id: event,
          source: baseUrl,
          type,
          subject: record,
          time: time.toISOString(),
          datacontenttype: "application/json",
          data,
        });
        insert.run(seq, event, record, body, time.getTime());
        plan();
      }
    },
  };
}
