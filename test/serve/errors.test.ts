/**
 * Problems (R7.1 to R7.4): each names the error and the remedy, and reveals nothing about other records or the service's
 * internals.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../src/store/port/error.ts";
import type { Reply } from "./client.ts";
import { play, serve, served, stores } from "./scenario.ts";
import { addTool, aTool, once, people, peopleOf, toolLibrary } from "./tool-library.ts";

served("errors", toolLibrary, (subject) => {
  const who = people(subject);
  const problem =
    (code: string, status: number, title: string, detail: string | RegExp, more: object = {}) =>
    (reply: Reply): void => {
      const json = reply.json as Record<string, unknown>;
      const { detail: given, type, instance, request_id: requestId, ...rest } = json;
      assert.deepEqual(rest, { title, status, code, ...more });
      assert.match(String(given), detail instanceof RegExp ? detail : new RegExp(`^${detail}$`));
      assert.equal(type, `${subject.running.url}/errors/${code}`);
      assert.equal(instance, `urn:nonet:request:${String(requestId)}`);
      assert.deepEqual(Object.keys(json).slice(0, 7), [
        "type",
        "title",
        "status",
        "detail",
        "instance",
        "code",
        "request_id",
      ]);
      assert.equal(reply.headers["content-language"], "en");
    };
  const raw = (text: string, status: number, code: string) => ({
    name: `R7.1 ${JSON.stringify(text.slice(0, 40))} is ${status} ${code}, a problem like any other`,
    send: text,
    status,
    code,
    headers: { "Content-Type": "application/problem+json", Connection: "close" },
    lacks: ["HPE_", "llhttp", "Parse"],
  });

  play(subject, [
    raw("nonsense\r\n\r\n", 400, "invalid-request"),
    raw("GET\r\n\r\n", 400, "invalid-request"),
    raw("GET / HTTP/9.9\r\n\r\n", 400, "invalid-request"),
    raw("GET /livez HTTP/1.1\r\n\r\n", 400, "invalid-request"),
    raw("GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "invalid-request"),
    raw("GET /livez HTTP/1.1\r\nHost : a\r\n\r\n", 400, "invalid-request"),
    raw("GET /livez HTTP/1.1\r\nHost: a\r\nA\u0001: b\r\n\r\n", 400, "invalid-request"),
    raw("GET /livez HTTP/1.1\r\nHost: a\r\nA: b\u0000c\r\n\r\n", 400, "invalid-request"),
    raw("GET /livez HTTP/1.1\nHost: a\n\n", 400, "invalid-request"),
    raw("GET /livez HTTP/1.1\r\nHost: a\r\n folded: x\r\n\r\n", 400, "invalid-request"),
    raw("GET /li vez HTTP/1.1\r\nHost: a\r\n\r\n", 400, "invalid-request"),
    raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "invalid-request"),
    raw(
      "POST /tools HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
      "invalid-request",
    ),
    raw(
      "POST /tools HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
      400,
      "invalid-request",
    ),
    raw("POST /tools HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\nhello", 400, "invalid-request"),
    raw("POST /tools HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello", 400, "invalid-request"),
    raw("POST /tools HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400, "invalid-request"),
    raw(
      "POST /tools HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
      400,
      "invalid-request",
    ),
    raw("POST /tools HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400, "invalid-request"),
    raw("POST /tools HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n", 400, "invalid-request"),
    {
      name: "a transfer coding that is not known is not taken for the body",
      send: () =>
        `POST /tools HTTP/1.1\r\nHost: a\r\nAuthorization: ${who.member.Authorization}\r\nIdempotency-Key: te\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      status: 400,
      code: "invalid-request",
      headers: { Connection: "close" },
    },
    {
      name: "HTTP/1.0 without Host is served, and closed",
      send: "GET /livez HTTP/1.0\r\n\r\n",
      status: 200,
      headers: { Connection: "close" },
    },
    {
      name: "R7.1 not found",
      send: () => ({ method: "GET", path: "/tools/tol_no", headers: who.member }),
      status: 404,
      then: problem("not-found", 404, "Not found", /./),
    },
    {
      name: "R7.1 R7.3 an error of the document's own, with when to come back",
      send: async () => {
        const tool = await addTool(subject, who.member);
        return { method: "POST", path: `${tool.path}/lend`, headers: { ...who.member, ...once() }, body: { days: 30 } };
      },
      status: 409,
      headers: { "Retry-After": "86400" },
      then: problem("too-long", 409, "Two weeks at most", "Two weeks at most"),
    },
    {
      name: "R3.2 R7.1 a conflict says the state and what can be done now by this caller",
      send: async () => {
        const tool = await addTool(subject, who.member);
        return { method: "POST", path: `${tool.path}/return`, headers: { ...who.member, ...once() } };
      },
      status: 409,
      headers: { "Retry-After": null },
      then: problem("state-conflict", 409, "Not allowed in the current state", /shelved/, {
        state: "shelved",
        moves: ["lendTool", "retireTool"],
      }),
    },
    {
      name: "R7.2 one fault is also the detail",
      send: () => ({
        method: "POST",
        path: "/tools",
        headers: { ...who.member, ...once() },
        body: aTool({ stock: "x" }),
      }),
      status: 422,
      then: problem("invalid-request", 422, "The request is invalid", /^stock must be a whole number/, {
        errors: [{ pointer: "#/stock", code: "wrong-type", detail: "stock must be a whole number" }],
      }),
    },
    {
      name: "R2.11 a duplicate names the member, and not the other record",
      send: async () => {
        const tool = await addTool(subject, who.other, { open: false });
        return {
          method: "POST",
          path: "/tools",
          headers: { ...who.member, ...once() },
          body: aTool({ name: tool.json["name"] }),
        };
      },
      status: 409,
      code: "already-exists",
      faults: ["#/name already-exists"],
      lacks: ["tol_"],
    },
  ]);

  test("R1.3 a Request-Id that the client sends is not taken over", async () => {
    const headers = { "Request-Id": "req_mine", "X-Request-Id": "mine" };
    const reply = await subject.client.send({ method: "GET", path: "/livez", headers });
    assert(!JSON.stringify(reply.headers).includes("mine"));
  });

  for (const traceparent of [
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "ff-00-00-00",
    "nonsense",
    "",
  ]) {
    test(`R1.4 traceparent: ${traceparent} refuses nothing`, async () => {
      const reply = await subject.client.send({ method: "GET", path: "/livez", headers: { traceparent } });
      assert.equal(reply.status, 200);
    });
  }
});

for (const store of stores) {
  test(`R7.4 a failure of Nonet's own is 500, says nothing, and is reported (${store})`, async () => {
    let thrown: Error = new Error("SELECT secret FROM /srv/data/file.ts:12");
    await using subject = await serve(toolLibrary, {
      store,
      around: (inner) => ({ ...inner, transaction: () => Promise.reject(thrown) }),
    });
    const who = await peopleOf(subject);
    const post = () =>
      subject.client.send({ method: "POST", path: "/tools", headers: { ...who.member, ...once() }, body: aTool() });
    const reply = await post();
    assert.equal(reply.status, 500);
    assert.partialDeepStrictEqual(reply.json, { code: "internal", detail: "Internal error of the service" });
    assert(!/SELECT|secret|srv/.test(reply.text));
    assert.deepEqual(subject.running.failures, [thrown]);
    for (const kind of ["busy", "closed"] as const) {
      thrown = new StoreError(kind, "/srv/data/file is locked");
      const busy = await post();
      assert.equal(busy.status, 503);
      assert.match(String(busy.headers["retry-after"]), /^[1-9]$/);
      assert.partialDeepStrictEqual(busy.json, { code: "overloaded" });
      assert(!/srv.data|is locked/.test(busy.text));
    }
    assert.equal(subject.running.failures.length, 1, "which is nobody's failure");
  });
}
