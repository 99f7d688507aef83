/** A cursor is valid only for its list, caller and order, does not reveal its content, and grants nothing (R4.10). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Reply } from "./client.ts";
import { served } from "./scenario.ts";
import { addTool, once, people, toolLibrary } from "./tool-library.ts";
import type { Tool } from "./tool-library.ts";

served("cursors", toolLibrary, (subject) => {
  const who = people(subject);
  const tools: Tool[] = [];
  before(async () => {
    for (let at = 0; at < 6; at += 1) tools.push(await addTool(subject, who.member, { price: at }));
    for (const tool of tools.slice(0, 2)) {
      for (let at = 0; at < 3; at += 1) {
        const headers = { ...who.member, ...once() };
        await subject.client.send({ method: "POST", path: `${tool.path}/remarks`, headers, body: { body: `r${at}` } });
      }
    }
  });
  const get = (path: string, by: { Authorization: string } = who.member): Promise<Reply> =>
    subject.client.send({ method: "GET", path, headers: by });
  const cursorOf = async (path: string): Promise<string> => {
    const { next } = (await get(path)).json as { next: string };
    assert.equal(typeof next, "string");
    return next;
  };
  const isRefused = (reply: Reply, message?: string) => {
    assert.equal(reply.status, 400, message ?? reply.text);
    assert.partialDeepStrictEqual(reply.json, {
      code: "invalid-request",
      errors: [{ parameter: "cursor", code: "bad-cursor" }],
    });
  };

  test("R4.10 a cursor that was tampered with, anywhere, is 400", async () => {
    const cursor = await cursorOf("/tools?limit=2");
    assert.equal((await get(`/tools?limit=2&cursor=${cursor}`)).status, 200);
    for (let at = 0; at < cursor.length; at += 1) {
      const other = cursor[at] === "A" ? "B" : "A";
      isRefused(await get(`/tools?limit=2&cursor=${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`), `at ${at}`);
    }
    for (const wrong of [
      "",
      "x",
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      `${cursor}%00`.slice(0, -3) + "%20",
    ]) {
      isRefused(await get(`/tools?limit=2&cursor=${wrong}`), JSON.stringify(wrong));
    }
    const forged = Buffer.concat([Buffer.alloc(16), Buffer.from("[1]")]).toString("base64url");
    isRefused(await get(`/tools?cursor=${forged}`));
    isRefused(await get(`/tools?cursor=${Buffer.from("[1]").toString("base64url")}`));
    isRefused(await get(`/tools?cursor=${"A".repeat(5000)}`));
  });

  for (const [what, from, to] of [
    ["another order", "/tools?limit=2", "/tools?limit=2&sort=price"],
    ["no order", "/tools?limit=2&sort=price", "/tools?limit=2"],
    ["the other direction", "/tools?limit=2&sort=price", "/tools?limit=2&sort=-price"],
    ["a filter more", "/tools?limit=2", "/tools?limit=2&kind=hand"],
    ["a filter less", "/tools?limit=2&kind=hand", "/tools?limit=2"],
    ["another value", "/tools?limit=2&price[gte]=0", "/tools?limit=2&price[gte]=1"],
    ["another operator", "/tools?limit=2&price[gte]=0", "/tools?limit=2&price[gt]=0"],
  ] as const) {
    test(`R4.10 not with ${what}`, async () => {
      const cursor = await cursorOf(from);
      isRefused(await get(`${to}&cursor=${cursor}`));
    });
  }

  test("R4.10 another limit is allowed, and another order of the parameters", async () => {
    const cursor = await cursorOf("/tools?limit=2&kind=hand&open=true&sort=price");
    const reply = await get(`/tools?sort=price&open=true&kind=hand&cursor=${cursor}&limit=3`);
    assert.equal(reply.status, 200);
    const prices = (reply.json as { items: { price: number }[] }).items.map(({ price }) => price);
    assert.deepEqual(prices, [2, 3, 4]);
  });

  test("R4.10 not for another caller", async () => {
    const cursor = await cursorOf("/tools?limit=2");
    for (const by of [who.other, who.keeper, who.visitor]) isRefused(await get(`/tools?limit=2&cursor=${cursor}`, by));
    assert.equal((await get(`/tools?limit=2&cursor=${cursor}`, undefined)).status, 200);
  });

  test("R4.10 not for another list, nor for the same one below another record", async () => {
    const [one, two] = tools as [Tool, Tool];
    const cursor = await cursorOf(`${one.path}/remarks?limit=1`);
    assert.equal((await get(`${one.path}/remarks?limit=1&cursor=${cursor}`)).status, 200);
    isRefused(await get(`${two.path}/remarks?limit=1&cursor=${cursor}`));
    isRefused(await get(`/tools?limit=1&cursor=${cursor}`));
    isRefused(await get(`${one.path}/remarks?limit=1&cursor=${await cursorOf("/tools?limit=1")}`));
  });

  test("R4.10 permissions are those of the request, not of the cursor", async () => {
    const mine = await addTool(subject, who.other);
    await addTool(subject, who.other);
    const cursor = await cursorOf("/tools?limit=1");
    const path = `/tools?limit=1&cursor=${cursor}`;
    assert.partialDeepStrictEqual((await get(path)).json, { items: [{ id: mine.id }] });
    const headers = { ...who.other, ...once(), "If-Match": "*" };
    await subject.client.send({ method: "PATCH", path: mine.path, headers, body: { open: false } });
    assert(!(await get(path)).text.includes(mine.id));
  });

  test("R4.10 nothing can be read from it, and it is good for three days", async () => {
    const cursor = await cursorOf("/tools?limit=2&sort=name");
    const { items } = (await get("/tools?limit=2&sort=name")).json as { items: { name: string }[] };
    const [, last] = items;
    assert(last !== undefined);
    assert(!Buffer.from(cursor, "base64url").toString("latin1").includes(last.name), "where the page ended");
    const path = `/tools?limit=2&sort=name&cursor=${cursor}`;
    const before = (await get(path)).text;
    subject.running.pass(3 * 86_400_000);
    assert.equal((await get(path)).text, before);
  });
});
