/** Tags and preconditions (R4.15, R4.16): a tag changes exactly with the caller's view of the record; no update is lost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { archive, snapshots } from "./archive.ts";
import type { Reply, Sent } from "./client.ts";
import { documentText, play, served } from "./scenario.ts";
import type { Subject } from "./scenario.ts";
import { addTool, once, people, toolLibrary } from "./tool-library.ts";
import type { Tool } from "./tool-library.ts";

const other = '"elsewhere"';

served("preconditions", toolLibrary, (subject) => {
  const who = people(subject);

  /** The header's text with the tag of a record in the place of TAG. */
  const filled = (text: string, tool: Tool) => text.replaceAll("TAG", tool.tag);
  const coded = (tag: string, coding: string) => tag.replace(/"$/, `-${coding}"`);

  const read = async (name: string, text: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Reply> => {
    const tool = await addTool(subject, who.member, fields);
    const value = filled(text, tool)
      .replaceAll("GZIP", coded(tool.tag, "gzip"))
      .replaceAll("BR", coded(tool.tag, "br"));
    return subject.client.send({ method: "GET", path: tool.path, headers: { ...who.member, [name]: value } });
  };

  for (const [text, status] of [
    ["TAG", 304],
    ["W/TAG", 304],
    ["*", 304],
    [`${other}, TAG`, 304],
    [`${other},TAG`, 304],
    [`TAG , ${other}`, 304],
    ["GZIP", 304],
    ["W/BR", 304],
    [other, 200],
    [`W/${other}, "a,b", ""`, 200],
    ["TAG TAG", 400],
    ["TAG,", 304],
    [", ,TAG", 304],
    [",", 400],
    ["unquoted", 400],
    ["w/TAG", 400],
    ['"a', 400],
    ["*, TAG", 400],
    ["", 400],
  ] as const) {
    test(`R4.16 If-None-Match: ${text} on GET is ${status}`, async () => {
      const reply = await read("If-None-Match", text);
      assert.equal(reply.status, status, reply.text);
      if (status === 304) {
        assert.match(reply.headers["etag"] ?? "", /^"[^"]+"$/);
        assert.equal(reply.headers["cache-control"], "private, no-cache");
        assert.equal(reply.headers["content-length"], undefined);
      }
      if (status === 400) assert.partialDeepStrictEqual(reply.json, { errors: [{ header: "if-none-match" }] });
    });
  }

  test("R4.16 a 304 has the tag and the Vary that the answer would have", async () => {
    const tool = await addTool(subject, who.member, { note: "n".repeat(2000) });
    for (const [coding, tag] of [
      ["identity", tool.tag],
      ["gzip", coded(tool.tag, "gzip")],
      ["br", coded(tool.tag, "br")],
    ] as const) {
      const headers = { ...who.member, "Accept-Encoding": coding };
      const whole = await subject.client.send({ method: "GET", path: tool.path, headers });
      assert.equal(whole.headers["etag"], tag);
      for (const method of ["GET", "HEAD"]) {
        const again = await subject.client.send({
          method,
          path: tool.path,
          headers: { ...headers, "If-None-Match": tag },
        });
        assert.equal(again.status, 304);
        for (const name of ["etag", "vary", "cache-control"])
          assert.equal(again.headers[name], whole.headers[name], name);
        assert.equal(again.headers["content-encoding"], undefined);
      }
    }
  });

  test("R4.16 a hidden record has no 304", async () => {
    const tool = await addTool(subject, who.member, { open: false });
    const reply = await subject.client.send({
      method: "GET",
      path: tool.path,
      headers: { ...who.other, "If-None-Match": tool.tag },
    });
    assert.equal(reply.status, 404);
    assert.equal(reply.headers["etag"], undefined);
  });

  test("R4.15 the tag changes with every visible change, and only then", async () => {
    const tool = await addTool(subject, who.member);
    const tags = new Set([tool.tag]);
    let tag = tool.tag;
    const patch = async (body: object) => {
      const reply = await subject.client.send({
        method: "PATCH",
        path: tool.path,
        headers: { ...who.member, ...once(), "If-Match": tag },
        body,
      });
      assert.equal(reply.status, 200, reply.text);
      tag = reply.headers["etag"] ?? "";
      return reply;
    };
    for (const price of [1, 2, 1]) {
      await patch({ price });
      assert(!tags.has(tag), "a tag never comes back");
      tags.add(tag);
    }
    const before = tag;
    await patch({ price: 1 });
    assert.equal(tag, before, "R4.8 nothing changed");
    await patch({});
    assert.equal(tag, before, "R4.8 nor did anything by an empty patch");
    const read = await subject.client.send({ method: "GET", path: tool.path, headers: who.member });
    assert.equal(read.headers["etag"], tag);
    const lent = {
      method: "POST",
      path: `${tool.path}/lend`,
      headers: { ...who.member, ...once() },
      body: { days: 1 },
    };
    const moved = await subject.client.send(lent);
    assert(!tags.has(moved.headers["etag"] ?? ""));
  });

  test("R4.15 who sees other members gets another tag", async () => {
    const tool = await addTool(subject, who.member);
    const seen = await subject.client.send({ method: "GET", path: tool.path, headers: who.keeper });
    assert("shelfCode" in (seen.json as object));
    assert.notEqual(seen.headers["etag"], tool.tag);
    const with304 = (tag: string) =>
      subject.client.send({ method: "GET", path: tool.path, headers: { ...who.member, "If-None-Match": tag } });
    assert.equal((await with304(seen.headers["etag"] ?? "")).status, 200);
  });

  for (const [method, below, body] of [
    ["PATCH", "", { price: 3 }],
    ["DELETE", "", undefined],
    ["POST", "/lend", { days: 2 }],
  ] as const) {
    const edits = method !== "POST";
    for (const [name, text, status] of [
      ["If-Match", "TAG", 0],
      ["If-Match", "*", 0],
      ["If-Match", `${other}, TAG`, 0],
      ["If-Match", "GZIP", 0],
      ["If-Match", other, 412],
      ["If-Match", "W/TAG", 412],
      ["If-Match", "nonsense", 400],
      ["If-None-Match", "TAG", 412],
      ["If-None-Match", "W/TAG", 412],
      ["If-None-Match", "*", 412],
      ["If-None-Match", other, edits ? 428 : 0],
      ["If-Modified-Since", "Sat, 01 Jan 2000 00:00:00 GMT", edits ? 428 : 0],
      ["X-Nothing", "TAG", edits ? 428 : 0],
    ] as const) {
      const success = method === "DELETE" ? 204 : 200;
      test(`R4.16 ${name}: ${text} on ${method} ${below} is ${status || success}`, async () => {
        const tool = await addTool(subject, who.member);
        const value = filled(text, tool).replaceAll("GZIP", coded(tool.tag, "gzip"));
        const reply = await subject.client.send({
          method,
          path: `${tool.path}${below}`,
          headers: { ...who.member, ...once(), [name]: value },
          body,
        });
        assert.equal(reply.status, status || success, reply.text);
        const now = await subject.client.send({ method: "GET", path: tool.path, headers: who.member });
        if (status === 0) assert.notEqual(now.headers["etag"], tool.tag);
        else assert.equal(now.headers["etag"], tool.tag, "nothing was done");
        const code = { 412: "stale", 428: "precondition-needed", 400: "invalid-request" }[status as 412];
        if (status !== 0) assert.equal((reply.json as { code: string }).code, code);
        if (status === 412 || status === 428) assert.equal(reply.headers["etag"], tool.tag, "the tag that would do");
      });
    }
  }

  play(subject, [
    {
      name: "R4.16 preconditions of an absent record are not looked at",
      send: () => ({
        method: "PATCH",
        path: "/tools/tol_no",
        headers: { ...who.member, ...once(), "If-Match": other },
        body: {},
      }),
      status: 404,
      headers: { ETag: null },
    },
    {
      name: "R4.16 nor of a hidden one",
      send: async () => {
        const tool = await addTool(subject, who.member, { open: false });
        return { method: "PATCH", path: tool.path, headers: { ...who.other, ...once(), "If-Match": other }, body: {} };
      },
      status: 404,
      headers: { ETag: null },
    },
    {
      name: "R4.16 who may see but not edit is told so, whatever the tag",
      send: async () => {
        const tool = await addTool(subject, who.member);
        return { method: "PATCH", path: tool.path, headers: { ...who.other, ...once(), "If-Match": other }, body: {} };
      },
      status: 403,
    },
  ]);

  test("R4.16 of two edits with one tag, one is made", async () => {
    const tool = await addTool(subject, who.member);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, price) =>
        subject.client.send({
          method: "PATCH",
          path: tool.path,
          headers: { ...who.member, ...once(), "If-Match": tool.tag },
          body: { price: 100 + price },
        }),
      ),
    );
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [200, ...Array.from({ length: 7 }, () => 412)]);
  });

  test("R4.8 a patch: null takes away, lists are replaced, embedded values merge", async () => {
    const tool = await addTool(subject, who.member, {
      rating: 4.5,
      tags: ["a", "b"],
      maker: { name: "Acme", country: "NO" },
      note: "old",
    });
    const patch = (body: object) =>
      subject.client.send({
        method: "PATCH",
        path: tool.path,
        headers: { ...who.member, ...once(), "If-Match": "*" },
        body,
      });
    const one = await patch({ rating: null, tags: ["c"], maker: { country: "SE" }, note: null });
    assert.equal(one.status, 200, one.text);
    const json = one.json as Record<string, unknown>;
    assert(!("rating" in json), "absent");
    assert.deepEqual(json["tags"], ["c"]);
    assert.deepEqual(json["maker"], { name: "Acme", country: "SE" });
    assert.equal(json["note"], null, "null where the document gives null");
    const required = await patch({ name: null, maker: { name: null } });
    assert.equal(required.status, 422);
    assert.deepEqual(
      (required.json as { errors: { pointer: string; code: string }[] }).errors.map((fault) => [
        fault.pointer,
        fault.code,
      ]),
      [
        ["#/name", "required"],
        ["#/maker/name", "required"],
      ],
    );
    const whole = await patch({ ...json, price: 77 });
    assert.equal(whole.status, 200, `R2.4 what was read can be sent back: ${whole.text}`);
    const fixed = await patch({ owner: "olaf", createdAt: "2020-01-01T00:00:00Z", state: "lent" });
    assert.equal(fixed.status, 422);
    assert.partialDeepStrictEqual(fixed.json, {
      errors: [
        { pointer: "#/owner", code: "read-only" },
        { pointer: "#/createdAt", code: "read-only" },
        { pointer: "#/state", code: "read-only" },
      ],
    });
  });
});

served("preconditions where the document is silent", documentText("pantries"), (subject) => {
  const put = (id: string, name: string, headers: Record<string, string> = {}) =>
    subject.client.send({ method: "PUT", path: `/v1/pantries/${id}`, headers, body: { opened: "2026-01-01", name } });

  test("R4.16 If-None-Match: * on PUT only creates", async () => {
    assert.equal((await put("only", "one", { "If-None-Match": "*" })).status, 201);
    const again = await put("only", "two", { "If-None-Match": "*" });
    assert.equal(again.status, 412);
    assert.partialDeepStrictEqual(again.json, { code: "stale" });
    const read = await subject.client.send({ method: "GET", path: "/v1/pantries/only" });
    assert.partialDeepStrictEqual(read.json, { name: "one" });
  });

  test("R4.16 If-Match on a PUT of what is not there is 412 and creates nothing", async () => {
    for (const tag of ["*", other]) assert.equal((await put("never", "x", { "If-Match": tag })).status, 412);
    assert.equal((await subject.client.send({ method: "GET", path: "/v1/pantries/never" })).status, 404);
  });

  test("R4.16 without a demand an edit needs no tag, and one that is sent counts", async () => {
    const made = await put("free", "one");
    assert.equal((await put("free", "two")).status, 200);
    assert.equal((await put("free", "three", { "If-Match": made.headers["etag"] ?? "" })).status, 412);
  });

  test("R4.15 a view that counts other records changes its tag with them, without a change of its own", async () => {
    await put("counted", "Counted");
    const path = "/v1/pantries/counted";
    const before = await subject.client.send({ method: "GET", path });
    const tag = before.headers["etag"] ?? "";
    const again = (headers: Record<string, string>) => subject.client.send({ method: "GET", path, headers });
    assert.equal((await again({ "If-None-Match": tag })).status, 304);
    await subject.client.send({ method: "POST", path: `${path}/jars`, body: { label: "plums" } });
    const after = await again({ "If-None-Match": tag });
    assert.equal(after.status, 200);
    assert.partialDeepStrictEqual(after.json, { jars: 1 });
    const patch = (match: string) =>
      subject.client.send({ method: "PATCH", path, headers: { "If-Match": match }, body: { note: "n" } });
    assert.equal((await patch(tag)).status, 412);
    const done = await patch(after.headers["etag"] ?? "");
    assert.equal(done.status, 200);
    assert.equal((await again({ "If-None-Match": done.headers["etag"] ?? "" })).status, 304);
  });
});

async function expectStatus({ client }: Subject, sent: Sent, status: number): Promise<Reply> {
  const reply = await client.send(sent);
  assert.equal(reply.status, status, `${sent.method} ${sent.path}: ${reply.text}`);
  return reply;
}

/** A path, and what makes it tell something else than before. */
interface Told {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly change: () => Promise<unknown>;
}

function revalidated(subject: Subject, what: string, prepare: () => Promise<Told>): void {
  test(`R1.6 R4.16 ${what} has a strong tag, is 304 for who has it, and has another one when it changes`, async () => {
    const { path, headers, change } = await prepare();
    const get = (method: string, more: Readonly<Record<string, string>>, status: number) =>
      expectStatus(subject, { method, path, headers: { ...headers, ...more } }, status);
    const first = await get("GET", {}, 200);
    const { etag = "" } = first.headers;
    assert.match(etag, /^"(?:[0-9a-z]+~)?[\w-]{20}"$/);
    assert.equal(first.headers["cache-control"], "private, no-cache");
    assert.equal(first.headers["accept-ranges"], "none", "R4.23");
    const head = await get("HEAD", {}, 200);
    for (const name of ["etag", "accept-ranges", "content-length", "content-type"])
      assert.equal(head.headers[name], first.headers[name], `R4.2 ${name}`);
    for (const method of ["GET", "HEAD"]) {
      for (const tag of [etag, `W/${etag}`, "*", `${other}, ${etag}`, etag.replace(/"$/, '-gzip"')]) {
        const known = await get(method, { "If-None-Match": tag }, 304);
        assert.equal(known.headers["etag"], etag);
        assert.equal(known.headers["cache-control"], "private, no-cache");
      }
      await get(method, { "If-None-Match": other }, 200);
      await get(method, { "If-None-Match": "nonsense" }, 400);
    }
    await change();
    const second = await get("GET", { "If-None-Match": etag }, 200);
    assert.notEqual(second.headers["etag"], etag);
  });
}

served("revalidation of lists", toolLibrary, (subject) => {
  const who = people(subject);

  revalidated(subject, "a list", async () => ({
    path: "/tools",
    headers: who.member,
    change: () => addTool(subject, who.member),
  }));
  revalidated(subject, "a page with another one after it", async () => {
    for (const name of ["y", "z"]) await addTool(subject, who.member, { name });
    return {
      path: "/tools?limit=1&sort=-name",
      headers: who.member,
      change: () => addTool(subject, who.member, { name: "zz" }),
    };
  });

  test("R4.15 a compressed list has a tag of its own, which counts as the same", async () => {
    for (let count = 0; count < 10; count += 1) await addTool(subject, who.member);
    const headers = { ...who.member, "Accept-Encoding": "br" };
    const packed = await expectStatus(subject, { method: "GET", path: "/tools", headers }, 200);
    const tag = packed.headers["etag"] ?? "";
    assert.match(tag, /-br"$/);
    const known = { method: "GET", path: "/tools", headers: { ...headers, "If-None-Match": tag } };
    assert.equal((await expectStatus(subject, known, 304)).headers["etag"], tag);
  });
});

const ownAnswers = archive.replace(
  "getPaper: GET /papers/{id}",
  'getPaper: { at: "GET /papers/{id}", gives: { called: title, size: pages } }',
);

served("revalidation of an answer of the operation's own", ownAnswers, (subject) => {
  const { add, send } = snapshots(subject);
  revalidated(subject, "what a read gives", async () => {
    const id = await add("ada", "/papers", { title: "one" });
    return {
      path: `/papers/${id}`,
      headers: { Authorization: `Bearer ${await subject.running.key("ada")}` },
      change: () => send("ada", "PATCH", `/papers/${id}`, { pages: 7 }),
    };
  });
});
