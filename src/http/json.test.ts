/** Tests JSON bodies: accepted like by `JSON.parse`, except repeated members and rounded integers, in linear time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseJson } from "./json.ts";

const parse = (text: string) => parseJson(Buffer.from(text));

test("R2.5 what JSON.stringify writes is read as it was", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 5, noUnicodeString: false }),
      fc.constantFrom(undefined, 1, "\t"),
      (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        const parsed = parse(text);
        fc.pre(!/\d{16}/.test(text));
        assert.deepEqual(parsed, { kind: "value", value: JSON.parse(text) as unknown });
      },
    ),
  );
});

test("R2.5 any text is read as JSON.parse reads it, or refused; nothing throws", () => {
  const piece = fc.constantFrom(
    '{"a":',
    "}",
    "[",
    "]",
    ",",
    '"b"',
    '"\\',
    '"',
    "1",
    "-0",
    "1e9",
    "true",
    "null",
    " ",
    "\\u0041",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const parsed = parse(text);
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        assert.equal(parsed.kind, "fault");
        return;
      }
      if (parsed.kind === "value") assert.deepEqual(parsed.value, value);
      else assert.match(parsed.detail, /twice/);
    }),
  );
});

test("R2.5 a member that stands twice is found wherever it is", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.jsonValue({ maxDepth: 3 }),
      fc.array(fc.constantFrom("[", '{"x":'), { maxLength: 6 }),
      (name, value, around) => {
        const key = JSON.stringify(name);
        const ends = around.toReversed().map((open) => (open === "[" ? "]" : "}"));
        const textWith = (last: string): string =>
          `${around.join("")}{${key}:1,"~~":${JSON.stringify(value)},${last}:2}${ends.join("")}`;
        assert.equal(parse(textWith(key)).kind, "fault");
        assert.equal(parse(textWith(JSON.stringify(`${name}.`))).kind, "value");
      },
    ),
  );
});

test("R2.6 integers are exact or infinite", () => {
  const rows: readonly (readonly [string, number])[] = [
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["9007199254740992", Number.POSITIVE_INFINITY],
    ["-9007199254740993", Number.NEGATIVE_INFINITY],
    ["123456789012345678901234567890", Number.POSITIVE_INFINITY],
    ["1e300", 1e300],
    ["12345678901234567.5", 12345678901234568],
    ["1e400", Number.POSITIVE_INFINITY],
    ["0.1000000000000000055", 0.1],
  ];
  for (const [text, value] of rows) {
    assert.deepEqual(parse(text), { kind: "value", value }, text);
    assert.deepEqual(parse(`{"a":[${text}],"b":"${text}"}`), { kind: "value", value: { a: [value], b: text } }, text);
  }
});

test("R2.5 the time is linear in the length", () => {
  const texts = [
    `[${'"",'.repeat(300_000)}""]`,
    `[${'"\\n",'.repeat(150_000)}""]`,
    `${"[".repeat(500_000)}`,
    `{"a":"${" ".repeat(1_000_000)}"}`,
    `[${"1,".repeat(400_000)}1]`,
    `${"1".repeat(1_000_000)}`,
    `{${Array.from({ length: 80_000 }, (_, at) => `"${at}":1`).join()}}`,
  ];
  for (const text of texts) {
    // CPU time of the thread instead of elapsed time, so that the test passes on a busy machine.
    const before = process.threadCpuUsage();
    parse(text);
    const { user, system } = process.threadCpuUsage(before);
    assert((user + system) / 1000 < 2000, text.slice(0, 20));
  }
});
