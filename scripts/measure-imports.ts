/**
 * Runs `npm run measure:imports -- FOLDER…`: imports each description below the folders, and prints how many operations became
 * actions of the language, how many stay handlers and for which reasons, and how many findings a check has about imported
 * contracts. The report of an import lists their causes, such as XML. Fails if a document has errors.
 */
import { readFileSync, statSync, globSync } from "node:fs";
import { join } from "node:path";
import { contractFindings } from "../src/contracts/findings.ts";
import { importDocument } from "../src/import/import.ts";
import { check } from "../src/language/check.ts";
import { isFree } from "../src/language/endpoints/resolve.ts";
import { processTerminal } from "../src/server/terminal.ts";

const terminal = processTerminal();
const reasons = new Map<string, number>();
const totals = { files: 0, operations: 0, declared: 0, resources: 0, errors: 0, broken: 0 };
for (const path of process.argv.slice(2).flatMap(descriptions)) {
  const start = performance.now();
  const imported = importDocument(path, readFileSync(path));
  if (imported.kind === "error") continue;
  const milliseconds = Math.round(performance.now() - start);
  const { model, notes } = imported;
  const endpoints = Object.values(model.endpoints.endpoints);
  const declared = endpoints.filter((endpoint) => !isFree(endpoint)).length;
  const resources = Object.keys(model.resources.resources).length;
  const checked = check("import.md", imported.document);
  const errors = checked.diagnostics.filter(({ severity }) => severity === "error");
  const broken = contractFindings(checked) ?? [];
  for (const { kind, what } of notes) if (kind === "handler") reasons.set(what, (reasons.get(what) ?? 0) + 1);
  totals.files += 1;
  totals.operations += endpoints.length;
  totals.declared += declared;
  totals.resources += resources;
  totals.errors += errors.length;
  totals.broken += broken.length;
  terminal.out(`${declared} of ${endpoints.length} operations, ${resources} resources, ${milliseconds} ms  ${path}\n`);
  for (const { code, message } of errors.slice(0, 5)) terminal.out(`  ${code}: ${message}\n`);
}
const { broken, declared, errors, files, operations, resources } = totals;
terminal.out(
  `\n${files} descriptions: ${declared} of ${operations} operations, ${resources} resources, ${errors} errors, ${broken} findings about contracts\n`,
);
for (const [what, count] of [...reasons].toSorted(([, one], [, other]) => other - one))
  terminal.out(`${String(count).padStart(6)}  ${what}\n`);
if (errors > 0) process.exitCode = 1;

/** Returns the files that may be descriptions: a file itself, or those of a folder. */
function descriptions(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return globSync("**/*.{json,yaml,yml}", { cwd: path })
    .toSorted()
    .map((name) => join(path, name))
    .filter(
      (file) => statSync(file).isFile() && /^\W*(?:swagger|openapi)\W/m.test(readFileSync(file, "utf8").slice(0, 4000)),
    );
}
