/** Server-sent events: parsed by the rules of WHATWG in whatever pieces they come, and the reason why a stream ends. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import { createEventParser } from "../../src/conformance/event-parser.ts";
import { type EventStream, follow, type FollowOptions } from "../../src/conformance/event-stream.ts";
import { isResponse } from "../../src/conformance/interaction.ts";
import { endlessly, rawServer } from "./raw-server.ts";

// ── Parsing ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Parsed {
  readonly events?: readonly (readonly [id: string, type: string, data: string])[];
  readonly lastEventId?: string;
  readonly retry?: number;
  readonly comments?: number;
}

const texts: readonly (readonly [text: string, parsed: Parsed])[] = [
  // The examples of the standard.
  ["data: YHOO\ndata: +2\ndata: 10\n\n", { events: [["", "message", "YHOO\n+2\n10"]] }],
  [
    ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
    {
      events: [
        ["1", "message", "first event"],
        ["", "message", "second event"],
        ["", "message", " third event"],
      ],
      comments: 1,
    },
  ],
  [
    "data\n\ndata\ndata\n\ndata:",
    {
      events: [
        ["", "message", ""],
        ["", "message", "\n"],
      ],
    },
  ],
  [
    "data:test\n\ndata: test\n\n",
    {
      events: [
        ["", "message", "test"],
        ["", "message", "test"],
      ],
    },
  ],
  // Fields.
  ["event: add\ndata: 1\n\ndata: 2\n\n", { events: [["", "add", "1"], ["", "message", "2"]] }], // biome-ignore format: a row
  ["event: add\n\ndata: 2\n\n", { events: [["", "message", "2"]] }],
  ["id: 7\ndata: 1\n\ndata: 2\n\n", { events: [["7", "message", "1"], ["7", "message", "2"]], lastEventId: "7" }], // biome-ignore format: a row
  [":\nid: 9\n\n", { lastEventId: "9", comments: 1 }],
  ["id: 9\n", { lastEventId: "" }],
  ["id: a\0b\ndata: 1\n\n", { events: [["", "message", "1"]] }],
  ["retry: 3000\n", { retry: 3000 }],
  ["retry: 3 s\nretry: -1\nretry:\n\n", {}],
  ["Data: 1\ndata : 2\nother: 3\n\n", {}],
  ["data: a:b: c\n\n", { events: [["", "message", "a:b: c"]] }],
  ["data: 1\n", {}],
  // Ends of lines.
  ["data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n", { events: [["", "message", "1"], ["", "message", "2"], ["", "message", "3"]] }], // biome-ignore format: a row
  ["data: 1\r\n\r", { events: [["", "message", "1"]] }],
  ["", {}],
];

function parse(pieces: readonly string[]): Required<Parsed> {
  const parser = createEventParser(() => 0);
  for (const piece of pieces) parser.push(piece);
  return {
    events: parser.events.map(({ id, type, data }) => [id, type, data]),
    lastEventId: parser.lastEventId,
    retry: parser.retryMilliseconds ?? -1,
    comments: parser.comments,
  };
}

for (const [text, parsed] of texts)
  test(`parses ${JSON.stringify(text)}`, () => {
    const lastEventId = parsed.events?.at(-1)?.[0] ?? "";
    assert.deepEqual(parse([text]), { events: [], lastEventId, retry: -1, comments: 0, ...parsed });
  });

test("the pieces in which a stream comes do not matter", () => {
  const piece = fc.constantFrom(
    "\r",
    "\n",
    "\r\n",
    "data: x",
    "data",
    "id: 1",
    "event: e",
    ":",
    ": c",
    "retry: 5",
    "\r\n\r\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.infiniteStream(fc.nat(5)), (parts, cuts) => {
      const text = parts.join("");
      const pieces: string[] = [];
      for (let at = 0; at < text.length; ) {
        const length = cuts.next().value ?? 0;
        pieces.push(text.slice(at, at + length));
        at += length;
      }
      assert.deepEqual(parse(pieces), parse([text]));
    }),
  );
});

// ── Following ──────────────────────────────────────────────────────────────────────────────────────────────────────

async function followed(t: TestContext, url: string, options: FollowOptions = {}): Promise<EventStream> {
  const stream = await follow(url, { Authorization: "Bearer 1" }, options);
  t.after(() => stream.close());
  return stream;
}

const opening = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n";

test("events arrive while the stream is open, with their times", async (t) => {
  await using server = await rawServer((socket) => {
    socket.write(`${opening}\uFEFFretry: 3000\nid: 0\n\n`);
    setTimeout(() => socket.write(Buffer.from("id: 1\nevent: a\ndata: é").subarray(0, -1)), 20);
    setTimeout(() => socket.write(Buffer.concat([Buffer.from("é").subarray(1), Buffer.from("\n\n:\n")])), 40);
  });
  const began = Date.now();
  const stream = await followed(t, server.url, { lastEventId: "evt_0" });
  assert(isResponse(stream.response));
  assert.equal(stream.response.headers["content-type"], "text/event-stream; charset=utf-8");
  assert(await stream.until(({ comments }) => comments === 1, 10_000));
  const [event, ...others] = stream.events;
  assert.deepEqual({ ...event, arrivedAt: 0 }, { id: "1", type: "a", data: "é", arrivedAt: 0 });
  assert(event !== undefined && event.arrivedAt >= began && event.arrivedAt <= Date.now());
  assert.deepEqual([others, stream.lastEventId, stream.retryMilliseconds, stream.ended], [[], "1", 3000, undefined]);
  assert.match(server.text, /^Accept: text\/event-stream\r\n.*^Last-Event-ID: evt_0\r\nAuthorization: Bearer 1\r\n/ms);
});

test("what does not come in time, or at the end, does not come", async (t) => {
  await using server = await rawServer((socket) => socket.write(`${opening}data: 1\n\n`));
  const stream = await followed(t, server.url);
  assert.equal(await stream.until(({ events }) => events.length === 2, 50), false);
  assert.equal(await stream.until(({ events }) => events.length === 1, 10_000), true);
  const second = stream.until(({ events }) => events.length === 2, 10_000);
  stream.close();
  assert.equal(await second, false);
  assert.equal(stream.ended, "the test has closed it");
  while (server.open > 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

const ends: readonly (readonly [name: string, respond: Parameters<typeof rawServer>[0], reason: string])[] = [
  ["ends", (socket) => socket.end(`${opening}data: 1\n\n`), "the server has ended it"],
  [
    "is cut off",
    (socket) => socket.end(`${opening.replace("Connection: close", "Transfer-Encoding: chunked")}9\r\ndata: 1\n\n\r\n`),
    "the connection was closed in the middle of the stream",
  ],
  [
    "is endless",
    (socket) => {
      socket.write(`${opening}data: 1\n\n`);
      endlessly(socket, "x".repeat(1000));
    },
    "the stream is longer than 100000 bytes",
  ],
];
for (const [name, respond, reason] of ends)
  test(`a stream that ${name}`, async (t) => {
    await using server = await rawServer(respond);
    const stream = await followed(t, server.url, { maximumBytes: 100_000 });
    assert.equal(await stream.until(() => false, 10_000), false);
    assert.equal(stream.ended, reason);
    assert.deepEqual(
      stream.events.map(({ data }) => data),
      ["1"],
    );
  });

const others: readonly (readonly [name: string, respond: Parameters<typeof rawServer>[0], response: object])[] = [
  [
    "an error",
    (socket) => socket.write('HTTP/1.1 401 Unauthorized\r\nContent-Length: 7\r\n\r\n{"a":1}'),
    { status: 401, statusText: "Unauthorized", headers: { "content-length": "7" }, text: '{"a":1}', json: { a: 1 } },
  ],
  [
    "another media type",
    (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\ndata: 1"),
    {
      status: 200,
      statusText: "OK",
      headers: { "content-type": "text/plain", "content-length": "7" },
      text: "data: 1",
      json: undefined,
    },
  ],
  ["nothing", () => {}, { problem: "no response within 300ms" }],
  [
    "half a body",
    (socket) => socket.write("HTTP/1.1 404 Not Found\r\nContent-Length: 7\r\n\r\n{"),
    { problem: "no response within 300ms" },
  ],
  [
    "rubbish",
    (socket) => socket.write("hello"),
    { problem: "the response is not valid HTTP: Expected HTTP/, RTSP/ or ICE/" },
  ],
  ["an end", (socket) => socket.end(), { problem: "the connection was closed before a response came" }],
];
for (const [name, respond, response] of others)
  test(`${name} instead of a stream`, async (t) => {
    await using server = await rawServer(respond);
    const stream = await followed(t, server.url, { timeoutMilliseconds: 300 });
    assert.deepEqual(stream.response, response);
    assert.deepEqual([stream.ended, stream.events], ["the response is no stream", []]);
    assert.equal(await stream.until(() => false, 10_000), false);
    while (server.open > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

test("an address that is none", async () => {
  const { response } = await follow("nowhere", {});
  assert.deepEqual(response, { problem: "the request cannot be sent: Invalid URL" });
});
