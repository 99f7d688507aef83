/**
 * Request smuggling: requests that a proxy and this service might split differently (RFC 9112 section 11.2), byte by byte. An
 * invalid request gets one response and closes its connection; requests before it are served first, later ones never.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Subject } from "../serve/scenario.ts";
import { serve } from "../serve/scenario.ts";
import type { People } from "../serve/tool-library.ts";
import { aTool, once, peopleOf, toolLibrary } from "../serve/tool-library.ts";

let subject: Subject & AsyncDisposable;
let who: People;

const live = "GET /livez HTTP/1.1\r\nHost: x\r\n";
const last = `${live}Connection: close\r\n\r\n`;
/** A head without its framing, of a request that would make a tool. */
const head = (): string =>
  `POST /tools HTTP/1.1\r\nHost: x\r\nAuthorization: ${who.member.Authorization}\r\n` +
  `Idempotency-Key: ${once()["Idempotency-Key"]}\r\nContent-Type: application/json\r\n`;
const body = (): string => JSON.stringify(aTool());
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
/** What must not run: a whole request that would make a tool. */
const smuggled = (): string => {
  const text = body();
  return `${head()}Content-Length: ${text.length}\r\n\r\n${text}`;
};
const asChunks = (): string => `\r\n${chunk(smuggled())}0\r\n\r\n`;

interface Row {
  readonly what: string;
  readonly send: () => string;
  /** Of all answers; 400 alone unless told. */
  readonly statuses?: readonly number[];
  /** How many tools it makes. */
  readonly makes?: number;
}

/** A head with these fields, and after it a request that a wrong reading would run. */
const fields = (what: string, ...lines: readonly string[]): Row => ({
  what,
  send: () => `${head()}${lines.map((line) => `${line}\r\n`).join("")}${asChunks()}${last}`,
});
const length = (what: string, ...lines: readonly string[]): Row => ({
  what,
  send: () => `${head()}${lines.map((line) => `${line}\r\n`).join("")}\r\n${smuggled()}${last}`,
});
const chunks = (what: string, text: string): Row => ({
  what,
  send: () => `${head()}Transfer-Encoding: chunked\r\n\r\n${text}${smuggled()}${last}`,
});
const line = (what: string, text: string, statuses?: readonly number[]): Row => ({
  what,
  send: () => `${text}${smuggled()}${last}`,
  ...(statuses === undefined ? {} : { statuses }),
});

const rows: readonly Row[] = [
  fields("CL.TE", "Content-Length: 6", "Transfer-Encoding: chunked"),
  fields("TE.CL", "Transfer-Encoding: chunked", "Content-Length: 4"),
  fields(
    "TE.CL, named in Connection",
    "Connection: Transfer-Encoding",
    "Transfer-Encoding: chunked",
    "Content-Length: 4",
  ),
  fields("TE.TE, the second not known", "Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
  fields("TE.TE, the first not known", "Transfer-Encoding: identity", "Transfer-Encoding: chunked"),
  fields("TE.TE, both chunked", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
  fields("chunked twice in one field", "Transfer-Encoding: chunked, chunked"),
  fields("xchunked", "Transfer-Encoding: xchunked"),
  fields("a quoted coding", 'Transfer-Encoding: "chunked"'),
  fields("a parameter", "Transfer-Encoding: chunked;q=1"),
  fields("a comma after it", "Transfer-Encoding: chunked,"),
  fields("identity", "Transfer-Encoding: identity"),
  fields("no coding", "Transfer-Encoding:"),
  fields("a coding on a folded line", "Transfer-Encoding:", " chunked"),
  fields("a space before the colon", "Transfer-Encoding : chunked"),
  fields("a vertical tab", "Transfer-Encoding: \u000bchunked"),
  fields("a NUL", "Transfer-Encoding: chunked\u0000"),
  fields("a field after a bare line feed", "X: y\nTransfer-Encoding: chunked", "Content-Length: 0"),
  fields("a field after a bare carriage return", "X: y\rTransfer-Encoding: chunked", "Content-Length: 0"),
  length("a length twice, the same", "Content-Length: 0", "Content-Length: 0"),
  length("a length twice, not the same", "Content-Length: 0", "Content-Length: 9"),
  length("a list of lengths", "Content-Length: 0, 0"),
  length("a length with a plus", "Content-Length: +0"),
  length("a length below nought", "Content-Length: -1"),
  length("a length in hex", "Content-Length: 0x10"),
  length("a length in two words", "Content-Length: 1 0"),
  length("no length in the field", "Content-Length:"),
  length("a length beyond 64 bits", "Content-Length: 99999999999999999999999"),
  length("a length before the colon's space", "Content-Length : 0"),
  chunks("a chunk's size in 0x", "0x2\r\n{}\r\n0\r\n\r\n"),
  chunks("a chunk's size below nought", "-2\r\n{}\r\n0\r\n\r\n"),
  chunks("a chunk's size beyond 64 bits", "fffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
  chunks("a chunk's size with a space", "2 \r\n{}\r\n0\r\n\r\n"),
  chunks("a chunk's size and a bare line feed", "2\n{}\n0\n\n"),
  chunks("a chunk's extension and a bare line feed", "2;\n{}\r\n0\r\n\r\n"),
  chunks("a chunk's extension without end", `2;${"a".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
  chunks("a chunk that is longer than it says", "2\r\n{}x\r\n0\r\n\r\n"),
  chunks("a chunk's size with a plus", "+2\r\n{}\r\n0\r\n\r\n"),
  chunks("a blank before a chunk's size", " 2\r\n{}\r\n0\r\n\r\n"),
  chunks("no size of a chunk", "\r\n{}\r\n0\r\n\r\n"),
  chunks("a chunk that is shorter than it says", "3\r\n{}\r\n0\r\n\r\n"),
  chunks("a chunk that ends in a bare line feed", "2\r\n{}\n0\r\n\r\n"),
  chunks("a bare carriage return in a chunk's extension", "2;a=\rb\r\n{}\r\n0\r\n\r\n"),
  chunks("a trailer without a colon", "2\r\n{}\r\n0\r\nnocolon\r\n\r\n"),
  chunks("a trailer whose name has a blank", "2\r\n{}\r\n0\r\na b: c\r\n\r\n"),
  chunks("a trailer that begins with a blank", "2\r\n{}\r\n0\r\n a: c\r\n\r\n"),
  {
    what: "trailers without end",
    send: () =>
      `${head()}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n${`a: ${"b".repeat(100)}\r\n`.repeat(2000)}\r\n${smuggled()}`,
    statuses: [431],
  },
  chunks("a length in the trailer", "2\r\n{}\r\n0\r\nContent-Length: 3\r\n\r\n"),
  line("bare line feeds", "GET /livez HTTP/1.1\nHost: x\n\n"),
  line("a bare line feed at the end of the head", `${live}\n`),
  line("bare carriage returns", "GET /livez HTTP/1.1\rHost: x\r\r"),
  line("a folded line", `${live}X: a\r\n b\r\n\r\n`),
  line("a blank before the first field", "GET /livez HTTP/1.1\r\n Host: x\r\n\r\n"),
  line("a field without a colon", `${live}nocolon\r\n\r\n`),
  line("a field without a name", `${live}: x\r\n\r\n`),
  line("a name that is not ASCII", `${live}X\u00e9: 1\r\n\r\n`),
  line("a name with another character", `${live}A(b): 1\r\n\r\n`),
  line("a NUL in a value", `${live}X: a\u0000b\r\n\r\n`),
  line("HTTP/0.9", "GET /livez\r\n"),
  line("HTTP/1.2", "GET /livez HTTP/1.2\r\nHost: x\r\n\r\n"),
  line("HTTP/3.7", "GET /livez HTTP/3.7\r\nHost: x\r\n\r\n"),
  line("http in small letters", "GET /livez http/1.1\r\nHost: x\r\n\r\n"),
  line("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  line(
    "a transfer coding of HTTP/1.0",
    `POST /livez HTTP/1.0\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n0\r\n\r\n`,
  ),
  line("tabs in the first line", "GET\t/livez\tHTTP/1.1\r\nHost: x\r\n\r\n"),
  line("a target with a space", "GET /livez /x HTTP/1.1\r\nHost: x\r\n\r\n"),
  line("a space before the first line", " GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"),
  line("a space after the version", "GET /livez HTTP/1.1 \r\nHost: x\r\n\r\n"),
  line("no target", "GET HTTP/1.1\r\nHost: x\r\n\r\n"),
  line("a handshake of TLS", "\u0016\u0003\u0001\u0002\u0000\u0001"),
  line("another protocol", "SSH-2.0-OpenSSH_9\r\n"),
  line("two hosts", "GET /livez HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"),
  ...[
    "x y",
    "x/y",
    "x/",
    "x\u0001y",
    "x\ty",
    "x:80:80",
    "x:eighty",
    "u@x",
    "x?y",
    "x#y",
    "x\\y",
    '"x"',
    "[::1",
    "x,y z",
    "ü",
    "%4",
  ].map((host) => line(`a host that is none: ${JSON.stringify(host)}`, `GET /livez HTTP/1.1\r\nHost: ${host}\r\n\r\n`)),
  line("no host", "GET /livez HTTP/1.1\r\n\r\n"),
  line("an authority for a target", "GET example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
  line("what comes with an upgrade that is not taken", `${live}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`, [200]),
  line("CONNECT", "CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n", [501]),
  line("no request at all", "GARBAGE\r\n\r\n"),
  line("a method that nobody knows", "BREW /pot HTTP/1.1\r\n\r\n", [501]),
  line("a body on GET", `${live.replace("livez", "tools")}Content-Length: 5\r\n\r\nhello`, [401]),
  {
    what: "a body on a GET that is allowed",
    send: () =>
      `GET /tools HTTP/1.1\r\nHost: x\r\nAuthorization: ${who.member.Authorization}\r\nContent-Length: 5\r\n\r\nhello${smuggled()}`,
  },
  {
    what: "a body that is far too long",
    send: () => `${head()}Content-Length: 999999999\r\n\r\n${smuggled()}`,
    statuses: [413],
  },
  line("what comes after a request that ends the connection", `${live}Connection: close\r\n\r\n`, [200]),
  ...["", "x", "x.example:443", "[::1]:8080", "[v1.a:b]", "192.0.2.1:80", "%41b_c~d", "x:"].map((host) =>
    line(`a host: ${host}`, `GET /livez HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, [200]),
  ),
  {
    what: "a refusal waits for the answers to what came before it",
    send: () => `${smuggled()}${smuggled()}BREW /pot HTTP/1.1\r\n\r\n${smuggled()}`,
    statuses: [201, 201, 501],
    makes: 2,
  },
  {
    what: "so does one of a request whose body cannot be read",
    send: () => `${smuggled()}${head()}Transfer-Encoding: chunked\r\n\r\nzz\r\n${smuggled()}`,
    statuses: [201, 400],
    makes: 1,
  },
  {
    what: "so does CONNECT",
    send: () => `${smuggled()}CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n${smuggled()}`,
    statuses: [201, 501],
    makes: 1,
  },
];

// What is odd and means one thing only is served, so that the table cannot pass by refusing everything.
const served: readonly Row[] = [
  {
    what: "chunks",
    send: () => `${head()}Transfer-Encoding: chunked\r\n\r\n${chunk(body())}0\r\n\r\n${last}`,
    statuses: [201, 200],
    makes: 1,
  },
  {
    what: "CHUNKED",
    send: () => `${head()}Transfer-Encoding: CHUNKED\r\n\r\n${chunk(body())}0\r\n\r\n${last}`,
    statuses: [201, 200],
    makes: 1,
  },
  {
    what: "an extension of a chunk",
    send: () =>
      `${head()}Transfer-Encoding: chunked\r\n\r\n${chunk(body()).replace("\r\n", ";a=b\r\n")}0\r\n\r\n${last}`,
    statuses: [201, 200],
    makes: 1,
  },
  {
    what: "a trailer, of which nothing is taken",
    send: () =>
      `${head().replace(/Authorization.*\r\n/, "")}Transfer-Encoding: chunked\r\n\r\n${chunk(body())}0\r\nAuthorization: ${who.keeper.Authorization}\r\n\r\n${last}`,
    statuses: [401, 200],
  },
  {
    what: "fields that are only spelled alike",
    send: () => `${smuggled().replace("Host: x", "Host: x\r\nContent_Length: 0\r\nTransfer_Encoding: chunked")}${last}`,
    statuses: [201, 200],
    makes: 1,
  },
  {
    what: "two spaces in the first line",
    send: () => `GET  /livez HTTP/1.1\r\nHost: x\r\n\r\n${last}`,
    statuses: [200, 200],
  },
  { what: "empty lines before a request", send: () => `\r\n\r\n${live}\r\n${last}`, statuses: [200, 200] },
  {
    what: "a whole address, whose host leads nowhere else",
    send: () => `GET http://169.254.169.254/livez HTTP/1.1\r\nHost: x\r\n\r\n${last}`,
    statuses: [200, 200],
  },
];

describe("requests that could be divided otherwise", () => {
  before(async () => {
    subject = await serve(toolLibrary, {});
    who = await peopleOf(subject);
  });
  after(async () => {
    await subject[Symbol.asyncDispose]();
    assert.deepEqual(subject.running.failures, []);
  });

  for (const row of [...rows, ...served]) {
    test(`R4.5 ${row.what}`, async () => {
      const { statuses = [400], makes = 0 } = row;
      const before = await tools();
      const replies = await subject.client.raw(Buffer.from(row.send(), "latin1"));
      const given = replies.map(({ status }) => status);
      assert.deepEqual(given, statuses, replies.at(-1)?.text ?? "no answer");
      assert.equal(replies.at(-1)?.headers["connection"], "close");
      assert.equal((await tools()) - before, makes, "what was not answered was not run");
    });
  }

  test("R4.5 writes that are sent in one go are done in their order", async () => {
    const many = Array.from({ length: 40 }, smuggled);
    const replies = await subject.client.raw(`${many.join("")}${last}`);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [...many.map(() => 201), 200],
    );
    const ids = replies.slice(0, -1).map(({ json }) => (json as { id: string }).id);
    assert.deepEqual(ids, ids.toSorted(), "ids are sorted by time");
  });

  test("R4.5 who was answered before the body came is not answered again when that is broken", async () => {
    using connection = await subject.client.open();
    connection.write(`${head().replace("Bearer ", "Bearer x")}Transfer-Encoding: chunked\r\n\r\n`);
    assert.equal((await connection.next())?.status, 401);
    connection.write(`zz\r\n${smuggled()}`);
    assert.equal(await connection.next(), undefined);
    await connection.ended;
  });

  test("R4.5 what comes after an upgrade that is not taken, in a packet of its own, is not run", async () => {
    const before = await tools();
    using connection = await subject.client.open();
    connection.write(`${live}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n${head()}Content-Length: 500\r\n\r\n`);
    assert.equal((await connection.next())?.status, 200);
    connection.write(smuggled());
    await connection.ended;
    assert.equal(await tools(), before);
  });

  test("R4.5 who sends more in one go than anybody has to waits for each answer or is cut off, and nobody else", async () => {
    using connection = await subject.client.open();
    connection.write(`${live}\r\n`.repeat(3000) + last);
    await connection.ended;
    const reply = await subject.client.send({ method: "GET", path: "/livez" });
    assert.equal(reply.status, 200);
  });
});

async function tools(): Promise<number> {
  let count = 0;
  for (let path: string | null = "/tools?limit=50"; path !== null; ) {
    const reply = await subject.client.send({ method: "GET", path, headers: who.keeper });
    assert.equal(reply.status, 200, reply.text);
    const page = reply.json as { items: unknown[]; next: string | null };
    count += page.items.length;
    path = page.next === null ? null : `/tools?limit=50&cursor=${page.next}`;
  }
  return count;
}
