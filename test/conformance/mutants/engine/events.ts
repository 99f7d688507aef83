/** Mistakes about events that are emitted, delivered and received (part 6). */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { JsonObject } from "../../../../src/base/json.ts";
import type { HttpRequest } from "../../../../src/http/message.ts";
import type { WebhookPlan } from "../../../../src/plan/events/types.ts";
import { signatureField } from "../../../../src/runtime/auth/hmac.ts";
import type { Row, Store } from "../../../../src/store/port/store.ts";
import { ask, pass, type Step } from "../../../enforced/proof.ts";
import type { Received } from "../../../serve/receiver.ts";
import { type Change, type EngineMutant, mutantsOf } from "./mutant.ts";
import { add, saw } from "./resources.ts";
import { bell, environment } from "./signing.ts";
import { inTransactions, operations, planned, requests, stored, withFields } from "./wrappers.ts";

/** A webhook of an administrator, which is reply 1. */
const subscribe: Step = async (scene) => {
  const { url } = await scene.receiver();
  await ask("olga POST /webhooks", { url }, "201")(scene);
};
const made = ask("ann POST /things", saw, "201");
const closed = ask("ann POST /things/{2}/close", { pin: "1234" }, "200");
const told: readonly Step[] = [subscribe, made, closed];

/** The first event, which its receiver rejects. */
const failing: readonly Step[] = [
  async (scene) => {
    (await scene.receiver()).answer = () => ({ status: 500 });
  },
  subscribe,
  made,
  comes(1),
];

const signed: Step = async (scene) => {
  const { json } = await scene.send({
    method: "GET",
    path: scene.filled("/webhooks/{1}/secret"),
    headers: { Authorization: `Bearer ${await scene.key("olga")}` },
  });
  const secret = (json as { readonly secret: string }).secret;
  const [{ body, headers } = { body: "", headers: {} as Received["headers"] }] = await scene.received(1);
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const text = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  assert.equal(headers["webhook-signature"], `v1,${createHmac("sha256", key).update(text).digest("base64")}`);
};

export const eventMutants: readonly EngineMutant[] = mutantsOf(
  "things",
  {
    "an event is lost": [
      inTransactions((tx) => ({
        record({ event, ...entry }) {
          return tx.record(event === undefined || event === "thing.closed" ? entry : { ...entry, event });
        },
      })),
      ...told,
      types("thing.made", "thing.closed"),
    ],
    "an event is sent twice": [
      inTransactions((tx) => ({
        async record(entry) {
          await tx.record(entry);
          if (entry.event === "thing.closed") await tx.record(entry);
        },
      })),
      ...told,
      types("thing.made", "thing.closed"),
    ],
    "an event has the name of another one": [
      inTransactions((tx) => ({
        record: (entry) => tx.record(entry.event === "thing.closed" ? { ...entry, event: "thing.lost" } : entry),
      })),
      ...told,
      types("thing.made", "thing.closed"),
    ],
    "a rejected request sends an event": [
      inSpiteOfRejection(),
      subscribe,
      made,
      ask("ann POST /things/{2}/close", { pin: "9999" }, "403 wrong-pin"),
      types("thing.made"),
    ],
    "events are not signed": [
      planned(({ events }) => ({
        events: { ...events, ...(events.webhook && { webhook: unsigned(events.webhook) }) },
      })),
      ...told,
      signed,
    ],
    "events are signed with another secret": [
      stored((store) => ({
        read(query) {
          const read = store.read(query);
          if (query.resource !== "Webhook" || query.system !== true) return read;
          return async (...selected) => {
            const found = await read(...selected);
            return found && { ...found, text: found.text.replace('"secretNumber":1', '"secretNumber":2') };
          };
        },
      })),
      ...told,
      signed,
    ],
    "the payload of an event is wrong": [
      deliveries((row) => ({ ...row, body: (row["body"] as string).replace(/"name":"[^"]*"/, '"name":"axe"') })),
      ...told,
      payload((data) => assert.equal(data["name"], "saw")),
    ],
    "an event carries more than is declared": [
      planned(({ events }) => ({
        events: {
          ...events,
          out: Object.fromEntries(Object.entries(events.out).map(([name, { carries: _, ...one }]) => [name, one])),
        },
      })),
      ...told,
      payload((data) => assert.deepEqual(Object.keys(data), ["id", "name"])),
    ],
    "the envelope of an event lacks its version": [
      deliveries((row) => ({ ...row, body: (row["body"] as string).replace('"specversion":"1.0",', "") })),
      ...told,
      async (scene) => assert.match((await scene.received(1))[0]?.body ?? "", /"specversion":"1.0"/),
    ],
    "what was not delivered is not sent again": [retries(() => []), ...failing, pass(6000), comes(2)],
    "a delivery is sent again too early": [
      retries((waits) => waits.map((wait) => wait / 5)),
      ...failing,
      pass(2500),
      stays(1),
    ],
    "a delivery is sent again too often": [
      retries((waits) => [...waits, 30_000, 30_000]),
      ...failing,
      pass(6000),
      comes(2),
      pass(40_000),
      comes(3),
      pass(40_000),
      stays(3),
    ],
    "a delivery that is sent again has another id": [
      inTransactions((tx) => ({
        update: (resource, row, changes, ...rest) =>
          tx.update(
            resource,
            row,
            resource === "WebhookDelivery" && changes["tries"] !== undefined
              ? { ...changes, event: `${row["event"] as string}x` }
              : changes,
            ...rest,
          ),
      })),
      ...failing,
      pass(6000),
      async (scene) => {
        const [first, second] = await scene.received(2);
        assert.equal(second?.headers["webhook-id"], first?.headers["webhook-id"]);
      },
    ],
    "an endpoint that always fails stays enabled": [
      planned(({ events }) => ({
        events: { ...events, ...(events.webhook && { webhook: { ...events.webhook, disableAfterRetries: false } }) },
      })),
      ...failing,
      pass(6000),
      comes(2),
      pass(40_000),
      comes(3),
      eventually("olga GET /webhooks/{1}", "disabled"),
    ],
    "events pass one another": [
      planned(({ events }) => ({
        events: { ...events, ...(events.webhook && { webhook: { ...events.webhook, inOrder: false } }) },
      })),
      ...failing,
      closed,
      stays(1),
    ],
    "everybody may subscribe": [
      planned((plan) => ({
        operations: plan.operations.map((one) =>
          one.resource === "Webhook" ? { ...one, allow: [{ who: { kind: "signed-in" as const } }] } : one,
        ),
      })),
      ask("ann POST /webhooks", { url: "http://127.0.0.1:9/" }, "403 forbidden"),
    ],
    "the stream shows the events of others": [
      planned(({ events }) => ({
        events: {
          ...events,
          out: Object.fromEntries(
            Object.entries(events.out).map(([name, one]) => [
              name,
              { ...one, stream: one.stream.map(({ who }) => ({ who })) },
            ]),
          ),
        },
      })),
      add,
      ask("bob GET /events\nAccept: application/json", { items: 0 }),
    ],
    "the stream misses the events of one's own": [
      planned(({ events }) => ({
        events: {
          ...events,
          out: Object.fromEntries(
            Object.entries(events.out).map(([name, one]) => [name, { ...one, stream: one.stream.slice(0, 1) }]),
          ),
        },
      })),
      add,
      ask("ann GET /events\nAccept: application/json", { items: 1 }),
    ],
    "the stream misses events": [
      stored((store) => ({
        journal: {
          ...store.journal,
          events: async (...selected) => (await store.journal.events(...selected)).slice(1),
        },
      })),
      add,
      ask("ann GET /events\nAccept: application/json", { items: [{ type: "thing.made" }] }),
    ],
    "an event from outside needs no signature": [
      planned((plan) => ({
        operations: plan.operations.map((one) =>
          one.inbound === undefined ? one : { ...one, allow: [{ who: { kind: "anyone" as const } }] },
        ),
      })),
      add,
      ask("POST /hooks/bell", { thing: "{1}", times: 1 }, "401 unauthenticated"),
    ],
    "an event from outside may have any signature": [
      requests((request) => (request.target === "/hooks/bell" ? resigned(request) : request)),
      add,
      bell({ thing: "{1}", times: 1 }, "401 unauthenticated", "another secret"),
    ],
    "the payload of an event from outside is not checked": [
      operations("bell.rang", ({ body }) =>
        body === undefined ? {} : { body: { ...body, schema: { type: "object" } } },
      ),
      add,
      bell({ thing: "{1}", times: 99 }, "422 #/times too-large"),
    ],
  },
  { environment },
);

/** So many deliveries come, and the service has noted the outcome of each. */
function comes(count: number): Step {
  return async (scene) => {
    await scene.received(count);
    const headers = { Authorization: `Bearer ${await scene.key("olga")}` };
    const path = scene.filled("/webhooks/{1}/deliveries");
    for (let attempts = 0; attempts < count; await later(20)) {
      const { json } = await scene.send({ method: "GET", path, headers });
      const { items } = json as { readonly items: readonly { readonly attempts: readonly unknown[] }[] };
      attempts = items.reduce((sum, one) => sum + one.attempts.length, 0);
    }
  };
}

function later(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** So many deliveries have come, and no more do. */
function stays(count: number): Step {
  return async (scene) => {
    await scene.received(count);
    // What must not come has had the time of several rounds of the sender.
    await later(400);
    assert.equal((await scene.receiver()).received.length, count);
  };
}

/** Exactly events of these types come. */
function types(...wanted: readonly string[]): Step {
  return async (scene) => {
    await stays(wanted.length)(scene);
    const received = await scene.received(wanted.length);
    assert.deepEqual(
      received.map(({ body }) => (JSON.parse(body) as JsonObject)["type"]),
      wanted,
    );
  };
}

/** What the event `thing.closed` carries. */
function payload(holds: (data: JsonObject) => void): Step {
  return async (scene) => {
    const event = (await scene.received(2))
      .map(({ body }) => JSON.parse(body) as JsonObject)
      .find(({ type }) => type === "thing.closed");
    assert(event !== undefined);
    holds(event["data"] as JsonObject);
  };
}

/** The record comes into this state by itself. */
function eventually(request: string, state: string): Step {
  return async (scene) => {
    for (let count = 0; count < 20; count++) {
      await ask(request, "200")(scene);
      if ((scene.replies.at(-1)?.json as JsonObject | undefined)?.["state"] === state) return;
      await later(100);
    }
    assert.fail(`never ${state}`);
  };
}

/** Changes deliveries when they are made. */
function deliveries(change: (row: Row) => Row): Change {
  return inTransactions((tx) => ({
    insert: (resource, values, ...rest) =>
      tx.insert(resource, resource === "WebhookDelivery" ? change(values) : values, ...rest),
  }));
}

function retries(change: (waits: readonly number[]) => readonly number[]): Change {
  return planned(({ events }) => ({
    events: {
      ...events,
      ...(events.webhook && {
        webhook: { ...events.webhook, retryMilliseconds: change(events.webhook.retryMilliseconds) },
      }),
    },
  }));
}

/** A close with a wrong pin is recorded as a close. */
function inSpiteOfRejection(): Change {
  let store: Store | undefined;
  return {
    around: (one) => (store = one),
    between: (service) => ({
      ...service,
      async response(request) {
        const response = await service.response(request);
        const [, record] = /^\/things\/(\w+)\/close$/.exec(request.target) ?? [];
        if (response.status !== 403 || record === undefined) return response;
        await store?.transaction(async (tx) => {
          const data = await tx.get("Thing", "id", record);
          await tx.record({
            at: Date.now(),
            resource: "Thing",
            record,
            by: "ann",
            cause: "closeThing",
            event: "thing.closed",
            ...(data && { data }),
          });
        });
        return response;
      },
    }),
  };
}

/** The request with a good signature. */
async function resigned(request: HttpRequest): Promise<HttpRequest> {
  const body = await request.body(10_000, 10_000);
  const bytes = body.kind === "bytes" ? Buffer.from(body.bytes) : Buffer.alloc(0);
  const signature = signatureField(environment.BELL_SECRET, Math.floor(Date.now() / 1000), {
    method: "POST",
    target: request.target,
    body: bytes,
  });
  return withFields(request, { "bell-signature": signature }, { body: () => Promise.resolve(body) });
}

function unsigned({ scheme: _, ...webhook }: WebhookPlan): WebhookPlan {
  return webhook;
}
