/** Null as a value of JSON: of a required field with any JSON, or with a schema that allows null, as a default and as sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { served } from "./scenario.ts";
import { smallDocument } from "./small-document.ts";

const document = smallDocument({
  resources: `
Note:
  id: id(not)
  name: string(1..20)
  any: json
  made: { schema: { type: [object, "null"] }, default: null }
  sent: { schema: { anyOf: [{ type: integer }, { type: "null" }] } }
  named: { schema: { $ref: "#/schemas/Box" }, default: null }
  maybe?: json
schemas:
  Box: { type: [object, "null"], properties: { a: { type: integer } } }
`,
  rules: "  Note: unique name else taken",
  endpoints: {
    addNote: "POST /notes",
    getNote: "GET /notes/{id}",
    changeNote: "PATCH /notes/{id}",
    listNotes: "GET /notes",
  },
  errors: ["taken"],
});

served("null in JSON", document, (subject) => {
  const send = (method: string, path: string, body?: object) =>
    subject.client.send({ method, path, ...(body === undefined ? {} : { body }) });

  test("a required field may be null, by default and as sent", async () => {
    const made = await send("POST", "/notes", { name: "a", any: null, sent: null, maybe: null });
    assert.equal(made.status, 201, made.text);
    const { id, ...rest } = made.json as { id: string };
    assert.deepEqual(rest, { name: "a", any: null, made: null, sent: null, named: null });
    assert.deepEqual((await send("GET", `/notes/${id}`)).json, made.json);
    const changed = await send("PATCH", `/notes/${id}`, { any: [1], made: { a: 1 }, sent: 2, named: { a: 1 } });
    assert.deepEqual(changed.json, { id, name: "a", any: [1], made: { a: 1 }, sent: 2, named: { a: 1 } }, changed.text);
    const back = await send("PATCH", `/notes/${id}`, { any: null, made: null, sent: null, named: null });
    assert.deepEqual(back.json, made.json, back.text);
    assert.deepEqual(((await send("GET", "/notes")).json as { items: unknown[] }).items, [made.json]);
  });
});
