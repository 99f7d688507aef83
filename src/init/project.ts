/**
 * The files of a new project (`nonet init`): the document, a stub of its functions with their types, and the files around it. The
 * texts are in `project/`, with `{name}` for the names of the service.
 */
import { servedPlan } from "../plan/endpoints/contract.ts";
import type { Plan } from "../plan/plan.ts";
import { functionStubs, functionTypes } from "../export/typescript/functions.ts";

export interface ProjectFile {
  /** Relative to the folder of the project, with `/`. */
  readonly path: string;
  readonly text: string;
  /** What the file is for, for people. */
  readonly about: string;
}

export interface Project {
  /** The name of the service: small letters, digits and hyphens. */
  readonly service: string;
  /** The text of the document. */
  readonly document: string;
  /** The plan of the document; undefined if it has open parts without which nothing can be served. */
  readonly plan: Plan | undefined;
  /** The version of nonet that made the project, which it uses. */
  readonly version: string;
  /** The oldest Node that it needs, as in `engines`. */
  readonly node: string;
  /** Whether to write files for agents, editors, pipelines and containers. */
  readonly extras: boolean;
  /** Whether callers have keys, which `nonet key create` makes. */
  readonly keys: boolean;
  /** Returns the text of a file in `project/`. */
  readonly text: (file: string) => string;
}

export function projectFiles(project: Project): readonly ProjectFile[] {
  const { document, service, extras, plan, text } = project;
  const name = `${service}.md`;
  const files = plan === undefined || !hasFunctions(plan) ? [] : functionFiles(plan, service);
  const handlers = files.length === 0 ? "" : " --handlers handlers.ts";
  const title = /^# (.*)$/m.exec(document)?.[1] ?? service;
  const filled = (file: string): string => filledIn(text(file), { title, service, document: name, handlers });
  const scripts = scriptsOf(name, handlers, files.length === 0 ? undefined : `${service}.types.ts`);
  return [
    { path: name, text: document, about: "the document: the service, and its specification" },
    ...files,
    { path: "package.json", text: manifest(project, scripts), about: "the scripts start, check and test" },
    {
      path: "nonet.test.yaml",
      text: filled("test-settings.yaml") + obtaining(project, name),
      about: "what npm test needs",
    },
    { path: ".gitignore", text: text("gitignore"), about: "data and packages stay out of git" },
    ...(extras ? extraFiles(filled, plan !== undefined) : []),
  ];
}

function extraFiles(filled: (file: string) => string, isServed: boolean): readonly ProjectFile[] {
  const workflow = filled("workflow.yml");
  // Nobody can test a service that cannot be served yet.
  const steps = isServed ? workflow : workflow.slice(0, workflow.indexOf("      - name: Test"));
  return [
    { path: "AGENTS.md", text: filled("AGENTS.md"), about: "how coding agents change the service" },
    { path: ".vscode/extensions.json", text: filled("extensions.json"), about: "the extension for documents" },
    { path: ".vscode/settings.json", text: filled("settings.json"), about: "settings for Markdown" },
    { path: ".github/workflows/api.yml", text: steps, about: "check and test on GitHub" },
    { path: "compose.yaml", text: filled("compose.yaml"), about: "the service in a container" },
  ];
}

function filledIn(
  text: string,
  values: Readonly<Record<"title" | "service" | "document" | "handlers", string>>,
): string {
  const more = values.handlers.split(" ").filter(Boolean);
  return text
    .replaceAll("{handlers}", more.map((word) => `, ${word}`).join(""))
    .replace(/\{(title|service|document)\}/g, (_, key: "title" | "service" | "document") => values[key]);
}

/** `types`: the file of the types, if the document has functions. */
function scriptsOf(document: string, handlers: string, types: string | undefined): Readonly<Record<string, string>> {
  return {
    start: `nonet start ${document}${handlers} --watch`,
    check: `nonet check ${document}`,
    ...(types === undefined ? {} : { types: `nonet types ${document} --out ${types}` }),
    test: `nonet test ${document}`,
    "serve:test": `nonet serve ${document}${handlers} --data test.db --test-clock --webhooks-to-loopback`,
  };
}

function manifest({ service, version, node }: Project, scripts: Readonly<Record<string, string>>): string {
  const engines = { node };
  const dependencies = { nonet: version };
  return `${JSON.stringify({ name: service, private: true, type: "module", scripts, engines, dependencies }, null, 2)}\n`;
}

function obtaining({ keys, plan }: Project, document: string): string {
  const skipped = plan === undefined ? [] : operationsThatEndSessions(plan);
  const skip = `# They end the sessions of their caller, whom other cases need.\nskip: [${skipped.join(", ")}]\n`;
  const obtain = `# Keys of callers with the roles that a case needs, in the data of serve:test.
obtain: nonet key create ${document} --data test.db --user {user} {roles}
revoke: nonet key revoke ${document} --data test.db --user {user}
`;
  return `${skipped.length === 0 ? "" : skip}${keys ? obtain : ""}`;
}

/** The operations that delete the record of an account, or change its password. */
function operationsThatEndSessions({ credentials, operations }: Plan): readonly string[] {
  const accounts = new Set(credentials.flatMap(({ login }) => login?.resource ?? []));
  return operations
    .filter(({ action, resource, presentSecret }) => {
      return presentSecret !== undefined || (action === "delete" && resource !== undefined && accounts.has(resource));
    })
    .map(({ name }) => name);
}

/** Whether an operation is left to a function. */
function hasFunctions(plan: Plan): boolean {
  return servedPlan(plan).operations.some(({ action, unserved }) => action === "handler" && unserved === undefined);
}

function functionFiles(plan: Plan, service: string): readonly ProjectFile[] {
  const text = `/**
 * The operations that the document leaves to functions; node_modules/nonet/docs/how-to/handlers.md describes what a function gets
 * and returns. \`notImplemented\` answers 501.
 */
${functionStubs(plan, `./${service}.types.ts`)}`;
  return [
    { path: "handlers.ts", text, about: "a stub of each function" },
    { path: `${service}.types.ts`, text: functionTypes(plan), about: "the types of the functions, by nonet types" },
  ];
}
