/** The server's connections, with a service whose responses each test defines: the bytes that reach the client at any moment. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { HttpResponse, HttpRequest } from "../../src/http/message.ts";
import { createForwarding } from "../../src/http/proxies.ts";
import { listen, type RunningServer } from "../../src/http/node-server.ts";
import type { Service } from "../../src/runtime/service.ts";

type Answering = (exchange: HttpRequest) => HttpResponse | Promise<HttpResponse>;

async function serving(t: TestContext, response: Answering): Promise<RunningServer> {
  const done = (): Promise<void> => Promise.resolve();
  const service: Service = {
    response,
    reject: () => ({ status: 400, headers: [], body: "refused" }),
    fail: () => ({ status: 500, headers: [], body: "failed" }),
    tick: () => Promise.resolve(0),
    rest: done,
    drain: done,
    flush: done,
  };
  const server = await listen({
    service: () => service,
    host: "127.0.0.1",
    port: 0,
    requestMilliseconds: 30_000,
    forwarding: createForwarding([]),
  });
  t.after(() => server.close(0));
  return server;
}

async function dial(t: TestContext, { port }: RunningServer): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  t.after(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

async function textOf(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) text += (chunk as Buffer).toString("latin1");
  return text;
}

const statuses = (text: string): readonly string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status as string);
const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const later = async (): Promise<HttpResponse> => {
  await setImmediate();
  return { status: 200, headers: [], body: "later" };
};

test("R4.5 a client that has closed its half is answered", async (t) => {
  const socket = await dial(t, await serving(t, later));
  socket.end(`${request}${request}`);
  assert.deepEqual(statuses(await textOf(socket)), ["200", "200"]);
});

test("R4.5 a refusal waits for answers that take their time", async (t) => {
  const socket = await dial(t, await serving(t, later));
  socket.write(`${request}${request}NO REQUEST\r\n\r\n${request}`);
  assert.deepEqual(statuses(await textOf(socket)), ["200", "200", "400"]);
});

for (const [what, framing, piece] of [
  ["nobody has read", "Content-Length: 1000000000", Buffer.alloc(65_536)],
  [
    "is too long",
    "Transfer-Encoding: chunked",
    Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(65_536), Buffer.from("\r\n")]),
  ],
] as const)
  test(`R4.5 a client that is still sending a body that ${what} gets the answer that ends its connection`, async (t) => {
    const answer = async (exchange: HttpRequest): Promise<HttpResponse> => {
      assert.deepEqual(await exchange.body(1000, 30_000), { kind: "too-large" });
      return { status: 413, headers: [], body: "too large", close: true };
    };
    const socket = await dial(t, await serving(t, answer));
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`);
    // Nothing of the answer is read before as much has been sent as no buffer takes.
    for (let sent = 0; sent < 200; sent += 1) if (!socket.write(piece)) await once(socket, "drain");
    socket.end();
    assert.match(await textOf(socket), /^HTTP\/1\.1 413 [^]*too large$/);
  });

test("R4.5 a body that nobody reads does not keep the next request from being answered", async (t) => {
  const socket = await dial(t, await serving(t, () => ({ status: 401, headers: [] })));
  const body = "x".repeat(1_000_000);
  socket.end(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}${request}`);
  assert.deepEqual(statuses(await textOf(socket)), ["401", "401"]);
});

test("R1.8 an answer that is still being read outlasts the end of the server", async (t) => {
  const body = Buffer.alloc(16 * 1024 * 1024);
  const server = await serving(t, () => ({ status: 200, headers: [], body }));
  const socket = await dial(t, server);
  socket.write(request);
  await once(socket, "readable");
  const closed = server.close(60_000);
  let length = 0;
  for await (const chunk of socket) length += (chunk as Buffer).length;
  assert(length > body.length, `${length} bytes`);
  await closed;
});

test("R6.15 a stream ends with the client's half of its connection", async (t) => {
  const ended = Promise.withResolvers<void>();
  const stream = { start: ({ write }: { write: (text: string) => void }) => write("first"), ended: ended.resolve };
  const socket = await dial(t, await serving(t, () => ({ status: 200, headers: [], stream })));
  socket.write(request);
  await once(socket, "data");
  socket.end();
  await ended.promise;
});

test("a value that no field may have is a failure, and the connection goes on", async (t) => {
  const answers: HttpResponse[] = [
    { status: 200, headers: ["X", "a\r\nb"] },
    { status: 200, headers: [] },
  ];
  const socket = await dial(t, await serving(t, () => answers.shift() as HttpResponse));
  socket.end(`${request}${request}`);
  const text = await textOf(socket);
  assert.deepEqual(statuses(text), ["500", "200"]);
  assert.match(text, /^HTTP\/1\.1 500 Internal Server Error\r\n/);
});
