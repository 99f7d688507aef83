/**
 * Forms that violate RFC 7578, and valid but unusual ones: each has one declared response, and the service responds to the next
 * request.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../enforced/document.ts";
import type { Reply } from "./client.ts";
import { faultsOf, served } from "./scenario.ts";

const text = documentOf({
  resources: {
    Thing: {
      id: "id(thi)",
      "name?": "string(1..9)",
      "size?": "integer(0..9)",
      "tags?": "string(1..9)[]",
      "photo?": "file(..2KB, image/png | text/*)",
    },
  },
  endpoints: { endpoints: { createThing: "POST /things", getThing: "GET /things/{id}", getPhoto: "GET /things/{id}/photo" } },
  limits: { size: { request: "1KB" } },
}); // biome-ignore format: a table

/** Of a form with the boundary `b`: the parts as they are written, with the boundaries around them. */
const form = (...parts: readonly string[]): string => `${parts.map((part) => `--b\r\n${part}\r\n`).join("")}--b--\r\n`;
const field = (more: string, value = "x"): string => `Content-Disposition: form-data${more}\r\n\r\n${value}`;
const named = (name: string, value = "x"): string => field(`; name="${name}"`, value);
const file = (name: string, type = "text/plain", value = "x"): string =>
  `Content-Disposition: form-data; name="${name}"; filename="a.txt"\r\nContent-Type: ${type}\r\n\r\n${value}`;
const whole = form(named("name", "n"), named("tags", "a"), file("photo", "text/plain", "the file"), named("tags", "b"));

const multipart = (boundary = "boundary=b"): string => `multipart/form-data; ${boundary}`;

type Row = readonly [what: string, type: string, body: string | Buffer, status: number, ...faults: string[]];

const bad = ["# bad-form"] as const;

const rows: readonly Row[] = [
  ["no boundary", "multipart/form-data", whole, 400, ...bad],
  ["an empty boundary", multipart("boundary="), "--\r\n----\r\n", 400, ...bad],
  ["an empty boundary in quotes", multipart('boundary=""'), "--\r\n----\r\n", 400, ...bad],
  ["two boundaries", multipart("boundary=b; boundary=c"), whole, 400, ...bad],
  ["a boundary of 71 characters", multipart(`boundary=${"b".repeat(71)}`), whole.replaceAll("--b", `--${"b".repeat(71)}`), 400, ...bad],
  ["a boundary with an end of line in it", multipart('boundary="b\\\r\n b"'.replaceAll(/[\r\n]/g, "")), whole, 400, ...bad],
  ["another boundary", multipart("boundary=c"), whole, 400, ...bad],
  ["the boundary in quotes", multipart('boundary="b"'), whole, 201],
  ["a boundary with blanks and signs", multipart('boundary="b b\'()+_,-./:=?"'), whole.replaceAll("--b", "--b b'()+_,-./:=?"), 201],
  ["a boundary of 70 characters", multipart(`boundary=${"b".repeat(70)}`), whole.replaceAll("--b", `--${"b".repeat(70)}`), 201],
  ["nothing", multipart(), "", 400, ...bad],
  ["white space", multipart(), "\r\n", 400, ...bad],
  ["no parts", multipart(), "--b--\r\n", 201],
  ["no line after the last boundary", multipart(), whole.slice(0, -2), 201],
  ["a preamble and an epilogue", multipart(), `What follows is a form\r\n${whole}and was one.`, 201],
  ["an end of line before the first boundary", multipart(), `\r\n${whole}`, 201],
  ["blanks behind a boundary", multipart(), whole.replaceAll("--b\r\n", "--b \t\r\n"), 201],
  ["more than blanks behind a boundary", multipart(), whole.replaceAll("--b\r\n", "--bb\r\n"), 400, ...bad],
  ["line feeds alone", multipart(), whole.replaceAll("\r\n", "\n"), 400, ...bad],
  ["no last boundary", multipart(), whole.slice(0, -"--b--\r\n".length), 400, ...bad],
  ["a form after the end of one", multipart(), `${whole}${whole}`, 201],
  ["a part without a header", multipart(), form("\r\nx"), 400, ...bad],
  ["a part without an empty line", multipart(), form('Content-Disposition: form-data; name="name"'), 400, ...bad],
  ["a part that is empty", multipart(), "--b\r\n\r\n--b--\r\n", 400, ...bad],
  ["a part that has a header and no more", multipart(), '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\n--b--\r\n', 422, "#/name too-short"],
  ["a part without Content-Disposition", multipart(), form("Content-Type: text/plain\r\n\r\nx"), 400, ...bad],
  ["two of them", multipart(), form(`Content-Disposition: form-data; name="size"\r\n${named("name")}`), 400, ...bad],
  ["a part that is an attachment", multipart(), form('Content-Disposition: attachment; name="name"\r\n\r\nx'), 400, ...bad],
  ["a part without a name", multipart(), form(field("")), 400, ...bad],
  ["a file without a name", multipart(), form(`${field('; filename="a.txt"')}`), 400, ...bad],
  ["a part of bytes without a name", multipart(), form("Content-Type: application/octet-stream\r\nContent-Disposition: form-data\r\n\r\nx"), 400, ...bad],
  ["a part of JSON without a name", multipart(), form('Content-Type: application/json\r\nContent-Disposition: form-data\r\n\r\n{"name":"n"}'), 400, ...bad],
  ["an empty name", multipart(), form(named("")), 422, "#/ unknown-field"],
  ["two names", multipart(), form(field('; name="name"; name="size"')), 400, ...bad],
  ["two names of a file", multipart(), form(field('; name="photo"; filename="a"; filename="b"')), 400, ...bad],
  ["a name that does not end", multipart(), form(field('; name="name')), 400, ...bad],
  ["a name with more behind its quotes", multipart(), form(field('; name="name"x')), 400, ...bad],
  ["a parameter without a value", multipart(), form(field("; name")), 400, ...bad],
  ["a name without quotes", multipart(), form(field("; name=name", "n")), 201],
  ["a name of two bytes each", multipart(), form(named("näme")), 422, "#/n%C3%A4me unknown-field"],
  ["a name that is not UTF-8", multipart(), Buffer.from(form(named("n\xe4me")), "latin1"), 400, ...bad],
  ["a name in a character set", multipart(), form(field("; name*=UTF-8''%6eame", "n")), 201],
  ["a name in another one", multipart(), form(field("; name*=latin1''%6eame", "n")), 400, ...bad],
  ["a name of bad escapes", multipart(), form(field("; name*=UTF-8''%6%zz", "n")), 400, ...bad],
  ["a name with NUL", multipart(), form(named("na\0me")), 400, ...bad],
  ["a name with an escaped NUL", multipart(), form(field("; name*=UTF-8''na%00me")), 400, ...bad],
  ["a name with an end of line", multipart(), form(named("na\nme")), 400, ...bad],
  ["a name that goes on in the next line", multipart(), form(field(';\r\n name="name"')), 400, ...bad],
  ["a name of a file with NUL", multipart(), form(field('; name="photo"; filename="a\0"')), 400, ...bad],
  ["a name of a file with an escaped end of line", multipart(), form(field(`; name="photo"; filename*=UTF-8''a%0d%0aX:%20y`)), 400, ...bad],
  ["a name with brackets", multipart(), form(named("tags[]"), named("name[0]")), 422, "#/name%5B0%5D unknown-field", "#/tags%5B%5D unknown-field"],
  ["a name with a slash", multipart(), form(named("a/b~c")), 422, "#/a~1b~0c unknown-field"],
  ["names of prototypes", multipart(), form(named("__proto__"), named("constructor"), named("toString")), 422, "#/__proto__ unknown-field", "#/constructor unknown-field", "#/toString unknown-field"],
  ["files called as prototypes", multipart(), form(file("__proto__"), file("constructor")), 422, "#/__proto__ wrong-type", "#/constructor wrong-type"],
  ["members called as prototypes in a part of JSON", multipart(), form(`Content-Type: application/json\r\n${named("data", '{"__proto__":{"name":"n"}}')}`), 422, "#/__proto__ unknown-field"],
  ["a prototype in a part of JSON", multipart(), form(`Content-Type: application/json\r\n${named("__proto__", '{"name":"n"}')}`), 201],
  ["a part called as a character set", multipart(), form(named("_charset_", "latin1")), 422, "#/_charset_ unknown-field"],
  ["a huge name", multipart(), form(named("n".repeat(9000))), 400, ...bad],
  ["a header of 100 KB", multipart(), form(`X-A: ${"a".repeat(100_000)}\r\n${named("name")}`), 400, ...bad],
  ["a header of 7 KB", multipart(), form(`X-A: ${"a".repeat(7000)}\r\n${named("name")}`), 201],
  ["a header of many fields", multipart(), form(`${"X-A: a\r\n".repeat(100)}${named("name")}`), 400, ...bad],
  ["a field without a colon", multipart(), form(`X-A\r\n${named("name")}`), 400, ...bad],
  ["a field without a name", multipart(), form(`: a\r\n${named("name")}`), 400, ...bad],
  ["a blank before the colon", multipart(), form(`X-A : a\r\n${named("name")}`), 400, ...bad],
  ["a text that is not UTF-8", multipart(), Buffer.from(form(named("name", "\xe4")), "latin1"), 400, ...bad],
  ["a text in another character set", multipart(), form(`Content-Type: text/plain; charset=latin1\r\n${named("name")}`), 400, ...bad],
  ["a text in UTF-8, which it says", multipart(), form(`Content-Type: text/plain; charset="UTF-8"\r\n${named("name")}`), 201],
  ["a text in ASCII, which it says", multipart(), form(`Content-Type: text/plain; charset=us-ascii\r\n${named("name")}`), 201],
  ["a text with NUL", multipart(), form(named("name", "a\0b")), 422, "#/name wrong-pattern"],
  ["a media type that is none", multipart(), form(`Content-Type: text\r\n${named("name")}`), 400, ...bad],
  ["two media types", multipart(), form(`Content-Type: text/plain\r\nContent-Type: text/plain\r\n${named("name")}`), 400, ...bad],
  ["a part of parts", multipart(), form(`Content-Type: multipart/mixed; boundary=c\r\n${named("photo", "--c\r\n\r\nx\r\n--c--")}`), 400, ...bad],
  ["a text in base64", multipart(), form(`Content-Transfer-Encoding: base64\r\n${named("name", "eA==")}`), 400, ...bad],
  ["a file that is quoted-printable", multipart(), form(`Content-Transfer-Encoding: quoted-printable\r\n${file("photo")}`), 400, ...bad],
  ["bytes as they are, which it says", multipart(), form(`Content-Transfer-Encoding: binary\r\n${file("photo")}`), 201],
  ["a text twice", multipart(), form(named("name", "a"), named("name", "b")), 422, "#/name wrong-type"],
  ["a text, and again in a part of JSON", multipart(), form(named("name", "a"), `Content-Type: application/json\r\n${named("data", '{"name":"b"}')}`), 422, "#/name repeated"],
  ["two parts of JSON that say the same", multipart(), form(`Content-Type: application/json\r\n${named("a", '{"name":"b"}')}`, `Content-Type: application/json\r\n${named("b", '{"name":"b"}')}`), 422, "#/name repeated"],
  ["a file, and a text of its name", multipart(), form(file("photo"), named("photo")), 422, "#/photo repeated"],
  ["a file, and in a part of JSON", multipart(), form(file("photo"), `Content-Type: application/json\r\n${named("data", '{"photo":null}')}`), 422, "#/photo repeated"],
  ["a file twice", multipart(), form(file("photo"), file("photo")), 422, "#/photo repeated"],
  ["a file of another media type", multipart(), form(file("photo", "image/gif")), 422, "#/photo not-one-of"],
  ["a file that is no field", multipart(), form(file("cover")), 422, "#/cover wrong-type"],
  ["a file that is no field, cut off", multipart(), form(file("cover")).slice(0, -12), 400, ...bad],
  ["a file of another media type, cut off", multipart(), form(file("photo", "image/gif")).slice(0, -12), 400, ...bad],
  ["a second file, cut off", multipart(), form(file("photo"), file("photo")).slice(0, -12), 400, ...bad],
  ["a file that was good, cut off", multipart(), form(file("photo")).slice(0, -12), 400, ...bad],
  ["a file that ends where it begins", multipart(), form(file("photo", "text/plain", "")), 201],
  ["a file that is nearly a boundary", multipart(), form(file("photo", "text/plain", "\r\n--\r\n--a\r\n--B--\r\n-")), 201],
  ["a name of a file that goes up", multipart(), form(field('; name="photo"; filename="../../etc/passwd"').replace("\r\n", "\r\nContent-Type: text/plain\r\n")), 201],
  ["a thousand parts", multipart(), form(...Array.from({ length: 1001 }, () => named("a", ""))), 413],
  ["a thousand parts of files", multipart(), form(...Array.from({ length: 1001 }, () => file("a", "text/plain", ""))), 413],
  ["a long text", multipart(), form(named("name", "n".repeat(2000))), 413],
  ["a long part of JSON", multipart(), form(`Content-Type: application/json\r\n${named("data", "n".repeat(2000))}`), 413],
  ["a long file", multipart(), form(file("photo", "text/plain", "x".repeat(3000))), 413],
  ["a charset that the whole has", multipart("charset=latin1; boundary=b"), whole, 415],
]; // biome-ignore format: a table

served("forms", text, (subject) => {
  const send = (type: string, body: string | Buffer, chunked = false): Promise<Reply> =>
    subject.client.send({
      method: "POST",
      path: "/things",
      headers: { "Content-Type": type, ...(chunked ? { "Transfer-Encoding": "chunked" } : {}) },
      body,
    });
  const lives = async (): Promise<void> => {
    const reply = await subject.client.send({ method: "POST", path: "/things", body: { name: "next" } });
    assert.equal(reply.status, 201, reply.text);
  };

  for (const [what, type, body, status, ...faults] of rows)
    test(`R4.5 a form with ${what} is ${status}`, async () => {
      const reply = await send(type, body);
      assert.equal(reply.status, status, reply.text);
      if (faults.length > 0) assert.deepEqual(faultsOf(reply), faults, reply.text);
      await lives();
    });

  test("R4.5 a form that is cut off anywhere is 400, and the service goes on", async () => {
    for (const body of [whole, form(file("cover"), file("photo", "image/gif"), named("name"))])
      for (let end = 0; end < body.length - 4; end += 1) {
        const reply = await send(multipart(), body.slice(0, end), end % 2 === 0);
        assert.deepEqual([reply.status, [...faultsOf(reply)]], [400, [...bad]], `${JSON.stringify(body.slice(0, end))} ${reply.text}`);
      }
    await lives();
  }); // biome-ignore format: a long line

  test("a name of a file loses its folders, and quotes are taken off", async () => {
    const names: readonly (readonly [sent: string, stored: string | undefined])[] = [
      ["../../etc/passwd", "passwd"],
      ["C:\\\\a\\\\b.txt", "b.txt"],
      ["C:\\a\\b.txt", "b.txt"],
      ['a\\"b.txt', 'a"b.txt'],
      ["..", undefined],
      ["é.txt", "é.txt"],
      ["a;b=c.txt", "a;b=c.txt"],
    ];
    for (const [sent, stored] of names) {
      const body = form(
        `Content-Disposition: form-data; name="photo"; filename="${sent}"\r\nContent-Type: text/plain\r\n\r\nx`,
      );
      const reply = await send(multipart(), body);
      assert.equal(reply.status, 201, reply.text);
      assert.equal((reply.json as { photo: { name?: string } }).photo.name, stored);
    }
  });

  test("what a form brings is the same, however it is cut into pieces", async () => {
    const bytes = Buffer.from(whole);
    for (const size of [1, 2, 3, 7, 100]) {
      const connection = await subject.client.open();
      let sent = `POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: ${multipart()}\r\nTransfer-Encoding: chunked\r\n\r\n`;
      for (let at = 0; at < bytes.length; at += size) {
        const piece = bytes.subarray(at, at + size);
        sent += `${piece.length.toString(16)}\r\n${piece.toString("latin1")}\r\n`;
      }
      connection.write(`${sent}0\r\n\r\n`);
      const reply = await connection.next();
      assert(reply);
      assert.equal(reply.status, 201, reply.text);
      const { id: _, photo, ...thing } = reply.json as { id: string; photo: { bytes: number } };
      assert.deepEqual([thing, photo.bytes], [{ name: "n", tags: ["a", "b"] }, 8]);
      connection[Symbol.dispose]();
    }
  });
});
