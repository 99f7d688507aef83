/** Members that a `schema:` marks as `writeOnly` are accepted and stored, and no response contains them (R5.9). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient } from "./client.ts";
import { follow } from "./follower.ts";
import { createReceiver } from "./receiver.ts";
import { run } from "./running.ts";
import { stores } from "./scenario.ts";

const text = `purpose: { nonet: 1, service: cards, operations: [addCard, getCard, listCards, changeCard, replaceCard, outCard, chargeCard, pastCard, dropCard] }
resources:
  Card:
    id: id(crd)
    label: string(1..40)
    account:
      schema:
        type: object
        required: [iban, pin]
        properties:
          iban: { type: string }
          pin: { type: string, writeOnly: true }
          keys: { type: array, items: { type: object, properties: { name: { type: string }, key: { type: string, writeOnly: true } } } }
          more: { type: object, additionalProperties: { $ref: "#/schemas/Door" } }
    peer?: Card, clear
  schemas:
    Door: { type: object, properties: { code: { type: string, writeOnly: true }, next: { $ref: "#/schemas/Door" } } }
  views:
    Out:
      of: Card
      fields: [id, account]
      "peer?": Brief
      "cards": Brief[] := Card.filter(c, c.id != id)
    Brief: { of: Card, fields: [account] }
states:
  Card: { states: [new, charged], start: new, final: none, moves: { new -> charged: by chargeCard } }
endpoints:
  endpoints:
    addCard: POST /cards
    getCard: "GET /cards/{id}"
    listCards: GET /cards
    changeCard: "PATCH /cards/{id}"
    replaceCard: "PUT /cards/{id}"
    outCard: { at: "GET /cards/{id}/out", gives: Out, does: read }
    chargeCard: "POST /cards/{id}/charge"
    pastCard: "GET /cards/{id}/history"
    dropCard: { at: "DELETE /cards/{id}", gives: Out }
authentication:
  credentials: { key: api-key }
  roles: [boss]
  allow: { "addCard, getCard, listCards, changeCard, replaceCard, outCard, chargeCard, pastCard, dropCard": boss }
events:
  out: { card.changed: changeCard, card.charged: { when: Card -> charged, carries: [id, account] } }
  delivery:
    stream: { at: GET /events, for: boss }
    webhook: { subscribe: POST /webhooks, for: boss, signed: standard-webhooks }
errors: { body: problem+json, standard: all, errors: none }
limits: none
versioning:
  scheme: numbered
  sent: header Cards-Version
  absent: newest
  versions: { 2: [rename Card.bank -> account], 1: first }
`;

for (const store of stores)
  describe(`write-only members (${store})`, () => {
    test("R5.9 they are kept, and given nowhere", async () => {
      await using running = await run(text, { store });
      await using receiver = await createReceiver();
      using client = createClient(running.port, () => {});
      const headers = { Authorization: `Bearer ${await running.key("bo", "boss")}` };
      using follower = await follow(running.port, { ...headers, Accept: "text/event-stream" });
      const answers: string[] = [];
      const send = async (call: string, body?: unknown, more = {}): Promise<{ id: string }> => {
        const [method = "", path = ""] = call.split(" ");
        const sent = { method, path, headers: { ...headers, ...more }, ...(body === undefined ? {} : { body }) };
        const reply = await client.send(sent);
        assert(reply.status < 300, `${call}: ${reply.text} ${String(running.failures.at(-1))}`);
        answers.push(reply.text);
        return reply.json as { id: string };
      };
      const hush = "hush0";
      const account = {
        iban: "NO1",
        pin: hush,
        keys: [{ name: "a", key: hush }],
        more: { front: { code: hush, next: { code: hush, next: {} } } },
      };
      await send("POST /webhooks", { url: receiver.url });
      const first = await send("POST /cards", { label: "a", account });
      const { id } = await send("POST /cards", { label: "b", account, peer: first.id });
      await send(`PATCH /cards/${id}`, { label: "c", account: { iban: "NO2" } });
      await send(`PUT /cards/${id}`, { label: "d", account, peer: first.id });
      for (const version of [{}, { "Cards-Version": "1" }]) {
        for (const path of [`/cards/${id}`, "/cards", `/cards/${id}/out`, `/cards/${id}/history`])
          await send(`GET ${path}`, undefined, version);
        await send(`PATCH /cards/${id}`, { label: `e${Object.keys(version).length}` }, version);
      }
      await send(`POST /cards/${id}/charge`);
      await send("GET /events", undefined, { Accept: "application/json" });
      await running.tick();
      const events = await receiver.until(4);
      await follower.until((one) => one.events.length >= 4);
      const kept = await running.store.transaction(async (tx) => tx.get("Card", "id", id));
      assert(JSON.stringify(kept).includes(hush), "it is kept");
      await send(`DELETE /cards/${id}`);
      const all = [...answers, ...events.map(({ body }) => body), follower.text];
      assert(
        all.some((one) => one.includes("NO1") && one.includes('"name":"a"')),
        "all else is given",
      );
      for (const one of all) {
        assert(!one.includes(hush), one);
        for (const member of ["pin", "key", "code"]) assert(!one.includes(`"${member}":`), `${member}: ${one}`);
      }
      assert.deepEqual(running.failures, []);
    });
  });
