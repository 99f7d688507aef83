/**
 * examples/service-broker.md passes osb-checker's requirements for a broker of the Open Service Broker API 2.13: the same
 * requests in the same order, with the same catalogue, as a table here, so that the test needs no tool and no waiting.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import type { Json } from "../../src/base/json.ts";
import { run } from "../serve/running.ts";

const text = readFileSync(new URL("../../examples/service-broker.md", import.meta.url), "utf8");

const service = "acb56d7c-XXXX-XXXX-XXXX-feb140a59a66";
const [small, large] = ["d3031751-XXXX-XXXX-XXXX-a42377d3320e", "0f4008b5-XXXX-XXXX-XXXX-dace631cd648"];
const instance = "/v2/service_instances/i-1";
const binding = `${instance}/service_bindings/b-1`;
const async = "?accepts_incomplete=true";
const ids = `service_id=${service}&plan_id=${large}`;

const provision = {
  organization_guid: "org",
  space_guid: "space",
  service_id: service,
  plan_id: small,
  parameters: { "billing-account": "fake-account" },
};
const update = { service_id: service, plan_id: large, parameters: { parameter1: 1, parameter2: "foo" } };
const bind = { service_id: service, plan_id: large, parameters: { "parameter1-name-here": 1 } };

function without(body: Readonly<Record<string, Json>>, member: string): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== member));
}

/** What is asked, the status, and what the whole body has to be where it is told. */
type Row = readonly [line: string, body: Json | undefined, status: number, gives?: (body: Json) => void];

const is = (expected: Json) => (body: Json) => assert.deepEqual(body, expected);
const error = (code: string) => (body: Json) => assert.equal((body as { error?: string }).error, code);

/** Past the second that each deed takes. */
const later = "later";

const rows: readonly (Row | typeof later)[] = [
  [`PUT ${instance}${async}`, without(provision, "service_id"), 400],
  [`PUT ${instance}${async}`, without(provision, "plan_id"), 400],
  [`PUT ${instance}${async}`, without(provision, "organization_guid"), 400],
  [`PUT ${instance}${async}`, without(provision, "space_guid"), 400],
  [`PUT ${instance}${async}`, { ...provision, service_id: "xxxxx-xxxxx" }, 400],
  [`PUT ${instance}${async}`, { ...provision, plan_id: "xxxxx-xxxxx" }, 400],
  [`PUT ${instance}${async}`, { ...provision, parameters: { "can-not": "be-good" } }, 400],
  [`PUT ${instance}`, without(provision, "parameters"), 422, error("AsyncRequired")],
  [`PUT ${instance}?accepts_incomplete=false`, without(provision, "parameters"), 422, error("AsyncRequired")],
  [`PUT ${instance}${async}`, provision, 202, (body) => assert.ok((body as { operation?: string }).operation)],
  [`GET ${instance}/last_operation?operation=provisioning`, undefined, 200, is({ state: "in progress" })],
  [`PUT ${instance}${async}`, provision, 202],
  [`PATCH ${instance}${async}`, update, 422, error("ConcurrencyError")],
  later,
  [`GET ${instance}/last_operation`, undefined, 200, is({ state: "succeeded" })],
  [
    `PUT ${instance}${async}`,
    provision,
    200,
    (body) => assert.equal(Object.hasOwn(body as object, "operation"), false),
  ],
  [`PUT ${instance}${async}`, { ...provision, plan_id: large }, 409],
  [`PATCH ${instance}`, { service_id: service }, 422, error("AsyncRequired")],
  [`PATCH ${instance}?accepts_incomplete=false`, { service_id: service }, 422, error("AsyncRequired")],
  [`PATCH ${instance}${async}`, without(update, "service_id"), 400],
  [`PATCH ${instance}${async}`, update, 202],
  [`GET ${instance}/last_operation`, undefined, 200, is({ state: "in progress" })],
  later,
  [`GET ${instance}/last_operation`, undefined, 200, is({ state: "succeeded" })],
  [`PUT ${binding}`, without(bind, "service_id"), 400],
  [`PUT ${binding}`, without(bind, "plan_id"), 400],
  [`PUT ${binding}`, bind, 201],
  [`PUT ${binding}`, bind, 200],
  [`PUT ${binding}`, { ...bind, plan_id: small }, 409],
  [`DELETE ${binding}?plan_id=${large}`, undefined, 400],
  [`DELETE ${binding}?service_id=${service}`, undefined, 400],
  [`DELETE ${binding}?${ids}`, undefined, 200, is({})],
  [`DELETE ${binding}?${ids}`, undefined, 410],
  [`DELETE ${instance}?${ids}`, undefined, 422, error("AsyncRequired")],
  [`DELETE ${instance}?${ids}&accepts_incomplete=false`, undefined, 422, error("AsyncRequired")],
  [`DELETE ${instance}${async}&plan_id=${large}`, undefined, 400],
  [`DELETE ${instance}${async}&service_id=${service}`, undefined, 400],
  [`DELETE ${instance}${async}&${ids}`, undefined, 202, is({ operation: "deprovisioning" })],
  [`DELETE ${instance}${async}&${ids}`, undefined, 422, error("ConcurrencyError")],
  later,
  [`GET ${instance}/last_operation`, undefined, 200, is({ state: "succeeded" })],
  [`DELETE ${instance}${async}&${ids}`, undefined, 410],
  ["DELETE /v2/service_instances/never" + `${async}&${ids}`, undefined, 410],
];

const guarded = [
  "GET /v2/catalog",
  `PUT ${instance}`,
  `GET ${instance}/last_operation`,
  `PATCH ${instance}`,
  `DELETE ${instance}`,
  `PUT ${binding}`,
  `DELETE ${binding}`,
];

const catalogue = {
  name: "fake-service",
  description: "fake service",
  tags: ["no-sql", "relational"],
  requires: ["route_forwarding"],
  bindable: true,
  metadata: { displayName: "The Fake Broker", provider: { name: "The name" } },
  plan_updateable: true,
};
const plan = (name: string) => ({
  name,
  description: "Shared fake Server",
  free: false,
  metadata: { costs: [{ amount: { usd: 99.5 }, unit: "MONTHLY" }] },
  schemas: { service_instance: { create: { parameters: { type: "object", required: ["billing-account"] } } } },
});

for (const store of ["sqlite", "memory"] as const) {
  void test(`osb-checker's requests are answered as it expects (${store})`, async () => {
    await using broker = await run(text, { store });
    const basic = (user: string, secret: string) => `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;
    const version = { "X-Broker-API-Version": "2.13" };
    const platform = { ...version, Authorization: basic("cloud", await broker.key("cloud", "platform")) };
    const operator = { ...version, Authorization: basic("kim", await broker.key("kim", "operator")) };

    const ask = async (headers: Readonly<Record<string, string>>, [line, body, status, gives]: Row): Promise<Json> => {
      const [method = "", path = ""] = line.split(" ");
      const reply = await fetch(broker.url + path, {
        method,
        headers: { ...headers, "Content-Type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const told = await reply.text();
      assert.equal(reply.status, status, `${line} ${JSON.stringify(body)}: ${told}`);
      const json = JSON.parse(told) as Json;
      if (status >= 400) assert.equal(typeof (json as { description?: string }).description, "string", line);
      gives?.(json);
      return json;
    };

    await ask(operator, [`PUT /services/${service}`, catalogue, 201]);
    await ask(operator, [`PUT /plans/${small}`, { ...plan("fake-plan-1"), service }, 201]);
    await ask(operator, [`PUT /plans/${large}`, { ...plan("fake-plan-2"), service }, 201]);
    const plans = [
      { id: small, ...plan("fake-plan-1") },
      { id: large, ...plan("fake-plan-2") },
    ];
    await ask(platform, ["GET /v2/catalog", undefined, 200, is({ services: [{ id: service, ...catalogue, plans }] })]);

    for (const line of guarded) {
      const body = line.startsWith("P") ? {} : undefined;
      await ask({ Authorization: platform.Authorization }, [line, body, 412]);
      await ask(version, [line, body, 401]);
      await ask({ ...version, Authorization: basic("spock", "spockpass") }, [line, body, 401]);
    }
    for (const row of rows) {
      if (row === later) {
        broker.pass(1100);
        await broker.tick();
      } else await ask(platform, row);
    }
    assert.deepEqual(broker.failures, []);
  });
}
