/** Time-outs (R4.21): a slow client gets an error and is disconnected, an idle one is not, and a late request has no effect. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { holdStore } from "./paused-store.ts";
import { perform, serve, stores } from "./scenario.ts";
import { aTool, once, peopleOf, toolLibrary } from "./tool-library.ts";

const quick = toolLibrary.replace("time: { request: 10s }", "time: { request: 1s }");
assert.notEqual(quick, toolLibrary);

// The waits of these tests are the server's own, so they wait together.
describe("timeouts", { concurrency: true }, () => {
  for (const [what, text] of [
    ["half a request line", "GET /to"],
    ["half the headers", "GET /tools HTTP/1.1\r\nHost: x\r\nAuthor"],
    [
      "no body",
      "POST /tools HTTP/1.1\r\nHost: x\r\nAUTH\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nContent-Length: 9\r\n\r\n",
    ],
    [
      "half a body",
      'POST /tools HTTP/1.1\r\nHost: x\r\nAUTH\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nContent-Length: 9\r\n\r\n{"a"',
    ],
    [
      "half a chunk",
      "POST /tools HTTP/1.1\r\nHost: x\r\nAUTH\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{",
    ],
  ] as const) {
    test(`R4.21 ${what} is 408 after the document's time, and the connection ends`, async () => {
      await using subject = await serve(quick, {});
      const who = await peopleOf(subject);
      const started = performance.now();
      const replies = await subject.client.raw(text.replace("AUTH", `Authorization: ${who.member.Authorization}`));
      const took = performance.now() - started;
      const [reply, ...more] = replies;
      assert.deepEqual([reply?.status, more], [408, []]);
      assert.partialDeepStrictEqual(reply?.json, { code: "request-timeout" });
      assert.equal(reply?.headers["connection"], "close");
      // Without the document's line it would be 30 s (R4.21).
      assert(took > 900 && took < 20_000, `after ${took} ms`);
      assert.deepEqual(subject.running.failures, []);
    });
  }

  test("R4.21 a body that trickles is 408 all the same", async () => {
    await using subject = await serve(quick, {});
    const who = await peopleOf(subject);
    using connection = await subject.client.open();
    connection.write(
      `POST /tools HTTP/1.1\r\nHost: x\r\nAuthorization: ${who.member.Authorization}\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nContent-Length: 9999\r\n\r\n`,
    );
    const trickle = setInterval(() => connection.write(" "), 50);
    const reply = await connection.next();
    clearInterval(trickle);
    assert.equal(reply?.status, 408);
    await connection.ended;
  });

  test("R4.21 a connection that says nothing at all is closed", async () => {
    await using subject = await serve(quick, {});
    using connection = await subject.client.open();
    const reply = await connection.next();
    assert(reply === undefined || reply.status === 408);
    await connection.ended;
  });

  test("R4.21 a connection between two requests is not", async () => {
    await using subject = await serve(quick, {});
    using connection = await subject.client.open();
    using idle = await subject.client.open();
    connection.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.equal((await connection.next())?.status, 200);
    // The other connection's end says that the time is over.
    await idle.ended;
    connection.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.equal((await connection.next())?.status, 200);
  });

  test("R4.21 who goes away in the middle of a request does nobody harm", async () => {
    await using subject = await serve(quick, {});
    const who = await peopleOf(subject);
    for (let time = 0; time < 10; time += 1) {
      using connection = await subject.client.open();
      connection.write(
        `POST /tools HTTP/1.1\r\nHost: x\r\nAuthorization: ${who.member.Authorization}\r\nContent-Type: application/json\r\nIdempotency-Key: a${time}\r\nContent-Length: 99\r\n\r\n{`,
      );
    }
    await perform(subject, { name: "", send: { method: "GET", path: "/livez" }, status: 200 });
    assert.deepEqual(subject.running.failures, []);
  });

  for (const store of stores) {
    test(`R4.21 what waited too long for its turn is 503, and is not done (${store})`, async () => {
      await using subject = await serve(toolLibrary, { store });
      const who = await peopleOf(subject);
      const body = aTool();
      const headers = { ...who.member, ...once() };
      await using held = holdStore(subject.running.store);
      const sent = { method: "POST", path: "/tools", headers, body };
      const replies = [subject.client.send(sent), subject.client.send(sent)];
      // One of the two is refused at once because the other waits.
      assert.equal((await Promise.race(replies)).status, 409);
      subject.running.pass(10_001);
      await held[Symbol.asyncDispose]();
      const [late] = (await Promise.all(replies)).filter(({ status }) => status !== 409);
      assert.equal(late?.status, 503);
      assert.equal((late.json as { code: string }).code, "timed-out");
      assert.equal(late.headers["retry-after"], "1");
      const list = await subject.client.send({ method: "GET", path: "/tools", headers: who.keeper });
      assert.deepEqual(list.json, { items: [], next: null });
      const again = await subject.client.send(sent);
      assert.equal(again.status, 201, "and its key is free");
      assert.equal(again.headers["idempotent-replayed"], undefined);
    });
  }
});
