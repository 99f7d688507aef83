/** Types of keys with values that no path can contain: the finding lists the values, and the service rejects them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";

const all = "the empty text, `.`, `..`";

const rows: readonly (readonly [field: string, path: string, admitted: string | undefined])[] = [
  ["code: string, unique", "/sites/{code}", all],
  ["code: text, unique", "/sites/{code}", all],
  ["code: string(..1), unique", "/sites/{code}", "the empty text, `.`"],
  ["code: string(1..9), unique", "/sites/{code}", "`.`, `..`"],
  ["code: string(2..9), unique", "/sites/{code}", "`..`"],
  ["code: string(1..9) /[^.]/, unique", "/sites/{code}", undefined],
  ["code: string /^[a-z.]+$/, unique", "/sites/{code}", "`.`, `..`"],
  ["code: string(3..9), unique", "/sites/{code}", undefined],
  ["code: north | south | string, unique", "/sites/{code}", all],
  ["code: north | south, unique", "/sites/{code}", undefined],
  ["code: integer, unique", "/sites/{code}", undefined],
  ["code: uuid, unique", "/sites/{code}", undefined],
  // The service makes it.
  ["code: string = token(12), unique, read-only", "/sites/{code}", undefined],
  // No path names a record by it.
  ["code: string, unique", "/sites/{id}", undefined],
  // A parent is named by it.
  ["code: string, unique", "/sites/{code}/doors", all],
  // It is a part of the name.
  ["code: string\n  day: date\nrules: { Site: unique code + day }", "/sites/{code}/{day}", all],
  ["code: string\n  day: date\nrules: { Site: unique code + day }", "/sites/{day}/{code}/doors", all],
  ["code: string(3..)\n  day: date\nrules: { Site: unique code + day }", "/sites/{day}/{code}", undefined],
];

for (const [field, path, admitted] of rows) {
  test(`${field} at ${path}: ${admitted ?? "no finding"}`, () => {
    const { diagnostics } = check(
      "a.md",
      `# A
## Resources and their fields
\`\`\`yaml
Site:
  id: id(sit)
  ${field}
Door: { id: id(dor), site: Site }
\`\`\`
## Endpoints
\`\`\`yaml
endpoints: { get: "GET ${path}" }
\`\`\`
`,
    );
    const found = diagnostics.filter(({ code }) => code === "resources/key-outside-path");
    const expected =
      admitted === undefined ? [] : [[6, `\`code\` is part of an address, but its type allows ${admitted}`]];
    assert.deepEqual(
      found.map(({ span, message }) => [span.start.line, message]),
      expected,
    );
  });
}
