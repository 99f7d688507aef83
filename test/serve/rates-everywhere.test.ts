/**
 * R8.3, R8.8: every request counts in a limit of its address before any work. The test reads the routes from the service, so that
 * it also covers routes added later.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, type Reply, type Sent } from "./client.ts";
import { run } from "./running.ts";
import { documentText } from "./scenario.ts";
import { pagesOf } from "./versions/pages.ts";

const allowed = 3;

const withRate = (rate: string): string =>
  documentText("notebook")
    .replace("  app:\n", "  bell: { kind: hmac-sha256, sent: header Bell-Signature, secret: env BELL }\n  app:\n")
    .replace(/^base: /m, "cors: https://app.example\nbase: ")
    .replace(
      "## Events\nnone",
      `## Events
\`\`\`yaml
out: { note.added: addNote }
in: { bell.rung: { at: POST /hooks/bell, with: bell, carries: { note: Note } } }
delivery:
  webhook: { subscribe: POST /webhooks, for: writer, signed: standard-webhooks, timeout: 5s, retry: 5s }
  stream: { at: GET /events, for: reader }
\`\`\``,
    )
    .replace(
      "## Versioning\nnone",
      `## Versioning
\`\`\`yaml
scheme: numbered
sent: header Notebook-Version
absent: newest
versions:
  2: ["path listNotes, was GET /list-of-notes"]
  1: first
\`\`\``,
    )
    .replace("rate: { all: 10000/min per ip }", rate);

/** What is no route, and is answered all the same. */
const beside: Readonly<Record<string, Sent>> = {
  "an unknown path": { method: "GET", path: "/nothing/here" },
  "an unknown path below a page": { method: "GET", path: "/oauth/nothing" },
  "a method that an operation lacks": { method: "PUT", path: "/notes" },
  "a method that a page lacks": { method: "DELETE", path: "/oauth/token" },
  "a method that health lacks": { method: "POST", path: "/livez" },
  "a method that no service has": { method: "PROPFIND", path: "/notes" },
  "a bad escape": { method: "GET", path: "/notes/%zz" },
  "a target that is too long": { method: "GET", path: `/notes?${"x".repeat(8200)}` },
  "a code that there is not": { method: "GET", path: "/errors/nothing" },
};

const announced: Readonly<Record<string, Sent>> = {
  "OPTIONS of an operation": { method: "OPTIONS", path: "/notes" },
  "OPTIONS of a page": { method: "OPTIONS", path: "/oauth/token" },
  "OPTIONS of an unknown path": { method: "OPTIONS", path: "/nothing/here" },
  "OPTIONS *": { method: "OPTIONS", path: "*" },
  "a preflight": {
    method: "OPTIONS",
    path: "/notes",
    headers: { Origin: "https://app.example", "Access-Control-Request-Method": "POST" },
  },
};

const sentTo = (route: string): Sent => {
  const [method = "", path = ""] = route.split(" ");
  return { method, path: path.replaceAll(/\{\w+\}/g, "1") };
};

for (const [rate, counts] of [
  [`rate: { all: ${allowed}/min per ip }`, "all"],
  [`rate: { all: ${allowed}/min per user }`, "all"],
  [`rate: { anyone: ${allowed}/min per ip }`, "anonymous"],
] as const) {
  test(`R8.3 every route counts: ${rate}`, async () => {
    const document = withRate(rate);
    const pages = pagesOf(document);
    const options = { store: "memory", proxies: ["127.0.0.1"], pages, environment: { BELL: "a bell" } } as const;
    await using running = await run(document, options);
    using client = createClient(running.port, () => {});
    const { routes } = running;
    for (const needed of ["GET /oauth/authorize", "POST /oauth/ask/{uid}", "POST /oauth/introspect", "GET /", "GET /openapi.json", "GET /.well-known/oauth-authorization-server", "POST /hooks/bell", "POST /webhooks", "GET /events", "GET /notes", "GET /list-of-notes", "POST /login"]) // biome-ignore format: a list
      assert(routes.includes(needed), `${needed} is not among ${routes.join(", ")}`);
    let addresses = 0;
    const repeated = async (sent: Sent, times: number, headers: Readonly<Record<string, string>> = {}) => {
      addresses += 1;
      const from = { "X-Forwarded-For": `198.51.${addresses >> 8}.${addresses & 255}` };
      const replies: Reply[] = [];
      for (let index = 0; index < times; index += 1)
        replies.push(await client.send({ ...sent, headers: { ...sent.headers, ...headers, ...from } }));
      return replies;
    };
    const assertCounted = async (what: string, sent: Sent, headers: Readonly<Record<string, string>> = {}) => {
      const replies = await repeated(sent, allowed + 1, headers);
      const statuses = replies.map(({ status }) => status);
      assert(!statuses.slice(0, allowed).includes(429), `${what}: ${statuses.join()}`);
      assert.equal(statuses.at(-1), 429, `${what}: ${statuses.join()}`);
      const wait = Number(replies.at(-1)?.headers["retry-after"]);
      assert(wait >= 1 && wait <= 60, what);
    };
    const isHealth = (route: string) => /^GET \/(livez|readyz)$/.test(route);
    for (const route of routes) {
      if (isHealth(route)) continue;
      await assertCounted(route, sentTo(route));
      if (route.startsWith("GET ")) await assertCounted(`HEAD of ${route}`, { ...sentTo(route), method: "HEAD" });
    }
    for (const [what, sent] of Object.entries(beside)) {
      await assertCounted(what, sent);
      await assertCounted(`${what}, with a credential`, sent, { Authorization: "Bearer nobody's" });
    }
    for (const route of ["GET /oauth/authorize", "POST /oauth/token", "GET /openapi.json"])
      await assertCounted(`${route}, with a credential`, sentTo(route), { Authorization: "Bearer nobody's" });
    const unknownVersion: Sent = { method: "GET", path: "/notes", headers: { "Notebook-Version": "9" } };
    await assertCounted("an operation in a version that there is not", unknownVersion);
    for (const [what, sent] of Object.entries(announced)) {
      if (counts === "all") await assertCounted(what, sent);
      // It may announce a request with a credential, for which `anyone` does not hold.
      else assert(!(await repeated(sent, allowed + 3)).some(({ status }) => status === 429), what);
    }
    for (const route of routes.filter(isHealth))
      assert(
        (await repeated(sentTo(route), 20)).every(({ status }) => status === 200),
        route,
      );
  });
}

test("R8.8 where the document says no rate an address has 1,200 requests a minute to what is no operation", async () => {
  const document = withRate("size: { request: 100KB }");
  const pages = pagesOf(document);
  const options = { store: "memory", proxies: ["127.0.0.1"], pages, environment: { BELL: "a bell" } } as const;
  await using running = await run(document, options);
  using client = createClient(running.port, () => {});
  const send = (sent: Sent, address: string) =>
    client.send({ ...sent, headers: { ...sent.headers, "X-Forwarded-For": address } });
  const many = [
    ...running.routes.filter((route) => /^\w+ \/(?:oauth|openapi|errors|$)/.test(route)).map(sentTo),
    ...Object.values(beside),
  ];
  const counted = many.filter(({ path }) => path !== "/oauth/authorize");
  let refused = 0;
  for (let index = 0; index < 1230; index += 30) {
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, more) => send(counted[(index + more) % counted.length] as Sent, "198.51.100.1")),
    );
    refused += replies.filter(({ status }) => status === 429).length;
  }
  assert.equal(refused, 30);
  assert.equal((await send({ method: "GET", path: "/openapi.json" }, "198.51.100.2")).status, 200);
  assert.equal((await send({ method: "GET", path: "/notes" }, "198.51.100.1")).status, 401, "an operation has none");
  const authorize: Sent = { method: "GET", path: "/oauth/authorize?client_id=nobody" };
  const begun = await Promise.all(Array.from({ length: 130 }, () => send(authorize, "198.51.100.3")));
  assert.equal(
    begun.filter(({ status }) => status === 429).length,
    10,
    "what is stored for each has a limit of its own",
  );
});
