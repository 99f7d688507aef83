/** A description without schemas: functions can serve it, it can be exported, and its wording constrains no caller. */
import assert from "node:assert/strict";
import test from "node:test";
import { compare } from "../../src/diff/compare.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { importDocument } from "../../src/import/import.ts";
import { check } from "../../src/language/check.ts";
import { createClient } from "../serve/client.ts";
import { run } from "../serve/running.ts";

const pets = (summary: string, said: string): string => `openapi: 3.0.3
info: { title: Pets, version: "1" }
servers: [{ url: https://pets.example/v1 }]
paths:
  /pets:
    get: { operationId: listPets, summary: ${summary}, responses: { "200": { description: ${said} } } }
`;

function documentOf(text: string): string {
  const result = importDocument("pets.yaml", text);
  assert(result.kind === "imported", JSON.stringify(result));
  return result.document;
}

test("it is served and exported", async () => {
  // The description says nothing of who may, so nobody may before somebody says it.
  const open = documentOf(pets("See", "ok")).replace(
    /(?<=## Authentication\n)This part is not shown\./,
    "```yaml\nallow: { listPets: anyone }\n```",
  );
  const functions = { listPets: () => ({ status: 200 }) } as never;
  await using running = await run(open, { store: "memory", functions });
  using client = createClient(running.port, () => {});
  const reply = await client.send({ method: "GET", path: "/v1/pets" });
  assert.equal(reply.status, 200, reply.text);
  const { paths } = openapi(running.plan, running.url) as { readonly paths: object };
  assert(
    Object.keys(paths).some((path) => path.endsWith("/pets")),
    Object.keys(paths).join(),
  );
});

for (const [summary, said] of [
  ["See", "fine"],
  ["Look", "ok"],
] as const)
  test(`other words are no difference for callers: ${summary}, ${said}`, () => {
    const [old, now] = [pets("See", "ok"), pets(summary, said)].map((text) => check("pets.md", documentOf(text)).model);
    assert(old !== undefined && now !== undefined);
    const { differences } = compare(old, now, "2026-11-24");
    assert.deepEqual(
      differences.filter(({ difference }) => difference.effect !== "neutral"),
      [],
    );
  });
