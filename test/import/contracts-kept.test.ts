/**
 * What an import declares keeps its contract while it is served: the service accepts a body that the source allows, and its answers
 * are what the source says, first of the creation and then of the read.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { Json } from "../../src/base/json.ts";
import { seeded } from "../../src/conformance/random.ts";
import { schemaProblems } from "../../src/conformance/values/schema-fits.ts";
import { schemaValue } from "../../src/conformance/values/schema-values.ts";
import { importDocument } from "../../src/import/import.ts";
import { schemaOf } from "../../src/import/resources/answers.ts";
import { creates } from "../../src/language/endpoints/input.ts";
import type { ContractBody } from "../../src/language/endpoints/model.ts";
import { partsOf } from "../../src/language/endpoints/model.ts";
import { resourceEndpoints, type ResourceEndpoint } from "../../src/language/endpoints/resolve.ts";
import type { Model } from "../../src/language/model.ts";
import { printModel } from "../../src/language/print.ts";
import { run } from "../serve/running.ts";

const vault = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Vault", version: "1" },
  paths: {
    "/orgs/{org}/variables": {
      post: operation("addVariable", "NewVariable", { 201: { type: "object", properties: {} } }, ["org"]),
      get: operation("listVariables", undefined, { 200: { type: "object", required: ["total_count", "variables"], properties: { total_count: { type: "integer" }, variables: { type: "array", items: { $ref: "#/components/schemas/Variable" } } } } }, ["org"]),
    },
    "/orgs/{org}/variables/{variable_name}": { get: operation("getVariable", undefined, { 200: "Variable" }, ["org", "variable_name"]) },
    "/orgs/{org}/secrets/{secret_name}": {
      put: operation("putSecret", "NewSecret", { 201: { type: "object", properties: {}, additionalProperties: false }, 204: undefined }, ["org", "secret_name"]),
      get: operation("getSecret", undefined, { 200: "Secret" }, ["org", "secret_name"]),
      delete: operation("dropSecret", undefined, { 204: undefined }, ["org", "secret_name"]),
    },
  },
  components: {
    schemas: {
      Variable: object({ name: { type: "string" }, value: { type: "string" }, created_at: { type: "string", format: "date-time" } }),
      NewVariable: object({ name: { type: "string", minLength: 1, pattern: "^[a-z]+$" }, value: { type: "string" } }),
      Secret: object({ name: { type: "string" }, kind: { type: "string", enum: ["secret"] }, updated_at: { type: "string", format: "date-time" } }),
      NewSecret: object({ encrypted_value: { type: "string" } }),
    },
  },
}); // biome-ignore format: one line each

function object(properties: Readonly<Record<string, Json>>): Json {
  return { type: "object", required: Object.keys(properties), properties };
}

function operation(
  operationId: string,
  body: string | undefined,
  answers: Readonly<Record<number, Json | undefined>>,
  parameters: readonly string[],
): Json {
  const content = (schema: Json) => ({
    content: {
      "application/json": { schema: typeof schema === "string" ? { $ref: `#/components/schemas/${schema}` } : schema },
    },
  });
  return {
    operationId,
    parameters: parameters.map((name) => ({ in: "path", name, required: true, schema: { type: "string" } })),
    ...(body === undefined ? {} : { requestBody: { required: true, ...content(body) } }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, schema]) => [
        status,
        { description: "", ...(schema === undefined ? {} : content(schema)) },
      ]),
    ),
  };
}

/** `created`: how many creations the description has at least that need no other record. */
const sources: readonly (readonly [what: string, created: number, source: () => string])[] = [
  ["records within values of their paths", 2, () => vault],
];

for (const [what, created, source] of sources)
  test(`keeps its contract: ${what}`, () => keepsContracts(source(), created));

const folder = process.env["NONET_DESCRIPTIONS"];
const skip = folder === undefined && "NONET_DESCRIPTIONS is no folder of published descriptions";

/** Published descriptions, by the ends of their paths, also of `@readme/oas-examples` and `@octokit/openapi`. */
const published: readonly (readonly [end: string, created: number])[] = [
  ["oas-examples/2.0/json/petstore.json", 3],
  ["oas-examples/3.0/yaml/petstore.yaml", 3],
  ["oas-examples/3.1/json/petstore.json", 3],
  ["oas-examples/3.0/json/petstore-expanded.json", 1],
  ["oas-examples/3.1/yaml/train-travel.yaml", 1],
  ["museum-openapi-example/openapi.yaml", 1],
  ["generated/api.github.com.json", 15],
];

for (const [end, created] of published)
  test(`keeps its contract as published: ${end}`, { skip }, async () => {
    const [name] = globSync(`**/*${end}`, { cwd: folder ?? "" });
    assert(name !== undefined, `${folder} has no ${end}`);
    await keepsContracts(readFileSync(join(folder ?? "", name), "utf8"), created);
  });

async function keepsContracts(source: string, created: number): Promise<void> {
  const imported = importDocument("source", source);
  assert(imported.kind === "imported");
  const model = openToAll(imported.model);
  await using service = await run(printModel(model, {}));
  const base = new URL(model.endpoints.base?.replace("{base_url}", "http://x") ?? "http://x").pathname.replace(
    /\/$/,
    "",
  );
  const creations = resourceEndpoints(model).filter(
    (one) => one.parents.length === 0 && (one.action === "create" || creates(model, one)),
  );
  assert(creations.length >= created, `${creations.length} creations`);
  let found = 0;
  for (const creation of creations) {
    const read = resourceEndpoints(model, creation.resource).find(({ action }) => action === "read");
    for (const seed of ["a", "b", "c"]) {
      const named: Record<string, Json> = {};
      for (const segment of creation.segments) if (segment.kind === "parameter") named[segment.name] = `${seed}-1`;
      const at = base + pathOf(creation, named);
      const body = bodyOf(model, creation, seed);
      const made = await call(service.url + at, creation.endpoint.method, body);
      assertKept(model, creation, made);
      if (read?.key === undefined) continue;
      const { key } = read;
      const known = {
        ...named,
        ...inner(body),
        ...inner(made.body),
        ...(creation.key === undefined ? {} : { [key.column]: `${seed}-1` }),
      };
      const values = Object.fromEntries(partsOf(key).map(({ column, parameter }) => [parameter, known[column]]));
      // An answer of a creation need not have the key that the service makes.
      if (Object.values(values).includes(undefined)) continue;
      const again = await call(service.url + base + pathOf(read, values as typeof named), "GET", undefined);
      assert.equal(again.status, 200, `${read.operation} ${JSON.stringify([body, made, values])}`);
      assertKept(model, read, again);
      found += 1;
    }
  }
  assert(found >= created, `${found} records`);
}

/** Returns the model without credentials, so that this is only about bodies and answers. */
function openToAll(model: Model): Model {
  const operations = Object.keys(model.endpoints.endpoints);
  const allow = Object.fromEntries(operations.map((name) => [name, [{ who: { kind: "anyone" as const } }]]));
  return {
    ...model,
    status: { ...model.status, authentication: "shown" },
    authentication: { credentials: {}, own: {}, allow, show: {} },
    gaps: model.gaps.filter((gap) => !gap.startsWith("authentication")),
  };
}

interface Reply {
  readonly status: number;
  readonly body: Json | undefined;
}

async function call(url: string, method: string, body: Json | undefined): Promise<Reply> {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : (JSON.parse(text) as Json) };
}

function pathOf({ endpoint }: ResourceEndpoint, values: Readonly<Record<string, Json>>): string {
  return endpoint.path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = values[name];
    return encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value));
  });
}

/** Returns the members of an object, and those of the objects in it: of a record in another object. */
function inner(value: Json | undefined): Readonly<Record<string, Json>> {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return {};
  const below = Object.values(value).filter((one) => one !== null && typeof one === "object" && !Array.isArray(one));
  return Object.assign({}, ...below, value) as Readonly<Record<string, Json>>;
}

/** Returns a body that the contract allows: with all members, with some, or only with the required ones. */
function bodyOf(model: Model, { endpoint }: ResourceEndpoint, seed: string): Json | undefined {
  const type = endpoint.knownContract?.body?.type;
  if (type === undefined) return undefined;
  const supply = { random: seeded(seed), now: Date.UTC(2027, 0), reference: () => undefined, user: () => "ann" };
  const extent = ({ a: "all", b: "some" } as const)[seed] ?? "needed";
  const value = schemaValue(model, schemaOf(type), supply, extent);
  assert(value !== undefined, endpoint.path);
  return value;
}

function assertKept(model: Model, { endpoint, operation: name }: ResourceEndpoint, { body, status }: Reply): void {
  const answers = endpoint.knownContract?.answers ?? {};
  const successes = Object.entries(answers).filter(([one]) => one.startsWith("2"));
  const what = `${name}: ${status} ${JSON.stringify(body)}`;
  assert.equal(Math.floor(status / 100), 2, what);
  if (successes.length === 0) return;
  const answer: Pick<ContractBody, "type"> | undefined = answers[String(status)] ?? answers["2XX"];
  assert(answer !== undefined, what);
  if (answer.type === undefined) return;
  assert.deepEqual(schemaProblems(model, schemaOf(answer.type), body ?? null, "output"), [], what);
}
