/** Exported documents in third-party validators: the common ones for OpenAPI, and JSON Schema's own. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { validate } from "@scalar/openapi-parser";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "../../src/base/json.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { openapi30 } from "../../src/export/openapi/openapi-3-0.ts";
import { at, baseUrl, flagship, parametersAt, library } from "./documents.ts";
import { everyDocument } from "./every-document.ts";

const events: Plan["events"] = { envelope: "plain", out: {}, described: [], retentionMilliseconds: 0 };
const bare: Plan = { ...flagship, operations: [], tables: [], credentials: [], events };

const documents: readonly (readonly [name: string, document: JsonObject])[] = [
  ["the flagship", openapi(flagship, baseUrl)],
  ["a document that is unlike it", openapi(library, "https://rooms.example.org")],
  ["a service without operations", openapi(bare, baseUrl)],
];

for (const [name, document] of documents) {
  test(`${name} has no finding of redocly's recommended rules`, async (t) => {
    assert.deepEqual(await linted(t, document), []);
  });

  test(`${name} is valid for @scalar/openapi-parser`, async () => {
    const { valid, version, errors } = await validate(JSON.stringify(document));
    assert.deepEqual({ valid, version, errors }, { valid: true, version: "3.1", errors: [] });
  });

  test(`every schema of ${name} compiles as JSON Schema 2020-12`, () => {
    const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
    const schemas = at(document, "components", "schemas");
    ajv.addSchema({ $id: "document", components: { schemas } });
    for (const component of Object.keys(schemas)) {
      assert.ok(ajv.compile({ $ref: `document#/components/schemas/${component}` }), component);
    }
    const parameters = Object.entries(at(document, "paths")).flatMap(([path, item]) =>
      Object.keys(item as JsonObject).flatMap((method) => parametersAt(document, path, method)),
    );
    for (const parameter of parameters) assert.ok(ajv.compile(parameter["schema"] as JsonObject));
  });
}

for (const [name, document] of documents)
  test(`${name} as OpenAPI 3.0 has no finding of redocly, nor of @scalar/openapi-parser`, async (t) => {
    const { document: older, losses } = openapi30(document);
    assert.deepEqual(losses, document["webhooks"] === undefined ? [] : ["webhooks (6 events)"]);
    assert.deepEqual(await linted(t, older), []);
    const { valid, version, errors } = await validate(JSON.stringify(older));
    assert.deepEqual({ valid, version, errors }, { valid: true, version: "3.0", errors: [] });
  });

test("every document is valid OpenAPI 3.0", async () => {
  for (const { plans } of everyDocument)
    for (const [name, plan] of plans) {
      const { valid, errors } = await validate(JSON.stringify(openapi30(openapi(plan, baseUrl)).document));
      assert.deepEqual({ valid, errors }, { valid: true, errors: [] }, name);
    }
});

const schemas: readonly (readonly [newer: JsonObject, older: JsonObject])[] = [
  [{ type: ["string", "null"] }, { type: "string", nullable: true }],
  [{ type: "null" }, { type: "string", nullable: true, enum: [null] }],
  [{ type: ["string", "integer"] }, { anyOf: [{ type: "string" }, { type: "integer" }] }],
  [
    { type: "integer", const: 3 },
    { type: "integer", enum: [3] },
  ],
  [
    { type: "number", exclusiveMinimum: 0, maximum: 9 },
    { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 9 },
  ],
  [
    { type: "string", examples: ["a"] },
    { type: "string", example: "a" },
  ],
  [{ anyOf: [{ $ref: "#/x" }, { type: "null" }] }, { anyOf: [{ $ref: "#/x" }], nullable: true }],
  [
    { $ref: "#/x", readOnly: true },
    { allOf: [{ $ref: "#/x" }], readOnly: true },
  ],
  [
    { type: "string", contentMediaType: "image/png" },
    { type: "string", format: "binary" },
  ],
  [{ type: "array" }, { type: "array", items: {} }],
  [
    { type: "object", properties: { const: true, type: false } },
    { type: "object", properties: { const: {}, type: { not: {} } } },
  ],
];

for (const [newer, older] of schemas)
  test(`a schema in OpenAPI 3.0: ${JSON.stringify(newer)}`, () => {
    const parts = (schema: JsonObject): JsonObject => ({ info: {}, components: { schemas: { AProblem: schema } } });
    assert.deepEqual(at(openapi30(parts(newer)).document, "components", "schemas", "AProblem"), older);
  });

test("no header of a response has a member beside `$ref`, which OpenAPI ignores", () => {
  for (const { plans } of everyDocument)
    for (const [name, plan] of plans)
      for (const [path, item] of Object.entries(at(openapi(plan, baseUrl), "paths")))
        for (const { responses } of Object.values(item as JsonObject) as readonly { readonly responses?: JsonObject }[])
          for (const { headers } of Object.values(responses ?? {}) as readonly { readonly headers?: JsonObject }[])
            for (const [field, header] of Object.entries(headers ?? {}) as readonly [string, JsonObject][])
              if ("$ref" in header) assert.deepEqual(Object.keys(header), ["$ref"], `${name} ${path} ${field}`);
});

async function linted(t: TestContext, document: JsonObject): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "nonet-openapi-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "openapi.json");
  await writeFile(file, JSON.stringify(document));
  return redocly(file);
}

/** What redocly complains of, as `rule place: message`. */
async function redocly(file: string): Promise<readonly string[]> {
  const program = fileURLToPath(new URL("../../node_modules/@redocly/cli/bin/cli.js", import.meta.url));
  const config = fileURLToPath(new URL("redocly.yaml", import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, "lint", file, "--config", config, "--format", "json"],
    {
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", CI: "true" },
      maxBuffer: 64 * 1024 * 1024,
    },
  ).catch((failure: { stdout: string }) => failure);
  const { problems } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as { problems: readonly RedoclyProblem[] };
  return problems.map(({ ruleId, message, location: [place] }) => `${ruleId} ${place?.pointer ?? ""}: ${message}`);
}

interface RedoclyProblem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}
