/**
 * Runs command lines and compares their output, from text files that anybody can read and write:
 *
 *     What the scenario is about, in prose.
 *
 *     === file NAME           a file in the scenario's folder; its text follows
 *     === $ nonet check NAME  a line for the shell; its expected standard output follows
 *     === stderr              the expected standard error of that line; default: nothing
 *     === exit 1              its exit code; default 0
 *
 * A line `…` alone matches any lines; one that ends with ` …` matches the rest of the line. Values that differ between machines
 * and runs are masked: see `masks`. The folder has the repository's examples in `examples/`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { cli } from "../cli.ts";
import { clock } from "../clock.ts";
import { streamsHere } from "../commands/process.ts";

export const root: string = dirname(dirname(import.meta.dirname));

export interface Scenario {
  readonly about: string;
  readonly steps: readonly Step[];
}

export type Step = FileStep | RunStep;

export interface FileStep {
  readonly kind: "file";
  readonly name: string;
  readonly text: string;
}

export interface RunStep {
  readonly kind: "run";
  readonly line: string;
  readonly result: Result;
}

export interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

export function readScenario(text: string): Scenario {
  const [about = "", ...sections] = text.split(/^=== /m);
  const steps: Step[] = [];
  for (const section of sections) {
    const end = section.indexOf("\n");
    const head = section.slice(0, end);
    const body = section.slice(end + 1);
    const last = steps.at(-1);
    if (head.startsWith("file ")) steps.push({ kind: "file", name: head.slice("file ".length), text: body });
    else if (head.startsWith("$ "))
      steps.push({ kind: "run", line: head.slice(2), result: { stdout: body, stderr: "", exit: 0 } });
    else if (last?.kind === "run" && head === "stderr")
      steps[steps.length - 1] = { ...last, result: { ...last.result, stderr: body } };
    else if (last?.kind === "run" && /^exit \d+$/.test(head))
      steps[steps.length - 1] = { ...last, result: { ...last.result, exit: Number(head.slice("exit ".length)) } };
    else throw new Error(`what is "=== ${head}"?`);
  }
  return { about, steps };
}

export function writeScenario({ about, steps }: Scenario): string {
  return about + steps.map(writeStep).join("");
}

export function writeStep(step: Step): string {
  if (step.kind === "file") return `=== file ${step.name}\n${step.text}`;
  const { stdout, stderr, exit } = step.result;
  const exits = exit === 0 ? "" : `=== exit ${exit}\n`;
  return `=== $ ${step.line}\n${stdout}${stderr === "" ? "" : `=== stderr\n${stderr}`}${exits}`;
}

/** Runs all steps in a new folder; gives the scenario as it went. */
export async function play({ about, steps }: Scenario): Promise<Scenario> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "nonet-scenario-")));
  const bin = join(folder, ".bin");
  try {
    symlinkSync(join(root, "examples"), join(folder, "examples"));
    mkdirSync(bin);
    writeFileSync(join(bin, "nonet"), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
    chmodSync(join(bin, "nonet"), 0o755);
    const played: Step[] = [];
    for (const step of steps) {
      if (step.kind === "file") writeFileSync(join(folder, step.name), step.text);
      played.push(step.kind === "file" ? step : { ...step, result: await runLine(step.line, folder, bin) });
    }
    return { about, steps: played };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The date on which every scenario is played, in epoch seconds: 2026-11-22. */
const today = String(Date.UTC(2026, 10, 22) / 1000);

async function runLine(line: string, folder: string, bin: string): Promise<Result> {
  // A line of the command alone needs no shell and no process.
  if (/^nonet [\w ./:=,@-]+$/.test(line)) {
    const environment = { HOME: folder, SOURCE_DATE_EPOCH: today };
    const { code, stdout, stderr } = await streamsHere(line.split(/ +/).slice(1), { folder, environment });
    return { stdout: masked(stdout, folder), stderr: masked(stderr, folder), exit: code };
  }
  const { PATH = "" } = process.env;
  const child = spawn("bash", ["-c", line], {
    cwd: folder,
    // Neither the settings nor the date of the machine: the output must not depend on them.
    env: {
      PATH: [bin, dirname(process.execPath), PATH].join(delimiter),
      HOME: folder,
      ...clock,
      LANG: "C.UTF-8",
      SOURCE_DATE_EPOCH: today,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const outputs = [child.stdout, child.stderr].map((stream) => stream.setEncoding("utf8").toArray());
  const [[exit], stdout = [], stderr = []] = await Promise.all([once(child, "close") as Promise<[number]>, ...outputs]);
  return { stdout: masked(stdout.join(""), folder), stderr: masked(stderr.join(""), folder), exit };
}

const masks: readonly (readonly [what: RegExp, mask: string])[] = [
  [/\bkey_[0-9a-z]{26}\b/g, `key_${"0".repeat(26)}`],
  [/^(client_secret=)?([a-z]+_)?[0-9A-Za-z]{33}$/gm, "$1$2SECRET"],
  [/(?<=…)[0-9A-Za-z]{4}\b/g, "LAST"],
  [/\b\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/gm, "TIME"],
  [/(?<="semanticVersion": ")[^"]+/g, "VERSION"],
  [/(127\.0\.0\.1:)(?!8080\b)\d+/g, "$1PORT"],
];

function masked(text: string, folder: string): string {
  const placed = text.replaceAll(folder, "FOLDER").replaceAll(root, "ROOT");
  return masks.reduce((rest, [what, mask]) => rest.replace(what, mask), placed.replace(/(?<=[^\n])$/, "\n"));
}

/** Whether the text is what is shown. */
export function isAsShown(shown: string, actual: string): boolean {
  const pattern = shown
    .split(/(?<=\n)/)
    .map((line) => {
      if (line === "…\n") return "(?:.*\n)*?";
      return line.endsWith(" …\n") ? `${RegExp.escape(line.slice(0, -2))}.*\n` : RegExp.escape(line);
    })
    .join("");
  return new RegExp(`^${pattern}$`).test(actual);
}
