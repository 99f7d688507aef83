/**
 * The unchanged Postman collection of Spring's PetClinic works with examples/pet-clinic.md. `NONET_PETCLINIC` is the folder of
 * its REST project (github.com/spring-petclinic/spring-petclinic-rest).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import newman from "newman";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { recordInto } from "../export/recorded.ts";
import { run } from "../serve/running.ts";
import { stores } from "../serve/scenario.ts";

const example = readFileSync(new URL("../../examples/pet-clinic.md", import.meta.url), "utf8");
const folder = process.env["NONET_PETCLINIC"];
const skip = folder === undefined && "NONET_PETCLINIC is not the folder of spring-petclinic-rest";

/** The kinds of animals that PetClinic has when it starts; the collection refers to the first one. */
const kinds = ["cat", "dog", "lizard", "snake", "bird", "hamster"];

for (const store of stores) {
  test(`PetClinic's collection passes unchanged (${store})`, { skip }, async () => {
    await using service = await run(example, { store });
    for (const name of kinds) {
      const body = JSON.stringify({ name });
      const headers = { "Content-Type": "application/json" };
      assert.equal((await fetch(`${service.url}/api/pettypes`, { method: "POST", headers, body })).status, 201);
    }
    const ours = recordInto(openapi(service.plan, service.url));
    const { stats, failures } = await play(service.url, ours);
    assert.deepEqual(
      failures.map(({ source, error }) => `${source.name}: ${error.message}`),
      [],
    );
    assert.deepEqual([stats.requests.total, stats.requests.failed], [7, 0]);
    assert.deepEqual([stats.assertions.total, stats.assertions.failed], [12, 0]);
    assert.deepEqual(ours.violations, []);
    assert.deepEqual(service.failures, []);
  });
}

function play(address: string, ours: ReturnType<typeof recordInto>): Promise<newman.Summary["run"]> {
  const file = (name: string): object =>
    JSON.parse(readFileSync(join(folder ?? "", "src/test/postman", name), "utf8")) as object;
  const collection = file("petclinic-nonregressiontests.postman_collection.json");
  const environment = file("petclinic-env.postman_environment.json");
  const envVar = [{ key: "baseUrl", value: address }];
  return new Promise((resolve, reject) => {
    const running = newman.run({ collection, environment, envVar }, (failure, { run: done }) => {
      if (failure === null) resolve(done);
      else reject(failure);
    });
    running.on("request", (failure: Error | null, { request, response }: newman.Requested) => {
      if (failure !== null) return;
      const headers = response.headers.all().map(({ key, value }) => [key, value] as const);
      const sent = { method: request.method, path: `${request.url.getPath()}?${request.url.getQueryString()}` };
      ours.check(sent, { status: response.code, body: response.text(), headers });
    });
  });
}
