/**
 * A transaction that reads a record and later changes it takes the exclusive lock at once: two transactions with shared locks
 * would wait for each other, until PostgreSQL detects the deadlock after a second.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildPlan, check, createService, soundModel } from "../../src/index.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { until } from "../until.ts";
import { postgresForFile } from "./for-file.ts";

const payments = `# Payments

## What the service does
\`\`\`yaml
nonet: 1
service: payments
domain: money
purpose: Invoices that are paid in parts, each part at a till.
users: { clerk: takes payments }
outside: []
operations:
  addInvoice: Write one
  getInvoice: Read one
  addTill: Put one up
  payAtTill: Pay a part of an invoice, at any till that is free
  pay: Pay a part of an invoice
  payBelow: Pay a part of the invoice that the path names
  takeBack: Have a part of an open invoice back
\`\`\`

## Resources and their fields
\`\`\`yaml
Invoice:
  id: id(inv)
  parts: integer = 0, read-only
Till:
  id: id(till)
Payment:
  id: id(pay)
  invoice: Invoice, create-only
  till?: Till, read-only
\`\`\`

## States and transitions
\`\`\`yaml
Invoice:
  states: { open: to be paid }
  start: open
  moves:
    open -> open:
      - { when: payment.made, set: { parts: parts + 1 } }
      - { when: payment.returned, set: { parts: parts - 1 } }
Till:
  states: { free: nobody pays, busy: somebody has paid }
  start: free
  moves:
    free -> busy: when payment.made
Payment:
  states: { made: paid, returned: had back }
  start: made
  final: [returned]
  moves:
    made -> returned: { by: takeBack, if: invoice.state == 'open', else: too-late }
\`\`\`

## Endpoints
\`\`\`yaml
base: "{base_url}"
lists: cursor, 50 per page, at most 200
edits: none
repeats: Idempotency-Key on every POST, kept 24h
endpoints:
  addInvoice: POST /invoices
  getInvoice: GET /invoices/{id}
  addTill: POST /tills
  payAtTill:
    at: POST /payments/at-till
    does: create
    of: Payment
    choose:
      till: { from: Till, if: state == 'free', else: no-till }
  pay: POST /payments
  payBelow: POST /invoices/{invoice}/payments
  takeBack: POST /payments/{id}/take-back
\`\`\`

## Authentication
\`\`\`yaml
credentials:
  key: { kind: api-key, sent: Authorization Bearer, prefix: pa_, lasts: 365d, revoked: at once }
roles: [clerk]
allow:
  addInvoice, getInvoice, addTill, payAtTill, pay, payBelow, takeBack: clerk
unseen: 404
\`\`\`

## Events
\`\`\`yaml
envelope: plain
out:
  payment.made: Payment -> made
  payment.returned: Payment -> returned
\`\`\`

## Errors
\`\`\`yaml
body: problem+json
standard: all
errors:
  no-till: 409 There is no free till
  too-late: 409 The invoice is closed
\`\`\`

## Limits
none

## Versioning
none
`;

const { admin, server } = await postgresForFile();

interface Paying {
  /** @throws where the answer is not 2xx. */
  readonly post: (path: string, body?: object) => Promise<string>;
  /** How many parts of it are paid. */
  readonly parts: (invoice: string) => Promise<number>;
}

/** Gives how many deadlocks the server has found meanwhile. */
async function deadlocksOf(name: string, body: (paying: Paying) => Promise<void>): Promise<number> {
  const result = check("document.md", payments);
  const model = soundModel(result);
  assert.ok(model, JSON.stringify(result.diagnostics));
  const { tables } = buildPlan(model, result.places, result.expressions);
  await admin.query(`CREATE DATABASE ${name}`);
  const address = server.address.replace(/postgres$/, name);
  const store = await openPostgresStore({ address: `${address}?connections=24`, tables, clock: () => Date.now() });
  const service = await createService({ document: payments, store, environment: {} });
  const key = await service.createKey({ user: "carl", roles: ["clerk"] });
  const ask = async (method: string, path: string, sent?: object): Promise<{ id: string; parts: number }> => {
    const headers = { Authorization: `Bearer ${key}`, ...(sent && { "Content-Type": "application/json" }) };
    const answer = await service.fetch(
      new Request(`http://test${path}`, { method, headers, ...(sent && { body: JSON.stringify(sent) }) }),
    );
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as { id: string; parts: number };
  };
  try {
    await body({
      post: async (path, sent) => (await ask("POST", path, sent)).id,
      parts: async (invoice) => (await ask("GET", `/invoices/${invoice}`)).parts,
    });
  } finally {
    await service.close();
    await store.close();
  }
  // Each of the server's processes tells of its own as it ends.
  const present = async (): Promise<number> =>
    (await admin.query("SELECT 1 FROM pg_stat_activity WHERE datname = $1", [name])).rowCount ?? 0;
  await until(async () => (await present()) === 0, "the connections stay");
  const found = await admin.query<{ deadlocks: string }>("SELECT deadlocks FROM pg_stat_database WHERE datname = $1", [
    name,
  ]);
  return Number(found.rows[0]?.deadlocks);
}

const many = 48;

const times = <T>(make: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: many }, make));

const ways: Readonly<Record<string, (invoice: string) => { path: string; body: object }>> = {
  "what it refers to, and with a choice that holds a record in between": (invoice) => ({
    path: "/payments/at-till",
    body: { invoice },
  }),
  "what it refers to": (invoice) => ({ path: "/payments", body: { invoice } }),
  "what its path names": (invoice) => ({ path: `/invoices/${invoice}/payments`, body: {} }),
};

for (const [index, [what, way]] of Object.entries(ways).entries())
  test(`many that create a record at once, and move ${what}`, async () => {
    const deadlocks = await deadlocksOf(`creates_${index}`, async ({ parts, post }) => {
      const invoice = await post("/invoices", {});
      await times(() => post("/tills", {}));
      const { body, path } = way(invoice);
      await times(() => post(path, body));
      assert.equal(await parts(invoice), many);
    });
    assert.equal(deadlocks, 0);
  });

test("many moves at once that ask a record whether they may, and move it", async () => {
  const deadlocks = await deadlocksOf("moves", async ({ parts, post }) => {
    const invoice = await post("/invoices", {});
    const made = await times(() => post("/payments", { invoice }));
    await Promise.all(made.map((payment) => post(`/payments/${payment}/take-back`)));
    assert.equal(await parts(invoice), 0);
  });
  assert.equal(deadlocks, 0);
});
