/** The tools of `nonet mcp`: each runs a command of the command line, with files below the working folder alone. */
import process from "node:process";
import { type JsonObject, isObject } from "../../base/json.ts";
import type { CheckResult } from "../../language/check.ts";
import { checkFile } from "../../server/document.ts";
import { DocumentError, UsageError } from "../../server/errors.ts";
import type { Terminal } from "../../server/terminal.ts";
import { check } from "../check.ts";
import { type CapturedTerminal, capturedTerminal, type WorkingFolder } from "./files.ts";
import type { Processes } from "./processes.ts";

export interface AuthorTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Whether the tool only reads files. */
  readonly reads: boolean;
  run(supplied: Arguments): Promise<ToolOutput>;
}

/** The arguments, which the schema has validated. */
export type Arguments = Readonly<Record<string, string | undefined>>;

export interface ToolOutput {
  readonly text: string;
  readonly structured?: JsonObject;
  /** Whether the document is wrong, or the arguments are. */
  readonly isError?: boolean;
}

export interface AuthorOptions {
  readonly terminal: Terminal;
  readonly folder: WorkingFolder;
  readonly processes: Processes;
}

const document = { type: "string", description: "The path of the document below the working folder." };

function schemaOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

export function authorTools(options: AuthorOptions): readonly AuthorTool[] {
  return [
    checkTool(options),
    explainTool(options),
    nextQuestionTool(options),
    formatTool(options),
    diffTool(options),
    exportTool(options),
    ...servingTools(options),
    testTool(options),
  ];
}

/** Runs a command, and returns what it prints; errors of documents and of usage are texts. */
async function command(
  { folder, terminal }: AuthorOptions,
  run: (terminal: CapturedTerminal) => Promise<number>,
): Promise<ToolOutput & { readonly out: string }> {
  const captured = capturedTerminal(terminal, folder);
  try {
    const code = await run(captured);
    const { err, out } = captured.printed();
    return { out, text: `${err}${out}`, ...(code === 0 ? {} : { isError: true }) };
  } catch (thrown) {
    if (!(thrown instanceof DocumentError || thrown instanceof UsageError)) throw thrown;
    return { out: "", text: thrown.message, isError: true };
  }
}

// ── Checking ───────────────────────────────────────────────────────────────────────────────────────────────────────

function checkTool(options: AuthorOptions): AuthorTool {
  return {
    name: "check",
    description:
      "Checks a document, and returns its findings with lines, help and fixes, and the status of each question. The document can be served if `summary.errors` is 0. With `against`, changes that break callers of that older document have to be declared in part 9.",
    inputSchema: schemaOf({ document, against: { type: "string", description: "An older document." } }, ["document"]),
    reads: true,
    run: async ({ document: name = "", against }) => {
      const ran = await command(options, (terminal) =>
        check(name, { strict: false, questions: true, format: "json", against }, terminal),
      );
      const structured = structuredOf(ran.out);
      // Findings are the result of a check, not its failure.
      return structured === undefined ? ran : { text: ran.out, structured };
    },
  };
}

function structuredOf(text: string): JsonObject | undefined {
  if (text === "") return undefined;
  const value = JSON.parse(text) as JsonObject;
  return isObject(value) ? value : undefined;
}

function explainTool(options: AuthorOptions): AuthorTool {
  const code = {
    type: "string",
    description: "The code of a finding, such as `states/dead-end`, or the number of a rule.",
  };
  return {
    name: "explain",
    description: "Returns the page of a finding: why it is reported, an example, and what to write instead.",
    inputSchema: schemaOf({ code }, ["code"]),
    reads: true,
    run: async ({ code: typed }) => {
      const { explain } = await import("../explain.ts");
      return command(options, (terminal) => explain(typed, terminal));
    },
  };
}

function formatTool(options: AuthorOptions): AuthorTool {
  return {
    name: "format",
    description: "Formats the YAML of a document, and writes it. Prose and comments stay.",
    inputSchema: schemaOf({ document }, ["document"]),
    reads: false,
    run: async ({ document: name = "" }) => {
      const { fmt } = await import("../fmt.ts");
      const ran = await command(options, (terminal) => fmt([name], { check: false }, terminal));
      return ran.text === "" ? { text: `${name}: formatted already\n` } : ran;
    },
  };
}

function nextQuestionTool(options: AuthorOptions): AuthorTool {
  return {
    name: "next_question",
    description:
      "Returns the next question that a document leaves open, and its line. Ask the person who knows the answer, or write `not shown` with what is known, and never invent one. Call it again after the document has the answer.",
    inputSchema: schemaOf({ document }, ["document"]),
    reads: true,
    run: async ({ document: name = "" }) =>
      command(options, async (terminal) => {
        terminal.out(`${JSON.stringify(nextQuestion(await checkFile(name, terminal)), null, 2)}\n`);
        return 0;
      }).then((ran) => {
        const structured = structuredOf(ran.out);
        return structured === undefined ? ran : { ...ran, structured };
      }),
  };
}

function nextQuestion(result: CheckResult): JsonObject {
  const open = result.parts.flatMap(({ part, questions }) =>
    questions
      .filter(({ status }) => status === "silent" || status === "not shown")
      .map(({ id, line = result.places.get(part)?.start.line ?? 1, status, text }) => ({
        part,
        id,
        text,
        status,
        line,
      })),
  );
  // A question that the document does not mention comes before one that it leaves open.
  const next = open.find(({ status }) => status === "silent") ?? open[0];
  return { open: open.length, ...(next === undefined ? {} : { next }) };
}

function diffTool(options: AuthorOptions): AuthorTool {
  return {
    name: "diff",
    description:
      "Compares two documents of a service: which changes break callers, which are additions, and which entries part 9 of the newer document still needs.",
    inputSchema: schemaOf({ old: document, new: document }, ["old", "new"]),
    reads: true,
    run: async ({ old = "", new: newer = "" }) => {
      const { diff } = await import("../diff.ts");
      const ran = await command(options, (terminal) => diff(old, newer, { format: "json" }, terminal));
      const structured = structuredOf(ran.out);
      return structured === undefined ? ran : { text: ran.text, structured };
    },
  };
}

const formats = ["openapi", "json-schema", "typescript", "asyncapi", "markdown", "mermaid"] as const;

function exportTool(options: AuthorOptions): AuthorTool {
  const out = {
    type: "string",
    description: "The file to write, below the working folder; without it the text is the result.",
  };
  return {
    name: "export",
    description: "Converts a document to another format.",
    inputSchema: schemaOf({ document, format: { type: "string", enum: formats }, out }, ["document", "format"]),
    reads: false,
    run: async ({ document: name = "", format, out: file }) => {
      const of = await import("../export.ts");
      const addressed = { out: file, "base-url": undefined };
      const ran = await command(options, (terminal) => {
        switch (format) {
          case "json-schema":
            return of.exportJsonSchema(name, addressed, terminal);
          case "typescript":
            return of.exportTypescript(name, { out: file }, terminal);
          case "asyncapi":
            return of.exportAsyncapi(name, addressed, terminal);
          case "markdown":
            return of.exportMarkdown(name, addressed, terminal);
          case "mermaid":
            return of.exportMermaid(name, { out: file, only: undefined }, terminal);
          default:
            return of.exportOpenapi(name, addressed, terminal);
        }
      });
      return file === undefined || ran.isError === true ? ran : { ...ran, text: `${ran.text}wrote ${file}\n` };
    },
  };
}

// ── Serving and testing ────────────────────────────────────────────────────────────────────────────────────────────

function servingTools({ folder, processes }: AuthorOptions): readonly AuthorTool[] {
  const handlers = { type: "string", description: "The module with the service's functions, if the document has any." };
  return [
    {
      name: "serve",
      description:
        "Serves a document with empty data on a free port of this machine, until `stop` or the end of this session, and returns its address. Serve it again after a change.",
      inputSchema: schemaOf({ document, handlers }, ["document"]),
      reads: false,
      run: (supplied) =>
        usage(async () => {
          const module = supplied["handlers"];
          const { url } = await processes.serve(
            folder.existing(supplied["document"] ?? ""),
            module === undefined ? undefined : folder.existing(module),
          );
          return { text: `serving at ${url}\n`, structured: { url } };
        }),
    },
    {
      name: "stop",
      description: "Stops a document that `serve` serves, and deletes its data.",
      inputSchema: schemaOf({ document }, ["document"]),
      reads: false,
      run: ({ document: name = "" }) =>
        usage(async () => {
          const stopped = await processes.stop(folder.existing(name));
          return { text: stopped ? "stopped\n" : "it is not served\n" };
        }),
    },
  ];
}

const testMilliseconds = 120_000;

function testTool({ folder, processes }: AuthorOptions): AuthorTool {
  return {
    name: "test",
    description:
      "Tests each statement of a document over HTTP: against the service that `serve` has started, or against another implementation on this machine at `url`. Returns which statements hold, which are broken with the requests that show it, and which were not tried.",
    inputSchema: schemaOf(
      { document, url: { type: "string", description: "The address of another implementation." } },
      ["document"],
    ),
    reads: false,
    run: ({ document: name = "", url }) =>
      usage(async () => {
        const path = folder.existing(name);
        const served = processes.served(path);
        if (url === undefined && served === undefined)
          throw new UsageError("serve the document first, or name the implementation with `url`");
        const target = url === undefined && served !== undefined ? servedTarget(path, served) : ["--url", url ?? ""];
        const { code, output } = await processes.run(["test", path, ...target, "--budget", "60s"], testMilliseconds);
        return { text: output, ...(code === 0 ? {} : { isError: true }) };
      }),
  };
}

/** Returns the options for a service of `serve`: its keys come from its data. A command line has no paths with blanks. */
function servedTarget(path: string, { data, url }: { readonly data: string; readonly url: string }): readonly string[] {
  const words = [process.execPath, process.argv[1] ?? "", "key", "create", path, "--data", data];
  const target = ["--url", url, "--clock", `${url}/.well-known/test-clock`];
  if (words.some((word) => /\s/.test(word))) return target;
  return [...target, "--obtain", `${words.join(" ")} --user {user} {roles}`];
}

async function usage(run: () => Promise<ToolOutput>): Promise<ToolOutput> {
  try {
    return await run();
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    return { text: thrown.message, isError: true };
  }
}
