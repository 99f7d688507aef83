/**
 * Idempotency keys (R4.18 to R4.20): a retry by the same caller gets the same bytes, and the operation executes once; a request
 * that fails before execution stores no key.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply, Sent } from "./client.ts";
import { holdStore } from "./paused-store.ts";
import { documentText, play, serve, served, stores } from "./scenario.ts";
import { addTool, aTool, people, peopleOf, toolLibrary } from "./tool-library.ts";

let count = 0;
const key = (): string => {
  count += 1;
  return `idem-${count}`;
};

/** What two replies have in common when one is the other's repetition. */
function isReplay(first: Reply, again: Reply): void {
  assert.equal(again.status, first.status);
  assert.equal(again.text, first.text, "R4.19 the body byte for byte");
  const { date: _d, "request-id": id, ...headers } = first.headers;
  const { date: _e, "request-id": other, "idempotent-replayed": replayed, ...same } = again.headers;
  assert.deepEqual(same, headers, "R4.19 the headers too");
  assert.equal(replayed, "true");
  assert.notEqual(other, id, "R4.19 but a Request-Id of its own");
  assert.equal(first.headers["idempotent-replayed"], undefined);
}

served("idempotency", toolLibrary, (subject) => {
  const who = people(subject);
  const send = (sent: Sent) => subject.client.send(sent);
  const create = (idempotencyKey: string, body: unknown, by: { Authorization: string } = who.member): Sent => ({
    method: "POST",
    path: "/tools",
    headers: { ...by, "Idempotency-Key": idempotencyKey },
    body,
  });
  const countOf = async (name: unknown): Promise<number> => {
    const path = `/tools?name=${encodeURIComponent(String(name))}`;
    const reply = await send({ method: "GET", path, headers: who.keeper });
    return (reply.json as { items: unknown[] }).items.length;
  };
  const headerFault = (code: string) => ({ status: 400, code: "invalid-request", faults: [`idempotency-key ${code}`] });
  const sentWith = (text: string) =>
    `POST /tools HTTP/1.1\r\nHost: x\r\nAuthorization: ${who.member.Authorization}\r\nContent-Type: application/json\r\n${text}Content-Length: 2\r\n\r\n{}`;

  play(subject, [
    {
      name: "R4.18 a key that the document requires and that is missing is 400",
      send: () => ({ method: "POST", path: "/tools", headers: who.member, body: aTool() }),
      ...headerFault("required"),
    },
    { name: "R4.18 an empty one", send: () => sentWith("Idempotency-Key:\r\n"), ...headerFault("bad-header") },
    { name: "R4.18 white space", send: () => sentWith("Idempotency-Key:  \t \r\n"), ...headerFault("bad-header") },
    {
      name: "R4.18 an empty one in quotes",
      send: () => sentWith('Idempotency-Key: ""\r\n'),
      ...headerFault("bad-header"),
    },
    {
      name: "R4.18 256 characters",
      send: () => sentWith(`Idempotency-Key: ${"k".repeat(256)}\r\n`),
      ...headerFault("bad-header"),
    },
    {
      name: "R4.18 two",
      send: () => sentWith("Idempotency-Key: a\r\nIdempotency-Key: a\r\n"),
      ...headerFault("bad-header"),
    },
    ...['"', '"a"b', 'a"b', '"a', 'a"', '""a""', '"a\\"', '"a\\b"'].map((text) => ({
      name: `R4.18 quotes that do not fit together: ${text}`,
      send: () => sentWith(`Idempotency-Key: ${text}\r\n`),
      ...headerFault("bad-header"),
    })),
    { name: "R4.18 not ASCII", send: () => sentWith("Idempotency-Key: k\u00e9y\r\n"), ...headerFault("bad-header") },
    {
      name: "R4.18 255 characters are taken",
      send: () => create("k".repeat(255), aTool()),
      status: 201,
    },
    {
      name: "R4.18 on a read a key is ignored",
      send: () => ({ method: "GET", path: "/tools", headers: { ...who.member, "Idempotency-Key": "" } }),
      status: 200,
    },
  ]);

  for (const [what, prepare] of [
    ["a creation", async () => create(key(), aTool())],
    ["a large answer", async () => create(key(), aTool({ note: "é".repeat(3000) }))],
    [
      "an edit",
      async () => {
        const { path, tag } = await addTool(subject, who.member);
        return {
          method: "PATCH",
          path,
          headers: { ...who.member, "Idempotency-Key": key(), "If-Match": tag },
          body: { price: 1 },
        };
      },
    ],
    [
      "a move",
      async () => {
        const { path } = await addTool(subject, who.member);
        return {
          method: "POST",
          path: `${path}/lend`,
          headers: { ...who.member, "Idempotency-Key": key() },
          body: { days: 1 },
        };
      },
    ],
    [
      "a move without an answer",
      async () => {
        const { path } = await addTool(subject, who.member);
        return { method: "POST", path: `${path}/retire`, headers: { ...who.member, "Idempotency-Key": key() } };
      },
    ],
    [
      "a deletion",
      async () => {
        const { path } = await addTool(subject, who.member);
        return { method: "DELETE", path, headers: { ...who.member, "Idempotency-Key": key(), "If-Match": "*" } };
      },
    ],
    [
      "a guard's error",
      async () => {
        const { path } = await addTool(subject, who.member);
        return {
          method: "POST",
          path: `${path}/lend`,
          headers: { ...who.member, "Idempotency-Key": key() },
          body: { days: 99 },
        };
      },
    ],
    [
      "a conflict",
      async () => {
        const { path } = await addTool(subject, who.member);
        return { method: "POST", path: `${path}/return`, headers: { ...who.member, "Idempotency-Key": key() } };
      },
    ],
    ["a rule's error", async () => create(key(), aTool({ kind: "power", price: 0 }))],
    [
      "a taken name",
      async () => {
        const tool = await addTool(subject, who.member);
        return create(key(), aTool({ name: tool.json["name"] }));
      },
    ],
  ] as readonly (readonly [string, () => Promise<Sent>])[]) {
    test(`R4.19 ${what} is answered again byte for byte, and done once`, async () => {
      const sent = await prepare();
      for (const coding of ["identity", "gzip"]) {
        const coded = { ...sent, headers: { ...sent.headers, "Accept-Encoding": coding } };
        if (coding === "identity") await send(coded);
        else {
          const plain = await send({ ...sent, headers: { ...sent.headers, "Accept-Encoding": "identity" } });
          assert.equal((await send(coded)).text, plain.text);
        }
      }
      const fresh = await prepare();
      const first = await send(fresh);
      isReplay(first, await send(fresh));
      subject.running.pass(1000);
      isReplay(first, await send(fresh));
    });
  }

  test("R4.19 nothing is made twice", async () => {
    const body = aTool();
    const sent = create(key(), body);
    const replies = [];
    for (let time = 0; time < 3; time += 1) replies.push(await send(sent));
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
    assert.equal(await countOf(body["name"]), 1);
  });

  test("R4.19 order of members and white space do not matter, what they say does", async () => {
    const id = key();
    const body = aTool({ maker: { name: "a", country: "NO" }, tags: ["a", "b"] });
    const first = await send(create(id, body));
    const headers = { "Content-Type": "application/json", ...who.member, "Idempotency-Key": id };
    const post = (text: string) => send({ method: "POST", path: "/tools", headers, body: text });
    const turned = { ...Object.fromEntries(Object.entries(body).toReversed()), maker: { country: "NO", name: "a" } };
    isReplay(first, await post(JSON.stringify(turned, null, 4)));
    isReplay(first, await post(JSON.stringify(body).replace("12.5", "1.25e1")));
    for (const other of [
      { ...body, tags: ["b", "a"] },
      { ...body, price: 12 },
      { ...body, open: true },
      { ...body, maker: { name: "a" } },
      {},
    ]) {
      const reply = await post(JSON.stringify(other));
      assert.equal(reply.status, 422, JSON.stringify(other));
      assert.equal((reply.json as { code: string }).code, "idempotency-key-reused");
    }
    isReplay(first, await post(JSON.stringify(body)));
  });

  test("R4.19 another path or method is another request", async () => {
    const [one, two] = [await addTool(subject, who.member), await addTool(subject, who.member)];
    const headers = { ...who.member, "Idempotency-Key": key(), "If-Match": "*" };
    assert.equal((await send({ method: "POST", path: `${one.path}/retire`, headers })).status, 204);
    for (const [method, path] of [
      ["POST", `${two.path}/retire`],
      ["POST", `${one.path}/return`],
      ["DELETE", one.path],
    ] as const) {
      const reply = await send({ method, path, headers });
      assert.equal(reply.status, 422, `${method} ${path}`);
      assert.equal((reply.json as { code: string }).code, "idempotency-key-reused");
    }
    assert.partialDeepStrictEqual((await send({ method: "GET", path: two.path, headers: who.member })).json, {
      state: "shelved",
    });
  });

  test("R4.18 in quotes and bare it is the same key", async () => {
    const id = key();
    const body = aTool();
    const first = await send(create(id, body));
    isReplay(first, await send(create(`"${id}"`, body)));
  });

  test("R4.19 callers do not share keys", async () => {
    const id = key();
    const [mine, other] = [aTool(), aTool()];
    const first = await send(create(id, mine));
    const second = await send(create(id, other, who.other));
    assert.equal(second.status, 201);
    isReplay(first, await send(create(id, mine)));
    isReplay(second, await send(create(id, other, who.other)));
  });

  test("R4.19 two at once: one is made, the other is told to come back, and nobody waits for it", async () => {
    const body = aTool();
    const sent = create(key(), body);
    await using held = holdStore(subject.running.store);
    const replies = [send(sent), send(sent)];
    // The first holds the key while it waits for its turn; the second does not wait.
    const early = await Promise.race(replies);
    assert.equal(early.status, 409);
    assert.equal((early.json as { code: string }).code, "idempotency-key-in-use");
    assert.equal(early.headers["retry-after"], "1");
    const different = await send({ ...sent, body: aTool() });
    assert.equal(different.status, 409);
    await held[Symbol.asyncDispose]();
    const statuses = (await Promise.all(replies)).map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [201, 409]);
    assert.equal((await send(sent)).headers["idempotent-replayed"], "true");
    assert.equal(await countOf(body["name"]), 1);
  });

  test("R4.19 many at once: one is made", async () => {
    const body = aTool();
    const sent = create(key(), body);
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(sent)));
    for (const reply of replies) assert(reply.status === 201 || reply.status === 409, reply.text);
    assert.equal(new Set(replies.filter(({ status }) => status === 201).map(({ text }) => text)).size, 1);
    assert.equal(await countOf(body["name"]), 1);
  });

  for (const [what, spoil, status] of [
    ["bad JSON", { body: "{", headers: { "Content-Type": "application/json" } }, 400],
    ["an unknown parameter", { path: "/tools?a=1" }, 400],
    ["no credential", { headers: { Authorization: "Bearer tl_x" } }, 401],
    ["a wrong Accept", { headers: { Accept: "text/html" } }, 406],
    ["a wrong type", { headers: { "Content-Type": "text/plain" } }, 415],
    ["a large body", { body: " ".repeat(20_000), headers: { "Content-Type": "application/json" } }, 413],
    ["a wrong body", { body: { name: 1 } }, 422],
  ] as readonly (readonly [string, Partial<Sent>, number])[]) {
    test(`R4.20 ${what} is not kept: the key is free`, async () => {
      const sent = create(key(), aTool());
      const wrong = await send({ ...sent, ...spoil, headers: { ...sent.headers, ...spoil.headers } });
      assert.equal(wrong.status, status, wrong.text);
      const right = await send(sent);
      assert.equal(right.status, 201);
      assert.equal(right.headers["idempotent-replayed"], undefined);
    });
  }

  test("R4.20 nor is 403, 404, 412 or 428", async () => {
    const tool = await addTool(subject, who.other, { open: true });
    const headers = { ...who.member, "Idempotency-Key": key() };
    const patch = (path: string, more: object) =>
      send({ method: "PATCH", path, headers: { ...headers, ...more }, body: { price: 4 } });
    assert.equal((await patch(tool.path, {})).status, 403);
    assert.equal((await patch("/tools/tol_no", {})).status, 404);
    const own = await addTool(subject, who.member);
    assert.equal((await patch(own.path, {})).status, 428);
    assert.equal((await patch(own.path, { "If-Match": '"x"' })).status, 412);
    const done = await patch(own.path, { "If-Match": own.tag });
    assert.equal(done.status, 200);
    isReplay(done, await patch(own.path, { "If-Match": own.tag }));
  });

  test("R4.20 kept for a day, then a new request", async () => {
    const body = aTool();
    const sent = create(key(), body);
    const first = await send(sent);
    subject.running.pass(86_400_000 - 10_000);
    isReplay(first, await send(sent));
    subject.running.pass(20_000);
    const later = await send(sent);
    assert.equal(later.status, 409, "the name is taken now");
    assert.equal(later.headers["idempotent-replayed"], undefined);
    isReplay(later, await send(sent));
  });

  test("R4.20 what is past its time is removed, what is not stays", async () => {
    const [old, young] = [create(key(), aTool()), create(key(), aTool())];
    await send(old);
    subject.running.pass(86_400_000 / 2);
    const first = await send(young);
    subject.running.pass(86_400_000 / 2 + 1000);
    await subject.running.store.purge(Date.now() + 86_400_000 * 3);
    assert.equal((await send(old)).headers["idempotent-replayed"], undefined);
    assert(first.status === 201);
  });

  test("R4.20 a caller who is not allowed any more gets no replay", async () => {
    const sent = create(key(), aTool());
    const first = await send(sent);
    assert.equal(first.status, 201);
    const keys = await subject.running.store.keys.list();
    const mine = keys.find(({ user, roles }) => user === "mia" && roles.includes("member"));
    await subject.running.store.keys.revoke(mine?.id ?? "", Date.now());
    subject.running.pass(1000);
    assert.equal((await send(sent)).status, 401);
  });
});

served("idempotency where the document is silent", documentText("pantries"), (subject) => {
  test("R4.18 a key may be sent with any write, by anybody", async () => {
    const sent: Sent = {
      method: "PUT",
      path: "/v1/pantries/shed",
      headers: { "Idempotency-Key": "one" },
      body: { opened: "2026-01-01", name: "Shed" },
    };
    const first = await subject.client.send(sent);
    assert.equal(first.status, 201);
    isReplay(first, await subject.client.send(sent));
    const without = await subject.client.send({ ...sent, headers: {} });
    assert.equal(without.status, 200);
    assert.equal(without.headers["idempotent-replayed"], undefined);
  });
});

for (const store of stores) {
  test(`R4.20 R1.8 the key is of the write's transaction: what failed left no key, and no record (${store})`, async () => {
    let fails = true;
    await using subject = await serve(toolLibrary, {
      store,
      around: (inner) => ({
        ...inner,
        // Everything is done, then the transaction fails.
        transaction: (work) =>
          inner.transaction(async (tx) => {
            const result = await work(tx);
            if (fails) throw new Error("the disk is gone");
            return result;
          }),
      }),
    });
    const who = await peopleOf(subject);
    const body = aTool();
    const sent = { method: "POST", path: "/tools", headers: { ...who.member, "Idempotency-Key": "k" }, body };
    assert.equal((await subject.client.send(sent)).status, 500);
    const list = await subject.client.send({ method: "GET", path: "/tools", headers: who.keeper });
    assert.deepEqual(list.json, { items: [], next: null });
    fails = false;
    const again = await subject.client.send(sent);
    assert.equal(again.status, 201);
    assert.equal(again.headers["idempotent-replayed"], undefined);
    isReplay(again, await subject.client.send(sent));
    assert.equal(subject.running.failures.length, 1);
  });
}
