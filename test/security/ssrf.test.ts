/**
 * Internal addresses in every notation (R6.11, R6.12, OWASP API7): the service accepts none for a webhook and connects to none,
 * whatever it accepted before and whatever the name resolves to later.
 */
import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { addressProblem, isPublic, type Resolve } from "../../src/webhooks/address.ts";
import { createPost, PostError, systemResolve } from "../../src/webhooks/post.ts";
import { by, documentText, faultsOf, served } from "../serve/scenario.ts";

const strict = { loopback: false };

/** This machine, the networks around it, and what clouds tell the machines in them. */
const hosts = [
  "127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F.0.0.1", "0x7f.1", "017700000001", "0177.0.0.01",
  "0", "0.0.0.0", "0x0", "00", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::7f00:1]",
  "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]",
  "169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "0xA9.254.0xA9.254", "[::ffff:a9fe:a9fe]", "[fd00:ec2::254]",
  "[64:ff9b::a9fe:a9fe]", "169.254.170.2", "100.100.100.200", "192.0.0.192", "[fe80::a9fe:a9fe]",
  "10.0.0.1", "167772161", "172.16.0.1", "172.31.255.254", "192.168.0.1", "0xc0a80001", "198.18.0.1", "[fc00::1]", "[fec0::1]",
  "224.0.0.1", "255.255.255.255", "[ff02::1]", "localhost", "LocalHost", "localhost.", "x.localhost", "ip6-localhost", "db",
  "metadata", "metadata.google.internal", "METADATA.GOOGLE.INTERNAL.", "instance-data", "kubernetes.default.svc", "redis.local",
  "\u24df\u24e5.internal", "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460", "127\u30020\u30020\u30021", "%31%32%37.0.0.1", "loc%61lhost", "\uff11\uff12\uff17.0.0.1",
]; // biome-ignore format: a table

const urls: readonly string[] = [
  ...hosts.flatMap((host) => [`https://${host}/`, `https://${host}:8443/x`]),
  "https://me@hooks.example.com/", "https://me:secret@hooks.example.com/", "https://hooks.example.com@127.0.0.1/", "https://hooks.example.com:443@10.0.0.1/",
  "https://hooks.example.com\\@127.0.0.1/", "https://hooks.example.com#@127.0.0.1/", "https://hooks.example.com/#x", "https:\\\\127.0.0.1\\x",
  "http://hooks.example.com/", "ftp://hooks.example.com/", "file:///etc/passwd", "gopher://127.0.0.1:6379/_x", "data:text/plain,x", "javascript:1",
  "//hooks.example.com/", "hooks.example.com", "https://", "https:///x", "https://hooks.example.com:22/", "https://hooks.example.com:25/", "https://hooks.example.com:1023/",
  "https://hooks.example.com:0/", "https://hooks.example.com:99999/", "https://hooks.exa\tmple.com/", "https://hooks.example.com/\r\nX-Injected: 1", " https://hooks.example.com/", "https://[::1%25lo]/", "https://[v1.x]/",
  "https://hooks.example.com\u0000.evil.example/", `https://hooks.example.com/${"x".repeat(3000)}`,
]; // biome-ignore format: a table

let reached = 0;
const server = createServer((socket) => {
  reached += 1;
  socket.destroy();
});
before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
after(() => {
  server.close();
  assert.equal(reached, 0, "nobody was connected to");
});
const port = (): number => (server.address() as AddressInfo).port;

test("R6.11 no address that leads inside is taken, however it is written", () => {
  assert.deepEqual(urls.filter((url) => addressProblem(url, strict) === undefined), []); // biome-ignore format: short
  for (const url of [
    "https://hooks.example.com/",
    "https://hooks.example.com:8443/x?y=z",
    "https://xn--bcher-kva.example/",
  ])
    assert.equal(addressProblem(url, strict), undefined, url);
});

test("R6.12 none is connected to, also where it was taken before", async () => {
  const never: Resolve = (name, done) => done(new Error(`${name} was looked up`), []);
  const post = createPost(strict, never);
  for (const host of hosts) {
    const sending = post.send(`https://${host}:${port()}/`, {}, "{}", 1000, new AbortController().signal);
    await assert.rejects(
      sending,
      (thrown) => thrown instanceof PostError && !thrown.message.includes("looked up"),
      host,
    );
  }
  post.close();
});

test("R6.8 a name without an address is an attempt that fails, with the machine's own resolver too", async () => {
  const post = createPost(strict, systemResolve);
  // RFC 6761, section 6.4: there is no such name.
  const sending = post.send("https://hooks.invalid/", {}, "{}", 5000, new AbortController().signal);
  await assert.rejects(sending, PostError);
  post.close();
});

test("R6.12 a name is judged by what it resolves to at the moment of the connection, all of it", async () => {
  const inner = hosts.map((host) => host.replace(/^\[|\]$/g, "")).filter((host) => /^[\d.]+$|:/.test(host) && host.split(".").length !== 2);
  const real = inner.filter((host) => host.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(host));
  assert(real.length > 25);
  for (const address of real) {
    // Of which the first is public: whoever answers may change the order.
    const resolve: Resolve = (_, done) => done(null, [{ address: "1.1.1.1", family: 4 }, { address, family: address.includes(":") ? 6 : 4 }]);
    const post = createPost(strict, resolve);
    const sending = post.send(`https://rebinding.example.com:${port()}/`, {}, "{}", 1000, new AbortController().signal);
    await assert.rejects(sending, /not a public address/, address);
    post.close();
    assert(!isPublic(address), address);
  }
}); // biome-ignore format: long lines

served("webhooks to addresses inside", documentText("orders"), (subject) => {
  // The service under test may send to this machine itself, and to nobody else inside.
  const own = /^https?:\/\/(?:127|0x7f|017|2130706433|localhost|x\.localhost|\[::1|\[0:0:0:0:0:0:0:1|loc%61|%31%32|\u2460|127\u3002|\uff11)/i;
  const inside = urls.filter((url) => !own.test(url) && !url.startsWith("https:\\"));

  test("R6.11 are refused when they are made and when they are changed", async () => {
    const headers = by(await subject.running.key("kim", "clerk"));
    const send = (method: string, path: string, url: string) => subject.client.send({ method, path, headers, body: { url } });
    const made = await send("POST", "/webhooks", "https://hooks.example.com/");
    assert.equal(made.status, 201, made.text);
    const { id } = made.json as { id: string };
    for (const url of inside) {
      for (const reply of [await send("POST", "/webhooks", url), await send("PATCH", `/webhooks/${id}`, url)]) {
        assert.equal(reply.status, 422, `${url}: ${reply.text}`);
        assert(faultsOf(reply).every((fault) => fault.startsWith("#/url ")), reply.text);
      }
    }
    const after = await subject.client.send({ method: "GET", path: `/webhooks/${id}`, headers });
    assert.equal((after.json as { url: string }).url, "https://hooks.example.com/");
  });
}); // biome-ignore format: long lines
