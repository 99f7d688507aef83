/** Clients that are slow, disconnect, or send expensive requests: the service still serves others, and releases all resources. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { HttpResponse, HttpRequest } from "../../src/http/message.ts";
import { createForwarding } from "../../src/http/proxies.ts";
import { listen } from "../../src/http/node-server.ts";
import type { Service as Answering } from "../../src/runtime/service.ts";
import { temporaryFolder } from "../commands/process.ts";
import { shelf } from "../commands/shelf.ts";
import { stores, serve as serveHere } from "../serve/scenario.ts";
import { until } from "../until.ts";
import { serve } from "./service.ts";

async function dial(port: number, text = ""): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  if (text !== "") socket.write(text);
  return socket;
}

/** What costs more to read than to send. */
const deep = 200_000;
const bombs: readonly (readonly [name: string, body: string | Buffer, headers: object, status: number])[] = [
  ["lists, each in the one before", `${"[".repeat(deep)}${"]".repeat(deep)}`, {}, 400],
  ["objects, each in the one before", `${'{"title":'.repeat(deep / 4)}1${"}".repeat(deep / 4)}`, {}, 400],
  ["an object of very many members", `{${Array.from({ length: 60_000 }, (_, at) => `"m${at}":1`).join(",")}}`, {}, 422],
  ["the same member very often", `{${'"title":"a",'.repeat(60_000)}"title":"a"}`, {}, 400],
  ["a number of a million digits", `{"title":"a","pages":${"9".repeat(1_000_000)}}`, {}, 422],
  ["an exponent of a hundred thousand digits", `{"title":"a","pages":1e${"9".repeat(100_000)}}`, {}, 422],
  ["a fraction of a million digits", `{"title":"a","pages":0.${"1".repeat(1_000_000)}}`, {}, 422],
  ["a text of a million escapes", `{"title":"${"\\u0041".repeat(150_000)}"}`, {}, 422],
  ["a list of very many wrong texts", `{"title":"a","parts":[${'1,'.repeat(200_000)}1]}`, {}, 422],
  
  ["a list of very many empty parts", `{"title":"a","parts":[${"{},".repeat(150_000)}{}]}`, {}, 422],
  ["a map of very many wrong parts", `{"title":"a","notes":{${Array.from({ length: 40_000 }, (_, at) => `"m${at}":{"x":1}`).join(",")}}}`, {}, 422],
  ["more than a body may have", Buffer.alloc(8 * 1024 * 1024, " "), {}, 413],
  ["a gzip bomb", gzipSync(Buffer.alloc(64 * 1024 * 1024)), { "Content-Encoding": "gzip" }, 415],
  ["a form of very many parts", `--b\r\n${'Content-Disposition: form-data; name="a"\r\n\r\n1\r\n--b\r\n'.repeat(15_000)}--`, { "Content-Type": "multipart/form-data; boundary=b" }, 415],
  ["header fields that are too much", '{"title":"a"}', { "X-Much": "x".repeat(20_000) }, 431],
  ["very many header fields", '{"title":"a"}', Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`X-${at}`, "1"])), 431],
]; // biome-ignore format: a table

const books = shelf({
  fields: ["title: string(1..80)", "pages?: integer(1..9999)", "parts?: Part[]", "notes?: map(Part)"],
}).replace(
  "\n```\n\n## States",
  "\ntypes:\n  Part: { name: string(1..9), pages: integer | null, kind: paper | card }\n```\n\n## States",
);

for (const store of stores) {
  describe(`bombs (${store})`, () => {
    test("each is refused for what it is, and the next request is served", async () => {
      await using subject = await serveHere(books, { store });
      for (const [name, body, headers, status] of bombs) {
        const all = { "Content-Type": "application/json", ...headers };
        const before = performance.now();
        const reply = await subject.client.send({ method: "POST", path: "/books", headers: all, body });
        const took = performance.now() - before;
        assert.equal(reply.status, status, `${name}: ${reply.text.slice(0, 300)}`);
        assert.ok(reply.text.length < 40_000, `${name}: an answer of ${reply.text.length} bytes`);
        if (process.env["NONET_FIGURES"] !== undefined) console.log(`${name}: ${status} in ${took.toFixed(0)} ms`);
        assert.equal((await subject.client.send({ method: "GET", path: "/books" })).status, 200);
      }
      assert.deepEqual((await subject.client.send({ method: "GET", path: "/books" })).json, { items: [], next: null });
      assert.deepEqual(subject.running.failures, []);
    });
  });
}

test("whoever does not read its answer is cut off, and does not keep it in memory", async (t) => {
  const body = Buffer.alloc(32 * 1024 * 1024, "x");
  const answering: Answering = {
    response: (_: HttpRequest) => Promise.resolve<HttpResponse>({ status: 200, headers: [], body }),
    reject: () => assert.fail("nothing is refused"),
    fail: () => assert.fail("nothing fails"),
    tick: () => Promise.resolve(0),
    rest: () => Promise.resolve(),
    drain: () => Promise.resolve(),
    flush: () => Promise.resolve(),
  };
  const server = await listen({
    service: () => answering,
    host: "127.0.0.1",
    port: 0,
    requestMilliseconds: 100,
    forwarding: createForwarding([]),
    stallMilliseconds: 300,
  });
  t.after(() => server.close(0));
  const stuck = await dial(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  stuck.pause();
  // One that reads slowly all the time is not cut off.
  const slow = await dial(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  let got = 0;
  slow.on("data", (chunk: Buffer) => {
    got += chunk.length;
    slow.pause();
    setTimeout(() => slow.resume(), 1);
  });
  await until(() => got > body.length, "who reads slowly has it in the end");
  slow.destroy();
  let read = 0;
  stuck.on("data", (chunk: Buffer) => (read += chunk.length));
  stuck.resume();
  await once(stuck, "close");
  assert.ok(read < body.length, "it was cut off in the middle");
});

function shelfIn(t: TestContext): string {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), shelf());
  return folder;
}

test("so many connections that no file can be opened any more: who is in is served, and when they go, all are", async (t) => {
  const folder = shelfIn(t);
  const service = await serve(t, ["shelf.md"], { folder, limit: "-n 96" });
  const port = Number(new URL(service.url).port);
  const first = await dial(port);
  const sockets = await Promise.all(Array.from({ length: 150 }, () => dial(port)));
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  first.write("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
  const [response] = (await once(first, "data")) as [Buffer];
  assert.match(response.toString(), /^HTTP\/1\.1 200 /);
  const body = JSON.stringify({ title: "x".repeat(70) });
  for (let number = 0; number < 5; number += 1) {
    first.write(
      `POST /books HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const [written] = (await once(first, "data")) as [Buffer];
    assert.match(written.toString(), /^HTTP\/1\.1 201 /);
  }
  for (const socket of sockets) socket.destroy();
  first.destroy();
  await until(
    async () => (await service.send("GET", "/books").catch(() => undefined))?.status === 200,
    "it is not served again",
  );
  await service.stop();
});

test("clients that vanish in the middle of a request or an answer leave nothing behind", async (t) => {
  const folder = shelfIn(t);
  const service = await serve(t, ["shelf.md"], { folder });
  const port = Number(new URL(service.url).port);
  const body = JSON.stringify({ title: "half" });
  const head = `POST /books HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  for (let cut = 1; cut < head.length + body.length; cut += 7) {
    const socket = await dial(port, `${head}${body}`.slice(0, cut));
    if (cut % 2 === 0) socket.resetAndDestroy();
    else socket.destroy();
  }
  assert.deepEqual(
    (await service.send("GET", "/books")).json,
    { items: [], next: null },
    "no half of a request was done",
  );
  assert.equal((await service.send("POST", "/books", { title: "whole" })).status, 201);
  await service.stop();
  assert.doesNotMatch(service.output, /"failed"|Error/);
});

test("requests that are half there do not keep others from being served", async (t) => {
  const service = await serve(t, ["shelf.md"], { folder: shelfIn(t) });
  const port = Number(new URL(service.url).port);
  const halves = ["GET /bo", "GET /books HTTP/1.1\r\nHost: x\r\nX-", "POST /books HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"]; // biome-ignore format: short
  const sockets = await Promise.all(Array.from({ length: 600 }, (_, index) => dial(port, halves[index % 3])));
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  await pass(200);
  for (let number = 0; number < 20; number += 1)
    assert.equal((await service.send("POST", "/books", { title: `book ${number}` })).status, 201);
  for (const socket of sockets) socket.destroy();
  await service.stop();
});
