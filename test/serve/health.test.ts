/** Health (R1.2) and draining (R1.8): requests in progress finish, new ones are rejected, and a stop never waits forever. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { play, serve, served, stores } from "./scenario.ts";
import type { Scenario } from "./scenario.ts";
import { aTool, once, peopleOf, toolLibrary } from "./tool-library.ts";

served("health", toolLibrary, (subject) => {
  const passes = (method: string, path: string, headers: Record<string, string> = {}): Scenario => ({
    name: `R1.2 ${method} ${path} ${JSON.stringify(headers)} is 200`,
    send: { method, path, headers },
    status: 200,
    headers: { "Content-Type": "application/health+json", "Cache-Control": "no-store", ETag: null },
    then: (reply) => assert.equal(reply.text, method === "HEAD" ? "" : '{"status":"pass"}'),
  });
  play(subject, [
    passes("GET", "/livez"),
    passes("HEAD", "/livez"),
    passes("GET", "/readyz"),
    passes("HEAD", "/readyz"),
    passes("GET", "/readyz", { Authorization: "Bearer tl_wrong" }),
    passes("GET", "/livez", { Accept: "text/html" }),
    passes("GET", "/livez", { "If-None-Match": "*" }),
    passes("GET", "/livez?verbose=1"),
    { name: "R1.2 nothing is sent there", send: { method: "POST", path: "/readyz" }, status: 405 },
  ]);
});

describe("health of a store that is gone", () => {
  for (const store of stores) {
    test(`R1.2 ready is 503, live stays 200 (${store})`, async () => {
      let ready: () => boolean = () => false;
      await using subject = await serve(toolLibrary, {
        store,
        around: (inner) => ({ ...inner, ready: () => ready() }),
      });
      const get = (path: string) => subject.client.send({ method: "GET", path });
      const states: unknown[] = [];
      for (const answer of [
        () => false,
        () => {
          throw new Error("the disk is gone");
        },
        () => true,
      ]) {
        ready = answer;
        const reply = await get("/readyz");
        states.push(reply.status, reply.text);
        assert.equal(reply.headers["content-type"], "application/health+json");
        assert.equal((await get("/livez")).status, 200);
      }
      assert.deepEqual(states, [503, '{"status":"fail"}', 503, '{"status":"fail"}', 200, '{"status":"pass"}']);
    });

    test(`R1.2 a store that is closed is not ready, and writes to it are 503 (${store})`, async () => {
      const subject = await serve(toolLibrary, { store });
      const who = await peopleOf(subject);
      const post = (headers: object) =>
        subject.client.send({
          method: "POST",
          path: "/tools",
          headers: { ...who.member, ...once(), ...headers },
          body: aTool(),
        });
      assert.equal((await post({})).status, 201);
      let release = (): void => {};
      const held = subject.running.store.transaction(() => new Promise<void>((resolve) => (release = resolve)));
      const closing = subject.running.store.close();
      assert.equal((await subject.client.send({ method: "GET", path: "/readyz" })).status, 503);
      const refused = await post({});
      assert.equal(refused.status, 503);
      assert.equal((refused.json as { code: string }).code, "overloaded");
      release();
      await Promise.all([held, closing]);
      assert.deepEqual(subject.running.failures, []);
      await subject.running[Symbol.asyncDispose]();
      subject.client[Symbol.dispose]();
    });
  }
});

describe("R1.8 draining", () => {
  for (const store of stores) {
    test(`R1.8 what is under way is finished, readyz is 503 at once, nothing new is accepted (${store})`, async () => {
      const subject = await serve(toolLibrary, { store });
      const { client, running } = subject;
      const who = await peopleOf(subject);
      using idle = await client.open();
      using busy = await client.open();
      using probing = await client.open();
      idle.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
      assert.equal((await idle.next())?.status, 200);
      const body = JSON.stringify(aTool());
      busy.write(
        `POST /tools HTTP/1.1\r\nHost: x\r\nAuthorization: ${who.member.Authorization}\r\nIdempotency-Key: drain\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
      );
      assert.equal((await busy.next())?.status, 100);
      probing.write("GET /readyz HTTP/1.1\r\nHost: x\r\n");
      // A request that has begun on another connection: it is answered, and only then is the connection closed.
      using begun = await client.open();
      begun.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
      await begun.next();
      const stopped = running.stop();
      await idle.ended;
      probing.write("\r\n");
      const probe = await probing.next();
      assert.equal(probe?.status, 503);
      assert.equal(probe.headers["connection"], "close");
      await assert.rejects(client.open(), "R1.8 no new connection");
      busy.write(body);
      const reply = await busy.next();
      assert.equal(reply?.status, 201, reply?.text ?? "");
      assert.equal(reply.headers["connection"], "close");
      await stopped;
      client[Symbol.dispose]();
      await running[Symbol.asyncDispose]();
      assert.deepEqual(running.failures, []);
    });
  }

  test("R1.2 R1.8 while it lingers readyz is 503 on old and new connections, which end; then nothing is accepted", async () => {
    await using subject = await serve(toolLibrary, {});
    const { client, running } = subject;
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    using idle = await client.open();
    idle.write(ask("/readyz"));
    assert.equal((await idle.next())?.status, 200);
    using unused = await client.open();
    unused.write(ask("/livez"));
    assert.equal((await unused.next())?.status, 200);
    const started = performance.now();
    const stopped = running.stop(5000, 400);
    using fresh = await client.open();
    for (const connection of [idle, fresh]) {
      connection.write(ask("/readyz"));
      const reply = await connection.next();
      assert.equal(reply?.status, 503);
      assert.equal(reply.headers["connection"], "close");
      await connection.ended;
    }
    using late = await client.open();
    late.write(ask("/livez"));
    assert.equal((await late.next())?.status, 200, "R1.8 what comes while it lingers is served");
    await unused.ended;
    assert(performance.now() - started >= 390, "R1.8 an idle connection may be used for as long as it lingers");
    await stopped;
    await assert.rejects(client.open(), "R1.8 no new connection");
  });

  test("R1.8 who does not finish is waited for no longer than the grace", async () => {
    await using subject = await serve(toolLibrary, {});
    using stalled = await subject.client.open();
    stalled.write("POST /tools HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{");
    using other = await subject.client.open();
    other.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.equal((await other.next())?.status, 200);
    const started = performance.now();
    await subject.running.stop(100);
    // The request itself may take 30 s.
    assert(performance.now() - started < 20_000);
    await stalled.ended;
  });
});
