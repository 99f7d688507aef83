/**
 * The forms in which a query sends lists and objects (OpenAPI `style` and `explode`, Swagger `collectionFormat`): an import
 * keeps each, functions receive the values, the exported client sends it, and the exported description has it. Other forms are in
 * the report.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/base/json.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { importDocument } from "../../src/import/import.ts";
import { moduleOf } from "../export/client-of.ts";
import { at } from "../export/documents.ts";
import { createClient } from "./client.ts";
import { run } from "./running.ts";

const list = { type: "array", items: { type: "integer" } };
const object = { type: "object", properties: { min: { type: "integer" }, max: { type: "integer" } } };
const small = { min: 1, max: 2 };

function imported(version: JsonObject, parameters: readonly JsonObject[]) {
  const operation = {
    operationId: "look",
    security: [{ token: [] }, {}],
    parameters: parameters as JsonObject[],
    responses: { 200: { description: "All" } },
  };
  const securitySchemes = version["swagger"]
    ? { securityDefinitions: { token: { type: "basic" } } }
    : { components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } } };
  const info = { title: "Forms", version: "1" };
  const source = { ...version, info, ...securitySchemes, paths: { "/a/{p}": { get: operation } } };
  const result = importDocument("forms.json", JSON.stringify(source), { contractsOnly: true });
  assert(result.kind === "imported");
  return result;
}

const path = { name: "p", in: "path", required: true, schema: { type: "string" } };

/** `style`: the members of the exported parameter. Absent: the import reports the form. */
interface Row {
  readonly parameter: JsonObject;
  readonly schema: JsonObject;
  readonly query?: string;
  readonly value?: unknown;
  readonly style?: JsonObject;
}

const commas = { style: "form", explode: false };
const rows: readonly Row[] = [
  { parameter: {}, schema: list, query: "q=1&q=2", value: [1, 2], style: {} },
  { parameter: { style: "form", explode: true }, schema: list, query: "q=1&q=2", value: [1, 2], style: {} },
  { parameter: {}, schema: object, query: "min=1&max=2", value: small, style: {} },
  { parameter: { explode: false }, schema: list, query: "q=1,2", value: [1, 2], style: commas },
  { parameter: commas, schema: object, query: "q=min,1,max,2", value: small, style: commas },
  { parameter: commas, schema: { type: "integer" }, query: "q=1", value: 1, style: commas },
  { parameter: { style: "spaceDelimited" }, schema: list, query: "q=1%202", value: [1, 2], style: { style: "spaceDelimited", explode: false } },
  { parameter: { style: "pipeDelimited", explode: false }, schema: list, query: "q=1|2", value: [1, 2], style: { style: "pipeDelimited", explode: false } },
  { parameter: { style: "deepObject", explode: true }, schema: object, query: "q[min]=1&q[max]=2", value: small, style: { style: "deepObject", explode: true } },
  { parameter: { style: "pipeDelimited", explode: true }, schema: list },
  { parameter: { in: "header", explode: true }, schema: object },
  { parameter: { in: "cookie", explode: false }, schema: list },
]; // biome-ignore format: a table

for (const { parameter, schema, query, value, style } of rows) {
  test(`OpenAPI ${JSON.stringify(parameter)} of ${schema["type"] as string}`, async () => {
    const q = { name: "q", in: "query", required: true, schema, ...parameter };
    const { document, notes } = imported({ openapi: "3.1.0" }, [path, q]);
    const lost = notes.filter(({ what }) => what === "how a list or an object is written in a parameter");
    assert.equal(lost.length, style === undefined ? 1 : 0);
    if (style === undefined) return;
    const inputs: unknown[] = [];
    const look = ({ input }: { input: unknown }) => (inputs.push(input), { status: 200 });
    await using running = await run(document, { functions: { look } as never });
    using requests = createClient(running.port, () => {});
    const { status, text } = await requests.send({ method: "GET", path: `/a/x?${query}` });
    assert.equal(status, 200, text);
    const client = (await moduleOf(running.plan)).createClient({ baseUrl: running.url });
    await client.look("x", { q: value });
    const input = { path: { p: "x" }, query: { q: value } };
    assert.deepEqual(inputs, [input, input]);
    const parameters = at(openapi(running.plan, running.url), "paths", "/a/{p}", "get", "parameters");
    const { name: _, in: __, required: ___, schema: ____, ...written } = at(parameters, 1);
    assert.deepEqual(written, style);
  });
}

const swagger = { swagger: "2.0" };
const formats: readonly (readonly [
  format: string | undefined,
  location: string,
  sent: string | undefined,
  lost: number,
])[] = [
  [undefined, "query", "commas", 0],
  ["csv", "query", "commas", 0],
  ["ssv", "query", "spaces", 0],
  ["pipes", "query", "pipes", 0],
  ["multi", "query", undefined, 0],
  ["tsv", "query", undefined, 1],
  [undefined, "header", undefined, 0],
  ["csv", "header", undefined, 0],
  ["pipes", "header", undefined, 1],
];
for (const [collectionFormat, location, sent, lost] of formats) {
  test(`Swagger ${collectionFormat ?? "without a format"} in ${location}`, () => {
    const q = { name: "q", in: location, ...list, ...(collectionFormat && { collectionFormat }) };
    const { model, notes } = imported(swagger, [{ name: "p", in: "path", required: true, type: "string" }, q]);
    const found = model.endpoints.endpoints["look"]?.wire?.[location as "query"]?.["q"];
    assert.equal(found?.sent, sent);
    assert.equal(notes.filter(({ what }) => what.startsWith("how a list")).length, lost);
  });
}
