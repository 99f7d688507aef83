/** `nonet init`: asks what a service begins with, and writes its document and the files around it. */
import { readFileSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { columns } from "../base/layout.ts";
import { type Project, projectFiles, type ProjectFile } from "../init/project.ts";
import { renamed, serviceName, type Template, templates, templateTexts, titleOf } from "../init/templates.ts";
import { check, soundModel, unservable } from "../language/check.ts";
import { keyCredentials } from "../runtime/auth/mint.ts";
import { planOf } from "../server/document.ts";
import { UsageError } from "../server/errors.ts";
import { type Conversation, oldestNode, releaseVersion, type Terminal } from "../server/terminal.ts";
import { isPostgresAddress } from "../store/postgres/database-url.ts";
import { importedText } from "./import.ts";
import { isDatabase } from "./import-database.ts";
import { writeProject } from "./write-project.ts";

export interface InitOptions {
  readonly template: Template | undefined;
  /** A description or a database, as `nonet import` reads it. */
  readonly from: string | undefined;
  readonly name: string | undefined;
  readonly extras: "all" | "none" | undefined;
  readonly yes: boolean;
  readonly force: boolean;
}

type Source = { readonly template: Template } | { readonly from: string };

/** What the person decided, or the defaults. */
interface Decisions {
  readonly folder: string;
  readonly source: Source;
  /** Undefined: the title of the source. */
  readonly title: string | undefined;
  readonly extras: boolean;
}

/** @throws DocumentError or UsageError, and then nothing is written. */
export async function init(folder: string | undefined, options: InitOptions, terminal: Terminal): Promise<number> {
  if (options.template !== undefined && options.from !== undefined)
    throw new UsageError("--template and --from both say what the document begins with: name one of them");
  const decisions = await decide(folder, options, terminal);
  const { document, service, summary } = await documentOf(decisions, terminal);
  const plan = await planIn(`${service}.md`, document, terminal);
  const files = projectFiles({
    ...{ service, document, plan, version: releaseVersion(), node: `>=${oldestNode}`, extras: decisions.extras },
    keys: plan !== undefined && keyCredentials(plan).length > 0,
    text: (file) => readFileSync(new URL(`../init/project/${file}`, import.meta.url), "utf8"),
  });
  writeProject(resolve(decisions.folder), files, options.force);
  terminal.err(summary);
  const data = rowsOf(decisions);
  const serving =
    data === undefined ? [] : [[`npx nonet serve ${service}.md --data ${data}`, "serve its rows in place"]];
  terminal.out(report(decisions.folder, files, plan === undefined ? [] : [...started, ...serving]));
  return 0;
}

async function decide(operand: string | undefined, options: InitOptions, terminal: Terminal): Promise<Decisions> {
  const conversation = options.yes ? undefined : terminal.converse?.();
  try {
    const folder = operand ?? (await prompt(conversation, "Folder", "."));
    const source = await sourceOf(options, conversation);
    const usual = "from" in source ? undefined : titleOf(basename(resolve(folder)));
    const named = usual === undefined ? usual : await prompt(options.name === undefined ? conversation : undefined, "Name of the service", usual); // biome-ignore format: one
    const extras = options.extras ?? (await promptExtras(conversation));
    return { folder, source, title: options.name ?? named, extras: extras === "all" };
  } finally {
    conversation?.close();
  }
}

async function sourceOf({ template, from }: InitOptions, conversation: Conversation | undefined): Promise<Source> {
  if (from !== undefined) return { from };
  if (template !== undefined || conversation === undefined) return { template: template ?? "records" };
  const rows = Object.entries({ ...templateTexts, ...importTexts }).map(([name, about], at) => [
    `${at + 1}`,
    name,
    about,
  ]);
  const chosen = await choose(conversation, "What does the service begin with?", rows);
  const isTemplate = templates.find((each) => each === chosen);
  if (isTemplate !== undefined) return { template: isTemplate };
  const place = chosen === "openapi" ? "File of the description" : "Address or file of the database";
  return { from: await insist(conversation, place) };
}

const importTexts = {
  openapi: "an API that exists: its OpenAPI description",
  database: "a database that exists: postgres://… or a file of SQLite",
};

async function promptExtras(conversation: Conversation | undefined): Promise<"all" | "none"> {
  const question = "Files for agents, VS Code, GitHub Actions and containers";
  const line = await prompt(conversation, `${question}, all or none`, "all");
  return /^n/i.test(line) ? "none" : "all";
}

/** Asks for a row by its number or name; an empty line takes the first one. */
async function choose(
  conversation: Conversation,
  title: string,
  rows: readonly (readonly string[])[],
): Promise<string> {
  const list = columns(rows).map((line) => `  ${line}\n`);
  let text = `${title}\n${list.join("")}Number or name`;
  for (;;) {
    const line = await prompt(conversation, text, rows[0]?.[1] ?? "");
    const row = rows.find((cells) => cells.slice(0, 2).includes(line.toLowerCase()));
    if (row !== undefined) return row[1] ?? "";
    text = `${line} is none of them. Number or name`;
  }
}

async function insist(conversation: Conversation, text: string): Promise<string> {
  for (;;) {
    const line = await prompt(conversation, text, "");
    if (line !== "") return line;
  }
}

/** Without a conversation, the answer is the usual one. @throws UsageError if the person ends the input. */
async function prompt(conversation: Conversation | undefined, text: string, usual: string): Promise<string> {
  if (conversation === undefined) return usual;
  const line = await conversation.prompt(`${text}${usual === "" ? "" : ` [${usual}]`}: `);
  if (line === undefined) throw new UsageError("ended before all questions were answered: nothing is written");
  return line.trim() || usual;
}

interface Beginning {
  readonly document: string;
  readonly service: string;
  /** What the import lost and guessed; empty for a template. */
  readonly summary: string;
}

async function documentOf({ source, title }: Decisions, terminal: Terminal): Promise<Beginning> {
  const { document, summary } =
    "from" in source
      ? await importedText(source.from, terminal)
      : {
          document: readFileSync(new URL(`../init/templates/${source.template}.md`, import.meta.url), "utf8"),
          summary: "",
        };
  const named = title === undefined ? document : renamed(document, title, nameOfService(title));
  return {
    document: named,
    summary,
    service: /^service: (.*)$/m.exec(named)?.[1] ?? nameOfService(title ?? "service"),
  };
}

function nameOfService(title: string): string {
  const name = serviceName(title);
  if (name === "")
    throw new UsageError(`"${title}" has no letter from a to z, of which the service could have its name: use --name`);
  return name;
}

/** Returns the plan of the document; undefined if parts are open without which there is nothing to serve. */
async function planIn(name: string, document: string, terminal: Terminal): Promise<Project["plan"]> {
  const result = check(name, document);
  return soundModel(result) !== undefined && unservable(result).length > 0 ? undefined : planOf(result, terminal);
}

const started = [["npm start", "serve it, with keys and requests to try"]];

/** Returns where the database is, from the folder of the project; an address may have a password, which nobody prints. */
function rowsOf({ folder, source }: Decisions): string | undefined {
  if (!("from" in source) || !isDatabase(source.from)) return undefined;
  if (isPostgresAddress(source.from)) return "postgres://…";
  return relative(resolve(folder), resolve(source.from.replace(/^sqlite:/, "")));
}

/** `starts`: how the service is started; empty if it cannot be served. */
function report(folder: string, files: readonly ProjectFile[], starts: readonly (readonly string[])[]): string {
  const lines = columns(files.map(({ path, about }) => [path, about]));
  const steps = [
    ...(folder === "." ? [] : [[`cd ${folder}`, ""]]),
    ["npm install", ""],
    ["npm run check", "the findings, and the questions that the document leaves open"],
    ...starts,
  ];
  const indented = (rows: readonly string[]): string => rows.map((line) => `  ${line}\n`).join("");
  return `Written to ${resolve(folder)}:\n${indented(lines)}\nNext:\n${indented(columns(steps))}`;
}
