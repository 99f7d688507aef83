/** The library: a program that checks, exports and serves a document. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import * as nonet from "nonet";
import { shelf } from "./shelf.ts";

test("a document is checked, exported and served", async (t) => {
  const result = nonet.check("shelf.md", shelf());
  assert.equal(result.summary.errors, 0);
  const model = nonet.soundModel(result) ?? assert.fail("the document is sound");
  const plan = nonet.buildPlan(model, result.places, result.expressions);
  assert.ok("/books" in (nonet.openapi(plan, "https://books.example") as { paths: object }).paths);
  assert.match(JSON.stringify(nonet.asyncapi(plan, "https://books.example")), /"asyncapi":"3/);
  assert.match(JSON.stringify(nonet.jsonSchema(plan, result.model, "https://books.example")), /Book/);
  assert.match(nonet.markdown(plan, result.model, "https://books.example"), /\/books/);
  assert.match(nonet.mermaidMarkdown(plan, nonet.diagrams(plan, result.model)), /mermaid/);
  assert.match(nonet.functionTypes(plan), /export interface Book/);
  assert.match((await nonet.typescript())(plan), /export /);

  const store = await nonet.openMemoryStore({ tables: plan.tables, clock: Date.now });
  const service = nonet.servePlan({
    plan,
    store,
    clock: { now: Date.now },
    random: randomBytes,
    environment: {},
    cursorSecret: "a secret of the test",
    baseUrl: () => "http://127.0.0.1",
    report: (failure) => assert.fail(String(failure)),
    pages: nonet.servicePages({ result, plan, baseUrl: () => "http://127.0.0.1" }),
  });
  const server = await nonet.listen({
    service: () => service,
    host: "127.0.0.1",
    port: 0,
    requestMilliseconds: plan.limits.requestMilliseconds,
    forwarding: nonet.createForwarding([]),
  });
  t.after(async () => {
    await server.close(1000);
    await store.close();
  });
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ title: "Momo" });
  const made = await fetch(`http://127.0.0.1:${server.port}/books`, { method: "POST", headers, body });
  assert.equal(made.status, 201);
});

test("what the library exports is deliberate", () => {
  assert.deepEqual(Object.keys(nonet).sort(), [
    "ServiceError",
    "StoreError",
    "asyncapi",
    "buildPlan",
    "check",
    "createForwarding",
    "createService",
    "createTelemetry",
    "diagrams",
    "followingOf",
    "functionTypes",
    "handlers",
    "jsonSchema",
    "keyCredentials",
    "listen",
    "markdown",
    "mermaidMarkdown",
    "mintKey",
    "notImplemented",
    "openMemoryStore",
    "openSqliteStore",
    "openapi",
    "printDiagnostic",
    "servePlan",
    "servicePages",
    "soundModel",
    "startBackground",
    "typescript",
    "unservable",
    "webhookUrlFault",
  ]);
});
