/** The exported client without Node: in a page and in a worker of a real Chromium, against the served example. */
import assert from "node:assert/strict";
import { stripTypeScriptTypes } from "node:module";
import { test } from "node:test";
import { typescriptClient } from "../../src/export/typescript/client.ts";
import { run } from "../serve/running.ts";
import { executable, launch, reason, skip } from "./browser.ts";
import { parts } from "./client-of.ts";
import { flagshipText } from "./documents.ts";

/** In the page, or in the worker: makes what is needed, and waits for a parcel that is dropped off meanwhile. */
const program = `async (source, baseUrl, keys) => {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const { createClient, etag } = await import(url);
  const operator = createClient({ baseUrl, credential: { key: keys[0] } });
  const courier = createClient({ baseUrl, credential: { key: keys[1] } });
  const address = { street: "Quay 1", postcode: "0150", country: "NO" };
  const site = await operator.addSite({ name: "Harbour", address });
  await operator.addLocker({ site: site.id, door: 1, size: "small" });
  const parcel = await courier.announceParcel({
    site: site.id, size: "small", trackingNumber: "NO-0001", recipientEmail: "eva@example.com", weightKg: 1,
  });
  const [stored] = await Promise.all([courier.waitForParcel(parcel.id, "stored"), courier.dropOff(parcel.id)]);
  const states = [];
  for await (const { state } of courier.listParcels()) states.push(state);
  return [stored.state, typeof parcel[etag], ...states];
}`;

test("the client works in a page, and in a worker", { skip }, async (t) => {
  assert.ok(executable !== undefined, reason);
  const browser = await launch(executable);
  t.after(() => browser.close());
  for (const place of ["page", "worker"]) {
    await using service = await run(flagshipText, { store: "memory", environment: { DOOR_SECRET: "a test" } });
    const source = stripTypeScriptTypes(typescriptClient(service.plan, parts));
    const given = [source, service.url, [await service.key("kim", "operator"), await service.key("ann", "courier")]];
    // What the service gives forbids all scripts; the page is only there for its origin.
    const context = await browser.newContext({ bypassCSP: true });
    const page = await context.newPage();
    await page.goto(`${service.url}/readyz`);
    const call = `(${program})(...${JSON.stringify(given)})`;
    const inWorker = `new Promise((resolve, reject) => {
      const code = ${JSON.stringify(`${call}.then((value) => postMessage(value))`)};
      const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    })`;
    const seen = await page.evaluate(place === "page" ? call : inWorker);
    assert.deepEqual(seen, ["stored", "string", "stored"], place);
    await context.close();
    assert.deepEqual(service.failures, []);
  }
});
