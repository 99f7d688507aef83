/** The reports for terminals and programs: what they say of one sample, and that no text breaks their format. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "../../src/base/json.ts";
import { linesOf, lineText } from "../../src/document/source.ts";
import { formatOf, reportEndings, writeReport } from "../../src/conformance/report/formats.ts";
import { reportHar } from "../../src/conformance/report/har.ts";
import { reportJson } from "../../src/conformance/report/json.ts";
import { reportJunit } from "../../src/conformance/report/junit.ts";
import { reportSarif } from "../../src/conformance/report/sarif.ts";
import { durationText, summaryLine, thinness } from "../../src/conformance/report/summary.ts";
import { reportText } from "../../src/conformance/report/text.ts";
import type { CaseResult, Report } from "../../src/conformance/result.ts";
import { fencesOf } from "../docs/fences.ts";
import { flagshipText } from "../export/documents.ts";
import { caseResults, hostileReport, interaction, reportOf, sampleReport, token } from "./sample-report.ts";

// ── Terminal ───────────────────────────────────────────────────────────────────────────────────────────────────────

const [, broken] = [...caseResults.filter(({ kind }) => kind === "broken")];
const few = reportOf([...caseResults.filter(({ kind }) => kind === "not tried"), broken as CaseResult]);

test("the terminal's report", () => {
  const lines = reportText(few).split("\n");
  const start = lines.indexOf("Not tried");
  assert.equal(
    lines.slice(0, start + 12).join("\n"),
    `Only 1 of 14 operations succeeded even once, so this test proves little: listSites, addLocker, listLockers, repairLocker, announceParcel, getParcel, listParcels, changeParcel, dropOff, extendParcel, collect and 2 others never did.

examples/parcel-lockers.md:52:3: broken: weightKg: decimal(0.1..30), create-only
  51 |   recipientEmail: email, personal
  52 |   weightKg: decimal(0.1..30), create-only
     |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  53 |   labels?: string(1..20)[](0..5)
  stated:    a weight of 31 is rejected
  expected:  422 invalid-request
  got:       500
  reproduce:
    # addSite as operator: 201
    curl -i -X POST http://127.0.0.1:8080/sites \\
      -H 'Authorization: Bearer pl_courier'\\''sToken' \\
      -H 'Content-Type: application/json' \\
      --data-raw '{"name":"Grønland’s","address":{"street":"Storgata 1","postcode":"0184","country":"NO"}}'
    # announceParcel as courier: 500
    curl -i -X POST http://127.0.0.1:8080/parcels \\
      -H 'Authorization: Bearer pl_courier'\\''sToken' \\
      -H 'Content-Type: application/json' \\
      --data-raw '{"site":"site_01KB3W2Q8X7Z4V5N6M7P8R9STV","size":"small","weightKg":31}'

Not tried
  the test cannot move the clock: 3 statements
  to try: an implementation with a test clock, and --clock URL
    examples/parcel-lockers.md:92:5    announced -> cancelled: [by cancelParcel, after 48h]
    examples/parcel-lockers.md:99:5    stored -> expired: at collectBy
    examples/parcel-lockers.md:135:66  lasts: 365d

  no secret of the credential device: 2 statements
  to try: the secret in DOOR_SECRET
    examples/parcel-lockers.md:78:5    free -> faulty: when door.faulted
    examples/parcel-lockers.md:136:13  kind: hmac-sha256
`,
  );
  assert.equal(
    lines.slice(-15).join("\n"),
    `    … and 148 more

part                        holds  broken  not tried
What the service does           0       0         22
Resources and their fields      0       1         26
States and transitions          0       0         26
Endpoints                       0       0         21
Authentication                  0       0         18
Events                          0       0         23
Errors                          0       0          6
Limits                          0       0          9
Versioning                      0       0         14

0 hold, 1 broken, 165 not tried — 1,204 requests in 8.1 s, seed 42
`,
  );
});

test("the terminal's report names further cases and statements of one cause, and cases about no statement", () => {
  const text = reportText(sampleReport);
  assert.ok(text.includes("\n  also:      1 more case with this cause: resources/Parcel/labels: six\n"));
  assert.ok(text.includes("\n  and at:    examples/parcel-lockers.md:53:3\n"));
  assert.ok(
    text.includes(
      "\nexamples/parcel-lockers.md: broken: errors: unknown path\n  stated:    a path of no operation is not found\n",
    ),
  );
  assert.ok(text.includes("after 48h]  (in part: holds)\n"));
  assert.match(text, /\n7 hold, 5 broken \(and 1 not about a statement\), 154 not tried — /);
});

test("colour only where asked for, and nothing that would steer a terminal", () => {
  const coloured = reportText(sampleReport, { colour: true });
  assert.match(coloured, /\u001b\[31mbroken\u001b\[0m/);
  assert.equal(coloured.replaceAll(/\u001b\[\d+m/g, ""), reportText(sampleReport));
  for (const text of [reportText(hostileReport), coloured.replaceAll(/\u001b\[\d+m/g, "")])
    assert.equal(/[^\P{Cc}\n]/u.exec(text), null);
});

const thin: readonly (readonly [what: string, results: readonly CaseResult[], expected: RegExp | undefined])[] = [
  ["nothing", [], /^None of 14 operations succeeded even once/],
  ["errors alone", [succeeding(422, "addSite", "addLocker")], /^None of 14/],
  ["six of fourteen", [succeeding(200, ..."addSite addLocker listSites listLockers getParcel collect".split(" "))], /^Only 6 of 14/],
  ["half of them", [succeeding(200, ..."addSite addLocker listSites listLockers getParcel collect dropOff".split(" "))], undefined],
  ["half of them, with other requests", [succeeding(204, ..."addSite addLocker listSites listLockers getParcel collect createWebhook".split(" "))], /^Only 6 of 14/],
]; // biome-ignore format: a table
for (const [what, results, expected] of thin) {
  test(`whether a test is thin: ${what}`, () => {
    const warning = thinness(reportOf(results));
    if (expected === undefined) assert.equal(warning, undefined);
    else assert.match(warning ?? "", expected);
  });
}

test("a document without operations is not thin", () => {
  assert.equal(thinness({ ...sampleReport, statements: [] }), undefined);
});

function succeeding(status: number, ...operations: readonly string[]): CaseResult {
  const interactions = operations.map((operation) => interaction({ request: { method: "GET" }, status, operation }));
  return { kind: "holds", id: "all", aspects: [], interactions };
}

test("durations and numbers", () => {
  const rows = [
    [0, "0 ms"],
    [812.4, "812 ms"],
    [8123, "8.1 s"],
    [59_949, "59.9 s"],
    [59_950, "1 min 0 s"],
    [192_000, "3 min 12 s"],
  ] as const;
  for (const [milliseconds, expected] of rows) assert.equal(durationText(milliseconds), expected);
  const one = { ...reportOf([]), requests: 1 };
  assert.equal(summaryLine(one), "0 hold, 0 broken, 166 not tried — 1 request in 8.1 s, seed 42");
});

// ── JSON ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The members of a value, with their types, by path; all items of a list together. */
function membersOf(value: Json, path = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => membersOf(item, `${path}[]`));
  if (!isObject(value)) return [`${path} ${typeof value}`];
  if (path.endsWith(".headers")) return [`${path} of names`];
  return Object.entries(value).flatMap(([name, member]) => membersOf(member, `${path}.${name}`));
}

const [shape] = fencesOf("docs/reference/test-reports.md", "json");

test("the JSON has the members that its page shows", () => {
  const bytes = interaction({ request: { method: "PUT", body: Uint8Array.of(255) }, status: 200, operation: "x" });
  const withBytes = {
    ...(broken as CaseResult & { kind: "broken" }),
    id: "bytes",
    got: "bytes",
    interactions: [bytes],
  };
  const report = reportOf([...caseResults, withBytes]);
  const documented = new Set(membersOf(JSON.parse(shape?.text ?? "") as Json));
  const actual = new Set(membersOf(JSON.parse(JSON.stringify(reportJson(report))) as Json));
  assert.deepEqual([...actual].toSorted(), [...documented].toSorted());
});

test("the JSON says of each statement where it is and what came of it", () => {
  const { statements, cases, summary } = reportJson(sampleReport) as Record<string, readonly JsonObject[]>;
  const lines = linesOf(sampleReport.text);
  assert.equal(statements?.length, sampleReport.statements.length);
  const ids = new Set((cases ?? []).flatMap(({ id, also = [] }) => [id, ...(also as readonly Json[])]));
  for (const one of statements ?? []) {
    assert.ok(
      lineText(lines, (one["line"] as number) - 1)
        .slice((one["column"] as number) - 1)
        .startsWith((one["text"] as string).replace(/ …$/, "")),
    );
    for (const id of one["cases"] as readonly Json[]) assert.ok(ids.has(id) || id === one["path"], `${id as string}`);
  }
  const found = statements?.find(({ path }) => path === "resources/Parcel/labels?");
  assert.deepEqual(
    [found?.["kind"], found?.["line"], found?.["cases"]],
    ["broken", 53, ["resources/Parcel/labels: six"]],
  );
  const { parts, ...counts } = summary as unknown as JsonObject;
  assert.deepEqual(counts, { holds: 7, broken: 5, notTried: 154 });
  assert.deepEqual((parts as readonly Json[])[1], { part: "resources", holds: 2, broken: 3, notTried: 22 });
});

test("no report has a credential if it is redacted", () => {
  const options = { redact: true };
  for (const text of [
    reportText(sampleReport, options),
    JSON.stringify(reportJson(sampleReport, options)),
    reportJunit(sampleReport, options),
    JSON.stringify(reportHar(sampleReport, { ...options, release: "1" })),
  ]) {
    assert.ok(!text.includes(token) && !text.includes("sToken"));
    assert.ok(text.includes("$TOKEN_COURIER"));
  }
});

// ── JUnit ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Reads XML as far as the report uses it, and fails where it is not well-formed (XML 1.0, 2.2 and 2.3). */
function readXml(xml: string): Element {
  assert.equal(
    /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.exec(xml),
    null,
    "a character that XML has not",
  );
  const prolog = '<?xml version="1.0" encoding="UTF-8"?>\n';
  assert.ok(xml.startsWith(prolog));
  const plain = (text: string): string => {
    assert.equal(/<|&(?!#\d+;)/.exec(text), null, text);
    return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
  };
  const top: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [top];
  for (const [, text = "", tag = ""] of xml.slice(prolog.length).matchAll(/([^<]*)(<[^>]*>|$)/g)) {
    const around = open.at(-1) as Element;
    around.text += plain(text);
    if (tag === "") continue;
    if (tag.startsWith("</")) {
      assert.equal(tag, `</${around.name}>`);
      open.pop();
      continue;
    }
    const [, name = "", rest = "", end] = /^<([a-z]+)((?: [a-z]+="[^"<]*")*)(\/?)>$/.exec(tag) ?? assert.fail(tag);
    const pairs = [...rest.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(
      ([, key = "", value = ""]) => [key, plain(value)] as const,
    );
    assert.equal(new Set(pairs.map(([key]) => key)).size, pairs.length);
    const element: Element = { name, attributes: Object.fromEntries(pairs), children: [], text: "" };
    around.children.push(element);
    if (end === "") open.push(element);
  }
  assert.equal(open.length, 1);
  assert.equal(top.children.length, 1);
  return top.children[0] as Element;
}

test("JUnit: a suite for each part, a test case for each statement", () => {
  const root = readXml(reportJunit(sampleReport));
  assert.deepEqual([root.name, root.attributes], [
    "testsuites",
    { name: "Parcel Lockers", tests: "167", failures: "6", errors: "0", skipped: "154", time: "8.123" },
  ]);
  const suites = root.children.map(({ attributes: { name, tests, failures, skipped } }) => [name, tests, failures, skipped]);
  assert.deepEqual(suites, [
    ["purpose", "22", "0", "21"],
    ["resources", "27", "3", "22"],
    ["states", "26", "1", "24"],
    ["endpoints", "21", "0", "20"],
    ["authentication", "18", "1", "16"],
    ["events", "23", "0", "23"],
    ["errors", "6", "0", "5"],
    ["limits", "9", "0", "9"],
    ["versioning", "14", "0", "14"],
    ["service", "1", "1", "0"],
  ]);
  for (const suite of root.children) {
    const [properties, ...cases] = suite.children;
    assert.deepEqual(properties?.children.map(({ attributes }) => Object.values(attributes)), [
      ["document", "examples/parcel-lockers.md"],
      ["url", "http://127.0.0.1:8080"],
      ["version", "2026-09-01"],
      ["seed", "42"],
    ]);
    assert.equal(cases.length, Number(suite.attributes["tests"]));
    const count = (name: string): number => cases.filter(({ children }) => children[0]?.name === name).length;
    assert.deepEqual([count("failure"), count("skipped")], [suite.attributes["failures"], suite.attributes["skipped"]].map(Number));
    const names = cases.map(({ attributes: { name, classname } }) => `${classname} ${name}`);
    assert.equal(new Set(names).size, names.length, "each test has a name of its own");
  }
  const labels = root.children[1]?.children.find(({ attributes: { name } }) => name === "Parcel/labels?");
  assert.deepEqual(labels?.attributes, { name: "Parcel/labels?", classname: "parcel-lockers.resources", file: "examples/parcel-lockers.md", line: "53", time: "0.013" });
  assert.deepEqual(labels.children[0]?.attributes, { message: "expected 422 invalid-request, got 500", type: "broken" });
  assert.match(labels.children[0].text, /^examples\/parcel-lockers\.md:53:3: labels\?: string[^]*stated: {3}six labels are rejected\n[^]*curl -i -X POST/);
  const lasts = root.children[4]?.children.find(({ attributes: { name } }) => name === "credentials/key/lasts");
  assert.equal(lasts?.children[0]?.attributes["message"], "the test cannot move the clock; to try: an implementation with a test clock, and --clock URL");
}); // biome-ignore format: long texts

test("JUnit: whatever was sent and came, the XML is well-formed and says it", () => {
  readXml(reportJunit(hostileReport));
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const result = { ...(broken as CaseResult & { kind: "broken" }), id: text, expected: "", got: text };
      const report = { ...reportOf([result]), title: text, url: text };
      const root = readXml(reportJunit(report));
      const kept = text.toWellFormed().replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "");
      assert.equal(root.attributes["name"], kept);
      const weight = root.children[1]?.children.find(({ attributes: { name } }) => name === "Parcel/weightKg");
      assert.equal(weight?.children[0]?.attributes["message"], `expected , got ${kept}`);
      assert.ok(weight.children[0].text.includes(`got:      ${kept}\n`));
    }),
    { numRuns: 60 },
  );
});

// ── HAR and SARIF ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The members that HAR 1.2 demands. */
const demanded: Readonly<Record<string, readonly string[]>> = {
  log: ["version", "creator", "entries"],
  page: ["startedDateTime", "id", "title", "pageTimings"],
  entry: ["startedDateTime", "time", "request", "response", "cache", "timings"],
  request: ["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"],
  response: ["status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize"],
  content: ["size", "mimeType"],
  timings: ["send", "wait", "receive"],
}; // biome-ignore format: a table

function has(value: Json | undefined, what: string): JsonObject {
  assert.ok(isObject(value), what);
  for (const member of demanded[what] ?? []) assert.ok(member in value, `${what} has ${member}`);
  return value;
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  assert.ok(Array.isArray(value));
  return value as readonly JsonObject[];
}

for (const [name, report] of [
  ["sample", sampleReport],
  ["hostile", hostileReport],
] as const) {
  test(`HAR: the interactions of broken cases, of the ${name} report`, () => {
    const log = has(reportHar(report, { release: "0.1.0" })["log"], "log");
    assert.deepEqual([log["version"], log["creator"]], ["1.2", { name: "nonet", version: "0.1.0" }]);
    const pages = listOf(log["pages"]).map((page) => has(page, "page")["id"]);
    assert.equal(new Set(pages).size, report.cases.filter(({ kind }) => kind === "broken").length);
    const entries = listOf(log["entries"]).map((entry) => has(entry, "entry"));
    const sent = report.cases.flatMap((result) => (result.kind === "broken" ? result.interactions : []));
    assert.equal(entries.length, sent.length);
    for (const entry of entries) {
      assert.ok(pages.includes(entry["pageref"] ?? null));
      assert.ok(!Number.isNaN(Date.parse(entry["startedDateTime"] as string)));
      const request = has(entry["request"], "request");
      for (const field of listOf(request["headers"])) assert.deepEqual(Object.keys(field), ["name", "value"]);
      has(has(entry["response"], "response")["content"], "content");
      const timings = has(entry["timings"], "timings");
      assert.equal(entry["time"], Object.values(timings).reduce<number>((sum, one) => sum + Number(one), 0));
    }
  }); // biome-ignore format: one line
}

test("HAR: bodies, queries, and no response", () => {
  const last = (request: Parameters<typeof interaction>[0]["request"]): JsonObject => {
    const result = {
      ...(broken as CaseResult & { kind: "broken" }),
      interactions: [interaction({ request, status: 200 })],
    };
    const log = reportHar(reportOf([result]), { release: "1" })["log"] as JsonObject;
    return listOf(log["entries"])[0]?.["request"] as JsonObject;
  };
  assert.deepEqual(last({ method: "GET", url: "http://h/?a=1&b=%20+&c&=d&%=%" })["queryString"], [
    { name: "a", value: "1" },
    { name: "b", value: "  " },
    { name: "c", value: "" },
    { name: "", value: "d" },
    { name: "%", value: "%" },
  ]);
  const text = last({ method: "PUT", body: "é" });
  assert.deepEqual([text["postData"], text["bodySize"]], [{ mimeType: "application/json", text: "é" }, 2]);
  const bytes = last({ method: "PUT", body: Uint8Array.of(255, 0) });
  assert.deepEqual(
    [bytes["postData"], bytes["bodySize"]],
    [{ mimeType: "application/json", text: "/wA=", comment: "base64" }, 2],
  );
  const log = reportHar(sampleReport, { release: "1" })["log"] as JsonObject;
  const quiet = listOf(log["entries"]).map(({ response }) => response as JsonObject).filter(({ status }) => status === 0); // biome-ignore format: one line
  assert.deepEqual(quiet.map(({ comment }) => comment), ["no response within 10 s"]); // biome-ignore format: one line
});

test("SARIF: each broken statement is a result on its lines", () => {
  const log = reportSarif(sampleReport, "0.1.0");
  const run = listOf(log["runs"])[0] as JsonObject;
  const rules = listOf(((run["tool"] as JsonObject)["driver"] as JsonObject)["rules"]);
  const results = listOf(run["results"]).map((result) => {
    const { physicalLocation } = listOf(result["locations"])[0] as { physicalLocation: JsonObject };
    const { charOffset, charLength, startLine } = physicalLocation["region"] as Record<string, number>;
    assert.equal(rules[Number(result["ruleIndex"])]?.["id"], result["ruleId"]);
    assert.deepEqual(physicalLocation["artifactLocation"], { uri: "examples/parcel-lockers.md" });
    const text = sampleReport.text.slice(charOffset, (charOffset ?? 0) + (charLength ?? 0)).split("\n")[0];
    return [result["ruleId"], startLine, text, (result["message"] as JsonObject)["text"]];
  });
  assert.deepEqual(results, [
    ["service/broken", 1, "", "a path of no operation is not found: expected 404 not-found, got 200."],
    ["resources/broken", 51, "recipientEmail: email, personal", "`recipientEmail: email, personal` is broken: an address without @ is rejected: expected 422 invalid-request, with an error at recipientEmail, got 201 with the record."],
    ["resources/broken", 52, "weightKg: decimal(0.1..30), create-only", "`weightKg: decimal(0.1..30), create-only` is broken: a weight of 31 is rejected: expected 422 invalid-request, got 500."],
    ["resources/broken", 53, "labels?: string(1..20)[](0..5)", "`labels?: string(1..20)[](0..5)` is broken: six labels are rejected: expected 422 invalid-request, got 500."],
    ["states/broken", 94, "stored -> stored:", "`stored -> stored: …` is broken: a third extension is rejected: expected 409 no-more-extensions, got no response within 10 s."],
    ["authentication/broken", 140, "addSite, addLocker, repairLocker: operator", "`addSite, addLocker, repairLocker: operator` is broken: a courier cannot add a locker: expected 403 forbidden, got 201 with the record."],
  ]); // biome-ignore format: a table
});

test("the ending of a file says the format", () => {
  const rows = [
    ["out/report.html", "html"],
    ["REPORT.JSON", "json"],
    ["junit.xml", "junit"],
    ["a.har", "har"],
    ["a.sarif", "sarif"],
    ["a.txt", "text"],
    ["a.pdf", undefined],
    ["json", undefined],
  ] as const;
  for (const [file, format] of rows) assert.equal(formatOf(file), format, file);
});

for (const format of reportEndings.map((ending) => formatOf(`report${ending}`) ?? assert.fail(ending))) {
  test(`the format ${format} ends with a line feed, and is redacted where that is wanted`, () => {
    const text = flagshipText.replace("kind: api-key, sent: Authorization Bearer", "kind: api-key, sent: header X-Key");
    const sent = interaction({
      request: { method: "GET", headers: { "X-Key": "hidden-key" } },
      status: 200,
      operation: "x",
    });
    const result = { ...(broken as CaseResult & { kind: "broken" }), interactions: [sent] };
    const report = reportOf([result], text);
    const written = writeReport(format, report, { colour: false, release: "0.1.0" });
    const redacted = writeReport(format, report, { colour: false, release: "0.1.0", redact: true });
    assert.ok(written.endsWith("\n") && redacted.endsWith("\n"));
    assert.equal(written.includes("hidden-key"), format !== "sarif");
    assert.ok(!redacted.includes("hidden-key") && !redacted.includes("sToken"));
    if (["json", "sarif", "har"].includes(format)) JSON.parse(written);
  });
}

test("a report of nothing is a report", () => {
  const nothing: Report = { ...reportOf([]), statements: [], cases: [], title: "" };
  assert.equal(
    reportText(nothing),
    "part  holds  broken  not tried\n\n0 hold, 0 broken, 0 not tried — 1,204 requests in 8.1 s, seed 42\n",
  );
  assert.deepEqual(readXml(reportJunit(nothing)).children, []);
  assert.deepEqual((reportHar(nothing, { release: "1" })["log"] as JsonObject)["entries"], []);
});
