/** Tests the addresses of webhooks: internal ones are rejected in every notation (R6.11, R6.12). */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { addressProblem, isPublic, type Resolve } from "./address.ts";
import { createPost, PostError } from "./post.ts";

const strict = { loopback: false };

const blocked: readonly string[] = [
  "127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
  "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1",
  "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1",
  "100::1", "2001::1", "2001:2::1", "2001:db8::1", "2002:7f00:1::", "fc00::1", "fd12::1", "fe80::1", "fec0::1", "ff02::1",
  "5f00::1", "4000::1", "2001:20::1",
]; // biome-ignore format: a table

const allowed: readonly string[] = ["1.1.1.1", "8.8.8.8", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:400f::1"];

test("only addresses of the public internet are public", () => {
  assert.deepEqual(blocked.filter(isPublic), []);
  assert.deepEqual(allowed.filter((address) => !isPublic(address)), []); // biome-ignore format: short
  assert.equal(isPublic("nowhere"), false);
});

test("an inner address is refused in whatever form it is written", () => {
  const hosts = [
    "127.0.0.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "127.1", "0", "[::1]", "[::ffff:127.0.0.1]",
    "[::7f00:1]", "[0:0:0:0:0:ffff:7f00:1]", "localhost", "LOCALHOST.", "a.localhost", "printer.local", "db.internal",
    "metadata.google.internal", "metadata", "169.254.169.254", "kubernetes.default.svc", "intranet", "[fe80::1]",
    "①②⑦.⓪.⓪.①",
  ]; // biome-ignore format: a table
  assert.deepEqual(hosts.filter((host) => addressProblem(`https://${host}:8443/`, strict) === undefined), []); // biome-ignore format: short
});

test("what an address may be", () => {
  const cases: readonly (readonly [url: string, problem: RegExp | undefined])[] = [
    ["https://hooks.example.com/a?b=c", undefined],
    ["https://hooks.example.com:443/", undefined],
    ["https://hooks.example.com:1024/", undefined],
    ["https://1.1.1.1/", undefined],
    ["https://[2606:4700:4700::1111]/", undefined],
    ["https://hooks.example.com:1023/", /port/],
    ["https://hooks.example.com:22/", /port/],
    ["http://hooks.example.com/", /https/],
    ["ftp://hooks.example.com/", /https/],
    ["//hooks.example.com/", /absolute/],
    ["https://me@hooks.example.com/", /user/],
    ["https://hooks.example.com/#x", /fragment/],
    ["https://hooks.example.com/#", /fragment/],
    ["https://hooks.example.com\\@10.0.0.1/", /backslash/],
    ["https://hooks.exa\tmple.com/", /blanks/],
    [`https://hooks.example.com/${"x".repeat(2048)}`, /2048/],
  ];
  for (const [url, problem] of cases) {
    const found = addressProblem(url, strict);
    if (problem === undefined) assert.equal(found, undefined, url);
    else assert.match(found ?? "", problem, url);
  }
  assert.equal(addressProblem("http://127.0.0.1:9/", { loopback: true }), undefined);
  assert.match(addressProblem("http://10.0.0.1:9000/", { loopback: true }) ?? "", /https/, "this machine alone");
});

test("R6.12 at each connection the name is resolved, and what it resolves to is judged and gone to", async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const resolves = (...addresses: string[]): Resolve => (_, done) =>
    done(null, addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))); // biome-ignore format: short
  const signal = new AbortController().signal;
  const url = `https://rebinding.example.com:${port}/`;
  for (const addresses of [["127.0.0.1"], ["1.1.1.1", "127.0.0.1"], ["::ffff:127.0.0.1"], ["::7f00:1"], ["fd00::1"]]) {
    const post = createPost(strict, resolves(...addresses));
    await assert.rejects(post.send(url, {}, "{}", 2000, signal), (thrown) => {
      assert.ok(thrown instanceof PostError);
      assert.match(thrown.message, /not a public address/, addresses.join());
      return true;
    });
    post.close();
  }
  const post = createPost({ loopback: true }, resolves("10.0.0.1"));
  await assert.rejects(post.send(`http://localhost:${port}/`, {}, "{}", 2000, signal), /not a public address/);
  await assert.rejects(post.send(`https://10.0.0.1:${port}/`, {}, "{}", 2000, signal), /public address/);
  post.close();
  assert.equal(asked, 0, "nobody was reached");
  await new Promise((resolve) => server.close(resolve));
});

test("of a name with several addresses the next is gone to where one takes no connection", async () => {
  const server = createServer((_, response) => response.writeHead(204).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const addresses = ["127.0.0.2", "127.0.0.1"].map((address) => ({ address, family: 4 }));
  const post = createPost({ loopback: true }, (_, done) => done(null, addresses));
  const sent = await post.send(`http://localhost:${port}/`, {}, "{}", 5000, new AbortController().signal);
  assert.equal(sent.status, 204);
  post.close();
  await new Promise((resolve) => server.close(resolve));
});

test("an answer without end is read to its limit, and a redirect is not followed", async () => {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    if (request.url === "/redirect") response.writeHead(307, { location: "/endless" }).end();
    else {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(16_384)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = createPost({ loopback: true });
  const signal = new AbortController().signal;
  const endless = await post.send(`${base}/endless`, {}, "{}", 5000, signal);
  assert.deepEqual([endless.status, endless.reply.length], [200, 1024]);
  assert.equal((await post.send(`${base}/redirect`, {}, "{}", 5000, signal)).status, 307);
  assert.equal(asked, 2);
  post.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
