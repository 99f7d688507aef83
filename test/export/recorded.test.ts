/** The recorder itself: it accepts declared responses, and reports everything undeclared. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { baseUrl, flagship, library } from "./documents.ts";
import { type RecordedRequest, type RecordedResponse, recordInto, type Recording } from "./recorded.ts";

const common = {
  "Request-Id": "req_1",
  "Content-Security-Policy": "default-src 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};
const site = {
  id: `site_${"0".repeat(26)}`,
  name: "Oslo S",
  address: { street: "Jernbanetorget 1", postcode: "0154", country: "NO" },
  timezone: "Europe/Oslo",
};

function given(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): RecordedResponse {
  const type = status < 400 ? "application/json" : "application/problem+json";
  const all = {
    ...common,
    "Cache-Control": status < 400 ? "private, no-cache" : "no-store",
    ...(body === undefined ? {} : { "Content-Type": type }),
    ...(status < 400 ? {} : { "Content-Language": "en" }),
    ...headers,
  };
  return { status, headers: Object.entries(all), body: body === undefined ? "" : JSON.stringify(body) };
}

function problem(code: string, status: number, title: string, more: object = {}): object {
  return {
    type: `${baseUrl}/errors/${code}`,
    title,
    status,
    detail: title,
    instance: "urn:nonet:request:req_1",
    code,
    request_id: "req_1",
    ...more,
  };
}

const limits = { "RateLimit-Policy": '"all-per-user";q=600;w=60', RateLimit: '"all-per-user";r=599;t=60' };
const created = { ETag: '"1"', Location: "/sites/site_1", ...limits };
const whole = { ETag: '"1"', "Accept-Ranges": "none", ...limits };
const conflict = problem("state-conflict", 409, "Not allowed in the current state", { state: "free", moves: [] });

const rows: readonly (readonly [what: string, request: RecordedRequest, response: RecordedResponse, faults: readonly RegExp[]])[] = [
  ["a record", { method: "POST", path: "/sites" }, given(201, site, created), []],
  ["no tag", { method: "POST", path: "/sites" }, given(201, site, { ...limits, Location: "/x" }), [/etag is required/]],
  ["a field too many", { method: "POST", path: "/sites" }, given(201, { ...site, owner: "x" }, created), [/additionalProperty":"owner"/]],
  ["a field too few", { method: "POST", path: "/sites" }, given(201, { ...site, name: undefined }, created), [/missingProperty":"name"/]],
  ["a wrong value", { method: "POST", path: "/sites" }, given(201, { ...site, id: "site_1" }, created), [/\/id must match pattern/]],
  ["another status", { method: "POST", path: "/sites" }, given(200, site, created), [/status is not declared/]],
  ["an undeclared header", { method: "POST", path: "/sites" }, given(201, site, { ...created, "X-Powered-By": "magic" }), [/x-powered-by is not declared/]],
  ["a list", { method: "GET", path: "/sites?limit=1" }, given(200, { items: [site], next: null }, whole), []],
  ["a list with a number", { method: "GET", path: "/sites" }, given(200, { items: [], next: 3 }, whole), [/\/next must be string,null/]],
  ["a head", { method: "HEAD", path: "/sites" }, given(200, undefined, whole), []],
  ["a head with a body", { method: "HEAD", path: "/sites" }, given(200, { items: [], next: null }, whole), [/none is declared/]],
  ["a refusal", { method: "POST", path: `/lockers/lok_${"0".repeat(26)}/repair` }, given(409, conflict), []],
  ["a refusal by another name", { method: "POST", path: "/lockers/lok_1/repair" }, given(409, { ...conflict, code: "no-free-locker" }), [/no-free-locker is not declared for this status/]],
  ["a refusal with a stack", { method: "POST", path: "/lockers/lok_1/repair" }, given(409, { ...conflict, stack: "at …" }), [/"stack"/]],
  ["a refusal as plain JSON", { method: "POST", path: "/lockers/lok_1/repair" }, given(409, conflict, { "Content-Type": "application/json" }), [/media type/]],
  ["no language", { method: "POST", path: "/lockers/lok_1/repair" }, { ...given(409, conflict), headers: Object.entries({ ...common, "Cache-Control": "no-store", "Content-Type": "application/problem+json" }) }, [/content-language is required/]],
  ["a wrong wait", { method: "GET", path: "/sites" }, given(429, problem("rate-limited", 429, "Too many requests"), { "Retry-After": "soon" }), [/retry-after: soon/]],
  ["not modified", { method: "GET", path: "/parcels/par_1" }, given(304, undefined, { ETag: '"1"' }), []],
  ["not modified, without a tag", { method: "GET", path: "/sites" }, given(304, undefined), [/etag is required/]],
  ["not modified, where nothing has a tag", { method: "POST", path: "/sites" }, given(304, undefined, { ETag: '"1"' }), [/status is not declared/]],
  ["no such path", { method: "GET", path: "/nothing" }, given(404, problem("not-found", 404, "Not found")), []],
  ["no such path, without saying so", { method: "GET", path: "/nothing" }, given(404, { error: "no" }), [/required/, /required/, /required/, /required/, /required/, /required/, /required/]],
  ["a success where nothing is", { method: "GET", path: "/nothing" }, given(200, {}), [/no such operation/]],
  ["a wrong method", { method: "PUT", path: "/sites" }, given(405, problem("method-not-allowed", 405, "This path does not support this method"), { Allow: "GET" }), []],
  ["options", { method: "OPTIONS", path: "/sites" }, given(204, undefined, { Allow: "GET, POST" }), []],
  ["options without an answer", { method: "OPTIONS", path: "/sites" }, given(204, undefined), [/allow is required/]],
  ["health", { method: "GET", path: "/livez" }, given(200, { status: "pass" }, { "Content-Type": "application/health+json" }), []],
  ["the page", { method: "GET", path: "/" }, given(200, {}, { "Content-Type": "text/html" }), []],
]; // biome-ignore format: a table

test("each response is held to the document", () => {
  for (const [what, request, response, expected] of rows) {
    const faults = recordInto(openapi(flagship, baseUrl)).check(request, response);
    assert.equal(faults.length, expected.length, `${what}: ${faults.join("; ")}`);
    for (const [index, pattern] of expected.entries()) assert.match(faults[index] ?? "", pattern, what);
  }
});

test("a document's own error body, below a mount point", () => {
  const recording: Recording = recordInto(openapi(library, baseUrl));
  const body = { errors: { width: ["width is too large"] }, kind: "invalid-request", http: 422 };
  const response = given(422, body, { "Content-Type": "application/json" });
  assert.deepEqual(recording.check({ method: "POST", path: "/v1/rooms/north/shelves" }, response), []);
  assert.deepEqual(
    recording.check(
      { method: "GET", path: "/livez" },
      given(200, { status: "pass" }, { "Content-Type": "application/health+json" }),
    ),
    [],
  );
  const other = given(422, { ...body, kind: "no-such-code" }, { "Content-Type": "application/json" });
  assert.equal(recording.check({ method: "POST", path: "/v1/rooms/north/shelves" }, other).length, 1);
});

test("what was wrong, and what was seen, is kept", () => {
  const recording = recordInto(openapi(flagship, baseUrl));
  for (let count = 0; count < 2; count += 1)
    recording.check({ method: "GET", path: "/parcels/par_1?x=1" }, given(418, {}));
  recording.check(
    { method: "GET", path: "/livez" },
    given(200, { status: "pass" }, { "Content-Type": "application/health+json" }),
  );
  assert.deepEqual(
    [...recording.seen],
    [
      ["GET /parcels/{id} 418", 2],
      ["GET /livez 200", 1],
    ],
  );
  assert.deepEqual(recording.violations, ["GET /parcels/{id} 418: the status is not declared: {}"]);
});
