/**
 * Which part a section is of, what its status is, and that one file of YAML or JSON says the same; no part goes
 * missing in silence.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocument } from "../document/read.ts";
import { partNames } from "./model.ts";
import { type ModelReading, readModel } from "./read.ts";
import { documentKeys, partOfHeading } from "./grammar/sections.ts";

interface Reading extends ModelReading {
  /** `line:column code`, the parts that are missing left out. */
  readonly faults: readonly string[];
}

function read(text: string, name = "service.md"): Reading {
  const { document } = readDocument(name, text, { topLevelKeys: documentKeys });
  const reading = readModel(document);
  const faults = reading.diagnostics
    .filter(({ code }) => code !== "document/part-missing")
    .map(({ code, span }) => `${span.start.line}:${span.start.column} ${code}`);
  return { ...reading, faults };
}

const headings: readonly (readonly [heading: string, part: string | undefined])[] = [
  ["What the service does", "purpose"],
  ["1. What The  Service Does", "purpose"],
  ["Part 2: Resources and their fields", "resources"],
  ["3) states", "states"],
  ["(4) Operations", "endpoints"],
  ["5 – Security:", "authentication"],
  ["Authorization", "authentication"],
  ["WEBHOOKS", "events"],
  ["rate limits", "limits"],
  ["Quotas", "limits"],
  ["9 Versions.", "versioning"],
  ["Authentication [authorization, security]", "authentication"],
  ["6. Events (webhooks):", "events"],
  ["Events (errors)", undefined],
  ["Events (of ours)", undefined],
  ["Error", undefined],
  ["Resources and fields", undefined],
  ["", undefined],
];

for (const [heading, part] of headings) test(`heading ${heading}`, () => assert.equal(partOfHeading(heading), part));

test("each missing part is an error after the part before it, a document without any is one error", () => {
  const { diagnostics } = readModel(readDocument("a.md", "# T\n\n## Purpose\n\n## Errors\n").document);
  assert.deepEqual(
    diagnostics.map(({ code, span }) => `${span.start.line} ${code}`),
    [...Array<string>(5).fill("3 document/part-missing"), ...Array<string>(2).fill("5 document/part-missing")],
  );
  const none = readModel(readDocument("a.md", "# T\n\n## Notes\n").document);
  assert.deepEqual(
    none.diagnostics.map(({ code }) => code),
    ["document/no-parts"],
  );
  assert.deepEqual(
    readModel(readDocument("a.md", "").document).diagnostics.map(({ code }) => code),
    ["document/no-parts"],
  );
});

const statuses: readonly (readonly [section: string, status: string])[] = [
  ["", "silent"],
  ["We like events.", "silent"],
  ["To be decided.", "not shown"],
  ["The retry is TBD.", "not shown"],
  ["- It is an open question who gets them.", "not shown"],
  ["The promise is **not specified**.", "not shown"],
  ["```yaml\nnone\n```", "none"],
  ["none", "none"],
  ["None.", "none"],
  ["none\n\nThere may be some later.", "silent"],
  ["There are none.", "silent"],
  ["```yaml\nnot shown\n```", "not shown"],
  ["TBD\n```yaml\nout: none\n```", "shown"],
  ["```yaml example\nout: none\n```", "silent"],
  ["```json\nnone\n```", "silent"],
  ["```yaml\n\n```", "silent"],
  ["```yaml\nout: [\n```", "shown"],
];

for (const [section, status] of statuses) {
  test(`status of ${JSON.stringify(section)}`, () =>
    assert.equal(read(`## Events\n${section}\n`).model.status.events, status));
}

test("the blocks of a part are one map", () => {
  const { model, faults, places } = read(
    "## Purpose\n```yaml\noperations: { a: A }\n```\nwords\n```yaml\noperations: { b: B }\nservice: x\n```\n",
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(model.purpose, { service: "x", users: {}, operations: { a: "A", b: "B" } });
  assert.equal(places.get("purpose/operations/b")?.start.line, 7);
  assert.equal(places.get("purpose")?.start.line, 1);
});

const faults: readonly (readonly [text: string, ...faults: string[]])[] = [
  ["## Purpose\n```yaml\nservice: x\n```\n```yaml\nservice: y\n```\n", "6:1 document/key-in-two-blocks"],
  ["## Purpose\n```yaml\nusers: { a: x }\n```\n```yaml\nusers: { a: y }\n```\n", "6:10 document/key-in-two-blocks"],
  ["## Resources\n```yaml\nA: { id: id(a) }\n```\n```yaml\nA: { b: string }\n```\n", "6:1 document/key-in-two-blocks"],
  ["## Purpose\n```yaml\nnone\n```\n```yaml\nservice: x\n```\n", "3:1 document/none-and-more"],
  ["## Purpose\n```yaml\n- a\n```\n", "3:1 document/not-a-map"],
  ["## Purpose\n```yaml\nnon\n```\n", "3:1 document/not-a-map"],
  ["## Errors\n## Events\n## Limits\n", "2:1 document/part-order"],
  ["## Errors\n## Limits\n## Errors\n", "3:1 document/part-twice"],
  ["## Errors\n## Limit\n", "2:1 document/unknown-heading"],
  ["## Errors\n## Glossary\nwords\n"],
  ["## Errors\n## Glossary\n```yaml\na: b\n```\n", "2:1 document/unknown-heading"],
];

for (const [text, ...expected] of faults) {
  test(JSON.stringify(text), () => assert.deepEqual(read(text).faults, expected));
}

test("one file of YAML or JSON says the same, and quotes mean nothing in JSON", () => {
  const yaml = read(
    "title: T\npurpose: { service: x }\nresources: { A: { id: id(a), b: { schema: { const: '1' } } } }\nstates: none\nevents: not shown\nlimits:\n",
    "a.yaml",
  );
  const json = read(
    '{"title":"T","purpose":{"service":"x"},"resources":{"A":{"id":"id(a)","b":{"schema":{"const":"1"}}}},"states":"none","events":"not shown","limits":null}',
    "a.json",
  );
  assert.deepEqual(yaml.faults, []);
  assert.deepEqual(json.faults, []);
  assert.deepEqual(json.model, yaml.model);
  assert.equal(yaml.model.title, "T");
  assert.deepEqual(
    partNames.map((part) => yaml.model.status[part]),
    ["shown", "shown", "none", "silent", "silent", "not shown", "silent", "silent", "silent"],
  );
});

test("a slip in JSON is pointed at inside its quotes", () => {
  const { faults: found } = read('{"purpose":{"service":"X y"},"endpoints":{"endpoints":{"a":"get /a"}}}', "a.json");
  assert.deepEqual(found, ["1:24 purpose/bad-name", "1:61 endpoints/bad-method"]);
});

test("keys at the top that are no part are refused with the near miss", () => {
  const { diagnostics } = read("purpos: { service: x }\noperations: {}\nerrors: none\n", "a.yaml");
  const unknown = diagnostics.filter(({ code }) => code === "document/unknown-key");
  assert.deepEqual(
    unknown.map(({ fix }) => fix?.text),
    ["purpose", "endpoints"],
  );
});
