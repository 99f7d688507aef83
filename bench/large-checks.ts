/**
 * How long `check` takes for a document of one construct again and again (`large-documents.ts`): processor time, the
 * slowest first, and how it grows to twice the size.
 *
 *     node bench/large-checks.ts                        1 MB of each
 *     node bench/large-checks.ts --only enum --size 200000
 */
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { printDiagnostics } from "../src/diagnostics/text.ts";
import { check } from "../src/language/check.ts";
import { constructs, fileNameOf } from "./large-documents.ts";

/** Milliseconds of processor time, of the whole size and of a half of it. */
interface Cost {
  readonly whole: number;
  readonly half: number;
  readonly findings: number;
  readonly printed: number;
}

interface Task {
  readonly name: string;
  readonly size: number;
}

const { values } = parseArgs({
  options: {
    size: { type: "string", default: "1000000" },
    only: { type: "string", default: "" },
    seconds: { type: "string", default: "60" },
  },
});

function cost({ name, size }: Task): Cost {
  const grow = constructs[name] as (typeof constructs)[string];
  const one = (characters: number): { ms: number; found: number; printed: number } => {
    const text = grow(characters);
    const before = process.threadCpuUsage();
    const result = check(fileNameOf(name), text);
    const printed = printDiagnostics(result, { colour: false }).length;
    const { user, system } = process.threadCpuUsage(before);
    return { ms: (user + system) / 1000, found: result.diagnostics.length, printed };
  };
  one(10_000);
  const half = one(size / 2);
  const whole = one(size);
  return { whole: whole.ms, half: half.ms, findings: whole.found, printed: whole.printed };
}

/** Undefined where it takes longer. */
function measured(task: Task): Promise<Cost | string> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: task });
    const end = (outcome: Cost | string): void => {
      clearTimeout(timer);
      resolve(outcome);
      void worker.terminate();
    };
    const timer = setTimeout(() => end("too long"), Number(values.seconds) * 1000);
    worker.once("message", end);
    worker.once("error", (error) => end(String(error)));
  });
}

if (isMainThread) {
  const rows: { readonly name: string; readonly outcome: Cost | string }[] = [];
  for (const name of Object.keys(constructs)) {
    if (!new RegExp(values.only).test(name)) continue;
    rows.push({ name, outcome: await measured({ name, size: Number(values.size) }) });
  }
  const wholeOf = ({ outcome }: (typeof rows)[number]): number =>
    typeof outcome === "string" ? Number.POSITIVE_INFINITY : outcome.whole;
  for (const { name, outcome } of rows.toSorted((a, b) => wholeOf(b) - wholeOf(a))) {
    const told =
      typeof outcome === "string"
        ? outcome
        : `${outcome.whole.toFixed(0).padStart(7)} ms  ${(outcome.whole / outcome.half).toFixed(1).padStart(5)} times the half  ${outcome.findings} findings, ${(outcome.printed / 1024).toFixed(0)} KB`;
    console.log(`${name.padEnd(36)} ${told}`);
  }
} else {
  parentPort?.postMessage(cost(workerData as Task));
}
