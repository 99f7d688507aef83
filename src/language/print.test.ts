/** A document in both forms: what is printed reads back as the same model, and prints the same again. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { models } from "../../test/arbitraries/model.ts";
import { readDocument } from "../document/read.ts";
import type { Model } from "./model.ts";
import { printData, printModel } from "./print.ts";
import { type ModelReading, readModel } from "./read.ts";

const forms = { "a.md": printModel, "a.yaml": printData } as const;

function read(name: string, text: string): ModelReading {
  const { document, diagnostics } = readDocument(name, text);
  const reading = readModel(document);
  assert.deepEqual([...diagnostics, ...reading.diagnostics], [], text);
  return reading;
}

/** Generated records may be without a prototype; JSON says the same without that. */
function plain(model: Model): unknown {
  return JSON.parse(JSON.stringify({ ...model, gaps: model.gaps.toSorted() }));
}

for (const [name, print] of Object.entries(forms)) {
  test(`any model, ${name}`, () => {
    fc.assert(
      fc.property(models, (model) => {
        const text = print(model);
        const reading = read(name, text);
        assert.deepEqual(plain(reading.model), plain(model), text);
        assert.equal(print(reading.model), text);
      }),
      { numRuns: 100 },
    );
  });

  test(`the flagship, ${name}`, () => {
    const text = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8");
    const { model } = read("parcel-lockers.md", text);
    assert.deepEqual(read(name, print(model)).model, model);
  });
}

const gaps = `# Gaps

## Purpose
\`\`\`yaml
domain: not shown
operations: { a: not shown, b: B }
\`\`\`
## Resources
\`\`\`yaml
A:
  b?: not shown
  id: id(a)
  c?: { type: "string(1..9)", default: not shown }
  d: { type: not shown }
types: not shown
\`\`\`
## States
\`\`\`yaml
A: { states: [x, y], start: not shown, moves: { x->y: { by: a, if: b, else: not shown }, y -> x: [by a, { after: 1h, set: { d: not shown } }] } }
B: not shown
\`\`\`
## Endpoints
\`\`\`yaml
lists: { kind: cursor, size: 5, max: not shown }
repeats: not shown
endpoints: { a: { at: GET /a, status: not shown, lists: { kind: page, size: not shown } } }
\`\`\`
## Authentication
It is an open question who may do this.
## Events
\`\`\`yaml
not shown
\`\`\`
## Errors
\`\`\`yaml
none
\`\`\`
## Limits
## Versioning
TBD
`;

test("what is not shown is printed as not shown", () => {
  const { model } = read("gaps.md", gaps);
  assert.deepEqual(model.gaps, [
    "purpose/domain",
    "purpose/operations/a",
    "resources/A/b?",
    "resources/A/c?/default",
    "resources/A/d/type",
    "resources/types",
    "states/A/start",
    "states/A/moves/x -> y/else",
    "states/A/moves/y -> x/1/set/d",
    "states/B",
    "endpoints/lists/max",
    "endpoints/repeats",
    "endpoints/endpoints/a/status",
    "endpoints/endpoints/a/lists/size",
  ]);
  assert.deepEqual(Object.values(model.status), [
    "shown",
    "shown",
    "shown",
    "shown",
    "not shown",
    "not shown",
    "none",
    "silent",
    "not shown",
  ]);
  for (const [name, print] of Object.entries(forms)) {
    const again = read(name, print(model)).model;
    assert.deepEqual(plain(again), plain(model));
    assert.equal(print(again), print(model));
  }
});
