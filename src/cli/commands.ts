/** Defines all commands with their options and help. Each command's code is loaded when it runs. */
import {
  type Command,
  address,
  choice,
  command,
  duration,
  file,
  flag,
  guarded,
  maybeChoice,
  maybeNumber,
  named,
  number,
  text,
  texts,
} from "./command-line.ts";
import { UsageError } from "../server/errors.ts";
import { dataHelp, serveOptions } from "./options.ts";
import { configured } from "./settings.ts";
import { templates } from "../init/templates.ts";
import { releaseVersion } from "../server/terminal.ts";

const data = guarded(text("FILE", dataHelp));

const anyData = guarded(text("FILE|postgres://…", "where the data is; without it, the only database in .nonet"));

const exportOptions = { out: text("FILE", "the file to write; without it, standard output") };
const exportAddress = address("where callers reach the service; without it, http://127.0.0.1:8080");

export const commands: readonly Command[] = [
  command({
    words: "check",
    operand: "DOC",
    about: "check a document: its errors, and the questions that it leaves open",
    details: `Prints the findings with the lines they are about, then the open questions: those that the document leaves open, or
does not mention. nonet explain CODE has more about a finding.
The text format prints at most 200 findings, errors first; the other formats print all.
Exits with 1 when there are errors.`,
    options: {
      format: choice(
        ["text", "json", "sarif", "github"],
        "for people, programs, code scanning, or GitHub's annotations",
      ),
      strict: flag("treat an open question as an error"),
      questions: flag("print all questions with their answers: shown, none, default, not shown or silent"),
      against: text("OLD", "an older document; changes that break its callers have to be declared"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./check.ts")).check(named(document), options, terminal),
  }),
  command({
    words: "fmt",
    operand: "FILES…",
    documents: "any",
    about: "format the YAML of documents in the house style",
    details: `Changes only yaml blocks (or the whole file in the one-file form): indentation, blanks, repeated empty lines, and
lines of more than 120 columns that have braces or brackets. Comments, quotes, line breaks and all prose stay. A
block with an error stays as it is and is named. With - it formats standard input to standard output.
Exits with 1 if a block could not be formatted, or, with --check, if a file is not formatted.`,
    options: { check: flag("change nothing, and name the files that are not formatted") },
    run: async ({ all, options }, terminal) => (await import("./fmt.ts")).fmt(all, options, terminal),
  }),
  command({
    words: "explain",
    operand: "CODE",
    about: "explain a finding: why it matters, with a wrong and a right example",
    details: `CODE is the code that check prints in brackets, such as states/dead-end, its last half, or the number of a rule
(R4.12). In a terminal the page is shown by $PAGER.`,
    options: {},
    run: async ({ document }, terminal) => (await import("./explain.ts")).explain(document, terminal),
  }),
  command({
    words: "docs",
    operand: "[TOPIC]",
    about: "print the reference of the language, or of a topic",
    details: `The pages of the installed version. A topic is one of the nine parts (nonet docs events), a section of the language
(nonet docs fields), or a page (nonet docs cli). In a terminal the page is shown by $PAGER.`,
    options: { list: flag("list all topics") },
    run: async ({ document, options }, terminal) => (await import("./docs.ts")).docs(document, options, terminal),
  }),
  command({
    words: "guide",
    operand: "",
    documents: "any",
    about: "print the language on one page, for a model or a person",
    details: `Under 6,000 tokens: a whole document, all keys, types and functions, the traps, and idioms. With --format llms or
skill it is a file for agents: nonet guide --format skill --out .claude/skills/nonet/SKILL.md`,
    options: {
      format: choice(["page", "llms", "skill"], "the page alone, an llms.txt, or a SKILL.md"),
      out: exportOptions.out,
    },
    run: async ({ all, options }, terminal) => {
      if (all.length > 0) throw new UsageError(`guide takes no document; what is ${all.join(" ")}?`);
      return (await import("./guide.ts")).guide(options, terminal);
    },
  }),
  command({
    words: "diff",
    operand: "OLD NEW",
    documents: 2,
    about: "compare two documents of a service, and show which callers break",
    details: `Prints breaking changes, additions, and changes that callers do not notice. A breaking change has to be declared by an entry
in the versions of NEW, so that old callers are served as before; for undeclared changes it prints the entries to
write. Exits with 1 when a change is not declared. Instead of documents it takes descriptions too (OpenAPI 3,
Swagger 2), which can declare nothing.`,
    options: {
      format: choice(["text", "json", "markdown"], "for people, programs, or a section of a changelog"),
    },
    run: async ({ document, other, options }, terminal) =>
      (await import("./diff.ts")).diff(named(document), named(other), options, terminal),
  }),
  command({
    words: "test",
    operand: "DOC",
    about: "test an implementation of a document, over HTTP alone",
    details: `Reports for each statement of the document whether it holds, is broken (with the requests that show it) or was not
tried (with the reason). The implementation may be written in any language. The test needs credentials
for it; a file can contain these options. The exit code is 1 if a statement is broken, and 2 if the test
cannot reach the implementation.`,
    options: {
      url: address("the address of the implementation"),
      config: text("FILE", "a file of settings; default: nonet.test.yaml in the current folder, if it exists"),
      as: texts(
        "ROLE=TOKEN",
        "a credential with this role; two users with the role show what each may not see of the other",
      ),
      obtain: text("COMMAND", "a command that prints a credential; {user} and {roles} are replaced"),
      revoke: text("COMMAND", "a command that revokes the credentials of {user}"),
      clock: address("the test clock of the implementation, by which the test tries timers and windows"),
      reset: address("an address that empties the implementation's data; the test sends it a POST before and after"),
      receiver: address("the address at which the test receives webhooks of the implementation"),
      confirm: text("HOST", "allow an implementation on this host, which is another machine"),
      skip: texts("OPERATION", "an operation that the test does not call"),
      only: texts("PART|LINE|OPERATION", "what the test is about; default: the whole document"),
      "api-version": text("VERSION", "the version of the API; default: the newest"),
      seed: maybeNumber("the same seed makes the same requests; default: a random one"),
      budget: duration("60s", "how long the test may take"),
      workers: number(4, "how many cases run at once"),
      replay: text("FILE", "run only the broken cases of an earlier report, which --report FILE.json wrote"),
      report: texts(
        "FILE",
        "write a report; the ending of the file chooses the format: .html, .json, .xml (JUnit), .har, .sarif, .txt",
      ),
      format: choice(["text", "json", "junit", "sarif", "har", "html"], "the format of the report on standard output"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./test.ts")).testCommand(named(document), options, terminal),
  }),
  command({
    words: "init",
    operand: "[FOLDER]",
    about: "begin a service: a document, and the files around it",
    details: `Asks in a terminal; every question has an option. Without a terminal, or with --yes, it takes the defaults: the
template records, in the current folder, with the name of the folder. Writes all files or none, and
replaces no file without --force.`,
    options: {
      template: maybeChoice(templates, "what the document begins with: nine gaps, or a small service; default records"),
      from: guarded(
        text("FILE|postgres://…", "an OpenAPI description or a database instead of a template, as for import"),
      ),
      name: text("NAME", "the title of the service; default: the name of the folder"),
      extras: maybeChoice(["all", "none"], "the files for agents, VS Code, GitHub Actions and containers; default all"),
      yes: flag("take the defaults, and ask nothing"),
      force: flag("replace files that exist"),
    },
    run: async ({ document, options }, terminal) => (await import("./init.ts")).init(document, options, terminal),
  }),
  configured({
    words: "serve",
    operand: "DOC",
    about: "run the service that a document describes",
    details: `Checks the document, migrates the data, and serves until it is stopped (Ctrl-C, SIGTERM). It then
finishes open requests; a second Ctrl-C does not wait for them. It reads the secrets that the document
names from the environment. Options can come from the environment or a file too: see nonet config.`,
    options: serveOptions,
    run: async ({ document, options }, terminal) =>
      (await import("./serve.ts")).serve(named(document), options, terminal),
  }),
  configured({
    words: "config",
    operand: "[DOC]",
    about: "show the settings that serve would use, and where each comes from",
    details: `The command line wins over the environment (NONET_PORT for --port), then nonet.config.yaml, then the
defaults. Secrets are not shown. Exits with 2 and all errors if a setting is wrong.`,
    options: { ...serveOptions, format: choice(["text", "json"], "for people, or for programs") },
    run: async ({ options, settings }, terminal) =>
      (await import("./settings.ts")).config(settings, options.format, terminal),
  }),
  configured({
    words: "doctor",
    operand: "DOC",
    about: "check whether the service can run here with these settings, and what to fix",
    details: `Takes the options of serve and changes nothing. Checks the document, secrets, functions, Node, open files, ports, proxies,
the data with its free space, event log, waiting work and migration, and of PostgreSQL the version, rights and
clock. Exits with 1 when a check fails.`,
    options: {
      ...serveOptions,
      format: choice(["text", "json"], "for people, or for programs"),
      strict: flag("treat a warning as a failure"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./doctor.ts")).doctor(named(document), options, terminal),
  }),
  configured({
    words: "start",
    operand: "[DOC]",
    about: "serve an example or a document, with keys to try it",
    details: `Like serve, but creates a demo key for each role and prints commands to paste into a shell.
Without a document it serves the example of a parcel locker.`,
    options: serveOptions,
    run: async ({ document, options }, terminal) => (await import("./serve.ts")).start(document, options, terminal),
  }),
  command({
    words: "playground",
    operand: "[DOC]",
    about: "edit, check and try a document in the browser, without a server",
    details: `Shows one page with an editor, the findings while you type, the page of the service, its OpenAPI description, and
the service itself, which runs inside the page with a console to try it. Nothing leaves the page; Share puts the
document into the page's address. It changes no file.`,
    options: {
      port: number(0, "the port on 127.0.0.1; 0: any free one"),
      out: text("FILE", "write the page to a file, which needs no server, instead of showing it"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./playground.ts")).playground(document, options, terminal),
  }),
  command({
    words: "types",
    operand: "DOC",
    about: "write the TypeScript types for the functions of a document",
    details: `One TypeScript file without dependencies: records, requests and responses of operations, events, errors, roles.
serve runs the functions with --handlers.`,
    options: {
      ...exportOptions,
      stubs: text("FILE", "also write a module in which each handler answers 501; not an existing file"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportTypes(named(document), options, terminal),
  }),
  command({
    words: "lsp",
    operand: "--stdio",
    about: "run the language server for an editor",
    details: `Speaks the Language Server Protocol over standard input and output: findings as one types, completion, hover,
definition, references, rename, quick fixes, outline, folding, colours, lines above operations. An editor starts it.`,
    options: { stdio: flag("the default, and the only transport; editors pass it") },
    run: async () => (await import("./lsp.ts")).lsp(releaseVersion()),
  }),
  configured({
    words: "migrate",
    operand: "DOC",
    about: "migrate the data to a changed document",
    details: `serve does the same if no data is lost. Part 9 declares renamed fields. Each step is checked against the data
first; if records prevent it, they are listed and nothing is changed. The data is
copied to FILE.backup-TIME before it changes. A service that uses the data has to be stopped, except
for --plan.`,
    options: {
      data,
      plan: flag("show the steps, and change nothing"),
      "allow-loss": flag(
        "migrate even if data is lost, and print what was lost; records that do not fit still prevent it",
      ),
      format: choice(["text", "json"], "for people, or for programs"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./migrate.ts")).migrate(named(document), options, terminal),
  }),
  configured({
    words: "backup",
    operand: "FILE",
    about: "back up the data to a file, while the service runs",
    details: `Writes records, the event log, keys, sessions and files, and verifies them before FILE replaces an earlier
backup. Prints a summary. The backup contains data that callers may not see: protect it like the data.
Both stores can restore it.`,
    options: {
      data: anyData,
      format: choice(["text", "json"], "for people, or for programs"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./backup.ts")).backup(file(document), options, terminal),
  }),
  configured({
    words: "restore",
    operand: "FILE",
    about: "restore the data from a backup",
    details: `Restores to a temporary place and verifies it before it replaces anything; the service has to be
stopped. Keys and sessions are as they were then, so keys revoked since then are valid again.`,
    options: {
      data: anyData,
      document: text("DOC", "the document that will be served: if the data does not fit it, nothing is restored"),
      overwrite: flag("replace existing data, and keep it under another name"),
      check: flag("only verify the backup and print a summary"),
      format: choice(["text", "json"], "for people, or for programs"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./restore.ts")).restore(file(document), options, terminal),
  }),
  configured({
    words: "find",
    operand: "TEXT",
    about: "find a text in the data, to prove that erased data is gone",
    details: `Searches every column of every table (records, event log, stored responses, deliveries, the bytes of
files), then the bytes of the database, its log and its backups, including free pages. The
service may run. Exits with 1 when it is found.`,
    options: {
      data: anyData,
      backup: text("FILE", "search a backup instead"),
      format: choice(["text", "json"], "for people, or for programs"),
    },
    run: async ({ document, options }, terminal) => (await import("./find.ts")).find(document, options, terminal),
  }),
  configured({
    words: "key create",
    operand: "DOC",
    about: "create a key for a caller of the service",
    details: `Prints the key once to standard output; only its hash is stored. For a credential of kind basic it is
the password. The service may run meanwhile.`,
    options: {
      user: text("NAME", "the user of the key; required"),
      role: texts("ROLE", "a role of the key"),
      credential: text("NAME", "the credential, if the document has several with keys"),
      lasts: text("DURATION", "its lifetime, such as 30d; default: the lifetime in the document"),
      redirect: texts("URL", "for an OAuth client of users: its redirect address"),
      public: flag("for an OAuth client: it is public and has no secret, like an app or a page"),
      data,
    },
    run: async ({ document, options }, terminal) =>
      (await import("./key.ts")).createKey(named(document), options, terminal),
  }),
  configured({
    words: "key list",
    operand: "DOC",
    about: "list the keys, without their secrets",
    details: "One line for each key, oldest first, then one for each login session.",
    options: { data },
    run: async ({ document, options }, terminal) =>
      (await import("./key.ts")).listKeys(named(document), options, terminal),
  }),
  configured({
    words: "key revoke",
    operand: "DOC",
    about: "revoke a key or a session, or all of a user",
    details: "A running service rejects it within a second. Exits with 1 when there is no such valid key.",
    options: {
      id: text("KEY", "the id of the key, as in key list"),
      user: text("NAME", "all keys of this user"),
      data,
    },
    run: async ({ document, options }, terminal) =>
      (await import("./key.ts")).revokeKeys(named(document), options, terminal),
  }),
  command({
    words: "import",
    operand: "FILE|postgres://…",
    about: "write a document for an existing API or database",
    details: `Reads OpenAPI 3.0 and 3.1, Swagger 2.0 and AsyncAPI 3, in JSON or YAML; it does not read other files or
addresses. Of a SQLite file, or a schema of PostgreSQL (postgres://…?schema=NAME), it reads the catalogue and writes
nothing. Details that the source lacks stay open questions. Standard error has a summary of lost, guessed and
renamed parts.`,
    options: {
      out: text("FILE", "the file to write; without it, standard output"),
      report: flag("instead of the document, the full report with lines, and what export openapi would lose"),
      format: choice(["text", "json"], "the report for people, or for programs"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./import.ts")).importFile(named(document), options, terminal),
  }),
  command({
    words: "mcp",
    operand: "[FOLDER]",
    about: "give agents the tools of an author, over standard input and output",
    details: `Speaks the Model Context Protocol: tools check, next_question, diff, export, serve, stop and test, and the language
reference as resources. The tools read and write only files below the folder (default: the current one), and serve on
free ports of this machine. An agent starts the command itself; it needs the package @modelcontextprotocol/server.`,
    options: {},
    run: async ({ document: folder }, terminal) => (await import("./mcp.ts")).mcp(folder, terminal),
  }),
  command({
    words: "export asyncapi",
    operand: "DOC",
    about: "write its events as AsyncAPI 3.0",
    details: "JSON: webhooks, the stream and incoming events; a running service has the same at /asyncapi.json.",
    options: { ...exportOptions, "base-url": exportAddress },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportAsyncapi(named(document), options, terminal),
  }),
  command({
    words: "export json-schema",
    operand: "DOC",
    about: "write its requests and responses as JSON Schema 2020-12",
    details: `One document: resources as they are read, created and changed, types, requests, responses, events and
errors, each with an id below the service's address.`,
    options: { ...exportOptions, "base-url": exportAddress },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportJsonSchema(named(document), options, terminal),
  }),
  command({
    words: "export markdown",
    operand: "DOC",
    about: "write a reference of the API as Markdown",
    details:
      "Operations by resource, fields, states, events, errors, limits and versions; it renders on GitHub as it is.",
    options: { ...exportOptions, "base-url": exportAddress },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportMarkdown(named(document), options, terminal),
  }),
  command({
    words: "export mermaid",
    operand: "DOC",
    about: "write its states, relations and events as diagrams",
    details:
      "Markdown with a Mermaid diagram for each resource with states, one of the relations, and one of the effects of events.",
    options: { ...exportOptions, only: text("NAME", "only one diagram: a resource, relations or events") },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportMermaid(named(document), options, terminal),
  }),
  command({
    words: "export openapi",
    operand: "DOC",
    about: "write its OpenAPI 3.1 description",
    details: "JSON; a running service has the same at /openapi.json.",
    options: { ...exportOptions, "base-url": exportAddress },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportOpenapi(named(document), options, terminal),
  }),
  command({
    words: "export openapi-3.0",
    operand: "DOC",
    about: "write its description for tools that do not read OpenAPI 3.1",
    details: "JSON. Standard error names what OpenAPI 3.0 cannot express, such as webhooks.",
    options: { ...exportOptions, "base-url": exportAddress },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportOpenapi30(named(document), options, terminal),
  }),
  command({
    words: "export page",
    operand: "DOC",
    about: "write the page of the service as one HTML file",
    details: "The page that a running service has at /, with its stylesheet and all errors; it loads nothing.",
    options: { ...exportOptions, "base-url": exportAddress },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportPage(named(document), options, terminal),
  }),
  command({
    words: "export postman",
    operand: "DOC",
    about: "write a Postman collection of its operations",
    details: `Format 2.1: a folder for each resource, example bodies, the credential of each request, and a test of each
status. Its variables have the address, the credentials, and the ids of created records.`,
    options: { ...exportOptions, "base-url": exportAddress },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportPostman(named(document), options, terminal),
  }),
  command({
    words: "export typescript",
    operand: "DOC",
    about: "write a typed client of the service, in one file without dependencies",
    details: `A method for each operation, with types of its request, response and errors; pages, retries with idempotency
keys, ETags, waiting for states, events. It runs in Node, browsers and workers.`,
    options: exportOptions,
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportTypescript(named(document), options, terminal),
  }),
];
