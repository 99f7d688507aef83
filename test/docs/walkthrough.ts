/**
 * A page that is followed from top to bottom, as a reader would, by its code blocks:
 *
 *     markdown file=NAME   a document, written to a folder of the page's own
 *     sql file=NAME        a database of another program, with these tables
 *     yaml part=NAME       the part of that document from now on; with `more`, a further block of it
 *     console              `$ command` and what comes out of it; of `curl -N` as far as it is shown
 *     http                 a request to what is served, or (when it starts with HTTP/1.1) the answer to the last one
 *
 * All other blocks are not run. `shown.ts` compares the output with the page. The commands are the real ones: a service is a separate
 * process, and a command that ends runs in this one. The test runs `nonet` (also as `npm run nonet --` and `npm start`) and `npm run story`, and
 * as much of `cp`, `curl`, `sqlite3`, `export` and `echo $?` as the pages use, so that it needs nothing but Node.
 */
import assert from "node:assert/strict";
import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { partOfHeading } from "../../src/language/grammar/sections.ts";
import { cli } from "../cli.ts";
import { streamsHere } from "../commands/process.ts";
import { type Fence, fencesOf, root } from "./fences.ts";
import { assertJson, fill, matches, mismatch, type Remembered } from "./shown.ts";

interface Walk {
  readonly folder: string;
  readonly remembered: Remembered;
  readonly environment: Record<string, string>;
  document: string;
  serving: Serving | undefined;
  answer: Reply | undefined;
  status: number;
}

interface Serving {
  readonly process: ChildProcess;
  readonly ended: Promise<unknown>;
  /** Where it listens, and what the page says instead. */
  readonly real: string;
  readonly shown: string;
}

interface Reply {
  readonly status: number;
  readonly reason: string;
  /** Names as sent, and values. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

export async function follow(path: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "nonet-page-"));
  symlinkSync(join(root, "examples"), join(folder, "examples"), "junction");
  const walk: Walk = {
    folder,
    remembered: new Map(),
    environment: {},
    document: "",
    serving: undefined,
    answer: undefined,
    status: 0,
  };
  try {
    for (const fence of fencesOf(path)) await step(walk, fence);
  } finally {
    await stopServing(walk);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function step(walk: Walk, fence: Fence): Promise<void> {
  const { language, meta, text, at } = fence;
  if (language === "markdown" && meta["file"] !== undefined) {
    walk.document = meta["file"];
    writeFileSync(join(walk.folder, walk.document), text);
  } else if (language === "sql" && meta["file"] !== undefined) {
    const database = new DatabaseSync(join(walk.folder, meta["file"]));
    database.exec(text);
    database.close();
  } else if (language === "yaml" && meta["part"] !== undefined) {
    const file = join(walk.folder, walk.document);
    writeFileSync(file, withPart(readFileSync(file, "utf8"), fence));
  } else if (language === "console") await runConsole(walk, fence);
  else if (language === "http" && text.startsWith("HTTP/")) assertAnswer(walk, fence);
  else if (language === "http") {
    const [head = "", ...body] = text.split("\n\n");
    const [line = "", ...fields] = head.split("\n").map((each) => fill(each, walk.remembered, at));
    const [method = "", target = ""] = line.split(" ");
    const headers = fields.filter((each) => each !== "").map((each) => splitField(each));
    walk.answer = await send(walk, method, target, headers, fill(body.join("\n\n").trimEnd(), walk.remembered, at));
  }
}

/** The document with this block as the part, or after the blocks that the part has. */
function withPart(document: string, { meta, text, at }: Fence): string {
  const sections = document.split(/^(?=## )/m);
  const index = sections.findIndex((section) => {
    return section.startsWith("## ") && partOfHeading((section.split("\n")[0] ?? "").slice(3)) === meta["part"];
  });
  const section = sections[index];
  assert(section !== undefined, `${at}: the document has no part ${meta["part"]}`);
  const block = `\`\`\`yaml\n${text}\`\`\`\n`;
  const before = meta["more"] === undefined ? `${section.split("\n")[0]}\n` : section.replace(/\n+$/, "\n");
  return sections.with(index, `${before}${block}\n`).join("");
}

// ── Commands ───────────────────────────────────────────────────────────────────────────────────────────────────────

async function runConsole(walk: Walk, { text, at }: Fence): Promise<void> {
  const runs = text.split(/^(?=\$ )/m).filter((run) => run.trim() !== "");
  for (const run of runs) {
    const [line = "", ...shown] = run.split("\n");
    assert(line.startsWith("$ "), `${at}: a console block starts with a command`);
    await runCommand(walk, fill(line.slice(2), walk.remembered, at), shown.join("\n"), at);
  }
}

async function runCommand(walk: Walk, line: string, shown: string, at: string): Promise<void> {
  const words = wordsOf(line);
  while (/^[A-Z_]+=/.test(words[0] ?? "") || words[0] === "export") {
    const [name = "", ...value] = (words.shift() ?? "").split("=");
    if (name !== "export") walk.environment[name] = value.join("=");
  }
  if (words.length === 0) return;
  const args = nonetArguments(words);
  if (args !== undefined && (args[0] === "serve" || args[0] === "start")) return serve(walk, args, shown, at);
  if (words[0] === "curl" && words.includes("-N")) return followStream(walk, words.slice(1), shown, at);
  const output = args === undefined ? await runOther(walk, words, at) : await runNonet(walk, args);
  const wrong = mismatch(shown, output, walk.remembered);
  assert.equal(wrong, undefined, `${at}: \`${line}\` gives\n${output}`);
}

/** What follows `nonet`, in whichever way the command is called. */
function nonetArguments(words: readonly string[]): readonly string[] | undefined {
  const called = words.join(" ");
  if (called === "npm start") return ["start"];
  if (called.startsWith("npm start -- ")) return ["start", ...words.slice(3)];
  const npm = /^npm run (?:--silent )?nonet -- /.exec(called);
  if (npm !== null) return words.slice(words.indexOf("--") + 1);
  return words[0] === "nonet" ? words.slice(1) : undefined;
}

function startNonet(walk: Walk, args: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, [cli, ...args], {
    cwd: walk.folder,
    env: { ...process.env, ...walk.environment, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** What it says of what is wrong comes first, since the order of the two streams is nobody's promise. */
async function runNonet(walk: Walk, args: readonly string[]): Promise<string> {
  const environment = { ...process.env, ...walk.environment };
  // A command may call the service that the page serves.
  const { real = "", shown = "" } = walk.serving ?? {};
  const called = args.map((arg) => (shown === "" ? arg : arg.replace(shown, real)));
  const { code, stdout, stderr } = await streamsHere(called, { folder: walk.folder, environment });
  walk.status = code;
  return shown === "" ? stderr + stdout : (stderr + stdout).replaceAll(real, shown);
}

/** What has not come out by then is not coming. */
const patience = 20_000;

/** Serves until the page serves something else, or ends. A free port stands behind the one that is shown. */
async function serve(walk: Walk, args: readonly string[], shown: string, at: string): Promise<void> {
  await stopServing(walk);
  const port = args.includes("--port") ? (args[args.indexOf("--port") + 1] ?? "") : "8080";
  const rest = args.filter((arg, index) => arg !== "--port" && args[index - 1] !== "--port");
  const child = startNonet(walk, [...rest, "--port", "0"]);
  let output = "";
  let wrong: string | undefined;
  const shownAddress = `http://127.0.0.1:${port}`;
  const real = (): string => / at (http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1] ?? shownAddress;
  const ended = once(child, "close");
  let over = false;
  void ended.then(([code]) => {
    over = true;
    walk.status = code as number;
  });
  const late = AbortSignal.timeout(patience);
  const heard = (): Promise<unknown> => once(child.stdout, "data", { signal: late }).catch(() => {});
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  }
  walk.serving = { process: child, ended, real: shownAddress, shown: shownAddress };
  do {
    await Promise.race([heard(), ended]);
    wrong = mismatch(shown, output.replaceAll(real(), shownAddress), walk.remembered);
  } while (wrong !== undefined && !over && !late.aborted);
  walk.serving = over ? undefined : { ...walk.serving, real: real() };
  assert.equal(wrong, undefined, `${at}: serving gives\n${output}`);
}

async function stopServing(walk: Walk): Promise<void> {
  const { serving } = walk;
  walk.serving = undefined;
  if (serving === undefined) return;
  serving.process.kill("SIGTERM");
  await serving.ended;
}

async function runOther(walk: Walk, words: readonly string[], at: string): Promise<string> {
  const [command, ...args] = words;
  switch (command) {
    case "echo":
      return args.map((arg) => (arg === "$?" ? String(walk.status) : arg)).join(" ");
    case "cp":
      copyFileSync(join(walk.folder, args[0] ?? ""), join(walk.folder, args[1] ?? ""));
      return "";
    case "npm":
      assert.deepEqual(args, ["run", "story"], at);
      return runStory();
    case "sqlite3":
      return query(join(walk.folder, args[0] ?? ""), args[1] ?? "");
    case "curl":
      return curl(walk, args);
    default:
      return assert.fail(`${at}: pages do not use the command ${command}`);
  }
}

async function runStory(): Promise<string> {
  const program = join(root, "examples", "story", "story.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  return stdout;
}

function query(file: string, sql: string): string {
  const database = new DatabaseSync(file, { readOnly: /^SELECT\b/i.test(sql) });
  try {
    const rows = database.prepare(sql).all();
    return rows.map((row) => Object.values(row).join("|")).join("\n");
  } finally {
    database.close();
  }
}

async function curl(walk: Walk, args: readonly string[]): Promise<string> {
  const { method, target, headers, body, include } = curlRequest(args);
  walk.answer = await send(walk, method, target, headers, body);
  const { status, reason, headers: given, body: text } = walk.answer;
  const head = [`HTTP/1.1 ${status} ${reason}`, ...given.map(([name, value]) => `${name}: ${value}`), "", ""];
  return (include ? head.join("\n") : "") + text;
}

interface CurlRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly include: boolean;
}

/** `-i`, `-X`, `-H`, `-d`, `-F`, `-u`, `-N` and an address. Files that are sent are made up: their bytes are their names. */
function curlRequest(args: readonly string[]): CurlRequest {
  const parts: string[] = [];
  const headers: (readonly [string, string])[] = [];
  let [method, body, address, include] = ["", "", "", false];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "-i") include = true;
    else if (arg === "-s" || arg === "-N") continue;
    else if (arg === "-X") method = args[++index] ?? "";
    else if (arg === "-H") headers.push(splitField(args[++index] ?? ""));
    else if (arg === "-d") body = args[++index] ?? "";
    else if (arg === "--data-binary") body = (args[++index] ?? "").replace(/^@/, "");
    else if (arg === "-F") parts.push(formPart(args[++index] ?? ""));
    else if (arg === "-u") {
      headers.push(["Authorization", `Basic ${Buffer.from(args[++index] ?? "").toString("base64")}`]);
    } else address = arg;
  }
  const { pathname, search } = new URL(address);
  if (parts.length > 0) {
    headers.push(["Content-Type", `multipart/form-data; boundary=${boundary}`]);
    body = `${parts.join("")}--${boundary}--\r\n`;
  }
  // What curl sends of itself where there is a body.
  if (body !== "" && !headers.some(([name]) => name.toLowerCase() === "content-type"))
    headers.push(["Content-Type", "application/x-www-form-urlencoded"]);
  const usual = body === "" ? "GET" : "POST";
  return { method: method === "" ? usual : method, target: pathname + search, headers, body, include };
}

const boundary = "a-boundary";

/** `name=value`, or `name=@file;type=image/png`. */
function formPart(text: string): string {
  const [, name = "", file = "", type = "application/octet-stream"] =
    /^([^=]+)=@([^;]+)(?:;type=(.+))?$/.exec(text) ?? [];
  const [, field = "", value = ""] = /^([^=]+)=([^@][^]*)?$/.exec(text) ?? [];
  const said = file === "" ? `name="${field}"` : `name="${name}"; filename="${file}"\r\nContent-Type: ${type}`;
  return `--${boundary}\r\nContent-Disposition: form-data; ${said}\r\n\r\n${file === "" ? value : file}\r\n`;
}

/** What comes does not end: it is read until all that is shown has come. */
async function followStream(walk: Walk, args: readonly string[], shown: string, at: string): Promise<void> {
  const { serving } = walk;
  assert(serving !== undefined, `${at}: nothing is served`);
  const { method, target, headers } = curlRequest(args);
  const { hostname, port } = new URL(serving.real);
  const request = httpRequest({ hostname, port, method, path: target, agent: false });
  for (const [name, value] of headers) request.setHeader(name, value);
  request.end();
  const late = AbortSignal.timeout(patience);
  const [response] = (await once(request, "response", { signal: late })) as [IncomingMessage];
  let output = "";
  let wrong: string | undefined = "nothing came";
  late.addEventListener("abort", () => response.destroy());
  for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) {
    output += chunk.replaceAll(serving.real, serving.shown);
    wrong = mismatch(shown, output, walk.remembered);
    if (wrong === undefined) break;
  }
  assert.equal(wrong, undefined, `${at}: the stream gives\n${output}`);
}

/** Words as a shell takes them apart: blanks outside quotes; nothing is expanded. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [whole] of line.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"])+/g)) {
    words.push(
      whole.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, (_, single?: string, double?: string) => {
        return single ?? (double ?? "").replaceAll(/\\(.)/g, "$1");
      }),
    );
  }
  return words;
}

// ── Requests ───────────────────────────────────────────────────────────────────────────────────────────────────────

function splitField(line: string): readonly [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

async function send(
  walk: Walk,
  method: string,
  target: string,
  headers: readonly (readonly [string, string])[],
  body: string,
): Promise<Reply> {
  assert(walk.serving !== undefined, `nothing is served, where ${method} ${target} is sent`);
  const { hostname, port } = new URL(walk.serving.real);
  const request = httpRequest({ hostname, port, method, path: target, agent: false });
  for (const [name, value] of headers) request.setHeader(name, value);
  request.end(body === "" ? undefined : body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const chunks = await response.setEncoding("utf8").toArray();
  const raw = response.rawHeaders;
  return {
    status: response.statusCode ?? 0,
    reason: response.statusMessage ?? "",
    headers: raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as const] : [])),
    body: chunks.join("").replaceAll(walk.serving.real, walk.serving.shown),
  };
}

/** Status, the header fields that are shown, and the whole body; a body of `…` alone is any. */
function assertAnswer({ answer, remembered, serving }: Walk, { text, at }: Fence): void {
  assert(answer !== undefined, `${at}: nothing was sent`);
  const [head = "", ...rest] = text.split("\n\n");
  const [line = "", ...fields] = head.split("\n").filter((each) => each !== "");
  assert.equal(`HTTP/1.1 ${answer.status} ${answer.reason}`, line, `${at}: ${answer.body}`);
  for (const field of fields) {
    const [name, value] = splitField(field);
    const given: readonly string[] = answer.headers
      .filter(([each]) => each.toLowerCase() === name.toLowerCase())
      .map(([, each]) => each.replaceAll(serving?.real ?? "", serving?.shown ?? ""));
    assert(
      given.some((each) => matches(value, each, remembered)),
      `${at}: ${name} is ${given.join(" and ")}`,
    );
  }
  const body = rest.join("\n\n").trim();
  if (body === "…") return;
  if (body === "") assert.equal(answer.body, "", at);
  else assertJson(JSON.parse(body), JSON.parse(answer.body), remembered, at);
}
