/**
 * RealWorld's public Postman suite, against examples/conduit.md. Besides the suite's own assertions, each response must match
 * RealWorld's OpenAPI description and the one that Nonet exports.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import newman from "newman";
import { parse } from "yaml";
import type { JsonObject } from "../../src/base/json.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { type Recording, recordInto } from "../export/recorded.ts";
import { run } from "../serve/running.ts";

const example = readFileSync(new URL("../../examples/conduit.md", import.meta.url), "utf8");
const collection = JSON.parse(fileText("Conduit.postman_collection.json")) as object;
const description = parse(fileText("openapi.yml")) as JsonObject & Described;

interface Described {
  readonly components: {
    readonly schemas: Readonly<Record<string, { properties: Record<string, { type: unknown }> }>>;
  };
}

function fileText(name: string): string {
  return readFileSync(new URL(`realworld/${name}`, import.meta.url), "utf8");
}

// The written specification and the collection have `null` for who says nothing about themselves; the schemas forgot it.
for (const name of ["User", "Profile"])
  for (const field of ["bio", "image"])
    Object.assign(description.components.schemas[name]?.properties[field] ?? {}, { type: ["string", "null"] });

for (const store of ["sqlite", "memory"] as const) {
  test(`RealWorld's collection passes (${store})`, async () => {
    await using service = await run(example, { store });
    const [theirs, ours] = [recordInto(description), recordInto(openapi(service.plan, service.url))];
    const { stats, failures } = await play(`${service.url}/api`, theirs, ours);
    assert.deepEqual(
      failures.map(({ source, error }) => `${source.name}: ${error.message}`),
      [],
    );
    assert.deepEqual([stats.requests.total, stats.requests.failed], [32, 0]);
    assert.deepEqual([stats.assertions.total, stats.assertions.failed], [311, 0]);
    for (const { seen, violations } of [theirs, ours]) {
      assert.deepEqual(violations, []);
      assert.equal(
        seen.values().reduce((sum, times) => sum + times, 0),
        32,
      );
    }
    assert.deepEqual(service.failures, []);
  });
}

async function play(address: string, theirs: Recording, ours: Recording): Promise<newman.Summary["run"]> {
  const said = { APIURL: address, USERNAME: "ann", EMAIL: "ann@mail.example", PASSWORD: "correct horse" };
  const globals = { values: Object.entries(said).map(([key, value]) => ({ key, value })) };
  return new Promise((resolve, reject) => {
    const running = newman.run({ collection, globals }, (failure, { run: done }) => {
      if (failure === null) resolve(done);
      else reject(failure);
    });
    running.on("request", (failure: Error | null, { request, response }: newman.Requested) => {
      if (failure !== null) return;
      const headers = response.headers.all().map(({ key, value }) => [key, value] as const);
      const asked = { method: request.method, path: `${request.url.getPath()}?${request.url.getQueryString()}` };
      const answered = { status: response.code, body: response.text() };
      ours.check(asked, { ...answered, headers });
      // Their document says nothing of header fields.
      theirs.check(asked, { ...answered, headers: headers.filter(([name]) => name.toLowerCase() === "content-type") });
    });
  });
}
