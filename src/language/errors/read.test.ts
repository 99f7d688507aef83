/** Part 7: what each form means, and what is complained about, where. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBlock } from "../../../test/part-block.ts";
import { type DeclaredError, errorVariables } from "./model.ts";
import { errors } from "./grammar.ts";

const forms: readonly [written: string, error: DeclaredError][] = [
  ["403 The code is wrong", { status: 403, sentence: "The code is wrong" }],
  ["409 None is free, retry after 10m", { status: 409, sentence: "None is free", retryAfter: "10m" }],
  ["503 Later, or sooner, retry after 1h30m", { status: 503, sentence: "Later, or sooner", retryAfter: "1h30m" }],
  ["409 Do not retry after that", { status: 409, sentence: "Do not retry after that" }],
  ['"409 Not: this"', { status: 409, sentence: "Not: this" }],
  ["{ status: 409, sentence: None is free }", { status: 409, sentence: "None is free" }],
  ["{ status: 409, sentence: None, retry after: 10m }", { status: 409, sentence: "None", retryAfter: "10m" }],
  ['{ status: 409, sentence: "No, retry after 5s" }', { status: 409, sentence: "No, retry after 5s" }],
];

for (const [written, error] of forms) {
  test(`errors: ${written}`, () => {
    const { part, faults } = readBlock(errors.readPart, `errors:\n  x: ${written}\n`);
    assert.deepEqual(faults, []);
    assert.deepEqual(part.errors, { x: error });
  });
}

test("bodies and the catalogue", () => {
  const of = (yaml: string) => {
    const { part, faults } = readBlock(errors.readPart, yaml);
    assert.deepEqual(faults, []);
    return part;
  };
  assert.deepEqual(of("body: problem+json\nstandard: all\nerrors: none\n"), {
    body: "problem+json",
    standard: "all",
    errors: {},
  });
  assert.deepEqual(of("standard: none\n"), { standard: [], errors: {} });
  assert.deepEqual(of("standard: [not-found, stale]\n"), { standard: ["not-found", "stale"], errors: {} });
  assert.deepEqual(of('body: { errors: { "{field}": ["{message}"] }, at: "{pointer}, {status} {code}" }\n'), {
    body: { shape: { errors: { "{field}": ["{message}"] }, at: "{pointer}, {status} {code}" } },
    errors: {},
  });
  assert.deepEqual(of('body: { version: 5, ok: false, data: null, yes: yes, text: "5" }\n'), {
    body: { shape: { version: 5, ok: false, data: null, yes: "yes", text: "5" } },
    errors: {},
  });
  assert.deepEqual(
    of(
      'bodies: { without field: { e: ["{message}"] }, not-found in x: {}, stale: problem+json, b: No key }\nstatus: { stale: 409 }\n',
    ),
    {
      bodies: {
        "without field": { shape: { e: ["{message}"] } },
        "not-found in x": { shape: {} },
        stale: "problem+json",
        b: { shape: "No key" },
      },
      status: { stale: 409 },
      errors: {},
    },
  );
  assert.deepEqual(of("codes: { stale: ConcurrencyError }\nmessages: { required: can't be blank }\n"), {
    codes: { stale: "ConcurrencyError" },
    messages: { required: "can't be blank" },
    errors: {},
  });
});

test("what is open is a gap and no fault", () => {
  const { part, faults, reader } = readBlock(
    errors.readPart,
    "body: not shown\nerrors: { a: not shown, b: { status: 409, sentence: B, retry after: not shown } }\n",
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(part, { errors: { b: { status: 409, sentence: "B" } } });
  assert.deepEqual(reader.gaps, ["errors/body", "errors/errors/a", "errors/errors/b/retry after"]);
});

const wrong: readonly [yaml: string, ...faults: string[]][] = [
  ["boddy: problem+json", "1:1 errors/unknown-key boddy"],
  ["bodies: problem+json", "1:9 errors/not-a-map problem+json"],
  ["body: json", "1:7 errors/bad-body json"],
  ['body: { a: "see {codes}" }', "1:17 errors/unknown-fact {codes}"],
  ['body: { "{feild}": x }', "1:10 errors/unknown-fact {feild}"],
  ["bodies: { stale: json }", "1:18 errors/bad-body json"],
  ["bodies: [stale]", "1:9 errors/not-a-map [stale]"],
  ["status: { stale: 201 }", "1:18 errors/bad-status 201"],
  ["codes: { stale: [a] }", "1:17 errors/not-a-text [a]"],
  ['messages: { stale: "is {feild}" }', "1:24 errors/unknown-fact {feild}"],
  ['messages: { stale: "is {code}" }', "1:24 errors/unknown-fact {code}"],
  ["standard: [not-found, not-fuond]", "1:23 errors/unknown-standard not-fuond"],
  ["errors: [a]", "1:9 errors/not-a-map [a]"],
  ["errors: { 4x: 409 No }", "1:11 errors/bad-code 4x"],
  ["errors: { x: The code is wrong }", "1:14 errors/bad-status The"],
  ["errors: { x: 201 Fine }", "1:14 errors/bad-status 201"],
  ["errors: { x: 409 }", "1:11 errors/no-sentence x"],
  ['errors: { x: "409 , retry after 5s" }', "1:11 errors/no-sentence x"],
  ["errors:\n  x: 409 No, retry after a while", "2:26 errors/bad-duration a while"],
  ["errors:\n  x: 409 No, retry after soon", "2:26 errors/bad-duration soon"],
  ["errors:\n  x: 409 No, retry after", "2:25 errors/bad-duration "],
  ["errors:\n  x: 409 No, retry after 1mo", "2:26 errors/bad-duration 1mo"],
  ["errors: { x: { status: 409 } }", "1:11 errors/no-sentence x"],
  ["errors: { x: { sentence: No } }", "1:11 errors/no-status x"],
  [
    "errors: { x: { status: 99, sentence: No, retry: 5s } }",
    "1:24 errors/bad-status 99",
    "1:42 errors/unknown-key retry",
  ],
];

test("the finding about an unknown placeholder names the most similar one, or all", () => {
  const helpOn = (name: string): string =>
    readBlock(errors.readPart, `body: { at: "{${name}}" }\n`).reader.diagnostics[0]?.help ?? "";
  assert.match(helpOn("paths"), /`\{path\}`/);
  for (const variable of errorVariables) assert.ok(helpOn("whereabouts").includes(`\`{${variable}}\``), variable);
});

for (const [yaml, ...expected] of wrong) {
  test(`wrong: ${yaml.replace("\n", " ⏎ ")}`, () => {
    assert.deepEqual(readBlock(errors.readPart, `${yaml}\n`).faults, expected);
  });
}
