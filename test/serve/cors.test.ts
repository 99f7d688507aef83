/** CORS (R4.22): exactly the origins that the document lists may call, over raw HTTP and in a real browser. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import { chromium } from "playwright-core";
import { run } from "./running.ts";
import { by, documentText, served } from "./scenario.ts";
import { aTool, once, people, toolLibrary } from "./tool-library.ts";

const withCors = (cors: string): string => toolLibrary.replace(/^base: /m, `cors: ${cors}\nbase: `);
const listed = withCors("https://app.example, https://*.apps.example, http://localhost:*, http://plain.example:8080");
const page = "https://app.example";

const allow = "access-control-allow-origin";

/** Each with what is echoed. */
const origins: readonly (readonly [origin: string, isAllowed: boolean])[] = [
  ["https://app.example", true],
  ["https://one.apps.example", true],
  ["http://localhost", true],
  ["http://localhost:5173", true],
  ["http://plain.example:8080", true],
  ["null", false],
  ["", false],
  ["*", false],
  ["http://app.example", false],
  ["https://app.example:8443", false],
  ["https://app.example:443", false],
  ["https://app.example/", false],
  ["https://app.example.evil.example", false],
  ["https://evil-app.example", false],
  ["https://evilapp.example", false],
  ["https://APP.EXAMPLE", false],
  ["HTTPS://app.example", false],
  ["https://app.example https://evil.example", false],
  ["https://app.example,https://evil.example", false],
  ["https://apps.example", false],
  ["https://a.b.apps.example", false],
  ["https://.apps.example", false],
  ["https://evil.example/.apps.example", false],
  ["https://evil.example#.apps.example", false],
  ["https://evil.example\\.apps.example", false],
  ["https://evil@one.apps.example", false],
  ["https://oneappsexample", false],
  ["https://one.appsXexample", false],
  ["http://localhost:5173.evil.example", false],
  ["http://localhost:", false],
  ["http://localhost:123456", false],
  ["http://localhost.evil.example", false],
  ["http://plain.example", false],
  ["http://plain.example:80800", false],
];

const notebook = documentText("notebook").replace(/^base: /m, "cors: https://app.example\nbase: ");

served("cors of tokens", notebook, (subject) => {
  for (const path of ["/oauth/token", "/oauth/revoke", "/oauth/introspect"]) {
    test(`R4.22 a client in a page can ask ${path}`, async () => {
      const reply = await subject.client.send({
        method: "OPTIONS",
        path,
        headers: { Origin: page, "Access-Control-Request-Method": "POST" },
      });
      assert.equal(reply.status, 204);
      assert.equal(reply.headers["access-control-allow-headers"], "Authorization, Content-Type");
      assert.equal(reply.headers["access-control-allow-methods"], "POST, OPTIONS");
      assert.equal(reply.headers[allow], page);
    });
  }
});

served("cors", listed, (subject) => {
  const who = people(subject);

  for (const [origin, isAllowed] of origins) {
    test(`R4.22 Origin: ${origin || "nothing"} is ${isAllowed ? "" : "not "}told that it may`, async () => {
      const reply = await subject.client.send({ method: "GET", path: "/tools", headers: { Origin: origin } });
      assert.equal(reply.headers[allow], isAllowed ? origin : undefined);
      assert.match(reply.headers["vary"] ?? "", /\bOrigin\b/);
      assert.equal(reply.headers["access-control-allow-credentials"], undefined);
      assert.equal(reply.headers["access-control-expose-headers"] !== undefined, isAllowed);
    });
  }

  test("R4.22 an origin twice is none", async () => {
    const [reply] = await subject.client.raw(
      `GET /tools HTTP/1.1\r\nHost: a\r\nOrigin: ${page}\r\nOrigin: https://evil.example\r\nConnection: close\r\n\r\n`,
    );
    assert.equal(reply?.headers[allow], undefined);
  });

  test("R4.22 a preflight is 204 without a credential, with what the path takes", async () => {
    const preflight = (path: string, method: string, origin = page) =>
      subject.client.send({
        method: "OPTIONS",
        path,
        headers: { Origin: origin, "Access-Control-Request-Method": method },
      });
    const many = await preflight("/tools", "POST");
    assert.equal(many.status, 204);
    assert.equal(many.headers[allow], page);
    assert.equal(many.headers["access-control-allow-methods"], many.headers["allow"]);
    assert.match(many.headers["access-control-allow-methods"] ?? "", /\bPOST\b/);
    const fields = many.headers["access-control-allow-headers"]?.split(", ");
    for (const field of ["Authorization", "Content-Type", "Idempotency-Key", "X-Requested-With"])
      assert(fields?.includes(field), field);
    assert(!fields?.includes("*"));
    assert.equal(many.headers["access-control-max-age"], "600");
    const one = await preflight("/tools/tol_1", "PATCH");
    assert.match(one.headers["access-control-allow-headers"] ?? "", /If-Match, If-None-Match/);
    const other = await preflight("/tools", "POST", "https://evil.example");
    assert.equal(other.status, 204);
    assert.deepEqual(
      Object.keys(other.headers).filter((name) => name.startsWith("access-control")),
      [],
    );
    const plain = await subject.client.send({ method: "OPTIONS", path: "/tools", headers: { Origin: page } });
    assert.equal(plain.headers["access-control-allow-methods"], undefined);
    assert.equal((await preflight("/nothing", "GET")).status, 404);
  });

  test("R4.22 refusals are told, too, those of the parser and of limits included; and what is written once is not kept with it", async () => {
    const get = (path: string, headers = {}) =>
      subject.client.send({ method: "GET", path, headers: { Origin: page, ...headers } });
    for (const [path, status] of [
      ["/nothing", 404],
      ["/tools?a=1", 401],
      ["/livez", 200],
    ] as const) {
      const reply = await get(path);
      assert.deepEqual([reply.status, reply.headers[allow]], [status, page], path);
    }
    assert.equal((await get("/tools/tol_x", who.member)).headers[allow], page);
    const sent = { method: "POST", path: "/tools", headers: { ...who.member, ...once(), Origin: page }, body: aTool() };
    const first = await subject.client.send(sent);
    const again = await subject.client.send({ ...sent, headers: { ...sent.headers, Origin: "http://localhost" } });
    assert.deepEqual([first.status, first.headers[allow]], [201, page]);
    assert.deepEqual([again.headers["idempotent-replayed"], again.headers[allow]], ["true", "http://localhost"]);
  });
});

served("cors: any", withCors("any"), (subject) => {
  test("R4.22 any origin, and never with credentials", async () => {
    const reply = await subject.client.send({ method: "GET", path: "/tools", headers: { Origin: "null" } });
    assert.equal(reply.headers[allow], "*");
    assert.equal(reply.headers["access-control-allow-credentials"], undefined);
    const own = await subject.client.send({ method: "GET", path: "/tools" });
    assert.equal(own.headers[allow], undefined);
  });
});

served("without cors", toolLibrary, (subject) => {
  test("R4.22 nothing at all", async () => {
    const reply = await subject.client.send({
      method: "OPTIONS",
      path: "/tools",
      headers: { Origin: page, "Access-Control-Request-Method": "POST" },
    });
    assert.equal(reply.status, 204);
    assert.doesNotMatch(JSON.stringify(reply.headers), /access-control|Origin/);
  });
});

const executable = [process.env["CHROMIUM"] ?? "", "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path !== "" && existsSync(path),
);
const reason = "there is no Chromium on this machine; CHROMIUM names one";

suite("cors in a browser", {
  skip: executable === undefined && process.env["CI"] === undefined ? reason : false,
}, () => {
  test("a page of a listed origin writes, reads, and sees tags; another page gets nothing", async () => {
    assert(executable !== undefined, reason);
    await using pages = await somePages();
    const text = withCors(`http://localhost:${pages.port}`);
    await using running = await run(text);
    const browser = await chromium.launch({ executablePath: executable, args: ["--headless", "--no-sandbox"] });
    try {
      const { Authorization } = by(await running.key("mia", "member"));
      const tried = async (host: string): Promise<unknown> => {
        const tab = await browser.newPage();
        await tab.goto(`http://${host}:${pages.port}/`);
        return tab.evaluate(
          async ({ url, body, key }) => {
            const headers = { Authorization: key, "Content-Type": "application/json", "Idempotency-Key": url };
            try {
              const made = await fetch(`${url}/tools`, { method: "POST", headers, body });
              const { id } = (await made.json()) as { id: string };
              const wrong = await fetch(`${url}/tools/${id}?a=1`, { headers: { Authorization: key } });
              return [
                made.status,
                made.headers.get("ETag") !== null,
                wrong.status,
                ((await wrong.json()) as { code: string }).code,
              ];
            } catch (thrown) {
              return String(thrown);
            }
          },
          { url: running.url, body: JSON.stringify(aTool()), key: Authorization },
        );
      };
      assert.deepEqual(await tried("localhost"), [201, true, 400, "invalid-request"]);
      assert.equal(await tried("127.0.0.1"), "TypeError: Failed to fetch");
    } finally {
      await browser.close();
    }
  });
});

/** An empty page, for whatever origin asks. */
async function somePages(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<p>A page</p>"));
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
