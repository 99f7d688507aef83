/** `check` as a whole: any text returns a result, open questions are counted, suppressions hide findings. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import type { Node } from "../../src/document/document.ts";
import { readDocument } from "../../src/document/read.ts";
import { buildPlan } from "../../src/plan/build.ts";
import { check, soundModel, unservable } from "../../src/language/check.ts";
import { partHeadings } from "../../src/language/grammar/sections.ts";
import { partNames } from "../../src/language/model.ts";
import { isNightly } from "../nightly.ts";

const root = dirname(dirname(import.meta.dirname));
const flagship = readFileSync(join(root, "examples/parcel-lockers.md"), "utf8");

test("the flagship has no findings and no gaps", () => {
  const result = check("parcel-lockers.md", flagship);
  assert.deepEqual(result.diagnostics, []);
  assert.equal(result.summary.gaps, 0);
  assert.deepEqual(
    result.parts.map(({ status }) => status),
    partNames.map(() => "shown"),
  );
  assert.equal(result.service, "parcel-lockers");
  assert.equal(soundModel(result), result.model);
  assert.deepEqual(unservable(result), []);
});

test("the example of an API that exists has no findings and no gaps", () => {
  const result = check("conduit.md", readFileSync(join(root, "examples/conduit.md"), "utf8"));
  assert.deepEqual(result.diagnostics, []);
  assert.equal(result.summary.gaps, 0);
  assert.deepEqual(unservable(result), []);
});

const helps: readonly (readonly [name: string, from: string, to: string, code: string, help: RegExp])[] = [
  [
    "operations that share a line of a limit are told apart",
    "  register: 30/min per ip\n  login: 30/min per ip",
    "  register, login: 30/min per ip",
    "limits/unknown-target",
    /one line for each: `register: …`, `login: …`$/,
  ],
  [
    "a retention of what has no states does not begin at an end",
    " # ok personal-kept-forever: an account lasts until it is closed, which this API has no operation for",
    "",
    "limits/personal-kept-forever",
    /^let an operation delete a User, or write `# ok personal-kept-forever`/,
  ],
  [
    "a default that is an expression is told from a value of the wrong type",
    "createdAt: datetime = now, ",
    "createdAt: datetime = now + duration('1h'), ",
    "resources/default-outside-type",
    /^write `:= now \+ duration\('1h'\)`/,
  ],
];

for (const [name, from, to, code, help] of helps) {
  test(name, () => {
    const conduit = readFileSync(join(root, "examples/conduit.md"), "utf8");
    assert(conduit.includes(from));
    const [found, ...others] = check("conduit.md", conduit.replace(from, to)).diagnostics;
    assert.deepEqual([found?.code, others], [code, []]);
    assert.match(found?.help ?? "", help);
  });
}

test("nine parts that each say that they are open are nine stated gaps", () => {
  const text = `# Later\n${partNames.map((part) => `\n## ${partHeadings[part][0]}\nThis is not specified.\n`).join("")}`;
  const result = check("later.md", text);
  assert.deepEqual(result.diagnostics, []);
  assert.deepEqual(
    { ...result.summary, questions: result.questions.length },
    { errors: 0, warnings: 0, gaps: 9, shown: 0, questions: result.summary.questions },
  );
  for (const { status, stated, gaps } of result.parts)
    assert.deepEqual({ status, stated, gaps }, { status: "gap", stated: true, gaps: 1 });
  for (const { status } of result.questions) assert.equal(status, "not shown");
  assert.deepEqual(unservable(result), ["resources", "endpoints"]);
});

test("what is raised while part 7 is open cannot be served", () => {
  const open = flagship.replace(/(## Errors\n)[\s\S]*?(?=## Limits)/, "$1Not specified.\n\n");
  const result = check("open.md", open);
  assert.equal(result.summary.errors, 0);
  assert.deepEqual(unservable(result), ["errors"]);
  const catalogue = open.replaceAll(
    /\b(?:wrong-code|no-free-locker|no-more-extensions|label-too-heavy)\b/g,
    "forbidden",
  );
  assert.deepEqual(unservable(check("catalogue.md", catalogue)), []);
});

test("a document without anything is silent about everything", () => {
  const result = check("empty.md", "");
  assert.deepEqual(
    result.parts.map(({ status, stated }) => [status, stated]),
    partNames.map(() => ["gap", false]),
  );
  assert.equal(result.summary.shown, 0);
  assert.equal(result.summary.gaps, 9);
});

const answers: readonly (readonly [what: string, yaml: string, id: string, expected: object])[] = [
  ["a statement", "purpose: { service: lockers }", "purpose/name", { status: "shown", line: 1 }],
  ["a stated gap", "purpose: { service: not shown }", "purpose/name", { status: "not shown", line: 1 }],
  ["nothing", "purpose: { domain: logistics }", "purpose/name", { status: "silent" }],
  ["a list that is said to be empty", "purpose: { outside: none }", "purpose/outside", { status: "none", line: 1 }],
  ["a part that is none", "events: none", "events/promise", { status: "none", line: 1 }],
  ["a part that is open", "events: not shown", "events/promise", { status: "not shown", line: 1 }],
  ["a default", "endpoints: { lists: none }", "endpoints/base", { status: "default" }],
  [
    "an open move",
    "states:\n  A: { states: [x, y], final: [y], moves: { x -> y: not shown } }",
    "states/triggers",
    { status: "not shown", line: 2 },
  ],
  ["no start", "states:\n  A: { states: [x], final: [x] }", "states/start", { status: "default", line: 2 }],
  [
    "an open permission",
    "purpose: { operations: { a: b } }\nauthentication: { allow: { a: not shown } }",
    "authentication/permissions",
    { status: "not shown", line: 2 },
  ],
  ["one version", "versioning: { scheme: none }", "versioning/end", { status: "none", line: 1 }],
];

for (const [what, yaml, id, expected] of answers) {
  test(`${id}: ${what}`, () => {
    const { questions } = check("document.yaml", yaml);
    const {
      taken,
      part: _part,
      text: _text,
      ...answer
    } = questions.find((question) => question.id === id) ?? assert.fail(id);
    assert.deepEqual(answer, { id, ...expected });
    assert.equal(taken === undefined, answer.status !== "default");
  });
}

const open: readonly (readonly [statement: string, id: string])[] = [
  ["takeBack: POST /parcels/{id}/take-back", "endpoints/paths"],
  ["own: { Parcel: courier == caller.id }", "authentication/ownership"],
  ["wrong-code: 403 The code does not open this door", "errors/statuses"],
  ["device: { kind: hmac-sha256, sent: header Door-Signature, secret: env DOOR_SECRET }", "authentication/credentials"],
  ["all: 600/min per user", "limits/rates"],
];

for (const [statement, id] of open) {
  const name = statement.slice(0, statement.indexOf(":"));
  test(`\`${name}: not shown\` is a gap of ${id}, and no error follows from it`, () => {
    assert.ok(flagship.includes(statement));
    const { diagnostics, questions, summary } = check("a.md", flagship.replace(statement, `${name}: not shown`));
    assert.deepEqual(
      diagnostics.filter(({ severity }) => severity === "error"),
      [],
    );
    assert.equal(questions.find((question) => question.id === id)?.status, "not shown");
    assert.ok(summary.gaps >= 1);
  });
}

test("whichever value is not shown, it is a gap, nothing is wrong for that, and what can be served can be planned", () => {
  const { document } = readDocument("a.md", flagship);
  const bodies = document.sections.flatMap(({ fences }) => fences.flatMap(({ body }) => body ?? []));
  const spans = new Map(bodies.flatMap(valuesIn).map(({ span }) => [span.start.offset, span]));
  assert.ok(spans.size > 200);
  for (const { start, end } of spans.values()) {
    const result = check("a.md", `${flagship.slice(0, start.offset)}not shown${flagship.slice(end.offset)}`);
    const what = `line ${start.line}: ${flagship.slice(start.offset, end.offset)}`;
    assert.ok(result.summary.gaps >= 1, what);
    const errors = result.diagnostics.filter(({ severity }) => severity === "error");
    assert.deepEqual(errors, [], what);
    const sound = soundModel(result) ?? assert.fail(what);
    if (unservable(result).length === 0) buildPlan(sound, result.places, result.expressions);
  }
});

/** The values of one line, but for those below `schema:`, which are another language's. */
function valuesIn(node: Node): readonly Node[] {
  const below =
    node.kind === "map"
      ? node.entries.flatMap(({ key, value }) => (key.value === "schema" ? [] : [value]))
      : node.kind === "list"
        ? node.items
        : [];
  return below.flatMap((one) => [...(one.span.start.line === one.span.end.line ? [one] : []), ...valuesIn(one)]);
}

const whole: readonly (readonly [what: string, from: string, to: string, found: readonly string[]])[] = [
  ["a misspelt reference", "locker: Locker, read-only", "locker: Loker, read-only", ["resources/unknown-type"]],
  ["a misspelt start", "start: announced", "start: anounced", ["states/unknown-state"]],
  ["a misspelt state", "announced -> stored: {", "announced -> stord: {", ["states/unknown-state"]],
  [
    "a misspelt parameter",
    "POST /parcels/{id}/take-back",
    "POST /parcels/{idd}/take-back",
    ["endpoints/path-parameter-unbound"],
  ],
  [
    "a secret that a kind does not have",
    "  device: {",
    "  staff: { kind: basic, secret: env X }\n  device: {",
    ["authentication/member-of-other-kind"],
  ],
  ["headings with their alternatives", "## Events", "## Events [webhooks]", []],
];

for (const [what, from, to, found] of whole) {
  test(`nothing follows from ${what}`, () => {
    assert.ok(flagship.includes(from));
    const { diagnostics } = check("a.md", flagship.replace(from, to));
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      found,
    );
  });
}

const decided: readonly (readonly [from: string, to: string, code: string])[] = [
  ["if: extensions < 2", "if: extensions > 5", "states/guard-never-holds"],
  ["if: extensions < 2", "if: extensions < 0", "states/guard-never-holds"],
  ["if: extensions < 2", "if: extensions <= 2", "states/guard-always-holds"],
  ["Parcel: labels == null || weightKg <= 20", "Parcel: weightKg <= 40", "resources/rule-without-effect"],
];

for (const [from, to, code] of decided) {
  test(`what a field can hold decides: ${to}`, () => {
    assert.ok(flagship.includes(from));
    const { diagnostics } = check("a.md", flagship.replace(from, to));
    assert.deepEqual(
      diagnostics.map((one) => one.code),
      [code],
    );
  });
}

test("what a later release reads is said to be later", () => {
  for (const [from, to] of [["lists: cursor", "views: { one: a }\nlists: cursor"]] as const) {
    const [only, ...more] = check("a.md", flagship.replace(from, to)).diagnostics;
    assert.match(only?.help ?? "", /does not support it yet/);
    assert.deepEqual(more, []);
  }
});

test("a copy of a finding, as JSON or for another thread, has the positions of its span", () => {
  const { diagnostics } = check("a.md", flagship.replaceAll("else: no-free-locker", "else: no-fre-locker"));
  assert.notEqual(diagnostics.length, 0);
  for (const copy of [JSON.parse(JSON.stringify(diagnostics)), structuredClone(diagnostics)])
    assert.deepEqual(copy, diagnostics);
});

test("what four operations share is wrong once", () => {
  const { diagnostics } = check(
    "a.md",
    flagship.replace("cancelParcel: courier if own", "cancelParcel: courier if onw"),
  );
  assert.deepEqual(
    diagnostics.map(({ code }) => code).filter((code) => code === "expression/unknown-name"),
    ["expression/unknown-name"],
  );
});

test("a rule that goes through records is SQL, one that walks to them need not be; each says what it costs", () => {
  const rows: readonly (readonly [rule: string, codes: readonly string[]])[] = [
    ["Locker.filter(l, l.site == site && l.label.matches('^a')).size() <= 2", ["expression/not-in-sql"]],
    ["Locker.filter(l, l.site == site && l.label.startsWith('a')).size() <= 2", []],
    ["site.name.matches('^a')", []],
    ["Locker.filter(l, l.label == 'a').size() <= 2", ["resources/rule-reads-all"]],
    ["Locker.filter(l, l.door != door).size() <= 2", ["resources/rule-reads-all"]],
    ["Locker.map(l, l.door).sum() <= 9", ["resources/rule-reads-all"]],
    ["Locker.filter(l, l.site.name == site.name).size() <= 2", ["resources/rule-reads-all"]],
    ["Locker.all(l, l.door != door || l.label == label)", []],
    ["old != null || Locker.size() <= 2", ["resources/rule-reads-all"]],
    ["sites.all(s, s.name != 'a')", ["resources/rule-reads-all"]],
  ];
  for (const [rule, codes] of rows) {
    const { diagnostics } = check(
      "a.md",
      `# A
## Resources and their fields
\`\`\`yaml
Site: { id: id(site), name: string(1..9) }
Locker: { id: id(lok), site: Site, sites: "Site[](..9)", door: integer, label: string(1..9) }
rules: { Locker: "${rule} else full" }
\`\`\`
`,
    );
    const found = diagnostics.map(({ code }) => code);
    const known = ["expression/not-in-sql", "resources/rule-reads-all"];
    assert.deepEqual(
      found.filter((code) => known.includes(code)),
      codes,
      rule,
    );
    assert.deepEqual(
      found.filter((code) => code.startsWith("expression/") && !known.includes(code)),
      [],
      rule,
    );
  }
});

test("questions and codes are told apart by their names alone", () => {
  const ids = check("empty.md", "").questions.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const { id, part } of check("empty.md", "").questions) assert.ok(id.startsWith(`${part}/`), id);
});

const typed = "resources:\n  A:\n    id: id(a)\n    at: string(1..9)\n    name: string";
const silenced: readonly (readonly [what: string, yaml: string, codes: readonly string[]])[] = [
  ["by its slug", `${typed} # ok unbounded: names are long`, []],
  ["by its code", `${typed} # ok resources/unbounded: names are long`, []],
  ["on the line above", typed.replace("    name", "    # ok unbounded: names are long\n    name"), []],
  ["not by another", `${typed} # ok unused-type: no`, ["resources/unbounded", "document/unused-suppression"]],
  [
    "not on another line",
    typed.replace("1..9)", "1..9) # ok unbounded: no"),
    ["document/unused-suppression", "resources/unbounded"],
  ],
  [
    "never an error",
    "resources:\n  A: { id: id(a), b: Missing } # ok unknown-type: no",
    ["resources/unknown-type", "document/unused-suppression"],
  ],
];

for (const [what, yaml, codes] of silenced) {
  test(`a finding is silenced ${what}`, () => {
    const rest = partNames.filter((part) => part !== "resources").map((part) => `\n${part}: not shown`);
    const { diagnostics } = check("document.yaml", `${yaml}${rest.join("")}\n`);
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      codes,
    );
  });
}

test("a near miss is offered as an edit", () => {
  const result = check(
    "parcel-lockers.md",
    flagship.replace("by collect,", "by: colect,").replace("{ by: collect,", "{ by: colect,"),
  );
  const found = result.diagnostics.find(({ code }) => code === "states/unknown-operation") ?? assert.fail("no finding");
  assert.equal(result.text.slice(found.fix?.span.start.offset, found.fix?.span.end.offset), "colect");
  assert.equal(found.fix?.text, "collect");
});

test("any bytes give a result", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom("a.md", "a.yaml", "a.json", "a"), (bytes, name) => {
      assertSound(check(name, bytes));
    }),
    { numRuns: isNightly ? 500 : 150 },
  );
});

const pieces = flagship.split(/(?<=[\s,:{}[\]|()"'`])/);

test("an operation may have a name that every object has", () => {
  const named = flagship.replaceAll(/\bcollect\b/g, "constructor");
  assert.deepEqual(check("a.md", named).diagnostics, []);
  const unlimited = named.replace("  constructor: 5/15min per Parcel\n", "");
  assert.deepEqual(
    check("a.md", unlimited).diagnostics.map(({ code }) => code),
    ["limits/code-guessable"],
  );
});

test("any damage to a document gives a result", () => {
  const at = fc.nat(pieces.length - 1);
  const edit = fc.record({
    at,
    remove: fc.nat(8),
    insert: fc.oneof(
      at.map((from) => pieces.slice(from, from + 6).join("")),
      fc.string({ maxLength: 6 }),
    ),
  });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
      const damaged = [...pieces];
      for (const { at: place, remove, insert } of edits) damaged.splice(place, remove, insert);
      assertSound(check("damaged.md", damaged.join("")));
    }),
    { numRuns: isNightly ? 300 : 60 },
  );
});

/** What holds of every result: places are inside the text, everything can be written as JSON, counts agree. */
function assertSound({ diagnostics, text, questions, summary, parts }: ReturnType<typeof check>): void {
  for (const { span, code } of diagnostics) {
    assert.ok(span.start.offset <= span.end.offset && span.end.offset <= text.length, code);
    assert.ok(span.start.line >= 1 && span.start.column >= 1, code);
    assert.match(code, /^[a-z]+\/[a-z0-9-]+$/);
  }
  assert.equal(questions.length, summary.questions);
  assert.equal(parts.length, 9);
  assert.equal(typeof JSON.stringify({ diagnostics, questions, summary, parts }), "string");
}

const pathOf = (path: string, more = ""): string =>
  `# A\n## Resources\n\`\`\`yaml\nSite: { id: id(site) }\n\`\`\`\n## Endpoints\n\`\`\`yaml\nendpoints: { run: { ${path} } }\n\`\`\`\n${more}`;
const runs = "## Events\n```yaml\nout: { site.ran: run }\n```\n";
const hears = "## Events\n```yaml\ndelivery: { stream: { at: GET /events, kept: 7d } }\n```\n";

/** What is found of one operation and an event. */
const found: readonly (readonly [what: string, text: string, code: string, isFound: boolean])[] = [
  ["a handler of no record tells of none", pathOf("at: POST /sites/run, does: handler", runs), "events/never-emitted", true],
  ["nor one whose answer has a shape", pathOf("at: POST /sites/run, does: handler, of: Site, gives: { a: integer }", runs), "events/never-emitted", true],
  ["one that names a record does", pathOf("at: POST /sites/run, does: handler, of: Site", runs), "events/never-emitted", false],
  ["and one with a record in its path", pathOf("at: 'POST /sites/{id}/run', does: handler", runs), "events/never-emitted", false],
  ["the catalogue is every service's", pathOf("at: GET /.well-known/api-catalog, does: handler"), "endpoints/path-taken", true],
  ["without events their description is free", pathOf("at: GET /asyncapi.json, does: handler"), "endpoints/path-taken", false],
  ["with events it is not", pathOf("at: GET /asyncapi.json, does: handler", hears), "endpoints/path-taken", true],
  ["pages for people are the document's to take", pathOf("at: 'GET /errors/{code}', does: handler"), "endpoints/path-taken", false],
]; // biome-ignore format: a table

for (const [what, text, code, isFound] of found) {
  test(what, () => {
    const codes = check("a.md", text).diagnostics.map((one) => one.code);
    assert.equal(codes.includes(code), isFound, codes.join(" "));
  });
}
