/** `nonet test DOC --url URL`: tests an implementation against a document, over HTTP alone. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { count } from "../base/layout.ts";
import type { Obtain } from "../conformance/lend.ts";
import { formatOf, reportEndings, type ReportFormat, writeReport } from "../conformance/report/formats.ts";
import { readCaller, readTestSettings, type TestSettings, textSettings } from "../conformance/settings.ts";
import { type CaseResult, type Report, type Revoke, test, TestError } from "../conformance/test.ts";
import { printDiagnostics } from "../diagnostics/text.ts";
import { readDocument, written } from "../server/document.ts";
import { DocumentError, UsageError } from "../server/errors.ts";
import { releaseVersion, type Terminal } from "../server/terminal.ts";

export interface TestCommandOptions {
  readonly url: string | undefined;
  readonly config: string | undefined;
  readonly as: readonly string[];
  readonly obtain: string | undefined;
  readonly revoke: string | undefined;
  readonly clock: string | undefined;
  readonly reset: string | undefined;
  readonly receiver: string | undefined;
  readonly confirm: string | undefined;
  readonly skip: readonly string[];
  readonly only: readonly string[];
  readonly "api-version": string | undefined;
  readonly seed: number | undefined;
  readonly budget: number;
  readonly workers: number;
  readonly replay: string | undefined;
  readonly report: readonly string[];
  readonly format: ReportFormat;
}

/** The settings file that is read if it exists. */
const usualSettings = "nonet.test.yaml";

/** How long the command of `--obtain` or `--revoke` may take, in milliseconds. */
const commandMilliseconds = 30_000;

export async function testCommand(document: string, options: TestCommandOptions, terminal: Terminal): Promise<number> {
  const name = document === "-" ? "standard input" : document;
  const text = new TextDecoder().decode(await readDocument(document, terminal));
  const { obtain, revoke, ...settings } = await settingsOf(options, terminal);
  if (settings.url === undefined) throw new UsageError("name the implementation: --url http://127.0.0.1:8080");
  const files = options.report.map((file) => ({ file, format: formatNamed(file) }));
  const replayed = options.replay === undefined ? undefined : replayOf(await readDocument(options.replay, terminal));
  const report = await test({
    ...{ ...settings, name, text, url: settings.url, only: options.only, ids: replayed?.ids },
    ...{ version: options["api-version"], budgetMilliseconds: options.budget, workers: options.workers },
    secrets: { ...definedIn(terminal.environment), ...settings.secrets },
    seed: options.seed ?? replayed?.seed ?? Math.floor(Math.random() * 2 ** 31),
    obtain: obtain === undefined ? undefined : obtainWith(obtain),
    revoke: revoke === undefined ? undefined : revokeWith(revoke),
    progress: terminal.interactive ? progressLine(terminal) : undefined,
  }).catch((thrown: unknown) => {
    if (!(thrown instanceof TestError)) throw thrown;
    const { result } = thrown;
    if (result === undefined) throw new UsageError(thrown.message);
    const errors = `${name} cannot be tested: ${count(result.summary.errors, "error")}`;
    throw new DocumentError(printDiagnostics(result, terminal) + errors, result.diagnostics);
  });
  if (terminal.interactive) terminal.err("\r\u001b[K");
  const release = releaseVersion();
  const write = (format: ReportFormat, colour: boolean) => writeReport(format, report, { colour, release });
  for (const { file, format } of files) await written(file, write(format, false), terminal);
  terminal.out(write(options.format, terminal.colour));
  return exitCode(report, terminal);
}

function formatNamed(file: string): ReportFormat {
  const format = formatOf(file);
  if (format !== undefined) return format;
  throw new UsageError(`--report ${file}: the ending names the format, one of ${reportEndings.join(", ")}`);
}

/** 0: what was tried holds; 1: something is broken; 2: nothing could be tried, which shows nothing. */
function exitCode({ cases }: Report, terminal: Terminal): number {
  if (cases.some(({ kind }) => kind === "broken")) return 1;
  if (cases.length === 0 || cases.some(({ kind }) => kind === "holds")) return 0;
  terminal.err("nonet test: nothing could be tried\n");
  return 2;
}

async function settingsOf(options: TestCommandOptions, terminal: Terminal): Promise<TestSettings> {
  const file = options.config ?? usualSettings;
  const text = await terminal.read(file).then(
    (bytes) => new TextDecoder().decode(bytes),
    (thrown: unknown) => {
      if (options.config === undefined && (thrown as NodeJS.ErrnoException).code === "ENOENT") return "";
      throw new UsageError(`cannot read ${file}: ${(thrown as Error).message}`);
    },
  );
  const { settings, problems } = readTestSettings(file, text, terminal.environment);
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  const callers = options.as.map((one) => {
    const caller = readCaller(one);
    if (caller === undefined) throw new UsageError("--as is ROLE=TOKEN, USER:ROLE+ROLE=TOKEN, or =TOKEN for no role");
    return caller;
  });
  const flags = textSettings.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]] as const]));
  return {
    ...settings,
    ...Object.fromEntries(flags),
    callers: [...callers, ...settings.callers],
    skip: [...settings.skip, ...options.skip],
  };
}

function definedIn(environment: Terminal["environment"]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).filter((one): one is [string, string] => one[1] !== undefined));
}

const runFile = promisify(execFile);

/** Runs a command line that prints a credential in its last line, or the id and the secret of a client in the last two. */
function obtainWith(line: string): Obtain {
  return async (user, roles, credential, isUsual) => {
    if (!isUsual && !line.includes("{credential}")) return undefined;
    const lines = (await outputOf(line, { user, roles, credential }, "obtain")).trim().split("\n");
    const valueOf = (name: string) => lines.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
    const [id, secret] = [valueOf("client_id"), valueOf("client_secret")];
    return id === undefined || secret === undefined ? lines.at(-1) : `${id}:${secret}`;
  };
}

/** Runs a command line that revokes the credentials of a user. */
function revokeWith(line: string): Revoke {
  return async (user, credential) => void (await outputOf(line, { user, roles: [], credential }, "revoke"));
}

interface Values {
  readonly user: string;
  readonly roles: readonly string[];
  readonly credential: string;
}

async function outputOf(line: string, { user, roles, credential }: Values, what: string): Promise<string> {
  const words = line.split(/\s+/).filter((word) => word !== "");
  const [command = "", ...args] = words
    .flatMap((word) => (word === "{roles}" ? roles.flatMap((role) => ["--role", role]) : [word]))
    .map((word) =>
      word.replaceAll("{user}", user).replaceAll("{roles}", roles.join(",")).replaceAll("{credential}", credential),
    );
  try {
    return (await runFile(command, args, { timeout: commandMilliseconds })).stdout;
  } catch (thrown) {
    throw new UsageError(`cannot ${what} a credential: ${(thrown as Error).message}`);
  }
}

interface Replay {
  readonly seed: number;
  readonly ids: ReadonlySet<string>;
}

/** Returns the broken cases of an earlier report in JSON. */
function replayOf(bytes: Uint8Array): Replay {
  try {
    const report = JSON.parse(new TextDecoder().decode(bytes)) as Pick<Report, "seed" | "cases">;
    const broken = report.cases.flatMap((one) => (one.kind === "broken" ? [one.id, ...one.also] : []));
    return { seed: report.seed, ids: new Set(broken) };
  } catch {
    throw new UsageError("--replay takes a report that was written with --report FILE.json");
  }
}

function progressLine(terminal: Terminal): (result: CaseResult, done: number, of: number) => void {
  let broken = 0;
  return (result, done, of) => {
    if (result.kind === "broken") broken += 1;
    terminal.err(`\r\u001b[K${done} of ${of}${broken === 0 ? "" : `, ${broken} broken`}: ${result.id.slice(0, 60)}`);
  };
}
