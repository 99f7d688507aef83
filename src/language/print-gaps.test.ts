/** What a document leaves open stays open when it is printed, also where its neighbours are on one line. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocument } from "../document/read.ts";
import type { Model } from "./model.ts";
import { printModel } from "./print.ts";
import { readModel } from "./read.ts";

const document = `# T
## Authentication
\`\`\`yaml
credentials: { a: { kind: api-key, lasts: not shown } }
allow: { "x, y": not shown, z: anyone }
\`\`\`
## Events
\`\`\`yaml
out: { e: { when: a, carries: not shown } }
in: { f: not shown }
delivery: { webhook: { subscribe: POST /w, for: not shown, then: not shown } }
\`\`\`
## Errors
\`\`\`yaml
errors: { e: { status: 409, sentence: B, retry after: not shown } }
\`\`\`
## Limits
\`\`\`yaml
rate: { all: not shown }
keep: { Parcel: not shown }
\`\`\`
## Versioning
\`\`\`yaml
versions: { 2: not shown, 1: first }
deprecated: { 1: { since: 2026-01-01, guide: not shown } }
policy: { notice: not shown }
\`\`\`
`;

function read(text: string): Model {
  const { model, diagnostics } = readModel(readDocument("t.md", text).document);
  const faults = diagnostics.filter((diagnostic) => !diagnostic.code.startsWith("document/"));
  assert.deepEqual(faults, []);
  return model;
}

test("the gaps of the last five parts survive printing", () => {
  const before = read(document);
  const printed = printModel(before);
  const after = read(printed);
  assert.equal(before.gaps.length, 13);
  assert.deepEqual(after.gaps.toSorted(), before.gaps.toSorted());
  assert.deepEqual({ ...after, gaps: [] }, { ...before, gaps: [] });
});
