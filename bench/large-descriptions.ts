/**
 * What the commands take for a description of the size of the largest published ones: 1,200 operations, 400 schemas that refer
 * to one another, texts and examples. For each command the processor time, its ratio to that of `check` in the same run, and the
 * memory of the process. Every command should end in 5 s and 600 MB.
 *
 *     node bench/large-descriptions.ts                  1,200 operations
 *     node bench/large-descriptions.ts --operations 300
 *     node bench/large-descriptions.ts --description FILE
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { columns } from "../src/base/layout.ts";
import type { JsonObject } from "../src/base/json.ts";

const { values } = parseArgs({
  options: { operations: { type: "string", default: "1200" }, description: { type: "string" } },
});
const command = fileURLToPath(new URL("../src/cli.mjs", import.meta.url));

/** A description with this many operations: three for each path. */
function largeDescription(operations: number): JsonObject {
  const schemas = Object.fromEntries(
    Array.from({ length: Math.ceil(operations / 3) }, (_, at) => [`Thing${at}`, schemaOf(at, operations)]),
  );
  const paths = Object.fromEntries(
    Array.from({ length: Math.ceil(operations / 3) }, (_, at) => [`/things${at}/{id}`, pathItem(at)]),
  );
  return {
    openapi: "3.1.0",
    info: { title: "Large", version: "1" },
    servers: [{ url: "https://large.example" }],
    security: [{ key: [] }],
    paths,
    components: { securitySchemes: { key: { type: "http", scheme: "bearer" } }, schemas },
  };
}

function schemaOf(at: number, operations: number): JsonObject {
  const members = Array.from({ length: 24 }, (_, index): [string, JsonObject] => [
    `member${index}`,
    {
      type: "string",
      maxLength: 80,
      description: `What member ${index} of thing ${at} means: a sentence as long as most.`,
    },
  ]);
  const next = { $ref: `#/components/schemas/Thing${(at * 7 + 1) % Math.ceil(operations / 3)}` };
  return { type: "object", required: ["member0"], properties: { ...Object.fromEntries(members), next } };
}

function pathItem(at: number): JsonObject {
  const schema = { $ref: `#/components/schemas/Thing${at}` };
  const example = Object.fromEntries(
    Array.from({ length: 24 }, (_, index) => [`member${index}`, `value ${index} of ${at}`]),
  );
  const parameters = [{ name: "id", in: "path", required: true, schema: { type: "integer" } }];
  const responses = {
    "200": {
      description: "The thing",
      content: { "application/json": { schema, examples: { default: { value: example } } } },
    },
    "404": { description: "There is none" },
  };
  const described = (operationId: string): JsonObject => ({
    operationId,
    tags: [`tag${at % 30}`],
    summary: `Operation ${operationId}`,
    description: `It does this.\n\n**Note**: it does that, too. See [the guide](https://large.example/${operationId}).\n\n- one\n- two\n`,
    parameters,
    responses,
  });
  return {
    get: described(`get${at}`),
    put: { ...described(`put${at}`), requestBody: { required: true, content: { "application/json": { schema } } } },
    delete: described(`delete${at}`),
  };
}

interface Cost {
  readonly seconds: number;
  readonly megabytes: number;
}

/** Runs the command in a process of its own, which says at its end what it used; stops it once it is ready. */
async function costOf(operands: readonly string[], isReady: (output: string) => boolean = () => false): Promise<Cost> {
  const script = `process.argv.splice(1, 1, ...JSON.parse(process.argv[1])); await import(process.argv[1]);
    process.on("exit", () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); process.stderr.write("\\n" + JSON.stringify({ seconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 })); });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, JSON.stringify([command, ...operands])], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (data: Buffer) => {
    output = output.slice(-1000) + data.toString();
    if (isReady(output)) child.kill();
  });
  let text = "";
  child.stderr.on("data", (data: Buffer) => (text += data.toString()));
  const [code] = (await once(child, "close")) as [number];
  if (code > 1) throw new Error(`${operands.join(" ")}: ${text}`);
  return JSON.parse(text.slice(text.lastIndexOf("\n"))) as Cost;
}

const folder = await mkdtemp(join(tmpdir(), "nonet-large-"));
try {
  const [source, document, report] = ["large.json", "large.md", "report.txt"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const { description, operations } = values;
  await writeFile(
    source,
    description === undefined ? JSON.stringify(largeDescription(Number(operations))) : await readFile(description),
  );
  const imported = await costOf(["import", source, "--out", document]);
  const check = await costOf(["check", document]);
  const costs: (readonly [string, Cost])[] = [
    ["check", check],
    ["import", imported],
    ["import --report", await costOf(["import", source, "--report", "--out", report])],
  ];
  for (const format of ["openapi", "openapi-3.0", "json-schema", "postman", "markdown", "page", "typescript"])
    costs.push([`export ${format}`, await costOf(["export", format, document, "--out", report])]);
  costs.push(["types", await costOf(["types", document, "--out", report])]);
  costs.push(["diff", await costOf(["diff", document, document])]);
  const serve = ["serve", document, "--data", "memory", "--port", "0"];
  costs.push(["serve, until ready", await costOf(serve, (output) => output.includes("http://127.0.0.1:"))]);
  const rows = costs.map(([name, { seconds, megabytes }]) => [
    name,
    `${seconds.toFixed(1)} s`,
    `${(seconds / check.seconds).toFixed(2)} × check`,
    `${Math.round(megabytes)} MB`,
  ]);
  console.log(columns(rows).join("\n"));
} finally {
  await rm(folder, { recursive: true });
}
