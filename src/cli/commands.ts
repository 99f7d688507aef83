/** Defines all commands with their options and help. Each command's code is loaded when it runs. */
import { type Command, address, choice, command, file, flag, guarded, named, text, texts } from "./command-line.ts";
import { dataHelp, serveOptions } from "./options.ts";
import { configured } from "./settings.ts";

const data = guarded(text("FILE", dataHelp));

const anyData = guarded(text("FILE|postgres://…", "where the data is; without it, the only database in .nonet"));

const exportOptions = { out: text("FILE", "the file to write; without it, standard output") };
const exportAddress = address("where callers reach the service; without it, http://127.0.0.1:8080");

export const commands: readonly Command[] = [
  command({
    words: "check",
    operand: "DOC",
    about: "what is wrong with a document, and what it leaves open",
    details: `Prints the findings with the lines they are about, then all questions part by part with their answers:
shown, none, default (and which), not shown (the document says that it is open), silent.
Of more than 200 findings, 200 are printed as text, errors first; the other formats give all.
Exits with 1 when there are errors.`,
    options: {
      format: choice(
        ["text", "json", "sarif", "github"],
        "for people, programs, code scanning, or GitHub's annotations",
      ),
      strict: flag("an open question is an error too"),
      against: text("OLD", "an older document; what breaks its callers has to be declared"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./check.ts")).check(named(document), options, terminal),
  }),
  command({
    words: "diff",
    operand: "OLD NEW",
    documents: 2,
    about: "what differs between two documents of a service, and whom that breaks",
    details: `Prints what breaks callers, what they can do in addition, and what they do not notice. What breaks them has to be
declared by an entry of NEW's versions, which serves them as before; for what is not, it prints the entries to
write. Exits with 1 when something is not declared.`,
    options: {
      format: choice(["text", "json", "markdown"], "for people, programs, or a section of a changelog"),
    },
    run: async ({ document, other, options }, terminal) =>
      (await import("./diff.ts")).diff(named(document), named(other), options, terminal),
  }),
  configured({
    words: "serve",
    operand: "DOC",
    about: "run the service that a document describes",
    details: `Checks the document, brings the data to it, and serves until it is told to stop (Ctrl-C, SIGTERM): then
requests that are under way are finished; a second Ctrl-C does not wait for them. Secrets that the document
names are read from the environment. Options may come from there too, or from a file: see nonet config.`,
    options: serveOptions,
    run: async ({ document, options }, terminal) =>
      (await import("./serve.ts")).serve(named(document), options, terminal),
  }),
  configured({
    words: "config",
    operand: "[DOC]",
    about: "the settings that serve would run with, and where each comes from",
    details: `Of the command line, the environment (NONET_PORT for --port), nonet.config.yaml and the defaults, the first that
says something counts. Secrets are not shown. Exits with 2 and all that is wrong where something is.`,
    options: { ...serveOptions, format: choice(["text", "json"], "for people, or for programs") },
    run: async ({ options, settings }, terminal) =>
      (await import("./settings.ts")).config(settings, options.format, terminal),
  }),
  configured({
    words: "doctor",
    operand: "DOC",
    about: "whether the service can be run here with these settings, and what to do where not",
    details: `Takes the options of serve, and changes nothing: document, secrets, functions, Node, open files, ports, proxies, the
data with its room, its journal, what waits in it and what would be migrated; of PostgreSQL version, rights and
clock. Exits with 1 when something fails.`,
    options: {
      ...serveOptions,
      format: choice(["text", "json"], "for people, or for programs"),
      strict: flag("a warning is a failure too"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./doctor.ts")).doctor(named(document), options, terminal),
  }),
  configured({
    words: "start",
    operand: "[DOC]",
    about: "serve an example, or a document, with keys to try it",
    details: `Like serve, and makes a new demo key for each role, and prints lines for a shell that work as pasted.
Without a document it serves the example of a parcel locker.`,
    options: serveOptions,
    run: async ({ document, options }, terminal) => (await import("./serve.ts")).start(document, options, terminal),
  }),
  command({
    words: "types",
    operand: "DOC",
    about: "the types of a document, for functions that are written beside it",
    details: `One TypeScript file that depends on nothing: records, what operations take and give, events, errors, roles.
The functions themselves are run by serve with --handlers.`,
    options: exportOptions,
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportTypes(named(document), options, terminal),
  }),
  configured({
    words: "migrate",
    operand: "DOC",
    about: "bring the data to a document that has changed",
    details: `serve does the same where nothing is lost. Names that were changed are told from part 9. Each step is asked of
the data first; where records stand in its way they are named, and nothing is changed. What is stored is
copied to FILE.backup-TIME before any of it changes. A service that uses the data has to be stopped, but
not for --plan.`,
    options: {
      data,
      plan: flag("show the steps, and change nothing"),
      "allow-loss": flag("go on where data is lost, and say what was; what does not fit still stands in the way"),
      format: choice(["text", "json"], "for people, or for programs"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./migrate.ts")).migrate(named(document), options, terminal),
  }),
  configured({
    words: "backup",
    operand: "FILE",
    about: "one moment of the data in a file, while the service goes on",
    details: `Records, the journal, keys, sessions and files, whole and looked through; FILE takes the place of an earlier
backup only then. Prints what it holds. It has all that callers may not see: keep it as you keep the data.
Either store takes it again.`,
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
    about: "put the data of a backup in its place",
    details: `Everything is read, made anew beside the place and looked through before it takes any; the service has to be
stopped. Keys and sessions are as they were then, so what was revoked since is valid again.`,
    options: {
      data: anyData,
      document: text("DOC", "the document that will be served: what stands in its way is told, and nothing restored"),
      overwrite: flag("where there is data: what is there is kept beside it under another name"),
      check: flag("only read the backup to its end, and say what it holds"),
      format: choice(["text", "json"], "for people, or for programs"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./restore.ts")).restore(file(document), options, terminal),
  }),
  configured({
    words: "find",
    operand: "TEXT",
    about: "where a text still stands in the data, to show that what was erased is gone",
    details: `Looks into every column of every table (records, the journal, answers that are remembered, deliveries, the bytes of
files), then into the bytes of the database, its log and the copies beside it, where free pages are. The
service may run. Exits with 1 when it is found.`,
    options: {
      data: anyData,
      backup: text("FILE", "look into a backup instead"),
      format: choice(["text", "json"], "for people, or for programs"),
    },
    run: async ({ document, options }, terminal) => (await import("./find.ts")).find(document, options, terminal),
  }),
  configured({
    words: "key create",
    operand: "DOC",
    about: "make a key that a caller of the service can send",
    details: `The key is printed to standard output, this once; only its hash is kept. For a credential of kind basic it is
the password. The service may run meanwhile.`,
    options: {
      user: text("NAME", "whose key it is; needed"),
      role: texts("ROLE", "a role of the document that it gives"),
      credential: text("NAME", "which credential of the document, where it has several that have keys"),
      lasts: text("DURATION", "how long it is valid, such as 30d; without it, as the document says"),
      redirect: texts("URL", "of a client that users let in: where they are sent back to"),
      public: flag("of such a client: it can keep no secret, as apps and pages cannot"),
      data,
    },
    run: async ({ document, options }, terminal) =>
      (await import("./key.ts")).createKey(named(document), options, terminal),
  }),
  configured({
    words: "key list",
    operand: "DOC",
    about: "the keys there are, without their secrets",
    details: "One line a key, oldest first, then one for each session of who has logged in.",
    options: { data },
    run: async ({ document, options }, terminal) =>
      (await import("./key.ts")).listKeys(named(document), options, terminal),
  }),
  configured({
    words: "key revoke",
    operand: "DOC",
    about: "end a key or a session, or all of a user",
    details: "A service that runs refuses it within a second. Exits with 1 when there is no such key that is valid.",
    options: {
      id: text("KEY", "the key, as key list names it"),
      user: text("NAME", "all keys of this user"),
      data,
    },
    run: async ({ document, options }, terminal) =>
      (await import("./key.ts")).revokeKeys(named(document), options, terminal),
  }),
  command({
    words: "import",
    operand: "FILE",
    about: "a document of an API that exists, from its OpenAPI, Swagger or AsyncAPI description",
    details: `Reads OpenAPI 3.0 and 3.1, Swagger 2.0 and AsyncAPI 3, in JSON or YAML; other files and addresses that it
refers to are not read. What the description does not say is stated as open. What could not be carried
over, what was guessed and what has another name is summed up on standard error.`,
    options: {
      out: text("FILE", "the file to write, without it standard output"),
      report: flag("instead of the document, all of the report with lines, and what export openapi of it would lose"),
      format: choice(["text", "json"], "the report for people, or for programs"),
    },
    run: async ({ document, options }, terminal) =>
      (await import("./import.ts")).importFile(named(document), options, terminal),
  }),
  command({
    words: "export asyncapi",
    operand: "DOC",
    about: "its events as AsyncAPI 3.0",
    details:
      "JSON: webhooks, the stream, the events that it takes; a service that runs has the same at /asyncapi.json.",
    options: { ...exportOptions, "base-url": exportAddress },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportAsyncapi(named(document), options, terminal),
  }),
  command({
    words: "export json-schema",
    operand: "DOC",
    about: "all that goes over the wire as JSON Schema 2020-12",
    details: `One document: resources as they are read, made and changed, types, what operations take and give, events and
refusals, each with an id below the service's address.`,
    options: { ...exportOptions, "base-url": exportAddress },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportJsonSchema(named(document), options, terminal),
  }),
  command({
    words: "export markdown",
    operand: "DOC",
    about: "a reference of the API for people, as Markdown",
    details:
      "Operations by resource, fields, states, events, errors, limits and versions; it renders on GitHub as it is.",
    options: { ...exportOptions, "base-url": exportAddress },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportMarkdown(named(document), options, terminal),
  }),
  command({
    words: "export mermaid",
    operand: "DOC",
    about: "its states, relations and events as diagrams",
    details:
      "Markdown with a Mermaid diagram for each resource with states, one of the relations, and one of what events do.",
    options: { ...exportOptions, only: text("NAME", "one diagram by itself: a resource, relations or events") },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportMermaid(named(document), options, terminal),
  }),
  command({
    words: "export openapi",
    operand: "DOC",
    about: "the same service as OpenAPI 3.1, for other tools",
    details: "JSON; a service that runs has the same at /openapi.json.",
    options: { ...exportOptions, "base-url": exportAddress },
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportOpenapi(named(document), options, terminal),
  }),
  command({
    words: "export typescript",
    operand: "DOC",
    about: "a typed client of the service, in one file that depends on nothing",
    details: `A method for each operation, with types for what it takes, gives and refuses; pages, retries with idempotency
keys, tags, waiting for states, events. It runs in Node, browsers and workers.`,
    options: exportOptions,
    run: async ({ document, options }, terminal) =>
      (await import("./export.ts")).exportTypescript(named(document), options, terminal),
  }),
];
