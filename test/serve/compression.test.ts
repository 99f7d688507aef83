/** Content codings (R4.23): the response has a requested coding or none, and a tag matches in every coding. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { served } from "./scenario.ts";
import { addTool, once, people, toolLibrary } from "./tool-library.ts";

served("compression", toolLibrary, (subject) => {
  const who = people(subject);
  const large = { note: "n".repeat(1500) };

  for (const [accepted, coding] of [
    ["gzip", "gzip"],
    ["br", "br"],
    ["gzip, br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["br;q=0.5, gzip", "gzip"],
    ["br;q=0, *", "gzip"],
    ["GZIP", "gzip"],
    ["*", "br"],
    ["gzip;q=0", undefined],
    ["*;q=0", undefined],
    ["identity", undefined],
    ["deflate", undefined],
    ["", undefined],
  ] as const) {
    test(`R4.23 Accept-Encoding: ${accepted} gives ${coding ?? "no coding"}`, async () => {
      const tool = await addTool(subject, who.member, large);
      const plain = await subject.client.send({ method: "GET", path: tool.path, headers: who.member });
      const headers = { ...who.member, "Accept-Encoding": accepted };
      const reply = await subject.client.send({ method: "GET", path: tool.path, headers });
      assert.equal(reply.headers["content-encoding"], coding);
      assert.equal(reply.headers["vary"], "Accept-Encoding");
      assert.equal(plain.headers["vary"], "Accept-Encoding");
      assert.equal(Number(reply.headers["content-length"]), reply.bytes.length);
      assert.equal(reply.text, plain.text);
      if (coding !== undefined) assert(reply.bytes.length < 1000);
      assert.equal(reply.headers["etag"], coding === undefined ? tool.tag : tool.tag.replace(/"$/, `-${coding}"`));
    });
  }

  test("R4.23 small bodies are sent as they are", async () => {
    const tool = await addTool(subject, who.member);
    const headers = { ...who.member, "Accept-Encoding": "gzip" };
    const reply = await subject.client.send({ method: "GET", path: tool.path, headers });
    assert.equal(reply.headers["content-encoding"], undefined);
    assert.equal(reply.headers["vary"], undefined);
    assert.equal(reply.headers["etag"], tool.tag);
  });

  test("R4.15 the tag of a packed answer serves for an edit", async () => {
    const tool = await addTool(subject, who.member, large);
    const headers = { ...who.member, "Accept-Encoding": "br" };
    const reply = await subject.client.send({ method: "GET", path: tool.path, headers });
    const edit = await subject.client.send({
      method: "PATCH",
      path: tool.path,
      headers: { ...headers, ...once(), "If-Match": reply.headers["etag"] ?? "" },
      body: { price: 1 },
    });
    assert.equal(edit.status, 200);
    assert.equal(edit.headers["content-encoding"], "br", "writes are packed too");
  });

  test("R4.23 problems are packed like anything else", async () => {
    const reply = await subject.client.send({
      method: "POST",
      path: "/tools",
      headers: { ...who.member, ...once(), "Accept-Encoding": "gzip", "Content-Type": "application/json" },
      body: JSON.stringify(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`x${at}`, 1]))),
    });
    assert.equal(reply.status, 422);
    assert.equal(reply.headers["content-encoding"], "gzip");
  });
});
