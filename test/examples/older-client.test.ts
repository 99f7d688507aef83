/** The flagship's client of 2026-03-01: its requests still work, and responses use the names of its version. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createClient, type Reply } from "../serve/client.ts";
import { run } from "../serve/running.ts";
import { stores } from "../serve/scenario.ts";

const text = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8");
const old = { "Lockers-Version": "2026-03-01" };

for (const store of stores) {
  void test(`a courier of 2026-03-01 (${store})`, async () => {
    // Its version has a sunset.
    const at = "2026-12-01T00:00:00Z";
    await using running = await run(text, { store, at, environment: { DOOR_SECRET: "a secret of the doors" } });
    using client = createClient(running.port, () => {});
    const as = async (...roles: string[]) => {
      const key = await running.key("kim", ...roles);
      return (method: string, path: string, body?: object, headers: object = {}): Promise<Reply> =>
        client.send({
          method,
          path,
          ...(body === undefined ? {} : { body }),
          headers: { Authorization: `Bearer ${key}`, ...headers },
        });
    };
    const operator = await as("operator");
    const courier = await as("courier");
    const address = { street: "Storgata 1", postcode: "0155", country: "NO" };
    const site = (await operator("POST", "/sites", { name: "Oslo S", address }, old)).json as { id: string };
    const locker = await operator("POST", "/lockers", { site: site.id, door: 1, size: "large" });
    assert.equal(locker.status, 201, locker.text);
    const seen = await operator("GET", `/lockers?site=${site.id}&size=medium`, undefined, old);
    assert.deepEqual(
      (seen.json as { items: { size: string }[] }).items.map(({ size }) => size),
      ["medium"],
    );
    const refused = await operator("POST", "/lockers", { site: site.id, door: 2, size: "large" }, old);
    assert.equal(refused.status, 422);

    const announced = { site: site.id, size: "large", reference: "AB123456", recipientEmail: "ola@example.no" };
    const parcel = await courier("POST", "/parcels", announced, old);
    assert.equal(parcel.status, 201, parcel.text);
    const { id, reference, weightKg } = parcel.json as { id: string; reference: string; weightKg: number };
    assert.deepEqual([reference, weightKg], ["AB123456", 1]);
    assert.ok(!parcel.text.includes("trackingNumber"));
    const again = await courier("POST", "/parcels", { ...announced, reference: "AB123457" }, old);
    assert.deepEqual([again.status, (again.json as { code: string }).code], [503, "no-capacity"]);
    const twin = await courier("POST", "/parcels", announced, { ...old, "Idempotency-Key": "x" });
    assert.equal(twin.status, 503);
    const found = await courier("GET", "/parcels?reference=AB123456", undefined, old);
    assert.equal((found.json as { items: unknown[] }).items.length, 1);
    assert.equal((await courier("GET", "/parcels?trackingNumber=AB123456", undefined, old)).status, 400);
    assert.equal((await courier("GET", "/parcels?trackingNumber=AB123456")).status, 200);
    assert.equal((await courier("POST", `/parcels/${id}/return`, undefined, old)).status, 409);
    assert.equal((await courier("POST", `/parcels/${id}/return`)).status, 404);
    assert.equal((await courier("POST", `/parcels/${id}/take-back`, undefined, old)).status, 404);
    assert.match(String(found.headers["deprecation"]), /^@\d+$/);
    assert.equal(found.headers["sunset"], "Mon, 01 Mar 2027 00:00:00 GMT");
    assert.deepEqual(running.failures, []);
  });
}
