/** The operator's port of the real command, and the responses of a service before it is ready. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createForwarding } from "../../src/http/proxies.ts";
import { listen } from "../../src/http/node-server.ts";
import { startingService } from "../../src/server/not-ready.ts";
import { readExposition, valueOf } from "../observability/exposition.ts";
import { planOf } from "../serve/running.ts";
import { addressOf, finished, nonet, temporaryFolder } from "./process.ts";
import { shelf } from "./shelf.ts";

test("figures and health are on a port of their own, for who has the token", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), shelf());
  const serve = ["serve", "shelf.md", "--port", "0", "--data", "memory"];
  const admin = ["--admin-port", "0", "--operator-token", "hunter22", "--log", "info"];
  const running = nonet(t, [...serve, ...admin], { folder });
  const address = await addressOf(running);
  const [, operators = ""] = await running.says(/for operators: (http:\S+)\/metrics/);
  const operator = { headers: { Authorization: "Bearer hunter22" } };
  await (await fetch(`${address}/books`)).text();
  assert.equal((await fetch(`${operators}/metrics`)).status, 401);
  const families = readExposition(await (await fetch(`${operators}/metrics`, operator)).text());
  assert.equal(valueOf(families, "http_server_request_duration_seconds_count", { route: "/books", status: "2xx" }), 1);
  assert.equal(valueOf(families, "nonet_info", { service: "shelf", store: "memory" }), 1);
  assert.equal(await (await fetch(`${address}/readyz`)).text(), '{"status":"pass"}');
  const told = (await (await fetch(`${address}/readyz`, operator)).json()) as object;
  assert.partialDeepStrictEqual(told, { status: "pass", serviceId: "shelf", checks: { "store:ready": [{ status: "pass" }] } }); // biome-ignore format: short
  // None of it is at the service's own port.
  assert.equal((await fetch(`${address}/metrics`, operator)).status, 404);
  const taken = [...serve, "--admin-port", new URL(operators).port];
  const other = await finished(t, taken, { folder });
  assert.equal(other.code, 2);
  assert.match(other.output, /port \d+ of 127\.0\.0\.1 is in use; --admin-port \d+ is another/);
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0);
  assert.doesNotMatch(running.output, /hunter22/);
  await assert.rejects(fetch(`${operators}/metrics`));
});

test("R1.2 until the data is ready it is live, not ready, and asks to come again", async () => {
  const plan = planOf(shelf());
  const service = startingService(plan, randomBytes, () => "http://shelf.example");
  const server = await listen({ service: () => service, host: "127.0.0.1", port: 0, requestMilliseconds: 1000, forwarding: createForwarding([]) }); // biome-ignore format: short
  const rows: readonly (readonly [method: string, path: string, status: number, body: RegExp])[] = [
    ["GET", "/livez", 200, /^\{"status":"pass"\}$/],
    ["GET", "/readyz", 503, /^\{"status":"fail"\}$/],
    ["GET", "/readyz?x=1", 503, /^\{"status":"fail"\}$/],
    ["HEAD", "/readyz", 503, /^$/],
    ["GET", "/books", 503, /"code":"overloaded"/],
    ["POST", "/books", 503, /"code":"overloaded"/],
    ["POST", "/readyz", 503, /"code":"overloaded"/],
  ];
  for (const [method, path, status, body] of rows) {
    const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    assert.equal(reply.status, status, path);
    assert.match(await reply.text(), body, path);
    assert.match(reply.headers.get("request-id") ?? "", /^req_/);
    assert.equal(reply.headers.get("x-content-type-options"), "nosniff");
    assert.equal(reply.headers.get("cache-control"), "no-store");
    assert.equal(reply.headers.get("retry-after"), path === "/books" || method === "POST" ? "1" : null);
  }
  await server.close(0);
});
