/** Bodies of an HTTP contract that are never read: the check reports the same media types that the service rejects with 415. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";

const object = "schema: { type: object, properties: { a: { type: string } } }";

const rows: readonly (readonly [body: string, unread: readonly string[]])[] = [
  [`${object}, media: application/json`, []],
  [`${object}, media: "Application/Problem+JSON; charset=utf-8"`, []],
  [`${object}, media: application/x-www-form-urlencoded`, []],
  [`${object}, media: text/xml`, ["text/xml"]],
  [`${object}, media: multipart/form-data`, ["multipart/form-data"]],
  [`${object}, media: [application/json, image/png]`, ["image/png"]],
  ["type: string, media: image/png", []],
  ["type: string, media: text/csv", []],
  ["type: string, media: multipart/mixed", ["multipart/mixed"]],
  ["type: integer, media: text/plain", ["text/plain"]],
  ['type: "string | null", media: text/plain', []],
  ["media: application/octet-stream", []],
  ["type: integer", []],
];

for (const [body, unread] of rows) {
  test(`{ ${body} }: ${unread.length === 0 ? "no finding" : unread.join(", ")}`, () => {
    const { diagnostics } = check(
      "a.md",
      `# A
## Endpoints
\`\`\`yaml
endpoints:
  send:
    at: POST /send
    does: handler
    wire:
      body: { ${body} }
      answers: { 204: none }
\`\`\`
`,
    );
    assert.deepEqual(
      diagnostics
        .filter(({ code }) => /unread-media|bad-media|unknown-type|bad-type|unknown-key/.test(code))
        .map(({ message }) => message),
      unread.length === 0
        ? []
        : [
            `\`send\` declares a body of ${unread.map((one) => `\`${one}\``).join(", ")}, which cannot be read as this type`,
          ],
    );
  });
}
