/** Real responses of a served document match its exported description: every kind of response of every kind of operation. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:http";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { servicePages } from "../../src/export/page/pages.ts";
import { run, type Running } from "../serve/running.ts";
import { type Checked, checkedFlagship, checkedLibrary } from "./documents.ts";
import { recordInto, type Recording } from "./recorded.ts";

interface Caller {
  /** `POST /sites 201`: fails where the status is another one, or where the answer is not as the document says. */
  (line: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
}

interface Reply {
  readonly headers: Headers;
  readonly body: Readonly<Record<string, string>>;
}

function callerOf({ url }: Running, recording: Recording, credential: Readonly<Record<string, string>> = {}): Caller {
  return async (line, body, headers = {}) => {
    const [method = "", path = "", status] = line.split(" ");
    const type: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
    const response = await fetch(url + path, {
      method,
      headers: { ...credential, ...type, ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, Number(status), `${line}: ${text}`);
    recording.check({ method, path }, { status: response.status, headers: response.headers, body: text });
    return { headers: response.headers, body: text.startsWith("{") ? (JSON.parse(text) as Reply["body"]) : {} };
  };
}

/** Names and values as they came: fetch joins fields of one name. */
async function fetchRaw(url: string, headers: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const [response] = (await once(get(url, { headers }), "response")) as [IncomingMessage];
  response.resume();
  return response.rawHeaders;
}

async function serve({ result, plan }: Checked): Promise<{ service: Running; recording: Recording }> {
  let url = "";
  const pages = servicePages({ result, plan, baseUrl: () => url });
  const service = await run(result.text, { pages, environment: { DOOR_SECRET: "a test" } });
  url = service.url;
  return { service, recording: recordInto(openapi(plan, url)) };
}

test("the flagship answers as it is exported", async () => {
  const { service, recording } = await serve(checkedFlagship);
  await using running = service;
  const bearer = async (user: string, role: string) => ({ Authorization: `Bearer ${await running.key(user, role)}` });
  const operator = callerOf(running, recording, await bearer("otto", "operator"));
  const courier = callerOf(running, recording, await bearer("kim", "courier"));
  const stranger = callerOf(running, recording, await bearer("sam", "courier"));
  const anyone = callerOf(running, recording);

  const site = await operator("POST /sites 201", {
    name: "Oslo S",
    address: { street: "Jernbanetorget 1", postcode: "0154", country: "NO" },
  });
  const locker = { site: site.body["id"], door: 1, size: "small" };
  await operator("POST /lockers 201", locker);
  await operator("POST /lockers 409", locker);
  const parcel = {
    site: site.body["id"],
    size: "small",
    trackingNumber: "TRACK-1",
    recipientEmail: "a@example.org",
    weightKg: 1.5,
    customs: { hs: "851712" },
  };
  const {
    body: { id },
    headers,
  } = await courier("POST /parcels 201", parcel, { "Idempotency-Key": "one" });
  await courier("POST /parcels 201", parcel, { "Idempotency-Key": "one" });
  await courier("POST /parcels 422", { ...parcel, weightKg: 2 }, { "Idempotency-Key": "one" });
  await courier("POST /parcels 400", parcel, { "Idempotency-Key": "" });
  await courier("POST /parcels 409", { ...parcel, trackingNumber: "TRACK-2" });
  await courier("POST /parcels 422", { ...parcel, weightKg: 25, labels: ["heavy"], nothing: 1 });
  await operator("POST /lockers 201", { ...locker, door: 2 });
  await courier("POST /parcels 422", { ...parcel, weightKg: 25, trackingNumber: "TRACK-3", labels: ["heavy"] });
  await courier("POST /parcels 400", "{");
  await courier("POST /parcels 415", "<a/>", { "Content-Type": "application/xml" });
  await courier("POST /parcels 413", `"${"x".repeat(checkedFlagship.plan.limits.requestBytes)}"`);
  await operator("POST /parcels 403", parcel);
  await anyone("POST /parcels 401", parcel);
  await anyone("GET /parcels 401", undefined, { Authorization: "Bearer pl_wrong" });
  await anyone("GET /parcels 400", undefined, { Authorization: "Bearer" });

  await courier(`GET ${headers.get("location")} 200`);
  await operator(`GET /parcels/${id} 200`);
  await stranger(`GET /parcels/${id} 404`);
  const tag = (await courier(`GET /parcels/${id} 200`)).headers.get("etag") ?? "";
  await courier(`GET /parcels/${id} 304`, undefined, { "If-None-Match": tag });
  await courier(`HEAD /parcels/${id} 200`);
  await courier(`GET /parcels/${id} 406`, undefined, { Accept: "text/csv" });
  await courier(`GET /parcels/${id}?x=1 400`);
  await courier("GET /parcels?limit=1&sort=-createdAt&state=announced 200");
  await courier("GET /parcels?limit=0 400");
  await courier("GET /parcels?createdAt[gte]=soon 400");

  await courier(`PATCH /parcels/${id} 428`, { recipientEmail: "b@example.org" });
  await courier(`PATCH /parcels/${id} 412`, { recipientEmail: "b@example.org" }, { "If-Match": '"other"' });
  await courier(`PATCH /parcels/${id} 422`, { recipientEmail: "nobody" }, { "If-Match": tag });
  await courier(`PATCH /parcels/${id} 200`, { recipientEmail: "b@example.org" }, { "If-Match": tag });
  await operator(`PATCH /parcels/${id} 403`, { recipientEmail: "b@example.org" }, { "If-Match": "*" });
  await courier(`PATCH /parcels/${id} 415`, "[]", { "Content-Type": "application/json-patch+json" });

  await anyone(`POST /parcels/${id}/collect 409`, { code: "123456" });
  await courier(`POST /parcels/${id}/drop-off 200`, undefined, { "Idempotency-Key": "two" });
  await anyone(`POST /parcels/${id}/collect 403`, { code: "------" });
  await anyone(`POST /parcels/${id}/collect 422`, { code: "1" });
  for (const status of [200, 200, 409]) await courier(`POST /parcels/${id}/extend ${status}`);
  const { body } = await operator(`GET /parcels/${id} 200`);
  await anyone(`POST /parcels/${id}/collect 200`, { code: body["pickupCode"] });
  await courier(`POST /parcels/par_1/cancel 404`);

  await anyone("GET /nothing 404");
  assert.equal((await anyone("GET /errors/nothing 404")).body["code"], "not-found");
  assert.match((await anyone("GET /errors/nothing 404")).headers.get("content-type") ?? "", /problem\+json/);
  await anyone("PUT /sites 405");
  await anyone("OPTIONS /sites 204");
  for (const page of [
    "/",
    "/openapi.json",
    "/asyncapi.json",
    "/livez",
    "/readyz",
    "/errors/wrong-code",
    "/.well-known/api-catalog",
  ])
    await anyone(`GET ${page} 200`);

  assert.deepEqual(recording.violations, []);
  assert.deepEqual(running.failures, []);
  assert.ok(recording.seen.size > 40, `${recording.seen.size} kinds of answers`);
});

test("a document that is unlike it answers as it is exported", async () => {
  const { service, recording } = await serve(checkedLibrary);
  await using running = service;
  const clerk = callerOf(running, recording, { "X-Clerk": await running.key("lena", "librarian") });
  const visitor = callerOf(running, recording, { "X-Clerk": await running.key("vic") });
  const anyone = callerOf(running, recording);

  await clerk("PUT /v1/rooms/north 201", { name: "North Wing" });
  const { headers } = await clerk("PUT /v1/rooms/north 200", { name: "The North Wing" });
  await clerk("PUT /v1/rooms/north 412", { name: "North" }, { "If-Match": '"other"' });
  await clerk("PUT /v1/rooms/north 422", { name: "" });
  await visitor("PUT /v1/rooms/north 403", { name: "Mine" });
  await anyone("GET /v1/rooms/north 200");
  await anyone("GET /v1/rooms/north 304", undefined, { "If-None-Match": headers.get("etag") ?? "" });
  await anyone("GET /v1/rooms/south 404");

  const shelf = { label: "A", width: 90, note: null, secretPlace: "behind" };
  const {
    body: { id },
  } = await clerk("POST /v1/rooms/north/shelves 201", shelf);
  await clerk("POST /v1/rooms/north/shelves 409", shelf);
  await clerk("POST /v1/rooms/south/shelves 404", shelf);
  await clerk("POST /v1/rooms/north/shelves 422", { ...shelf, width: 0, more: 1 });
  const {
    body: { id: wide },
  } = await clerk("POST /v1/rooms/north/shelves 201", { ...shelf, label: "B", width: 200 });
  await anyone("GET /v1/rooms/north/shelves?limit=1&sort=label&width[gte]=1 200");
  await anyone("GET /v1/rooms/north/shelves?offset=1 200");
  await anyone("GET /v1/rooms/north/shelves?cursor=x 400");
  await anyone(`GET /v1/shelves/${id} 200`);
  await visitor(`GET /v1/shelves/${id} 200`);
  await clerk(`PUT /v1/shelves/${id} 200`, { ...shelf, label: "C", room: "north" });
  await clerk(`POST /v1/shelves/${wide}/lend 409`);
  await clerk(`POST /v1/shelves/${id}/lend 200`);
  await clerk(`POST /v1/shelves/${id}/lend 409`);
  await anyone(`POST /v1/shelves/${id}/lend 401`);
  await clerk(`DELETE /v1/shelves/${id} 204`);
  await clerk(`DELETE /v1/shelves/${id} 404`);
  await anyone("GET /livez 200");
  await anyone("DELETE /v1/rooms/north 405");
  for (const Accept of ["text/html", "application/json"]) {
    const page = await fetchRaw(`${running.url}/`, { Accept });
    const vary = page.flatMap((value, at) => (page[at - 1] === "Vary" ? [value] : []));
    assert.equal(vary.length, 1, vary.join(" and "));
    assert.match(vary[0] ?? "", /^Accept(?:, Accept-Encoding)?$/);
  }

  assert.deepEqual(recording.violations, []);
  assert.deepEqual(running.failures, []);
});
