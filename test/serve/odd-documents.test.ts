/** Documents that pass the check start and work, however unusual their names and omissions are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";
import { run } from "./running.ts";

const box = `purpose: { nonet: 1, service: boxes, operations: { addBox: Add one, openBox: Open one } }
resources: { Box: { id: id(box), name: string(1..9) } }
states: { Box: { states: [shut, open], start: shut, final: [open], moves: { shut -> open: by openBox } } }
endpoints: { lists: none, edits: none, repeats: none, endpoints: { addBox: POST /boxes, openBox: "POST /boxes/{id}/open" } }
authentication: { credentials: { key: { kind: api-key } }, allow: { "addBox, openBox": signed-in }, unseen: 404 }
events: { envelope: plain, out: { box.open: Box -> open }, delivery: none }
errors: { body: problem+json, standard: all, errors: none }
limits: none
versioning: { scheme: none }
`;

const webhooks = "delivery: { webhook: { subscribe: POST /webhooks, for: signed-in } }";

const rows: readonly (readonly [what: string, text: string])[] = [
  ["nothing odd", box],
  ["a state called `constructor`", box.replaceAll(/\bopen\b(?=[\],:"}]| }| final)/g, "constructor").replace("/{id}/constructor", "/{id}/open")], // biome-ignore format: short
  ["an event called `constructor`", box.replace("box.open:", "constructor:")],
  ["operations called `constructor` and `toString`", box.replaceAll("addBox", "constructor").replaceAll("openBox", "toString")], // biome-ignore format: short
  ["fields called as SQL's words", box.replace("name: string", "order?: integer, rowid?: integer, name: string")],
  ["members of a schema called as those of every object", box.replace("name: string", "extra?: { schema: { type: object, required: [], properties: { constructor: { type: string }, toString: { type: string } } } }, name: string")], // biome-ignore format: short
  ["webhooks and events", box.replace("delivery: none", webhooks)],
  ["webhooks without events", box.replace("out: { box.open: Box -> open }", "out: none").replace("delivery: none", webhooks)], // biome-ignore format: short
];

for (const [what, text] of rows) {
  for (const store of ["sqlite", "memory"] as const) {
    test(`${what}, ${store}`, async () => {
      const { diagnostics } = check("boxes.nonet.yaml", text);
      assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message), []); // biome-ignore format: short
      await using running = await run(text, { store });
      const headers = { authorization: `Bearer ${await running.key("ann")}`, "content-type": "application/json" };
      const send = (path: string, body?: object): Promise<Response> =>
        fetch(running.url + path, { method: "POST", headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }); // biome-ignore format: short
      assert.equal((await send("/boxes", {})).status, 422);
      const made = await send("/boxes", { name: "a", ...(text.includes("extra?") ? { extra: {} } : {}) });
      assert.equal(made.status, 201, await made.clone().text());
      const { id } = (await made.json()) as { id: string };
      assert.equal((await send(`/boxes/${id}/open`)).status, 200);
      assert.equal((await send(`/boxes/${id}/open`)).status, 409);
      if (text.includes("subscribe")) {
        const asked = await send("/webhooks", { url: "https://example.com/" });
        assert.equal(asked.status, 201, await asked.text());
        const unknown = await send("/webhooks", { url: "https://example.com/", events: ["nothing"] });
        assert.equal(unknown.status, 422);
      }
      assert.deepEqual(running.failures, []);
    });
  }
}
