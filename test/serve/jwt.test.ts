/** Tokens of another issuer, verified by a secret and by a key set from a real server (R5.6). */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { GenerateKeyPairResult, JSONWebKeySet, JWTPayload } from "jose";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { documentText, serve, stores } from "./scenario.ts";
import type { Subject } from "./scenario.ts";

interface Issuer {
  readonly server: Server;
  readonly url: string;
  keys: JSONWebKeySet;
  fetched: number;
  status: number;
}

async function issue(): Promise<Issuer> {
  const issuer = { keys: { keys: [] } as JSONWebKeySet, fetched: 0, status: 200 };
  const server = createServer((_, response) => {
    issuer.fetched += 1;
    response.writeHead(issuer.status, { "Content-Type": "application/json" }).end(JSON.stringify(issuer.keys));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(issuer, { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks` });
}

const secret = "a shared secret of enough length";
const now = (): number => Math.floor(Date.now() / 1000);
/** Also without what a token has to have. */
type Claims = { readonly [Name in keyof JWTPayload]: unknown };
const good = (): Claims => ({
  iss: "https://issuer.example",
  aud: "gate",
  exp: now() + 600,
  sub: "not looked at",
  email: "jo@example.org",
  groups: ["guard", "unheard"],
});

describe("tokens", () => {
  let issuer: Issuer;
  let subject: Subject & AsyncDisposable;
  let es: GenerateKeyPairResult;
  let rsa: GenerateKeyPairResult;

  const serveGate = () =>
    serve(documentText("gate").replace("http://127.0.0.1:1/jwks", issuer.url), {
      store: stores[0] ?? "sqlite",
      environment: { TICKET_SECRET: secret, BELL_SECRET: "b" },
    });

  before(async () => {
    issuer = await issue();
    es = await generateKeyPair("ES256", { extractable: true });
    rsa = await generateKeyPair("RS256", { extractable: true });
    issuer.keys = {
      keys: [
        { ...(await exportJWK(es.publicKey)), kid: "es", alg: "ES256", use: "sig" },
        { ...(await exportJWK(rsa.publicKey)), kid: "rsa" },
      ],
    };
    subject = await serveGate();
  });
  after(async () => {
    await subject[Symbol.asyncDispose]();
    issuer.server.close();
    assert.deepEqual(subject.running.failures, []);
  });

  const signed = (payload: Claims, header: object = {}, key: CryptoKey | Uint8Array = es.privateKey): Promise<string> =>
    new SignJWT(payload as JWTPayload)
      .setProtectedHeader({ alg: "ES256", kid: "es", typ: "at+jwt", ...header })
      .sign(key);

  const add = async (headers: Readonly<Record<string, string>>) => {
    const reply = await subject.client.send({ method: "POST", path: "/notes", headers, body: {} });
    // Failures of one address are limited; that is another test's.
    if (reply.status !== 201) subject.running.pass(61_000);
    return reply;
  };
  const bearer = async (token: string | Promise<string>) => add({ Authorization: `Bearer ${await token}` });

  test("R5.6 a good token: user and roles come from the claims that the document names", async () => {
    const reply = await bearer(signed(good()));
    assert.equal(reply.status, 201, reply.text);
    const note = reply.json as { id: string; by: string };
    assert.equal(note.by, "jo@example.org");
    const headers = { Authorization: `Bearer ${await signed({ ...good(), groups: "porter guard" })}` };
    const path = `/notes/${note.id}`;
    assert.equal(
      (await subject.client.send({ method: "POST", path: `${path}/pin`, headers })).status,
      200,
      "a text of words",
    );
    const other = { Authorization: `Bearer ${await signed({ ...good(), groups: "porter" })}` };
    assert.equal((await subject.client.send({ method: "DELETE", path, headers: other })).status, 403);
    assert.equal((await subject.client.send({ method: "DELETE", path, headers })).status, 204);
  });

  const fine: readonly (readonly [name: string, () => Promise<string>])[] = [
    ["RS256 of the same set", () => signed(good(), { alg: "RS256", kid: "rsa" }, rsa.privateKey)],
    ["type JWT", () => signed(good(), { typ: "JWT" })],
    ["no type", () => signed(good(), { typ: undefined })],
    ["one of several audiences", () => signed({ ...good(), aud: ["other", "gate"] })],
    ["expired within the leeway", () => signed({ ...good(), exp: now() - 30 })],
    ["valid from within the leeway", () => signed({ ...good(), nbf: now() + 30 })],
    ["no groups", () => signed({ ...good(), groups: undefined })],
  ];
  for (const [name, make] of fine) {
    test(`R5.6 is taken: ${name}`, async () => {
      const fresh = await serveGate();
      const reply = await fresh.client.send({
        method: "POST",
        path: "/notes",
        headers: { Authorization: `Bearer ${await make()}` },
        body: {},
      });
      await fresh[Symbol.asyncDispose]();
      assert.equal(reply.status, 201, reply.text);
    });
  }

  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const bad: readonly (readonly [name: string, () => Promise<string> | string])[] = [
    ["alg none", () => `${encode({ alg: "none", typ: "at+jwt" })}.${encode(good())}.`],
    ["alg None", () => `${encode({ alg: "None" })}.${encode(good())}.`],
    [
      "HS256 with the public key as the secret",
      async () =>
        signed(good(), { alg: "HS256", kid: "rsa" }, new TextEncoder().encode(await exportSPKI(rsa.publicKey))),
    ],
    [
      "HS256 with the public key as JSON",
      async () =>
        signed(
          good(),
          { alg: "HS256", kid: "es" },
          new TextEncoder().encode(JSON.stringify(await exportJWK(es.publicKey))),
        ),
    ],
    ["the other credential's secret", () => signed(good(), { alg: "HS256" }, new TextEncoder().encode(secret))],
    ["another issuer", () => signed({ ...good(), iss: "https://issuer.example/" })],
    ["no issuer", () => signed({ ...good(), iss: undefined })],
    ["another audience", () => signed({ ...good(), aud: "gates" })],
    ["no audience", () => signed({ ...good(), aud: undefined })],
    ["expired", () => signed({ ...good(), exp: now() - 3600 })],
    ["no expiry", () => signed({ ...good(), exp: undefined })],
    ["expiry that is a text", () => signed({ ...good(), exp: "later" })],
    ["not valid yet", () => signed({ ...good(), nbf: now() + 86_400 })],
    ["no user", () => signed({ ...good(), email: undefined })],
    ["an empty user", () => signed({ ...good(), email: "" })],
    ["a user that is a number", () => signed({ ...good(), email: 5 })],
    ["an unknown critical header", () => signed(good(), { crit: ["x"], x: 1 }).catch(() => critical())],
    ["another type of token", () => signed(good(), { typ: "dpop+jwt" })],
    ["an id token's type", () => signed(good(), { typ: "id+jwt" })],
    ["the key of another kid", () => signed(good(), { alg: "RS256", kid: "es" }, rsa.privateKey)],
    [
      "a changed payload",
      async () => {
        const [header, , signature] = (await signed(good())).split(".");
        return `${header}.${encode({ ...good(), groups: ["guard", "porter"] })}.${signature}`;
      },
    ],
    ["a cut signature", async () => (await signed(good())).slice(0, -8)],
    ["no signature", async () => (await signed(good())).replace(/[^.]*$/, "")],
    ["two parts", async () => (await signed(good())).split(".").slice(0, 2).join(".")],
    [
      "a key of the token's own",
      async () => {
        const own = await generateKeyPair("ES256", { extractable: true });
        return signed(good(), { jwk: await exportJWK(own.publicKey), kid: undefined }, own.privateKey);
      },
    ],
    ["a key set of the token's own", () => signed(good(), { jku: issuer.url, kid: "mine" })],
  ];
  /** The library does not sign these, so the header is put in by hand. */
  async function critical(): Promise<string> {
    const [, payload] = (await signed(good())).split(".");
    const header = encode({ alg: "ES256", kid: "es", crit: ["x"], x: 1 });
    const bytes = await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      es.privateKey,
      Buffer.from(`${header}.${payload}`),
    );
    return `${header}.${payload}.${Buffer.from(bytes).toString("base64url")}`;
  }
  for (const [name, make] of bad) {
    test(`R5.6 is refused: ${name}`, async () => {
      const fresh = await serveGate();
      const control = { Authorization: `Bearer ${await signed(good())}` };
      assert.equal((await fresh.client.send({ method: "GET", path: "/notes", headers: control })).status, 200);
      const reply = await fresh.client.send({
        method: "GET",
        path: "/notes",
        headers: { Authorization: `Bearer ${await make()}` },
      });
      await fresh[Symbol.asyncDispose]();
      assert.equal(reply.status, 401, reply.text);
      assert.match(reply.headers["www-authenticate"] ?? "", /Bearer realm="gate", error="invalid_token"/);
    });
  }

  test("R5.6 a token signed by a shared secret, with HS256 and nothing else", async () => {
    const key = new TextEncoder().encode(secret);
    const ticket = (payload: Claims, header: object = {}, by: CryptoKey | Uint8Array = key) =>
      signed(payload, { alg: "HS256", kid: undefined, ...header }, by);
    const claims = { sub: "tess", exp: now() + 86_400, roles: ["guard"] };
    assert.equal((await add({ "X-Ticket": await ticket(claims) })).status, 201);
    assert.equal(
      (
        await add({
          "X-Ticket": await ticket(claims, {}, new TextEncoder().encode("another secret of that length...")),
        })
      ).status,
      401,
    );
    assert.equal((await add({ "X-Ticket": await ticket(claims, {}, new Uint8Array(32)) })).status, 401);
    assert.equal((await add({ "X-Ticket": await signed(claims) })).status, 401, "a key set is not looked for");
    assert.equal((await add({ "X-Ticket": `${encode({ alg: "none" })}.${encode(claims)}.` })).status, 401);
  });

  test("R5.6 without its secret no token is good, not even one signed with nothing", async () => {
    await using bare = await serve(documentText("gate"), { store: "memory", environment: {} });
    for (const text of ["", "undefined", "\0"]) {
      const key = await crypto.subtle
        .importKey("raw", Buffer.from(text), { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
        .catch(() => undefined);
      if (key === undefined) continue;
      const head = `${encode({ alg: "HS256" })}.${encode({ sub: "x", exp: now() + 600 })}`;
      const token = `${head}.${Buffer.from(await crypto.subtle.sign("HMAC", key, Buffer.from(head))).toString("base64url")}`;
      assert.equal(
        (await bare.client.send({ method: "GET", path: "/notes", headers: { "X-Ticket": token } })).status,
        401,
      );
    }
  });

  test("R5.6 the keys are fetched once; an unknown one has them fetched again once in five minutes", async () => {
    await using fresh = await serveGate();
    const asks = async (token: string): Promise<number> => {
      const { status } = await fresh.client.send({
        method: "GET",
        path: "/notes",
        headers: { Authorization: `Bearer ${token}` },
      });
      if (status !== 200) fresh.running.pass(61_000);
      return status;
    };
    issuer.fetched = 0;
    for (let i = 0; i < 3; i += 1) assert.equal(await asks(await signed({ ...good(), jti: `${i}` })), 200);
    assert.equal(issuer.fetched, 1);
    const next = await generateKeyPair("ES256", { extractable: true });
    const rotated = await signed(good(), { kid: "next" }, next.privateKey);
    const before = issuer.keys;
    issuer.keys = { keys: [...before.keys, { ...(await exportJWK(next.publicKey)), kid: "next" }] };
    assert.equal(await asks(rotated), 200, "a key that was added is found at once");
    assert.equal(issuer.fetched, 2);
    for (let i = 0; i < 4; i += 1) assert.equal(await asks(await signed(good(), { kid: `junk${i}` })), 401);
    assert.equal(issuer.fetched, 2, "junk does not make the service fetch");
    fresh.running.pass(300_000);
    assert.equal(await asks(await signed({ ...good(), exp: now() + 3600 }, { kid: "junk" })), 401);
    assert.equal(issuer.fetched, 3);
    issuer.keys = before;
  });

  test("R5.6 when the issuer cannot be reached the answer is 503, and nobody's failure", async () => {
    await using fresh = await serveGate();
    const headers = { Authorization: `Bearer ${await signed(good())}` };
    for (const status of [500, 404, 302]) {
      issuer.status = status;
      for (let i = 0; i < 5; i += 1) {
        const reply = await fresh.client.send({ method: "GET", path: "/notes", headers });
        assert.equal(reply.status, 503, reply.text);
        assert(Number(reply.headers["retry-after"]) >= 1);
      }
    }
    issuer.status = 200;
    assert.equal((await fresh.client.send({ method: "GET", path: "/notes", headers })).status, 200);
  });
});
