/** Error texts for a caller of an older version contain no name that this version does not have (R7.2, R9.3). */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createClient, type Client, type Reply } from "../client.ts";
import { run, type Running } from "../running.ts";

const text = `purpose: { nonet: 1, service: orders, operations: [addOrder, changeOrder, addTenant, dropTenant, addMark] }
resources:
  Tenant: { id: id(ten), label: "string(1..20), unique" }
  Order:
    id: id(ord)
    tenant: Tenant
    reference: string(1..20)
    number: string(1..20)
    priority: low | high = low
    region: string(1..20) = "eu"
  Mark: { id: id(mrk), owner: Tenant, name: string(1..20), region: string(1..20) = "eu" }
  rules:
    Order: unique tenant + reference
    Mark: unique name + region
states: none
endpoints:
  endpoints:
    addOrder: POST /orders
    changeOrder: "PATCH /orders/{id}"
    addTenant: POST /tenants
    dropTenant: "DELETE /tenants/{id}"
    addMark: POST /marks
authentication: { credentials: { key: api-key }, allow: { "addOrder, changeOrder, addTenant, dropTenant, addMark": anyone } }
events: none
errors: { body: problem+json, standard: all, errors: none }
limits: none
versioning:
  scheme: numbered
  sent: header Orders-Version
  absent: newest
  versions:
    2:
      - rename Order.externalRef -> reference
      - rename Order.field -> number
      - rename Order.client -> tenant
      - rename Client -> Tenant
      - rename Tenant.code -> label
      - rename Mark.holder -> owner
      - add Mark.region
      - "retype Order.priority, was string(1..9), seen as priority before, taken as value before"
    1: first
`;

describe("errors in the words of an older version", () => {
  const subject = {} as { running: Running; client: Client };
  before(async () => {
    subject.running = await run(text);
    subject.client = createClient(subject.running.port, () => {});
  });
  after(async () => {
    subject.client[Symbol.dispose]();
    await subject.running[Symbol.asyncDispose]();
    assert.deepEqual(subject.running.failures, []);
  });
  const send = (call: string, body?: unknown): Promise<Reply> => {
    const [method = "", path = ""] = call.split(" ");
    return subject.client.send({
      method,
      path,
      headers: { "Orders-Version": "1" },
      ...(body === undefined ? {} : { body }),
    });
  };
  const made = async (call: string, body: unknown): Promise<string> => {
    const reply = await send(call, body);
    assert.equal(reply.status, 201, reply.text);
    return (reply.json as { id: string }).id;
  };

  interface Row {
    readonly what: string;
    readonly call: string;
    readonly body?: (tenant: string) => unknown;
    readonly status: number;
    readonly told: Readonly<Record<string, unknown>>;
  }
  const order = (tenant: string, reference: string) => ({
    client: tenant,
    externalRef: reference,
    field: "1",
    priority: "low",
  });
  const rows: readonly Row[] = [
    {
      what: "uniqueness of several members",
      call: "POST /orders",
      body: (tenant) => order(tenant, "one"),
      status: 409,
      told: {
        detail: "Another record already has this client and externalRef",
        errors: [
          {
            pointer: "#/client",
            code: "already-exists",
            detail: "Another record already has this client and externalRef",
          },
          {
            pointer: "#/externalRef",
            code: "already-exists",
            detail: "Another record already has this client and externalRef",
          },
        ],
      },
    },
    {
      what: "uniqueness with a member that came later",
      call: "POST /marks",
      body: (tenant) => ({ holder: tenant, name: "a" }),
      status: 409,
      told: {
        detail: "Another record already has this name",
        errors: [{ pointer: "#/name", code: "already-exists", detail: "Another record already has this name" }],
      },
    },
    {
      what: "a member whose name is a word of the sentence",
      call: "POST /orders",
      body: (tenant) => ({ ...order(tenant, "two"), field: 7 }),
      status: 422,
      told: {
        detail: "field must be a text",
        errors: [{ pointer: "#/field", code: "wrong-type", detail: "field must be a text" }],
      },
    },
    {
      what: "values that came later",
      call: "POST /orders",
      body: (tenant) => ({ ...order(tenant, "three"), priority: "odd" }),
      status: 422,
      told: {
        errors: [{ pointer: "#/priority", code: "not-one-of", detail: "priority is not an allowed value" }],
      },
    },
    {
      what: "what refers to a record",
      call: "DELETE /tenants/{tenant}",
      status: 409,
      told: { detail: "An Order refers to it by client", resource: "Order", field: "client" },
    },
    {
      what: "a reference that leads nowhere",
      call: "POST /orders",
      body: () => order("ten_00000000000000000000000000", "four"),
      status: 422,
      told: { detail: "client refers to a record that does not exist" },
    },
  ];
  for (const { what, call, body, status, told } of rows)
    test(`R9.3 ${what}`, async () => {
      const tenant = await made("POST /tenants", { code: `t${what.length}` });
      assert.equal((await send("POST /orders", order(tenant, "one"))).status, 201);
      if (what.startsWith("uniqueness with")) await made("POST /marks", { holder: tenant, name: "a" });
      const reply = await send(call.replace("{tenant}", tenant), body?.(tenant));
      assert.equal(reply.status, status, reply.text);
      const said = reply.text.replaceAll("reference-not-found", "");
      for (const later of ["reference", "tenant", "Tenant", "region", "number", "owner", "high"])
        assert(!new RegExp(`\\b${later}\\b`).test(said), `${later}: ${reply.text}`);
      const problem = reply.json as Readonly<Record<string, unknown>>;
      for (const [member, value] of Object.entries(told)) {
        if (member !== "errors") assert.deepEqual(problem[member], value, reply.text);
        else assert.partialDeepStrictEqual(problem[member], value as object);
      }
    });
});
