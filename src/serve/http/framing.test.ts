/**
 * Where a request's body ends (RFC 9112, section 6). What could be read in two ways is no body, and no byte is taken
 * from what follows.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bodyOf } from "./framing.ts";
import { type Head, readHead } from "./head.ts";

const readerOf = (fields: string, version = "1.1"): ReturnType<typeof bodyOf> =>
  bodyOf(readHead(Buffer.from(`POST / HTTP/${version}\r\n${fields}\r\n`), 0, 8192) as Head);

/** What a body comes to that arrives in these pieces, and what is left of them. */
function taken(fields: string, pieces: readonly string[]): { body: string; rest: string } | "bad" | "more" {
  const reader = readerOf(fields);
  assert(reader !== undefined);
  let body = "";
  let rest = Buffer.alloc(0);
  for (const piece of pieces) {
    rest = Buffer.concat([rest, Buffer.from(piece, "latin1")]);
    const end = reader.take(rest, 0, (part) => (body += part.toString("latin1")));
    if (end === "bad") return "bad";
    rest = rest.subarray(end);
  }
  return reader.over ? { body, rest: rest.toString("latin1") } : "more";
}

const chunked = "Transfer-Encoding: chunked\r\n";

for (const [what, fields, version] of [
  ["a length beside a coding", `${chunked}Content-Length: 3\r\n`, "1.1"],
  ["a length after a coding of nothing", "Transfer-Encoding: identity\r\nContent-Length: 3\r\n", "1.1"],
  ["a coding on top", "Transfer-Encoding: gzip, chunked\r\n", "1.1"],
  ["chunked twice", `${chunked}${chunked}`, "1.1"],
  ["another spelling of it", "Transfer-Encoding: xchunked\r\n", "1.1"],
  ["chunked with a parameter", "Transfer-Encoding: chunked;a=b\r\n", "1.1"],
  ["a coding in HTTP/1.0", chunked, "1.0"],
  ["two lengths", "Content-Length: 3\r\nContent-Length: 4\r\n", "1.1"],
  ["the same length twice", "Content-Length: 3\r\nContent-Length: 3\r\n", "1.1"],
  ["a list of lengths", "Content-Length: 3, 3\r\n", "1.1"],
  ["a length with a sign", "Content-Length: +3\r\n", "1.1"],
  ["a negative length", "Content-Length: -3\r\n", "1.1"],
  ["a length in hexadecimal", "Content-Length: 0x3\r\n", "1.1"],
  ["a length with a blank in it", "Content-Length: 1 0\r\n", "1.1"],
  ["a length that is no safe number", "Content-Length: 99999999999999999999\r\n", "1.1"],
  ["no length at all", "Content-Length:\r\n", "1.1"],
] as const)
  test(`${what}: nobody can say where the body ends`, () => assert.equal(readerOf(fields, version), undefined));

test("without a length or a coding there is no body", () => assert.equal(readerOf("Host: x\r\n")?.over, true));

for (const [what, text] of [
  ["a size that is none", "x\r\nabc\r\n0\r\n\r\n"],
  ["a size with a sign", "+3\r\nabc\r\n0\r\n\r\n"],
  ["a size with a prefix", "0x3\r\nabc\r\n0\r\n\r\n"],
  ["a blank before a size", " 3\r\nabc\r\n0\r\n\r\n"],
  ["a blank behind a size", "3 \r\nabc\r\n0\r\n\r\n"],
  ["an empty size", "\r\nabc\r\n0\r\n\r\n"],
  ["a size beyond all measure", "fffffffffffffffff\r\nabc"],
  ["more than a chunk has", "3\r\nabcd\r\n0\r\n\r\n"],
  ["less than a chunk has", "3\r\nab\r\n0\r\n\r\n"],
  ["a line of LF alone", "3\nabc\r\n0\r\n\r\n"],
  ["a chunk that ends in LF alone", "3\r\nabc\n0\r\n\r\n"],
  ["a CR in an extension", "3;a=\rb\r\nabc\r\n0\r\n\r\n"],
  ["a LF in an extension", "3;a=\nb\r\nabc\r\n0\r\n\r\n"],
  ["a trailer that is none", "0\r\na b: c\r\n\r\n"],
  ["a trailer that begins with a blank", "0\r\n a: c\r\n\r\n"],
  ["extensions without end", `3;${"a".repeat(20_000)}\r\nabc\r\n0\r\n\r\n`],
  ["trailers without end", `0\r\n${"a: b\r\n".repeat(4_000)}\r\n`],
] as const)
  test(`chunks: ${what} is no body`, () => assert.equal(taken(chunked, [text]), "bad"));

test("a body is the same in whatever pieces it comes, and what follows is not its own", () => {
  const texts: readonly (readonly [string, string])[] = [
    [chunked, '3\r\nabc\r\n00A;x="y"\r\n0123456789\r\n0\r\nA: b\r\n\r\n'],
    ["Content-Length: 13\r\n", "abc0123456789"],
  ];
  for (const [fields, text] of texts) {
    fc.assert(
      fc.property(fc.array(fc.nat(text.length + 5)), (cuts) => {
        const whole = `${text}GET /`;
        const at = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
        const pieces = at.slice(1).map((end, index) => whole.slice(at[index], end));
        assert.deepEqual(taken(fields, pieces), { body: "abc0123456789", rest: "GET /" });
      }),
    );
    for (let length = 0; length < text.length; length += 1)
      assert.equal(taken(fields, [text.slice(0, length)]), "more");
  }
});
