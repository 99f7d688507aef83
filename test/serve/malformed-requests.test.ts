/** Malformed requests, byte by byte: each gets a normal response, or the connection ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { everyAnswer } from "./every-answer.ts";
import { served } from "./scenario.ts";
import { addTool, aTool, people, toolLibrary } from "./tool-library.ts";

const bytes = fc.constantFrom(
  ...[
    "\0",
    "\r",
    "\n",
    "\r\n",
    " ",
    "\t",
    ":",
    ",",
    ";",
    '"',
    "%",
    "%00",
    "%2",
    "/",
    "//",
    "..",
    "?",
    "&",
    "=",
    "#",
    "*",
  ],
  ...[
    "\x7f",
    "\xff",
    "\u00e9",
    "{",
    "}",
    "[",
    "]",
    "\\",
    "\\u0000",
    "\\ud800",
    "0",
    "-1",
    "1e999",
    "null",
    "W/",
    "q=0",
  ],
  ...[
    "GET ",
    "HTTP/1.1",
    "Host: y\r\n",
    "Content-Length: 3\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Expect: 100-continue\r\n",
  ],
  ...["Accept: text/html\r\n", "If-Match: x\r\n", "__proto__", "constructor", "x".repeat(9000)],
);

const edit = fc.record({
  at: fc.nat(1000),
  removes: fc.nat(4),
  puts: fc.oneof(fc.constant(""), bytes),
});

served("spoiled requests", toolLibrary, (subject) => {
  const who = people(subject);

  test("R7.1 R7.4 whatever is sent, the answer is one that a service gives, and never a failure of Nonet's", async () => {
    const tool = await addTool(subject, who.member);
    const body = JSON.stringify(aTool());
    const common = `Host: x\r\nAuthorization: ${who.member.Authorization}\r\nConnection: close\r\n`;
    const write = `${common}Idempotency-Key: k\r\nContent-Type: application/json\r\nIf-Match: ${tool.tag}\r\n`;
    const requests = [
      `GET /tools?limit=3&kind=hand&price[gte]=1.5&sort=-price,name HTTP/1.1\r\n${common}\r\n`,
      `GET ${tool.path} HTTP/1.1\r\n${common}If-None-Match: ${tool.tag}\r\nAccept: application/json;q=0.5, */*\r\nAccept-Encoding: br, gzip\r\n\r\n`,
      `POST /tools HTTP/1.1\r\n${write}Content-Length: ${body.length}\r\n\r\n${body}`,
      `PATCH ${tool.path} HTTP/1.1\r\n${write}Content-Length: 23\r\n\r\n{"price":3,"tags":null}`,
      `POST ${tool.path}/lend HTTP/1.1\r\n${write}Transfer-Encoding: chunked\r\n\r\na\r\n{"days":2}\r\n0\r\n\r\n`,
      `OPTIONS ${tool.path}/remarks HTTP/1.1\r\n${common}\r\n`,
    ];
    const holds = everyAnswer(subject.running.plan);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...requests),
        fc.array(edit, { minLength: 1, maxLength: 5 }),
        async (request, edits) => {
          let text = request;
          for (const { at, removes, puts } of edits) {
            const place = at % (text.length + 1);
            text = `${text.slice(0, place)}${puts}${text.slice(place + removes)}`;
          }
          subject.running.pass(60_000);
          using connection = await subject.client.open();
          connection.write(Buffer.from(text, "latin1"));
          connection.finish();
          for (let count = 0; count < 20; count += 1) {
            const reply = await connection.next(text.startsWith("HEAD "));
            if (reply === undefined) break;
            if (reply.status !== 100) holds(text.slice(0, 40), reply);
            assert.notEqual(reply.status, 500, text);
          }
          assert.deepEqual(subject.running.failures, [], text);
        },
      ),
      { numRuns: 400 },
    );
  });
});
