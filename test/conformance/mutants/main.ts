/**
 * Runs the tester on mutants, or on correct services, from the command line:
 *
 *     node test/conformance/mutants/main.ts --of documents [--document NAME] [--part PART,…] [--only TEXT] [--limit N] [--seconds N]
 *         [--partial] [--list]
 *
 * `--of`: `documents`, `proofs`, `engine`, or `accept` for correct services. `--only`: mutants whose id contains the text. `--part`:
 * those of these parts. `--limit`: so many of each document, evenly spread. `--partial`: only the cases of a mutant's part run. `--list` prints them and runs none.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { acceptances, falseAlarms, titleOf } from "./accept.ts";
import { type Mutant, lineOf, ofDocument, ofEngine, ofProofs, type Slice, score, summaryOf } from "./score.ts";
import { examples, smallDocuments } from "./served.ts";
import { tester } from "./tester.ts";

const { values } = parseArgs({
  options: {
    of: { type: "string", default: "documents" },
    document: { type: "string" },
    part: { type: "string" },
    only: { type: "string" },
    limit: { type: "string" },
    seconds: { type: "string", default: "120" },
    partial: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});
const write = (text: string): void => void process.stdout.write(`${text}\n`);
const slice: Slice = {
  ...(values.part === undefined ? {} : { parts: values.part.split(",") }),
  ...(values.only === undefined ? {} : { only: values.only }),
  ...(values.limit === undefined ? {} : { limit: Number(values.limit) }),
};
const isChosen = ({ name }: { readonly name: string }): boolean =>
  values.document === undefined || name === values.document;

if (values.of === "accept") await accept();
else await run(candidatesOf(values.of));

function candidatesOf(kind: string): readonly Mutant[] {
  if (kind === "documents") {
    const documents = values.document === undefined ? examples : [...examples, ...smallDocuments].filter(isChosen);
    return documents.flatMap((document) => ofDocument(document, slice));
  }
  const mutants = kind === "engine" ? ofEngine(slice) : kind === "proofs" ? ofProofs(slice) : undefined;
  if (mutants === undefined) throw new Error(`--of ${kind}: expected documents, proofs, engine or accept`);
  return mutants.filter(({ group }) => isChosen({ name: group }));
}

async function run(mutants: readonly Mutant[]): Promise<void> {
  if (values.list) {
    for (const { group, id, observable, reason } of mutants)
      write(`${observable ? "+" : "-"} ${group}: ${id}${reason === undefined ? "" : ` (${reason})`}`);
    return;
  }
  const scored = await score(mutants, tester, {
    seconds: Number(values.seconds),
    isPartial: values.partial,
    onScored: (one) => write(`${one.outcome.kind.padEnd(6)} ${Math.round(one.milliseconds)} ms ${lineOf(one)}`),
  });
  write(`\n${summaryOf(scored)}`);
}

async function accept(): Promise<void> {
  let count = 0;
  for (const one of acceptances([...examples, ...smallDocuments].filter(isChosen))) {
    const broken = await falseAlarms(one, tester);
    count += broken.length;
    write(`${titleOf(one)}: ${broken.length === 0 ? "nothing is broken" : broken.join(", ")}`);
  }
  process.exitCode = count === 0 ? 0 : 1;
}
