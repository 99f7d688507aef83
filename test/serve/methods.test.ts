/** Methods (R4.1, R4.2, R4.7, R4.22): the response to each, HEAD without any body byte, and no permission for other origins. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { play, served } from "./scenario.ts";
import type { Scenario } from "./scenario.ts";
import { addTool, once, people, toolLibrary } from "./tool-library.ts";

served("methods", toolLibrary, (subject) => {
  const who = people(subject);
  const on = (path: string, method: string, status: number, allow: string): Scenario => ({
    name: `R4.1 ${method} ${path} is ${status}`,
    send: () => ({ method, path, headers: who.keeper }),
    status,
    headers: { Allow: allow },
    lacks: ["items"],
  });

  play(subject, [
    on("/tools", "PUT", 405, "POST, GET, HEAD, OPTIONS"),
    on("/tools", "DELETE", 405, "POST, GET, HEAD, OPTIONS"),
    on("/tools/tol_x", "POST", 405, "GET, HEAD, PATCH, DELETE, OPTIONS"),
    on("/tools/tol_x/lend", "GET", 405, "POST, OPTIONS"),
    on("/tools/tol_x/lend", "HEAD", 405, "POST, OPTIONS"),
    on("/tools", "PROPFIND", 501, "POST, GET, HEAD, OPTIONS"),
    on("/tools", "TRACE", 501, "POST, GET, HEAD, OPTIONS"),
    on("/livez", "POST", 405, "GET, HEAD, OPTIONS"),
    {
      name: "R4.1 the method counts by its case",
      send: `get /tools HTTP/1.1\r\nHost: x\r\n\r\n`,
      status: 501,
      code: "not-implemented",
      headers: { Connection: "close" },
    },
    {
      name: "R4.1 a method that the parser does not know is 501",
      send: `BREW /tools HTTP/1.1\r\nHost: x\r\n\r\n`,
      status: 501,
      code: "not-implemented",
    },
    {
      name: "R4.1 CONNECT is never served",
      send: `CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n`,
      status: 501,
      code: "not-implemented",
      headers: { Connection: "close" },
    },
    {
      name: "R4.1 an upgrade is not taken",
      send: () =>
        `GET /livez HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\n\r\n`,
      status: 200,
      headers: { Upgrade: null },
    },
    {
      name: "R4.2 OPTIONS needs no credential and says what a path takes",
      send: { method: "OPTIONS", path: "/tools" },
      status: 204,
      headers: { Allow: "POST, GET, HEAD, OPTIONS", "Accept-Post": "application/json", "Accept-Patch": null },
    },
    {
      name: "R4.2 OPTIONS says which patches are taken, and the same for a record that there is not",
      send: { method: "OPTIONS", path: "/tools/tol_nothing" },
      status: 204,
      headers: {
        Allow: "GET, HEAD, PATCH, DELETE, OPTIONS",
        "Accept-Patch": "application/merge-patch+json, application/json",
        "Accept-Post": null,
      },
    },
    { name: "R4.2 OPTIONS of an unknown path is 404", send: { method: "OPTIONS", path: "/nothing" }, status: 404 },
    {
      name: "R4.2 OPTIONS * asks about the server",
      send: `OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n`,
      status: 204,
      headers: { Allow: /GET, HEAD, POST/ },
    },
    {
      name: "R4.22 a preflight of another origin gets no permission",
      send: {
        method: "OPTIONS",
        path: "/tools",
        headers: {
          Origin: "https://elsewhere.example",
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "authorization",
        },
      },
      status: 204,
      headers: { "Access-Control-Allow-Origin": null, "Access-Control-Allow-Methods": null },
    },
    {
      name: "R4.22 an answer to another origin is not released to it",
      send: { method: "GET", path: "/livez", headers: { Origin: "https://elsewhere.example" } },
      status: 200,
      headers: { "Access-Control-Allow-Origin": null, "Access-Control-Allow-Credentials": null },
    },
  ]);

  test("R4.2 HEAD has the headers of GET and no body", async () => {
    const tool = await addTool(subject, who.member, { note: "n".repeat(2000) });
    for (const path of [tool.path, "/tools", "/livez", "/tools?limit=0", "/tools/tol_no", "/nothing"]) {
      for (const coding of ["identity", "gzip"]) {
        const headers = { ...who.member, "Accept-Encoding": coding };
        const get = await subject.client.send({ method: "GET", path, headers });
        const head = await subject.client.send({ method: "HEAD", path, headers });
        assert.equal(head.status, get.status);
        assert.equal(head.text, "");
        const compared = ({ date: _d, "request-id": _r, ...rest }: Readonly<Record<string, string>>) => rest;
        assert.deepEqual(compared(head.headers), compared(get.headers), path);
      }
    }
  });

  test("R4.2 HEAD sends not one byte after its headers", async () => {
    const [reply, after] = await subject.client.raw(
      `HEAD /livez HTTP/1.1\r\nHost: x\r\n\r\nHEAD /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    assert.equal(reply?.status, 200);
    assert.equal(after?.status, 200);
  });

  test("R4.7 create is 201 with Location, ETag and the whole record, which the Location reads", async () => {
    const reply = await subject.client.send({
      method: "POST",
      path: "/tools",
      headers: { ...who.member, ...once() },
      body: { name: "saw", kind: "hand", price: 1, stock: 1, note: null },
    });
    assert.equal(reply.status, 201);
    const { id } = reply.json as { id: string };
    assert.equal(reply.headers["location"], `/tools/${id}`);
    const read = await subject.client.send({ method: "GET", path: `/tools/${id}`, headers: who.member });
    assert.equal(read.text, reply.text);
    assert.equal(read.headers["etag"], reply.headers["etag"]);
  });

  test("R4.7 an action gives the record, one with nothing to say 204, a deletion 204", async () => {
    const tool = await addTool(subject, who.member);
    const lent = await subject.client.send({
      method: "POST",
      path: `${tool.path}/lend`,
      headers: { ...who.member, ...once() },
      body: { days: 3 },
    });
    assert.equal(lent.status, 200);
    assert.partialDeepStrictEqual(lent.json, { id: tool.id, state: "lent", lends: 1 });
    assert.notEqual(lent.headers["etag"], tool.tag);
    const back = await subject.client.send({
      method: "POST",
      path: `${tool.path}/return`,
      headers: { ...who.member, ...once() },
    });
    assert.equal(back.status, 200);
    const retired = await subject.client.send({
      method: "POST",
      path: `${tool.path}/retire`,
      headers: { ...who.member, ...once() },
    });
    assert.equal(retired.status, 204);
    const gone = await subject.client.send({
      method: "DELETE",
      path: tool.path,
      headers: { ...who.member, ...once(), "If-Match": "*" },
    });
    assert.equal(gone.status, 204);
    assert.equal((await subject.client.send({ method: "GET", path: tool.path, headers: who.member })).status, 404);
  });

  test("R4.1 requests in one go are answered in their order, on one connection", async () => {
    const requests = ["/livez", "/nothing", "/readyz", "/livez"].map(
      (path, at) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${at === 3 ? "Connection: close\r\n" : ""}\r\n`,
    );
    const replies = await subject.client.raw(requests.join(""));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 404, 200, 200],
    );
  });
});
