/** Responses of functions have no write-only members (R5.9): those that an operation declares, and those of an imported API. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { importDocument } from "../../src/import/import.ts";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import { createClient } from "./client.ts";
import { run } from "./running.ts";

const account = {
  type: "object",
  properties: {
    iban: { type: "string" },
    pin: { type: "string", writeOnly: true },
    keys: { type: "array", items: { type: "object", properties: { key: { type: "string", writeOnly: true } } } },
  },
};

const own = `purpose: { nonet: 1, service: cards, operations: [addCard, tellCard] }
resources:
  Card: { id: id(crd), account: { schema: ${JSON.stringify(account)} } }
  schemas: { Door: { type: object, properties: { code: { type: string, writeOnly: true } } } }
states: none
endpoints:
  endpoints:
    addCard: POST /cards
    tellCard:
      at: GET /told
      does: handler
      gives: { account: { schema: ${JSON.stringify(account)} }, door: { schema: { $ref: "#/schemas/Door" } } }
authentication: { credentials: { key: api-key }, allow: { "addCard, tellCard": anyone } }
events: none
errors: { body: problem+json, standard: all, errors: none }
limits: none
versioning: none
`;

const openapi = {
  openapi: "3.1.0",
  info: { title: "Cards", version: "1" },
  paths: {
    "/told": {
      get: {
        operationId: "tellCard",
        responses: {
          200: {
            description: "It",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Told" } } },
          },
          409: {
            description: "No",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Told" } } },
          },
        },
      },
    },
  },
  security: [{ token: [] }, {}],
  components: {
    securitySchemes: { token: { type: "http", scheme: "bearer" } },
    schemas: { Told: { type: "object", required: ["account"], properties: { account } } },
  },
};

const hush = "hush";
const told = { account: { iban: "NO1", pin: hush, keys: [{ key: hush }] } };

const rows: readonly (readonly [string, () => string, ServiceFunctions, number, object])[] = [
  [
    "an answer of the operation's own",
    () => own,
    { tellCard: () => ({ ...told, door: { code: hush } }) },
    200,
    { account: { iban: "NO1", keys: [{}] }, door: {} },
  ],
  [
    "an answer of an imported API",
    wired,
    { tellCard: () => ({ status: 200, body: told }) },
    200,
    { account: { iban: "NO1", keys: [{}] } },
  ],
  [
    "an error of an imported API",
    wired,
    { tellCard: () => ({ status: 409, body: told }) },
    409,
    { account: { iban: "NO1", keys: [{}] } },
  ],
];

function wired(): string {
  const result = importDocument("cards.json", JSON.stringify(openapi));
  assert(result.kind === "imported");
  return result.document;
}

for (const [what, text, functions, status, given] of rows)
  test(`R5.9 ${what}`, async () => {
    await using running = await run(text(), { functions });
    using client = createClient(running.port, () => {});
    const reply = await client.send({ method: "GET", path: "/told" });
    assert.equal(reply.status, status, `${reply.text} ${String(running.failures.at(-1))}`);
    assert.deepEqual(reply.json, given);
  });
