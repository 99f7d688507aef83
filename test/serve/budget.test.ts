/** The memory limit for bodies, heads and connections together (R8.9): what it counts, and the response beyond it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { connectionBytes, createBudget } from "../../src/http/memory-budget.ts";
import { gather } from "../../src/http/byte-buffer.ts";
import { documentOf } from "../enforced/document.ts";
import type { Connection } from "./client.ts";
import { serve, stores } from "./scenario.ts";
import { until } from "../until.ts";

test("bytes that come one by one hold no more than twice their number, and are given back", () => {
  const budget = createBudget(1e9);
  const account = budget.account();
  const bytes = gather(2 ** 20, account);
  const piece = Buffer.from("x");
  for (let count = 1; count <= 2 ** 20; count += 1) {
    assert(bytes.add(piece));
    if (count > 1024) assert(budget.held <= 2 * count);
  }
  assert.equal(budget.held, 2 ** 20, "no more than there may be");
  assert.equal(bytes.consume().length, 2 ** 20);
  account.end();
  assert.equal(budget.held, 0);
});

test("what is gathered is what came, however it was cut, and what is counted is what is held", () => {
  const pieces = fc.array(fc.tuple(fc.uint8Array({ maxLength: 3000 }), fc.boolean()), { maxLength: 40 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 100_000 }), (all, limit) => {
      const budget = createBudget(limit);
      const [account, other] = [budget.account(), budget.account()];
      other.hold(1);
      const bytes = gather(1e6, account);
      const taken: Uint8Array[] = [];
      for (const [piece, keeps] of all) {
        if (bytes.add(Buffer.from(piece))) taken.push(piece);
        if (keeps) bytes.copy();
        assert(budget.held <= Math.max(limit, 1));
        assert(budget.held - 1 >= bytes.length);
      }
      assert.deepEqual(bytes.consume(), Buffer.concat(taken));
      bytes.release();
      assert.equal(budget.held, 1);
      account.end();
      other.end();
      assert.equal(budget.held, 0);
    }),
  );
});

const text = documentOf({
  resources: { Thing: { id: "id(thi)", "text?": "string(..90000)", "photo?": "file(..1MB)" } },
  endpoints: {
    endpoints: { addThing: "POST /things", listThings: "GET /things", putPhoto: "PUT /things/{id}/photo" },
  },
  limits: { size: { request: "100KB" } },
});

const head = (type: string, method = "POST", path = "/things"): string =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const chunk = (bytes: string): string => `${bytes.length.toString(16)}\r\n${bytes}\r\n`;
const multipart = "multipart/form-data; boundary=b";
const part = '--b\r\nContent-Disposition: form-data; name="text"\r\n\r\n';

for (const store of stores)
  describe(`memory (${store})`, () => {
    for (const [what, type, start, end] of [
      ["JSON", "application/json", '{"text":"', '"}'],
      ["a form", multipart, part, "\r\n--b--\r\n"],
    ] as const)
      test(`R8.9 ${what} beyond what all may hold is 503 with Retry-After, and health is served`, async () => {
        const budget = createBudget(400_000);
        await using subject = await serve(text, { store, budget });
        const send = async (filling: string): Promise<Connection> => {
          const connection = await subject.client.open();
          connection.write(head(type));
          connection.write(chunk(start));
          connection.write(chunk(filling));
          return connection;
        };
        const before = budget.held;
        const [one, two] = [await send("x".repeat(70_000)), await send("x".repeat(70_000))];
        await until(() => budget.held - before > 2 * (70_000 + connectionBytes), "the memory that is held");
        const three = await send("x".repeat(80_000));
        const four = await send("x".repeat(80_000));
        const refused = await Promise.race([three.next(), four.next()]);
        assert(refused);
        assert.equal(refused.status, 503);
        assert.match(refused.headers["retry-after"] ?? "", /^[1-9]$/);
        assert.equal(refused.headers["connection"], "close");
        assert((await subject.client.send({ method: "GET", path: "/livez" })).status === 200);
        assert((await subject.client.send({ method: "GET", path: "/readyz" })).status === 200);
        for (const each of [one, two]) {
          each.write(`${chunk(end)}0\r\n\r\n`);
          const reply = await each.next();
          assert.equal(reply?.status, 201);
        }
        for (const each of [one, two, three, four]) each[Symbol.dispose]();
        await until(() => budget.held <= before + 2 * connectionBytes, "the memory that is held");
        const small = await subject.client.send({ method: "POST", path: "/things", body: { text: "x" } });
        assert.equal(small.status, 201, small.text);
      });

    test("R8.9 a body that is alone is taken, however little all may hold", async () => {
      const budget = createBudget(10 * connectionBytes);
      await using subject = await serve(text, { store, budget });
      const reply = await subject.client.send({ method: "POST", path: "/things", body: { text: "x".repeat(89_000) } });
      assert.equal(reply.status, 201, reply.text);
    });

    test("R8.9 connections beyond what all may hold: health is served on some more, and the rest end at once", async () => {
      const budget = createBudget(16 * connectionBytes);
      await using subject = await serve(text, { store, budget });
      const held: Connection[] = [];
      for (let count = 0; count < 15; count += 1) {
        const connection = await subject.client.open();
        // One that is between two requests would be closed for another.
        connection.write(`${head("application/json")}${chunk("{")}`);
        held.push(connection);
      }
      await until(() => budget.held > 15 * connectionBytes, "the memory that is held");
      const more = await subject.client.open();
      held.push(more);
      more.write("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
      assert.equal((await more.next())?.status, 200);
      more.write("GET /things HTTP/1.1\r\nHost: a\r\n\r\n");
      const refused = await more.next();
      assert.equal(refused?.status, 503);
      assert.match(refused.headers["retry-after"] ?? "", /^[1-9]$/);
      const others = await Promise.all(Array.from({ length: 6 }, () => subject.client.open()));
      await Promise.race(others.map((one) => one.ended));
      for (const each of [...held, ...others]) each[Symbol.dispose]();
      await until(() => budget.held === 0, "the memory that is held");
      assert.equal((await subject.client.send({ method: "GET", path: "/things" })).status, 200);
    });

    test("R8.9 idle connections end for one that asks beyond what all may hold", async () => {
      const budget = createBudget(8 * connectionBytes);
      await using subject = await serve(text, { store, budget });
      const idle: Connection[] = [];
      for (let count = 0; count < 8; count += 1) {
        const connection = await subject.client.open();
        connection.write("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
        assert.equal((await connection.next())?.status, 200);
        idle.push(connection);
      }
      await until(() => budget.held >= 8 * connectionBytes, "the memory that is held");
      const more = await subject.client.open();
      await Promise.race(idle.map((one) => one.ended));
      await until(() => budget.held < 8 * connectionBytes, "the memory that is held");
      more.write("GET /things HTTP/1.1\r\nHost: a\r\n\r\n");
      assert.equal((await more.next())?.status, 200);
      for (const each of [...idle, more]) each[Symbol.dispose]();
    });

    test("R8.9 a connection that is cut off gives back what it held", async () => {
      const budget = createBudget(1e8);
      await using subject = await serve(text, { store, budget });
      for (const sent of [
        "GET /thi",
        `${head("application/json")}${chunk("x".repeat(50_000))}`,
        `${head(multipart)}${chunk(`--b\r\n${"x".repeat(5000)}`)}`,
        `${head(multipart)}${chunk(`${part}${"x".repeat(50_000)}`)}`,
        `${head(multipart)}${chunk(`${part.replace("\r\n\r\n", '; filename="a"\r\n\r\n').replace("text", "photo")}${"x".repeat(50_000)}`)}`,
        `${head("application/json")}${chunk("x".repeat(150_000))}`,
        `${head("application/json")}zz`,
      ]) {
        const connection = await subject.client.open();
        connection.write(sent);
        await until(() => budget.held > 0, "the memory that is held");
        connection[Symbol.dispose]();
        await until(() => budget.held === 0, "the memory that is held");
      }
    });
  });
