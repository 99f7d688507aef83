/** Exported documents in third-party validators: the common ones for OpenAPI, and JSON Schema's own. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { validate } from "@scalar/openapi-parser";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "../../src/base/json.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { at, baseUrl, flagship, parametersAt, library } from "./documents.ts";
import { everyDocument } from "./every-document.ts";

const events: Plan["events"] = { envelope: "plain", out: {}, retentionMilliseconds: 0 };
const bare: Plan = { ...flagship, operations: [], tables: [], credentials: [], events };

const documents: readonly (readonly [name: string, document: JsonObject])[] = [
  ["the flagship", openapi(flagship, baseUrl)],
  ["a document that is unlike it", openapi(library, "https://rooms.example.org")],
  ["a service without operations", openapi(bare, baseUrl)],
];

for (const [name, document] of documents) {
  test(`${name} has no finding of redocly's recommended rules`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "nonet-openapi-"));
    t.after(() => rm(folder, { recursive: true }));
    const file = join(folder, "openapi.json");
    await writeFile(file, JSON.stringify(document));
    assert.deepEqual(await redocly(file), []);
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

test("no header of a response has a member beside `$ref`, which OpenAPI ignores", () => {
  for (const { plans } of everyDocument)
    for (const [name, plan] of plans)
      for (const [path, item] of Object.entries(at(openapi(plan, baseUrl), "paths")))
        for (const { responses } of Object.values(item as JsonObject) as readonly { readonly responses?: JsonObject }[])
          for (const { headers } of Object.values(responses ?? {}) as readonly { readonly headers?: JsonObject }[])
            for (const [field, header] of Object.entries(headers ?? {}) as readonly [string, JsonObject][])
              if ("$ref" in header) assert.deepEqual(Object.keys(header), ["$ref"], `${name} ${path} ${field}`);
});

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
