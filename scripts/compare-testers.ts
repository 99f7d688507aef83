/**
 * Compares what `nonet test` and Specmatic find in services with one mistake each: `node scripts/compare-testers.ts --specmatic FOLDER`.
 * FOLDER is where `npm install specmatic@2.55.1` ran; it is no dependency of this project. Java 17 has to be on the PATH.
 *
 * The mistakes are those of `test/conformance/mutants/engine`, by class, in the two documents `things` and `versions`. Specmatic gets
 * the OpenAPI description of the document, a credential that may do everything, an example of each operation with the id of a record
 * that is there, and its generative tests. A mistake counts as found by Specmatic if a test fails, twice, that does not fail in this
 * way in any of several runs on the correct service.
 *
 *     --only TEXT     classes or mistakes whose name contains the text; may be repeated
 *     --limit N       so many mistakes of each class
 *     --out FILE      what was found, as JSON, after each mistake
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs, promisify } from "node:util";
import type { JsonObject } from "../src/base/json.ts";
import { openapi } from "../src/export/openapi/openapi.ts";
import { type EnginePartMutant, engineMutants, textOf } from "../test/conformance/mutants/engine.ts";
import { secretsOf, serveTimed } from "../test/conformance/mutants/served.ts";
import { tester } from "../test/conformance/mutants/tester.ts";
import type { Running, RunOptions } from "../test/serve/running.ts";

const { values } = parseArgs({
  options: {
    specmatic: { type: "string" },
    only: { type: "string", multiple: true, default: [""] },
    limit: { type: "string" },
    out: { type: "string" },
  },
});

/** How long one run of Specmatic may take, in milliseconds, and how often the correct service is tested. */
const specmaticMilliseconds = 120_000;
const correctRuns = 3;

/** The mistakes by class. Those that the document does not write, but only the language, are left out. */
const classes: Readonly<Record<string, readonly string[]>> = {
  "shapes and media types of responses": [
    "a computed field is missing",
    "a default is missing",
    "ids have another prefix",
    "records have a member that the document does not declare",
    "a member has another type in lists",
  ],
  "statuses and bodies of errors": [
    "JSON that cannot be read is an internal error",
    "a body that is null is an internal error",
    "an id that there is not is an internal error",
    "an error has another status",
    "an error is JSON of no kind",
    "an unknown path is answered with 200",
    "a wrong method is an unknown path",
  ],
  "required members, types, media types of requests": [
    "a required member may be absent",
    "a number may be a text",
    "a value that is not in the list is accepted",
    "a body is accepted as any media type",
  ],
  "ranges, lengths, patterns": [
    "a text may be one character too long",
    "the smallest number is rejected",
    "an address of mail is not checked",
    "a pattern is not checked",
  ],
  "values that the server computes or keeps": [
    "a default is another value",
    "a computed field is wrong",
    "a field for writing is returned",
    "a field that is set once can be changed",
    "a field of the server can be set",
    "a change that failed is made",
  ],
  "unique values, rules, references": [
    "a value that has to be unique is accepted twice",
    "a rule is not evaluated",
    "a reference to nothing is accepted",
  ],
  "use after deletion": [
    "a deleted record can still be read",
    "a deletion does nothing",
    "what belongs to a deleted record stays",
    "a record is deleted although another one refers to it",
  ],
  permissions: [
    "a read needs no credential",
    "a write needs no credential",
    "every key has all roles",
    "the records of others can be read",
    "a list shows the records of others",
    "a role has no permission any more",
    "a hidden field is shown",
  ],
  states: [
    "a guard is skipped",
    "a transition starts in any state",
    "a transition ends in another state",
    "a transition is answered, but not made",
    "records start in another state",
    "a timer never fires",
    "the history misses the last transition",
  ],
  "idempotency and preconditions": [
    "an idempotency key is forgotten",
    "an idempotency key answers another body",
    "a stale edit is accepted",
    "an edit needs no precondition",
    "records have no entity tag",
  ],
  "lists and filters": [
    "a page has one item more than its size",
    "the next page skips an item",
    "a filter is ignored",
    "a filter finds nothing",
    "a list is sorted the other way",
    "a search finds only the same text",
  ],
  events: [
    "an event is lost",
    "an event is sent twice",
    "the payload of an event is wrong",
    "what was not delivered is not sent again",
    "an event from outside may have any signature",
  ],
  limits: [
    "one request too many is admitted",
    "a rate is not enforced",
    "a quota of records admits one too many",
    "a quota of requests admits one too many",
    "a body may be one byte too large",
    "the largest body is rejected",
  ],
  versions: [
    "an older version has the newest responses",
    "the newest version accepts the older names",
    "an unknown version is the newest one",
    "no version is the oldest one",
    "responses do not say that a version is deprecated",
    "a version is served after its end",
  ],
};

interface Chosen {
  readonly name: string;
  readonly mutants: readonly EnginePartMutant[];
}

function chosen(): readonly Chosen[] {
  const limit = values.limit === undefined ? Number.POSITIVE_INFINITY : Number(values.limit);
  return Object.entries(classes).flatMap(([name, names]): Chosen[] => {
    const mutants = names.map((one) => {
      const found = engineMutants.find(
        (mutant) => mutant.name === one && /^(?:things|versions)$/.test(mutant.document),
      );
      assert(found !== undefined && found.reason === undefined, one);
      return found;
    });
    const some = mutants.filter((one) => values.only.some((text) => name.includes(text) || one.name.includes(text)));
    return some.length === 0 ? [] : [{ name, mutants: some.slice(0, limit) }];
  });
}

/** The class whose mistakes are about the limits that other classes do without. */
const limitClass = "limits";

/**
 * Returns the document with limits that no test reaches: Specmatic has one credential, and would get little else than errors of
 * quotas. Both testers get this document, but for the mistakes of limits.
 */
function eased(text: string): string {
  return text
    .replace("3 in open | closed per user", "3000 in open | closed per user")
    .replace("2/day per user", "2000/day per user")
    .replace("4/min per Thing", "400/min per Thing");
}

// ── The OpenAPI description, its examples and the configuration of Specmatic ───────────────────────────────────────

type Operation = JsonObject & { readonly parameters?: readonly JsonObject[] };

/** Optional parameters with which Specmatic sends valid requests; values of the others have to come from the service. */
const usualParameters: readonly string[] = ["limit", "size", "state"];

/** Returns the description of the operations of the document alone. */
function descriptionOf(running: Running): JsonObject {
  const {
    paths,
    webhooks: _,
    ...rest
  } = openapi(running.plan, running.url) as JsonObject & {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const isSent = ({ in: place, name, required }: JsonObject): boolean =>
    place === "path" || required === true || (typeof name === "string" && usualParameters.includes(name));
  // The tag of a record changes with each change, and `*` is always valid.
  const known = (one: JsonObject): JsonObject =>
    one["name"] === "If-Match" ? { ...one, schema: { type: "string", enum: ["*"] } } : one;
  const fewer = (operation: Operation): Operation =>
    Array.isArray(operation.parameters)
      ? { ...operation, parameters: operation.parameters.filter(isSent).map(known) }
      : operation;
  const all = Object.entries(paths)
    .filter(([path]) => /^\/(?:things|loans)\b/.test(path))
    .map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, one]) => [method, Array.isArray(one) ? one : fewer(one)])),
    ]);
  return { ...rest, paths: Object.fromEntries(all) as JsonObject };
}

interface Example {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the response is a list. */
  readonly isList?: true;
}

/** Makes records, and returns an example of each operation that needs one. */
async function examplesFor(running: Running, token: string, document: string): Promise<readonly Example[]> {
  const send = async (path: string, body: JsonObject): Promise<Readonly<Record<string, string>> | undefined> => {
    const response = await fetch(`${running.url}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const json = (await response.json().catch(() => undefined)) as Readonly<Record<string, string>> | undefined;
    return response.status === 201 ? json : undefined;
  };
  let last = "";
  let count = 0;
  const word = (): string => `thing ${"bcdfghklmn"[((count += 1)) % 10]}${count}`;
  const thing = async (): Promise<string> => {
    const body = document === "versions" ? { count: 3 } : { name: word(), weight: 10, serial: "ABC" };
    // A quota or a mistake may reject a further one.
    last = (await send("/things", body))?.["id"] ?? last;
    return last;
  };
  const edit = { headers: { "If-Match": "*" } };
  const shown = await thing();
  if (document === "versions")
    return [
      { name: "getThing", method: "GET", path: `/things/${shown}`, status: 200 },
      { name: "changeThing", method: "PATCH", path: `/things/${shown}`, status: 200, body: { count: 4 } },
      { name: "putThing", method: "PUT", path: `/things/${await thing()}`, status: 200, body: { count: 4 } },
      { name: "removeThing", method: "DELETE", path: `/things/${await thing()}`, status: 204 },
    ];
  const part = (await send(`/things/${shown}/parts`, { title: "wheel" }))?.["id"] ?? "";
  const loan = (await send("/loans", { thing: shown, days: 1 }))?.["id"] ?? "";
  const closed = await thing();
  await send(`/things/${closed}/close`, { pin: "1234" });
  const at = (id: string, rest = ""): string => `/things/${id}${rest}`;
  return [
    { name: "addThing", method: "POST", path: "/things", status: 201, body: { weight: 5, serial: "AB" } },
    { name: "getThing", method: "GET", path: at(shown), status: 200 },
    { name: "changeThing", method: "PATCH", path: at(await thing()), status: 200, body: { weight: 20 }, ...edit },
    { name: "removeThing", method: "DELETE", path: at(await thing()), status: 204, ...edit },
    { name: "closeThing", method: "POST", path: at(await thing(), "/close"), status: 200, body: { pin: "1234" } },
    { name: "openThing", method: "POST", path: at(closed, "/open"), status: 200 },
    { name: "thingHistory", method: "GET", path: at(closed, "/history"), status: 200 },
    { name: "addPart", method: "POST", path: at(shown, "/parts"), status: 201, body: { title: "wheel" } },
    { name: "listParts", method: "GET", path: at(shown, "/parts"), status: 200 },
    { name: "getPart", method: "GET", path: at(shown, `/parts/${part}`), status: 200 },
    { name: "addLoan", method: "POST", path: "/loans", status: 201, body: { thing: shown, days: 3 } },
    { name: "getLoan", method: "GET", path: `/loans/${loan}`, status: 200 },
  ];
}

function exampleFile({ method, path, status, body, headers = {} }: Example): JsonObject {
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  const request = { method, path, headers: { ...headers, ...type }, ...(body === undefined ? {} : { body }) };
  // Of a partial example Specmatic makes up what is missing, and compares the response with the description.
  return { partial: { "http-request": request, "http-response": { status, ...(status === 204 ? {} : { body: {} }) } } };
}

/** Writes the files for Specmatic into the folder. */
async function prepare(folder: string, running: Running, document: string): Promise<void> {
  const token = await running.key("ann", "member", "admin");
  const examples = await examplesFor(running, token, document);
  await mkdir(join(folder, "examples"));
  for (const one of examples)
    await writeFile(join(folder, "examples", `${one.name}.json`), JSON.stringify(exampleFile(one)));
  await writeFile(join(folder, "api.json"), JSON.stringify(descriptionOf(running)));
  // What generated requests have where no example names a value: a weight that the rule allows, and a record that is there.
  const id = /[a-z]+_[0-9a-z]{26}/.exec(examples.find(({ name }) => name === "getThing")?.path ?? "")?.[0] ?? "";
  const dictionary = {
    ...(document === "versions"
      ? {}
      : { AddThingInput: { weight: [10, 20, 30] }, ChangeThingInput: { weight: [10, 20] } }),
    AddLoanInput: { thing: id },
    PARAMETERS: { PATH: { id, thing: id } },
  };
  await writeFile(join(folder, "dictionary.yaml"), JSON.stringify(dictionary));
  const configuration = {
    version: 3,
    systemUnderTest: {
      service: {
        definitions: [
          {
            definition: {
              source: { filesystem: { directory: "." } },
              specs: [{ spec: { id: "api", path: "api.json" } }],
            },
          },
        ],
        runOptions: {
          openapi: {
            type: "test",
            baseUrl: running.url,
            specs: [{ spec: { id: "api", securitySchemes: { key: { type: "bearer", token } } } }],
          },
        },
        data: { examples: [{ directories: ["examples"] }], dictionary: { path: "dictionary.yaml" } },
        settings: { schemaResiliencyTests: "all", maxTestRequestCombinations: 6, junitReportDir: "reports" },
      },
    },
  };
  await writeFile(join(folder, "specmatic.yaml"), JSON.stringify(configuration));
}

// ── Running both ───────────────────────────────────────────────────────────────────────────────────────────────────

interface SpecmaticRun {
  readonly tests: number;
  /** The failed tests, each with the reason without its values. */
  readonly failures: readonly string[];
}

async function runSpecmatic(running: Running, document: string): Promise<SpecmaticRun> {
  const folder = await mkdtemp(join(tmpdir(), "nonet-specmatic-"));
  try {
    await prepare(folder, running, document);
    const jar = join(values.specmatic ?? "", "node_modules", "specmatic", "specmatic.jar");
    const args = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", jar, "test"];
    // It ends with 1 if a test fails.
    await promisify(execFile)("java", args, { cwd: folder, timeout: specmaticMilliseconds, maxBuffer: 2 ** 28 }).catch(
      (thrown: unknown) => thrown,
    );
    // A run that takes too long has no report, which says nothing about the service.
    return resultsIn(await readFile(join(folder, "reports", "TEST-junit-jupiter.xml"), "utf8").catch(() => ""));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function resultsIn(xml: string): SpecmaticRun {
  const tests = xml.split(/<testcase /).slice(1);
  const failures = tests.flatMap((test) => {
    const failure = /<(?:failure|error)[^>]*>(?:<!\[CDATA\[)?([\s\S]*?)(?:\]\]>)?<\/(?:failure|error)>/.exec(test)?.[1];
    const name = /^[^>]*?\bname="([^"]*)"/.exec(test)?.[1] ?? "";
    return failure === undefined ? [] : [`${withoutValues(name)}: ${reasonIn(failure)}`];
  });
  return { tests: tests.length, failures };
}

/** Returns what was expected and what came, and where. */
function reasonIn(failure: string): string {
  const lines = failure.split("\n").map((line) => line.trim());
  return withoutValues(lines.filter((line) => /^(?:>>|Specification expected|Expected|R\d+:)/.test(line)).join(" "));
}

/** Values and ids differ from run to run. */
function withoutValues(text: string): string {
  return text
    .replaceAll(/(?:&quot;|")[^"&]*(?:&quot;|")|\S*nonet-specmatic-\w+|\b[a-z]+_[0-9a-z]{10,}|\d{4,}[-\d:.TZ]*/g, "…")
    .replaceAll(/\s+/g, " ");
}

interface Correct {
  readonly known: ReadonlySet<string>;
  readonly tests: number;
  readonly failures: number;
  readonly nonet: number;
}

const corrects = new Map<string, Promise<Correct>>();

/** Returns what both report of the service without a mistake. */
function correct(text: string, document: string, options: RunOptions): Promise<Correct> {
  const found = corrects.get(text) ?? testCorrect(text, document, options);
  corrects.set(text, found);
  return found;
}

async function testCorrect(text: string, document: string, options: RunOptions): Promise<Correct> {
  const runs: SpecmaticRun[] = [];
  for (let count = 0; count < correctRuns; count += 1) {
    await using running = await serveTimed(text, options);
    runs.push(await runSpecmatic(running, document));
  }
  await using running = await serveTimed(text, options);
  const { broken } = await tester(text, running, { environment: options.environment ?? {} });
  const [first = { tests: 0, failures: [] }] = runs;
  const known = new Set(runs.flatMap(({ failures }) => failures));
  write(
    `correct ${document}: Specmatic ${runs.map((one) => `${one.failures.length} of ${one.tests}`).join(", ")} fail; nonet test ${broken.length} broken`,
  );
  return { known, tests: first.tests, failures: first.failures.length, nonet: broken.length };
}

interface Found {
  readonly className: string;
  readonly mistake: string;
  readonly nonet: boolean;
  readonly specmatic: boolean;
  /** What Specmatic reports of the mistake alone. */
  readonly evidence: string;
}

async function compare(className: string, mutant: EnginePartMutant): Promise<Found> {
  const original = textOf(mutant);
  const text = className === limitClass ? original : eased(original);
  const environment = { ...secretsOf(text), ...mutant.environment };
  const options: RunOptions = {
    store: "memory",
    environment,
    ...(mutant.functions && { functions: mutant.functions }),
  };
  const { known } = await correct(text, mutant.document, options);
  const changed = mutant.apply(options);
  let evidence: readonly string[] = [];
  for (let count = 0; count < 2; count += 1) {
    await using running = await serveTimed(text, changed);
    const { failures } = await runSpecmatic(running, mutant.document);
    const others = failures.filter((one) => !known.has(one));
    evidence = count === 0 ? others : others.filter((one) => evidence.includes(one));
    if (evidence.length === 0) break;
  }
  return {
    ...{ className, mistake: mutant.name, specmatic: evidence.length > 0, evidence: evidence[0] ?? "" },
    nonet:
      (await isBroken(text, changed, mutant.part, environment)) ||
      (await isBroken(text, changed, undefined, environment)),
  };
}

/** Whether `nonet test` finds something broken, with the cases of a part or with all. */
async function isBroken(
  text: string,
  options: RunOptions,
  part: EnginePartMutant["part"] | undefined,
  environment: Readonly<Record<string, string>>,
): Promise<boolean> {
  await using running = await serveTimed(text, options);
  return (await tester(text, running, { environment, part })).broken.length > 0;
}

function write(text: string): void {
  process.stdout.write(`${text}\n`);
}

function tableOf(all: readonly Found[]): string {
  const rows = [...Map.groupBy(all, ({ className }) => className)].map(([name, some]) => countsOf(name, some));
  return [
    "| class | mistakes | found by `nonet test` | found by Specmatic |",
    "| --- | --- | --- | --- |",
    ...rows,
    countsOf("all", all),
  ].join("\n");
}

function countsOf(name: string, some: readonly Found[]): string {
  const { length: nonet } = some.filter((one) => one.nonet);
  const { length: specmatic } = some.filter((one) => one.specmatic);
  return `| ${name} | ${some.length} | ${nonet} | ${specmatic} |`;
}

if (values.specmatic === undefined) {
  process.stderr.write("node scripts/compare-testers.ts --specmatic FOLDER [--only TEXT] [--limit N] [--out FILE]\n");
  process.exitCode = 2;
} else {
  const all: Found[] = [];
  for (const { name, mutants } of chosen())
    for (const mutant of mutants) {
      const found = await compare(name, mutant);
      all.push(found);
      write(`${name}: ${found.mistake}: nonet test ${found.nonet}, Specmatic ${found.specmatic} ${found.evidence}`);
      if (values.out !== undefined) await writeFile(values.out, JSON.stringify(all, undefined, 1));
    }
  write(`\n${tableOf(all)}`);
  for (const [text, one] of corrects) {
    const { tests, failures, nonet } = await one;
    write(
      `correct service (${/^ *scheme:/m.test(text) ? "versions" : "things"}): Specmatic ${failures} of ${tests} tests fail, nonet test reports ${nonet} broken`,
    );
  }
}
