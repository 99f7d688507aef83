/** `npm run corpus`: freezes the outputs of the corpus, or writes them to a folder, to compare two commits. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { answerOutputs, answersOf } from "./answers.ts";
import { documents } from "./documents.ts";
import { digestOf, frozenPath } from "./frozen.ts";
import { differencesBetween, findingOutputs, type Output, outputsOf } from "./outputs.ts";

const { values } = parseArgs({
  options: { freeze: { type: "boolean", default: false }, out: { type: "string" }, only: { type: "string" } },
});

async function* outputs(): AsyncIterable<Output> {
  const chosen = documents.filter(({ name }) => values.only === undefined || name.includes(values.only));
  for (const document of chosen) {
    yield* outputsOf(document);
    yield* answerOutputs(document.name, await answersOf(document));
  }
  if (values.only !== undefined) return;
  yield* differencesBetween(documents);
  yield* findingOutputs();
}

const lines: string[] = [];
for await (const { document, name, text } of outputs()) {
  lines.push(`${digestOf(text)} ${document}: ${name}\n`);
  if (values.out === undefined) continue;
  const path = join(values.out, document, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
if (values.freeze) writeFileSync(frozenPath, lines.join(""));
process.stdout.write(`${lines.length} outputs\n`);
