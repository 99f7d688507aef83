/** examples/weather-stations.md: ids chosen by clients, nested paths, basic and jwt, over a real socket. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { SignJWT } from "jose";
import { run } from "../serve/running.ts";
import { clientOf } from "./client.ts";

const text = readFileSync(new URL("../../examples/weather-stations.md", import.meta.url), "utf8");
const secret = "thirty-two bytes for HMAC-SHA-256";
const bergen = { name: "Bergen", place: { latitude: 60.38, longitude: 5.33 }, instruments: ["thermometer"] };

async function token(user: string, roles: string): Promise<string> {
  return new SignJWT({ roles })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer("https://institute.example")
    .setAudience("weather-stations")
    .setSubject(user)
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode(secret));
}

for (const store of ["sqlite", "memory"] as const) {
  test(`a station is put up, reports, and takes its readings with it (${store})`, async () => {
    await using service = await run(text, { store, environment: { STATION_SECRET: secret } });
    const basic = async (user: string) =>
      clientOf(service, {
        Authorization: `Basic ${Buffer.from(`${user}:${await service.key(user, "keeper")}`).toString("base64")}`,
      });
    const [kari, kim] = [await basic("kari"), await basic("kim")];
    const mast = clientOf(service, { Authorization: `Bearer ${await token("NO-1", "station")}` });
    const anybody = clientOf(service);

    assert.equal((await kari("PUT /stations/NO-1", 201, bergen)).body["id"], "NO-1");
    const again = await kari("PUT /stations/NO-1", 200, { ...bergen, name: "Bergen Florida" });
    assert.equal(again.body["name"], "Bergen Florida");
    await kari("PUT /stations/bergen", 422, bergen);
    await kari("PUT /stations/NO-1", 422, { ...bergen, id: "NO-2" });
    await kim("PUT /stations/NO-1", 403, bergen);
    await mast("PUT /stations/NO-2", 403, bergen);
    assert.equal((await anybody("GET /stations", 200)).body["next"], null);

    await kari("POST /stations/NO-1/open", 200);
    const takenAt = "2026-11-20T11:00:00+01:00";
    const reading = await mast("POST /stations/NO-1/readings", 201, { takenAt, celsius: 4.5 });
    assert.equal(reading.body["takenAt"], "2026-11-20T10:00:00.000Z");
    assert.equal(reading.body["station"], "NO-1");
    const known = await mast("POST /stations/NO-1/readings", 409, { takenAt: "2026-11-20T10:00:00Z", celsius: 5 });
    assert.equal(known.body["code"], "reading-known");
    assert.equal(
      (await mast("POST /stations/NO-1/readings", 422, { takenAt: "2026-11-20T12:00:00Z" })).body["code"],
      "reading-empty",
    );
    await mast("POST /stations/NO-9/readings", 404, { takenAt, celsius: 4.5 });

    await kari("PUT /stations/NO-2", 201, { ...bergen, name: "Oslo" });
    const path = `/stations/NO-1/readings/${String(reading.body["id"])}`;
    await anybody(`GET ${path}`, 200);
    await anybody(`GET ${path.replace("NO-1", "NO-2")}`, 404);
    assert.deepEqual((await anybody("GET /stations/NO-2/readings", 200)).body["items"], []);
    const warm = await anybody("GET /stations/NO-1/readings?celsius[gte]=4.5&takenAt[lt]=2026-11-21T00:00:00Z", 200);
    assert.equal((warm.body["items"] as unknown[]).length, 1);

    await kim("DELETE /stations/NO-1", 403);
    await kari("DELETE /stations/NO-1", 204);
    await anybody("GET /stations/NO-1", 404);
    await anybody(`GET ${path}`, 404);
    assert.deepEqual(service.failures, []);
  });
}
