/** The client of a conformance test, against servers that do not speak HTTP as they should: never an error, always a reason. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { describe, test, type TestContext } from "node:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { createClient, isLoopback, type ClientOptions } from "../../src/conformance/http-client.ts";
import { isResponse, type NoResponse, type Request, type Response } from "../../src/conformance/interaction.ts";
import { httpServer } from "./http-server.ts";
import { endlessly, rawServer } from "./raw-server.ts";

const usual: ClientOptions = { timeoutMilliseconds: 20_000, maximumBytes: 100_000 };
/** For targets that hang; long enough for a busy machine to have read what did come. */
const short: ClientOptions = { ...usual, timeoutMilliseconds: 2000 };

async function sent(
  t: TestContext,
  url: string,
  request: Partial<Request> = {},
  options = usual,
): Promise<Response | NoResponse> {
  const client = createClient(options);
  t.after(() => client.close());
  return client.send({ method: "GET", headers: {}, ...request, url });
}

async function responseOf(
  t: TestContext,
  url: string,
  request: Partial<Request> = {},
  options = usual,
): Promise<Response> {
  const response = await sent(t, url, request, options);
  assert(isResponse(response), JSON.stringify(response));
  return response;
}

// ── Targets that do not respond ────────────────────────────────────────────────────────────────────────────────────

interface Misbehaviour {
  readonly respond: (socket: Socket) => void;
  readonly problem: RegExp;
  readonly options?: ClientOptions;
}

const head = (fields: string): string => `HTTP/1.1 200 OK\r\n${fields}\r\n\r\n`;
const nothing = (): void => {};

const misbehaviours: Readonly<Record<string, Misbehaviour>> = {
  "hangs before the header": { respond: nothing, problem: /^no response within 2s$/, options: short },
  "hangs in the header": {
    respond: (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-"),
    problem: /^no response within 2s$/,
    options: short,
  },
  "hangs in the body": {
    respond: (socket) => socket.write(`${head("Content-Length: 10")}12345`),
    problem: /^no complete response within 2s$/,
    options: short,
  },
  "has a length that never comes": {
    respond: (socket) => socket.write(`${head("Content-Type: text/plain")}without a length, and open`),
    problem: /^no complete response within 2s$/,
    options: short,
  },
  "sends a byte now and then": {
    respond(socket) {
      socket.write(head("Content-Length: 100000"));
      const timer = setInterval(() => socket.write("."), 20);
      socket.on("close", () => clearInterval(timer));
    },
    problem: /^no complete response within 2s$/,
    options: short,
  },
  "closes before a response": {
    respond: (socket) => socket.end(),
    problem: /^the connection was closed before a response came$/,
  },
  "resets before a response": {
    respond: (socket) => socket.resetAndDestroy(),
    problem: /^the connection was closed before a response came$/,
  },
  "closes in the header": {
    respond: (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Le"),
    problem: /^the connection was closed in the middle of the response$/,
  },
  "closes in the body": {
    respond: (socket) => socket.end(`${head("Content-Length: 10")}12345`),
    problem: /^the connection was closed in the middle of the response$/,
  },
  "closes in a chunk": {
    respond: (socket) => socket.end(`${head("Transfer-Encoding: chunked")}a\r\n12345`),
    problem: /^the connection was closed in the middle of the response$/,
  },
  "sends rubbish": {
    respond: (socket) => socket.end("\u0000\u0001 this is no HTTP\n\n"),
    problem: /^the response is not valid HTTP: Expected HTTP/,
  },
  "speaks another protocol": {
    respond: (socket) => socket.write("SSH-2.0-OpenSSH_9.9\r\n"),
    problem: /^the response is not valid HTTP: /,
  },
  "has a status that is no number": {
    respond: (socket) => socket.write("HTTP/1.1 OK\r\n\r\n"),
    problem: /^the response is not valid HTTP: Invalid status code$/,
  },
  "has a header without a colon": {
    respond: (socket) => socket.write("HTTP/1.1 200 OK\r\nno colon here\r\n\r\n"),
    problem: /^the response is not valid HTTP: /,
  },
  "has a length that is no number": {
    respond: (socket) => socket.write(`${head("Content-Length: five")}12345`),
    problem: /^the response is not valid HTTP: /,
  },
  "has two lengths": {
    respond: (socket) => socket.write(`${head("Content-Length: 5\r\nContent-Length: 6")}12345`),
    problem: /^the response is not valid HTTP: /,
  },
  "has more bytes than its length": {
    respond: (socket) => socket.write(`${head("Content-Length: 5")}1234567890`),
    problem: /^the response has more bytes than its Content-Length$/,
  },
  "has a chunk whose length is no number": {
    respond: (socket) => socket.write(`${head("Transfer-Encoding: chunked")}5\r\n12345\r\nfive\r\n12345\r\n0\r\n\r\n`),
    problem: /^the response is not valid HTTP: Invalid character in chunk size$/,
  },
  "has a chunk longer than its length": {
    respond: (socket) => socket.write(`${head("Transfer-Encoding: chunked")}3\r\n12345\r\n0\r\n\r\n`),
    problem: /^the response is not valid HTTP: /,
  },
  "sends endless rubbish": {
    respond: (socket) => endlessly(socket, "x".repeat(1000)),
    problem: /^the response is not valid HTTP: /,
  },
  "has an endless body of no length": {
    respond(socket) {
      socket.write(head("Content-Type: text/plain"));
      endlessly(socket, "x".repeat(1000));
    },
    problem: /^the body is longer than 100000 bytes$/,
  },
  "has endless chunks": {
    respond(socket) {
      socket.write(head("Transfer-Encoding: chunked"));
      endlessly(socket, "4\r\nabcd\r\n".repeat(100));
    },
    problem: /^the body is longer than 100000 bytes$/,
  },
  "has one chunk that is too long": {
    respond(socket) {
      socket.write(`${head("Transfer-Encoding: chunked")}ffffffff\r\n`);
      endlessly(socket, "x".repeat(1000));
    },
    problem: /^the body is longer than 100000 bytes$/,
  },
  "has an endless header field": {
    respond(socket) {
      socket.write("HTTP/1.1 200 OK\r\nX-Long: ");
      endlessly(socket, "x".repeat(1000));
    },
    problem: /^the response has more than 65536 bytes of header fields$/,
  },
  "has endless header fields": {
    respond(socket) {
      socket.write("HTTP/1.1 200 OK\r\n");
      endlessly(socket, "X-More: 1\r\n".repeat(100));
    },
    problem: /^the response has more than 65536 bytes of header fields$/,
  },
  "has endless trailers": {
    respond(socket) {
      socket.write(`${head("Transfer-Encoding: chunked\r\nTrailer: X-More")}1\r\nx\r\n0\r\n`);
      endlessly(socket, "X-More: 1\r\n".repeat(100));
    },
    problem: /^the response has more than 65536 bytes of header fields$/,
  },
  "has endless extensions of a chunk": {
    respond(socket) {
      socket.write(`${head("Transfer-Encoding: chunked")}1;`);
      endlessly(socket, "x=y;".repeat(100));
    },
    problem: /^the response is not valid HTTP: /,
  },
  "sends interim responses only": {
    respond: (socket) => endlessly(socket, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
    problem: /^more than 50 interim responses \(1xx\), and no final one$/,
  },
  "compresses what is too long": {
    respond(socket) {
      const bytes = gzipSync(Buffer.alloc(10_000_000));
      socket.write(head(`Content-Encoding: gzip\r\nContent-Length: ${bytes.length}`));
      socket.end(bytes);
    },
    problem: /^the body is longer than 100000 bytes$/,
  },
  "compresses it with br": {
    respond(socket) {
      const bytes = brotliCompressSync(Buffer.alloc(1_000_000));
      socket.write(head(`Content-Encoding: br\r\nContent-Length: ${bytes.length}`));
      socket.end(bytes);
    },
    problem: /^the body is longer than 100000 bytes$/,
  },
  "compresses it twice": {
    respond(socket) {
      const bytes = gzipSync(gzipSync(Buffer.alloc(10_000_000)));
      socket.write(head(`Content-Encoding: gzip, gzip\r\nContent-Length: ${bytes.length}`));
      socket.end(bytes);
    },
    problem: /^the body is longer than 100000 bytes$/,
  },
  "does not compress, but says so": {
    respond: (socket) => socket.end(`${head("Content-Encoding: gzip\r\nContent-Length: 2")}{}`),
    problem: /^the body is not valid gzip$/,
  },
};

describe("a target that", { concurrency: 8 }, () => {
  for (const [name, { respond, problem, options }] of Object.entries(misbehaviours))
    test(name, async (t) => {
      await using server = await rawServer((socket, piece) => (piece === 1 ? respond(socket) : undefined));
      const result = await sent(t, server.url, {}, options);
      assert(!isResponse(result), JSON.stringify(result));
      assert.match(result.problem, problem);
      // The connection is closed, so that the target stops sending.
      while (server.open > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(server.connections, 1, "nothing is sent again");
    });
});

const refused: readonly (readonly [url: string, request: Partial<Request>, problem: RegExp])[] = [
  ["http://127.0.0.1:1/", {}, /^nothing listens at 127\.0\.0\.1:1: the connection was refused$/],
  ["http://nobody.invalid/", {}, /^the host nobody\.invalid is not known$/],
  ["not a url", {}, /^not a url is not an address of http or https$/],
  ["ftp://127.0.0.1/", {}, /^ftp:\/\/127\.0\.0\.1\/ is not an address of http or https$/],
  ["http://127.0.0.1:1/", { headers: { "X-Bad": "a\nb" } }, /^the request cannot be sent: Invalid character in header/],
  ["http://127.0.0.1:1/", { headers: { "X Bad": "1" } }, /^the request cannot be sent: Header name must be/],
  ["http://127.0.0.1:1/", { method: "GET /x" }, /^the request cannot be sent: Method must be/],
];
for (const [url, request, problem] of refused)
  test(`${request.method ?? "GET"} ${url} ${JSON.stringify(request.headers ?? {})} is not sent`, async (t) => {
    const result = await sent(t, url, request);
    assert(!isResponse(result));
    assert.match(result.problem, problem);
  });

test("requests go to allowed URLs only, and to none after the end", async (t) => {
  await using server = await rawServer((socket) => socket.write(head("Content-Length: 0")));
  const client = createClient({ ...usual, allowed: (url) => url.pathname === "/open" });
  t.after(() => client.close());
  const send = (path: string) => client.send({ method: "GET", url: server.url + path, headers: {} });
  assert.deepEqual(await send("/other"), { problem: `requests to ${new URL(server.url).host} are not allowed` });
  assert.equal(server.connections, 0);
  assert(isResponse(await send("/open")));
  await client.close();
  assert.deepEqual(await send("/open"), { problem: "the test has ended" });
});

test("the end of the test ends a request that has no response yet", async () => {
  await using server = await rawServer(() => {});
  const client = createClient(usual);
  const result = client.send({ method: "GET", url: server.url, headers: {} });
  while (server.text === "") await new Promise((resolve) => setTimeout(resolve, 5));
  await client.close();
  assert.deepEqual(await result, { problem: "the connection was closed before a response came" });
});

test("a TLS target without a valid certificate, and a target without TLS", async (t) => {
  await using server = await rawServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  const result = await sent(t, server.url.replace("http:", "https:"));
  assert(!isResponse(result));
  assert.match(result.problem, /^the connection failed: /);
});

// ── Responses ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface Example {
  readonly raw: string | Buffer;
  readonly request?: Partial<Request>;
  readonly expected: Partial<Response>;
}

function compressed(coding: string, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(head(`Content-Encoding: ${coding}\r\nContent-Length: ${bytes.length}`)), bytes]);
}

const value = { text: '{"a":1}', json: { a: 1 } };
const json = Buffer.from(value.text);
const body = (text: string): string => head(`Content-Length: ${Buffer.byteLength(text)}`) + text;

const examples: Readonly<Record<string, Example>> = {
  "a body of JSON": { raw: body('{"a":1}'), expected: { status: 200, ...value } },
  "a body that is no JSON": { raw: body("{a:1}"), expected: { text: "{a:1}", json: undefined } },
  "a member twice": { raw: body('{"a":1,"b":[{"a":1}],"\\u0061":2}'), expected: { json: undefined } },
  "a name in two objects": {
    raw: body('[{"a":"a:a"},{"a":{"a":["a","a"]}}]'),
    expected: { json: [{ a: "a:a" }, { a: { a: ["a", "a"] } }] },
  },
  "a member called __proto__": {
    raw: body('{"__proto__":1}'),
    expected: { json: JSON.parse('{"__proto__":1}') as Record<string, number> },
  },
  "a byte order mark": { raw: body('\uFEFF{"a":1}'), expected: { json: undefined } },
  "bytes that are no UTF-8": {
    raw: Buffer.concat([Buffer.from(head("Content-Length: 3")), Buffer.from([0x22, 0xff, 0x22])]),
    expected: { json: undefined, text: '"\uFFFD"' },
  },
  "an empty body": { raw: body(""), expected: { text: "", json: undefined } },
  "no body": { raw: "HTTP/1.1 204 No Content\r\n\r\n", expected: { status: 204, text: "", json: undefined } },
  "a body until the end": { raw: `HTTP/1.0 200 OK\r\n\r\n{"a":1}`, expected: value },
  "a body in chunks": {
    raw: `${head("Transfer-Encoding: chunked")}3\r\n{"a\r\n4\r\n":1}\r\n0\r\nX-Trailer: 1\r\n\r\n`,
    expected: value,
  },
  "fields with one name": {
    raw: "HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\nContent-Type: a/b\r\ncontent-type: c/d\r\nContent-Length: 0\r\n\r\n",
    expected: { headers: { "x-a": "1, 2", "content-type": "a/b, c/d", "content-length": "0" } },
  },
  "interim responses before it": {
    raw: `${"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(3)}${body('{"a":1}')}`,
    expected: { status: 200, ...value },
  },
  "a redirect, which is not followed": {
    raw: "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
    expected: { status: 302, headers: { location: "/elsewhere", "content-length": "0" } },
  },
  "a status that nobody knows": { raw: "HTTP/1.1 799 What\r\nContent-Length: 0\r\n\r\n", expected: { status: 799 } },
  "a switch to another protocol": {
    raw: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\nConnection: Upgrade\r\n\r\nchat",
    expected: { status: 101, text: "" },
  },
  "a response to CONNECT": {
    raw: "HTTP/1.1 200 OK\r\n\r\n",
    request: { method: "CONNECT" },
    expected: { status: 200, text: "" },
  },
  "a body after HEAD, which belongs to nothing": {
    raw: body('{"a":1}'),
    request: { method: "HEAD" },
    expected: { status: 200, text: "" },
  },
  gzip: { raw: compressed("gzip", gzipSync(json)), expected: value },
  "x-gzip in other letters": { raw: compressed("X-GZIP", gzipSync(json)), expected: value },
  br: { raw: compressed("br", brotliCompressSync(json)), expected: value },
  deflate: { raw: compressed("deflate", deflateSync(json)), expected: value },
  "deflate without its header": { raw: compressed("deflate", deflateRawSync(json)), expected: value },
  "two codings": { raw: compressed("deflate, gzip", gzipSync(deflateSync(json))), expected: value },
  "a coding that changes nothing": { raw: compressed("gzip, identity", gzipSync(json)), expected: value },
  "an unknown coding": { raw: compressed("snappy", Buffer.from("??")), expected: { text: "??", json: undefined } },
  "a coding of nothing": { raw: compressed("gzip", Buffer.alloc(0)), expected: { text: "" } },
};

for (const [name, { raw, request, expected }] of Object.entries(examples))
  test(`a response: ${name}`, async (t) => {
    await using server = await rawServer((socket) => socket.end(raw));
    const response = await responseOf(t, server.url, request);
    const got = Object.fromEntries(Object.keys(expected).map((key) => [key, response[key as keyof Response]]));
    assert.deepEqual(got, expected);
  });

test("a long JSON text with long strings is JSON", async (t) => {
  const long = { text: '\\"\n'.repeat(1_000_000), other: "x".repeat(5_000_000) };
  await using server = await rawServer((socket) => socket.end(body(JSON.stringify(long))));
  const response = await responseOf(t, server.url, {}, { ...usual, maximumBytes: 20_000_000 });
  assert.deepEqual(response.json, long);
});

// ── Requests ───────────────────────────────────────────────────────────────────────────────────────────────────────

const requests: readonly (readonly [request: Partial<Request>, lines: readonly string[]])[] = [
  [{}, ["GET /a?b=%zz HTTP/1.1", "Accept: application/json", "User-Agent: nonet-test/0.1.0"]],
  [
    { headers: { accept: "text/plain", "user-agent": "x" } },
    ["GET /a?b=%zz HTTP/1.1", "accept: text/plain", "user-agent: x"],
  ],
  [
    { method: "POST", headers: { "Content-Type": "text/plain" }, body: "né" },
    [
      "POST /a?b=%zz HTTP/1.1",
      "Accept: application/json",
      "User-Agent: nonet-test/0.1.0",
      "Content-Type: text/plain",
      "Content-Length: 3",
    ],
  ],
  [
    { method: "DELETE", headers: { "content-length": "2" }, body: new Uint8Array([65, 66]) },
    ["DELETE /a?b=%zz HTTP/1.1", "Accept: application/json", "User-Agent: nonet-test/0.1.0", "content-length: 2"],
  ],
  [
    { method: "GET", body: "AB" },
    ["GET /a?b=%zz HTTP/1.1", "Accept: application/json", "User-Agent: nonet-test/0.1.0", "Content-Length: 2"],
  ],
];
for (const [request, lines] of requests)
  test(`a request: ${JSON.stringify(request)}`, async (t) => {
    await using server = await rawServer((socket) => socket.write(head("Content-Length: 0")));
    await responseOf(t, `${server.url}/a?b=%zz#c`, request);
    const { host } = new URL(server.url);
    assert.deepEqual(server.text.split("\r\n\r\n")[0]?.split("\r\n"), [
      ...lines,
      `Host: ${host}`,
      `Connection: ${(request.method ?? "GET") === "GET" ? "keep-alive" : "close"}`,
    ]);
    const bytes = request.body ?? "";
    const expected = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    assert.equal(server.text.split("\r\n\r\n")[1], Buffer.from(expected).toString("latin1"));
  });

// ── Connections ────────────────────────────────────────────────────────────────────────────────────────────────────

test("requests that change nothing share a connection, and each other one has its own", async (t) => {
  const ports: number[] = [];
  const url = await httpServer(t, (request, response) => {
    ports.push(request.socket.remotePort ?? 0);
    response.setHeader("Content-Length", 2);
    request.resume().on("end", () => response.end("{}"));
  });
  const client = createClient(usual);
  t.after(() => client.close());
  for (const method of ["GET", "POST", "HEAD", "PUT", "OPTIONS", "DELETE", "GET", "PATCH"])
    assert(isResponse(await client.send({ method, url, headers: {}, ...(method === "POST" ? { body: "{}" } : {}) })));
  assert.equal(new Set(ports.filter((_, index) => index % 2 === 0)).size, 1);
  assert.equal(new Set(ports).size, 5);
});

const closings: Readonly<Record<string, (socket: Socket) => void>> = {
  "after each response": (socket) => socket.end(body("{}")),
  "shortly after each response": (socket) => {
    socket.write(body("{}"));
    setTimeout(() => socket.end(), 1);
  },
};
for (const [when, respond] of Object.entries(closings))
  test(`a server that closes its connections ${when}, and does not announce it, responds to everything`, async (t) => {
    await using server = await rawServer(respond);
    const client = createClient(usual);
    t.after(() => client.close());
    for (let count = 0; count < 100; count += 1)
      for (const method of ["GET", "POST", "PUT", "GET", "DELETE"]) {
        const response = await client.send({ method, url: server.url, headers: {} });
        assert.deepEqual((response as Response).json, {}, JSON.stringify(response));
      }
  });

test("a shared connection that the server closes at the second request", async (t) => {
  await using server = await rawServer((socket, piece) => {
    if (piece === 1) socket.write(head("Content-Length: 0"));
    else socket.end();
  });
  const client = createClient(usual);
  t.after(() => client.close());
  for (let count = 0; count < 3; count += 1)
    assert(isResponse(await client.send({ method: "GET", url: server.url, headers: {} })));
  assert.equal(server.connections, 3);
});

test("a request is sent again once only, and not after the first byte of a response", async (t) => {
  await using none = await rawServer((socket, piece) =>
    none.connections === 1 && piece === 1 ? socket.write(head("Content-Length: 0")) : socket.end(),
  );
  await using some = await rawServer((socket, piece) =>
    piece === 1 ? socket.write(head("Content-Length: 0")) : socket.end("HTTP/1.1 2"),
  );
  for (const [server, connections, problem] of [
    [none, 2, "the connection was closed before a response came"],
    [some, 1, "the connection was closed in the middle of the response"],
  ] as const) {
    const client = createClient(usual);
    t.after(() => client.close());
    const request = { method: "GET", url: server.url, headers: {} };
    assert(isResponse(await client.send(request)));
    assert.deepEqual(await client.send(request), { problem });
    assert.equal(server.connections, connections);
  }
});

test("bytes that belong to no response are not read as the next one", async (t) => {
  await using server = await rawServer((socket, piece) => {
    socket.write(body(`${piece}`));
    if (server.connections === 1) setImmediate(() => socket.write(body('"stray"')));
  });
  const client = createClient(usual);
  t.after(() => client.close());
  const request = { method: "GET", url: server.url, headers: {} };
  assert.equal(((await client.send(request)) as Response).json, 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(((await client.send(request)) as Response).json, 1);
  assert.equal(server.connections, 2);
});

for (const reads of [true, false])
  test(`a long body that is rejected early, by a server that ${reads ? "reads on" : "closes"}`, async (t) => {
    const url = await httpServer(t, (request, response) => {
      request.once("data", () => {
        response.writeHead(413, { "Content-Length": 2, Connection: reads ? "keep-alive" : "close" }).end("{}");
        if (reads) request.resume();
        else response.once("finish", () => request.socket.destroySoon());
      });
      request.on("error", () => {});
    });
    const client = createClient(usual);
    t.after(() => client.close());
    for (let round = 0; round < 20; round += 1) {
      const long = new Uint8Array(5_000_000);
      const response = await client.send({ method: "POST", url, headers: {}, body: long });
      assert.equal((response as Response).status, 413, JSON.stringify(response));
      assert.deepEqual((response as Response).json, {});
    }
  });

test("a long body is written to its end though the response has begun", async (t) => {
  let length = 0;
  const url = await httpServer(t, (request, response) => {
    response.writeHead(200).flushHeaders();
    request.on("data", (chunk: Buffer) => (length += chunk.length)).on("end", () => response.end("{}"));
  });
  const response = await responseOf(t, url, { method: "POST", body: new Uint8Array(5_000_000) });
  assert.deepEqual([response.json, length], [{}, 5_000_000]);
});

test("a long body arrives whole", async (t) => {
  let length = 0;
  const url = await httpServer(t, (request, response) => {
    request.on("data", (chunk: Buffer) => (length += chunk.length)).on("end", () => response.end("{}"));
  });
  await responseOf(t, url, { method: "PUT", body: new Uint8Array(3_000_001) });
  assert.equal(length, 3_000_001);
});

// ── Addresses ──────────────────────────────────────────────────────────────────────────────────────────────────────

const addresses: readonly (readonly [url: string, isLoopback: boolean])[] = [
  ["http://127.0.0.1:8080/x", true],
  ["http://127.255.255.254/", true],
  ["https://[::1]:8443/", true],
  ["http://localhost/", true],
  ["http://LOCALHOST:3000/", true],
  ["http://0x7f.1/", true],
  ["http://128.0.0.1/", false],
  ["http://0.0.0.0/", false],
  ["http://10.0.0.1/", false],
  ["http://[::2]/", false],
  ["http://127.0.0.1.example.com/", false],
  ["http://127.example.com/", false],
  ["http://localhost.example.com/", false],
  ["http://api.localhost/", false],
  ["http://localhost@example.com/", false],
  ["https://example.com/", false],
];
for (const [url, expected] of addresses)
  test(`${url} is ${expected ? "" : "not "}on this machine`, () => assert.equal(isLoopback(new URL(url)), expected));
