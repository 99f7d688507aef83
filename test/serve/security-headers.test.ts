/** Every kind of response has the headers of R1.6 and none about the server; a key is only valid in its own header field. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { served } from "./scenario.ts";
import { addTool, aTool, once, people, toolLibrary } from "./tool-library.ts";

served("security headers", toolLibrary, (subject) => {
  const who = people(subject);

  // That every answer of all these tests has them is checked where all replies pass; here is what each kind has.
  test("R1.6 every kind of answer has the same, and its own Cache-Control", async () => {
    const tool = await addTool(subject, who.member);
    const write = { ...who.member, ...once(), "Content-Type": "application/json" };
    const sent = [
      ["GET", tool.path, who.member, undefined, 200, "private, no-cache"],
      ["GET", tool.path, { ...who.member, "If-None-Match": tool.tag }, undefined, 304, "private, no-cache"],
      ["HEAD", tool.path, who.member, undefined, 200, "private, no-cache"],
      ["GET", "/tools", who.member, undefined, 200, "private, no-cache"],
      ["POST", "/tools", write, aTool(), 201, "private, no-cache"],
      ["OPTIONS", "/tools", {}, undefined, 204, "no-store"],
      ["GET", "/livez", {}, undefined, 200, "no-store"],
      ["GET", "/nothing", {}, undefined, 404, "no-store"],
      ["GET", "/tools", {}, undefined, 401, "no-store"],
      ["PUT", "/tools", {}, undefined, 405, "no-store"],
      ["POST", "/tools", write, "{", 400, "no-store"],
    ] as const;
    for (const [method, path, headers, body, status, cache] of sent) {
      const reply = await subject.client.send({ method, path, headers, body });
      assert.equal(reply.status, status, `${method} ${path}`);
      const { headers: given } = reply;
      assert.equal(given["cache-control"], cache);
      assert.equal(given["x-content-type-options"], "nosniff");
      assert.equal(given["content-security-policy"], "default-src 'none'; frame-ancestors 'none'");
      assert.equal(given["referrer-policy"], "no-referrer");
      for (const name of ["server", "x-powered-by", "set-cookie", "access-control-allow-origin", "last-modified"])
        assert.equal(given[name], undefined, name);
    }
  });

  test("R1.6 what the parser refuses has them too", async () => {
    for (const text of [
      "BREW / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n",
    ]) {
      const [reply] = await subject.client.raw(text);
      assert.equal(reply?.headers["content-security-policy"], "default-src 'none'; frame-ancestors 'none'");
      assert.equal(reply.headers["cache-control"], "no-store");
      assert(reply.headers["date"]);
    }
  });

  test("R5.3 a key in the address or the body is no credential", async () => {
    const [, key = ""] = who.member.Authorization.split(" ");
    for (const path of [`/tools?access_token=${key}`, `/tools?key=${key}`, `/tools?Authorization=Bearer%20${key}`]) {
      const reply = await subject.client.send({ method: "GET", path });
      assert.equal(reply.status, 401);
      assert(!reply.text.includes(key));
    }
  });
});
