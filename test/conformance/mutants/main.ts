/**
 * Runs the tester on mutants, or on correct services, from the command line:
 *
 *     node test/conformance/mutants/main.ts --of documents [--document NAME] [--part PART,…] [--only TEXT] [--limit N] [--seconds N]
 *         [--partial] [--list]
 *     node test/conformance/mutants/main.ts --of accept [--document NAME] [--store memory|sqlite|postgres] [--replicas N]
 *         [--seeds 1-200] [--workers N]
 *
 * `--of`: `documents`, `proofs`, `engine`, or `accept` for correct services. `--only`: mutants whose id contains the text. `--part`:
 * those of these parts. `--limit`: so many of each document, evenly spread. `--partial`: only the cases of a mutant's part run.
 * `--list` prints them and runs none. `--seeds`: of the test of a correct service. A report that says that one breaks something is
 * a mistake of ours, and is printed.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { reportText } from "../../../src/conformance/report/text.ts";
import { startPostgres } from "../../postgres/server.ts";
import { testRunning } from "../served.ts";
import { type Acceptance, acceptances, serveAcceptance, titleOf } from "./accept.ts";
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
    store: { type: "string", default: "memory" },
    replicas: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    workers: { type: "string", default: "1" },
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
  const documents = [...examples, ...smallDocuments].filter(isChosen);
  const store = values.store as Acceptance["store"];
  await using server = store === "postgres" ? await startPostgres() : undefined;
  if (server !== undefined) process.env["NONET_TEST_POSTGRES"] = server.address;
  const [first = 1, last = first] = values.seeds.split("-").map(Number);
  for (let seed = first; seed <= last; seed += 1) {
    for (const one of acceptances(documents, [{ store, replicas: Number(values.replicas) }])) {
      await using running = await serveAcceptance(one);
      const report = await testRunning(one.document.text, running, {
        ...{ secrets: one.document.environment, seed, workers: Number(values.workers), budgetMilliseconds: 300_000 },
        ...(one.version === undefined ? {} : { version: one.version }),
      });
      const count = (kind: string): number => report.cases.filter((each) => each.kind === kind).length;
      const figures = `${count("holds")} hold, ${count("not tried")} not tried, ${report.requests} requests`;
      write(`${titleOf(one)}, seed ${seed}: ${count("broken")} broken, ${figures}, ${report.milliseconds} ms`);
      if (count("broken") === 0) continue;
      process.exitCode = 1;
      write(reportText(report));
    }
  }
}
