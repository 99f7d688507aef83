/**
 * Schemas that a description writes out at several places become one named schema, and the export gives all of them back.
 * `NONET_DEREFERENCED` is a dereferenced description, such as `generated/ghes-3.17.deref.json` of `@octokit/openapi`.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { importDocument } from "../../src/import/import.ts";
import { check } from "../../src/language/check.ts";
import { silentlyLost } from "./lost-members.ts";
import { carried, described } from "./round-trip.ts";

const text: JsonObject = { type: "string" };
const named: JsonObject = { type: "object", properties: { id: text, name: text } };
const titled: JsonObject = { title: "Simple User", ...named };

/** A description with an operation for each schema, which is that of its answer. */
function described200(schemas: readonly Json[], more: JsonObject = {}): JsonObject {
  const operation = (schema: Json, index: number) => ({
    operationId: `get-${index}`,
    responses: { 200: { description: "", content: { "application/json": { schema } } } },
  });
  const paths = Object.fromEntries(
    structuredClone(schemas).map((schema, index) => [`/${index}/users/{id}`, { get: operation(schema, index) }]),
  );
  return { openapi: "3.1.0", info: { title: "Users", version: "1" }, paths, ...more };
}

const array = (items: Json): JsonObject => ({ type: "array", items });
const holder = (member: Json, other: string): JsonObject => ({
  type: "object",
  properties: { owner: member, [other]: text },
});
const user: JsonObject = { $ref: "#/components/schemas/User" };

const rows: readonly (readonly [what: string, source: JsonObject, names: readonly string[]])[] = [
  ["the title is the name", described200([titled, array(titled)]), ["SimpleUser"]],
  ["else the member", described200([holder(named, "a"), holder(named, "b")]), ["Owner"]],
  ["else what the path is about", described200([named, array(named)]), ["User"]],
  ["schemas within one another", described200([holder(titled, "a"), holder(titled, "a"), titled]), ["User", "SimpleUser"]],
  ["different schemas with one title", described200([titled, titled, { ...titled, required: ["id"] }, { ...titled, required: ["id"] }]), ["SimpleUser", "SimpleUser2"]],
  ["a component is the first place", described200([titled, holder(titled, "a")], { components: { schemas: { Person: titled } } }), ["Person"]],
  ["two equal components", described200([titled, titled, titled], { components: { schemas: { Person: titled, Human: titled } } }), ["Person", "Human"]],
  ["a schema that is there once", described200([titled, holder(named, "a")]), []],
  ["a schema of one member", described200([{ type: "object", properties: { id: text } }, { type: "object", properties: { id: text } }]), []],
  ["as many references as schemas", described200([user, user, array(user), titled, titled], { components: { schemas: { User: named } } }), ["User"]],
]; // biome-ignore format: a table

for (const [what, source, names] of rows) {
  test(what, () => {
    const { document, model, notes, source: read } = carried(source);
    assert.deepEqual(Object.keys(model.resources.schemas ?? {}), names);
    assert.deepEqual(silentlyLost(read, described(document), notes), []);
  });
}

const file = process.env["NONET_DEREFERENCED"];
const skip = file === undefined && "NONET_DEREFERENCED is no dereferenced description";

test("a dereferenced description becomes a document that can be read", { skip }, () => {
  const imported = importDocument("source.json", readFileSync(file as string));
  assert(imported.kind === "imported");
  const { diagnostics } = check("import.md", imported.document);
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
});
