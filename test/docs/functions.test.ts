/** The functions in the how-to on handlers compile with the generated types. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { functionTypes } from "../../src/export/typescript/functions.ts";
import { importDocument } from "../../src/import/import.ts";
import { compileFunctions } from "../export/compile.ts";
import { planOf } from "../serve/running.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const fences = (text: string, kind: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, inner = ""]) => inner);

const page = read("docs/how-to/handlers.md");
const flagship = read("examples/parcel-lockers.md");

/** The flagship with operations of the page, and a line for each in part 5. */
function withHandlers(index: number, allow: string): string {
  const endpoints = fences(page, "yaml example")[index] ?? "";
  return flagship
    .replace(/^endpoints:\n(?=(?: {2}.*\n)*? {2}\w+: (?:GET|POST|\{))/m, endpoints)
    .replace(/^allow:\n/m, `allow:\n${allow}`);
}

function shelter(): string {
  const [source = ""] = fences(read("docs/how-to/import.md"), "yaml source");
  const result = importDocument("pets.yaml", source);
  assert(result.kind === "imported");
  return result.document;
}

test("the functions of the page on handlers compile", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "nonet-functions-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const documents = [
    withHandlers(0, "  quote: anyone\n  rush: operator\n  report: operator\n"),
    shelter(),
    withHandlers(1, "  callBack: anyone\n"),
    flagship,
  ];
  const samples = fences(page, "ts");
  assert.equal(samples.length, documents.length);
  for (const [index, document] of documents.entries()) {
    const own = join(folder, String(index));
    await mkdir(own);
    const types = functionTypes(planOf(document));
    await writeFile(join(own, "lockers.types.ts"), types);
    await writeFile(join(own, "pets.types.ts"), types);
    const sample = samples[index] ?? "";
    const named = 'import { handlers } from "nonet";\nimport type { ParcelLockers } from "./lockers.types.ts";\n';
    await writeFile(join(own, "sample.ts"), sample.startsWith("import") ? sample : named + sample);
  }
  assert.equal(await compileFunctions(folder, "*/*.ts"), "");
});
