/** The head of a request by RFC 9112's grammar, however it is cut into pieces; nothing that could end a line gets through. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Head, readHead } from "./head.ts";

const targetBytes = 8192;
const read = (text: string): ReturnType<typeof readHead> => readHead(Buffer.from(text, "latin1"), 0, targetBytes);

function heads(text: string): Head {
  const head = read(text);
  assert(typeof head !== "string", `${JSON.stringify(text.slice(0, 60))} is ${head as string}`);
  return head;
}

test("a head is taken apart", () => {
  const head = heads("\r\n\r\nPOST /a?b=c HTTP/1.1\r\nHost: x\r\nAccept:\ta \t\r\nX-Empty:\r\naccept: b\r\n\r\nbody");
  assert.deepEqual(
    [head.method, head.target, head.version, head.headers.get("host"), head.headers.get("accept")],
    ["POST", "/a?b=c", "1.1", "x", "a, b"],
  );
  assert.equal(head.headers.get("x-empty"), "");
  assert.deepEqual([head.headers.repeated("accept"), head.headers.repeated("host")], [true, false]);
  assert.equal(
    head.end,
    "\r\n\r\nPOST /a?b=c HTTP/1.1\r\nHost: x\r\nAccept:\ta \t\r\nX-Empty:\r\naccept: b\r\n\r\n".length,
  );
  assert.equal(heads("GET / HTTP/1.0\r\n\r\n").version, "1.0");
});

/** RFC 9112 and what smugglers make of readers that mend it. */
const bad: readonly (readonly [what: string, text: string])[] = [
  ["a line that ends in LF alone", "GET / HTTP/1.1\nHost: x\n\n"],
  ["a field that ends in LF alone", "GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n"],
  ["a CR in a value", "GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n"],
  ["a NUL in a value", "GET / HTTP/1.1\r\nHost: x\0\r\n\r\n"],
  ["a space before the colon", "GET / HTTP/1.1\r\nTransfer-Encoding : chunked\r\n\r\n"],
  ["a folded field", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n"],
  ["a folded first field", "GET / HTTP/1.1\r\n A: b\r\n\r\n"],
  ["a field without a colon", "GET / HTTP/1.1\r\nHost\r\n\r\n"],
  ["a field without a name", "GET / HTTP/1.1\r\n: x\r\n\r\n"],
  ["a name with another character", "GET / HTTP/1.1\r\nA(b): x\r\n\r\n"],
  ["a name that is not ASCII", "GET / HTTP/1.1\r\nTransfer-Encoding\xff: chunked\r\n\r\n"],
  ["two spaces", "GET  / HTTP/1.1\r\n\r\n"],
  ["a tab", "GET\t/ HTTP/1.1\r\n\r\n"],
  ["no target", "GET HTTP/1.1\r\n\r\n"],
  ["no version", "GET /\r\n\r\n"],
  ["a version of its own", "GET / HTTP/1.2\r\n\r\n"],
  ["a version with more to it", "GET / HTTP/1.1 \r\n\r\n"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["a space in front", " GET / HTTP/1.1\r\n\r\n"],
  ["a handshake of TLS", "\x16\x03\x01\x02\x00\x01"],
  ["another protocol", "SSH-2.0-OpenSSH_9\r\n"],
  ["lines of LF alone, before the head is whole", "GET / HTTP/1.1\r\nHost: x\n"],
];

for (const [what, text] of bad) test(`${what} is no request`, () => assert.equal(read(text), "bad"));

test("what is not whole may become a head", () => {
  const text = "\r\nPOST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n";
  for (let length = 0; length < text.length; length += 1)
    assert.equal(read(text.slice(0, length)), "more", `${length}`);
  assert.equal(heads(text).method, "POST");
});

test("what is too long is told apart", () => {
  assert.equal(read(`GET /${"a".repeat(70_000)}`), "long-target");
  assert.equal(read(`GET / HTTP/1.1\r\nA: ${"a".repeat(70_000)}`), "long-fields");
  assert.equal(read(`GET / HTTP/1.1\r\n${"A: b\r\n".repeat(20_000)}\r\n`), "long-fields");
  assert.equal(heads(`GET / HTTP/1.1\r\n${"A: b\r\n".repeat(3_000)}\r\n`).fieldBytes, 18_000);
});

test("nothing that is read has a line's end or a control character in it, whatever comes", () => {
  const pieces = fc.constantFrom(
    "\r",
    "\n",
    "\r\n",
    " ",
    "\t",
    "\0",
    ":",
    "a",
    "Host: x",
    "GET / HTTP/1.1\r\n",
    "\x7f",
    "\xe9",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const head = read(`GET / HTTP/1.1\r\nA: b${parts.join("")}\r\n\r\n`);
      if (typeof head === "string") return;
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      assert.doesNotMatch(
        `${head.target}${head.headers.get("a")}${head.headers.get("host")}`,
        /[\0-\x08\x0a-\x1f\x7f]/,
      );
    }),
  );
});
