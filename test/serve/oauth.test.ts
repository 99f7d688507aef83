/** Clients get tokens from the built-in authorization server (R5.2 to R5.4; RFC 6749, 6750, 7009, 7662, 8414, 9728). */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrant,
  discovery,
  fetchProtectedResource,
  tokenIntrospection,
  tokenRevocation,
} from "openid-client";
import type { Reply } from "./client.ts";
import { served } from "./scenario.ts";
import { toolLibrary } from "./tool-library.ts";

const [credentials = ""] = /^credentials:\n(?: {2}.*\n)+/m.exec(toolLibrary) ?? [];
const server = `credentials:
  partner:
    kind: oauth2
    scopes: { "tools:read": visitor, "tools:write": [visitor, member] }
    lasts: 10m
`;
const document = toolLibrary.replace(credentials, server);

const minute = 60_000;

served("oauth2", document, (subject) => {
  interface Client {
    readonly id: string;
    readonly secret: string;
  }

  const client = async (user: string, ...roles: string[]): Promise<Client> => {
    const secret = await subject.running.key(user, ...roles);
    const key = (await subject.running.store.keys.list()).find((one) => one.user === user);
    assert(key !== undefined);
    return { id: key.id, secret };
  };
  const basic = ({ id, secret }: Client): string => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
  const post = (
    path: string,
    form: Readonly<Record<string, string>> | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> =>
    subject.client.send({
      method: "POST",
      path,
      headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
      body: typeof form === "string" ? form : new URLSearchParams(form).toString(),
    });
  const tokenFor = async (one: Client, scope?: string): Promise<string> => {
    const form = { grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) };
    const reply = await post("/oauth/token", form, { Authorization: basic(one) });
    assert.equal(reply.status, 200, reply.text);
    return (reply.json as { access_token: string }).access_token;
  };
  const list = (token: string): Promise<Reply> =>
    subject.client.send({ method: "GET", path: "/tools", headers: { Authorization: `Bearer ${token}` } });
  const add = (token: string): Promise<Reply> =>
    subject.client.send({
      method: "POST",
      path: "/tools",
      headers: { Authorization: `Bearer ${token}`, "Idempotency-Key": token },
      body: { name: token.slice(-20), kind: "hand", price: 1, stock: 1, note: null },
    });
  const active = async (one: Client, token: string): Promise<unknown> => {
    const reply = await post("/oauth/introspect", { token }, { Authorization: basic(one) });
    return (reply.json as { active: boolean }).active;
  };

  for (const [how, method] of [
    ["basic", ClientSecretBasic],
    ["post", ClientSecretPost],
  ] as const) {
    test(`a client of another make finds everything by itself, and proves itself by ${how}`, async () => {
      const { id, secret } = await client(`acme ${how}`, "visitor", "member");
      const url = new URL(subject.running.url);
      const config = await discovery(url, id, undefined, method(secret), {
        algorithm: "oauth2",
        execute: [allowInsecureRequests],
      });
      const given = await clientCredentialsGrant(config, { scope: "tools:read" });
      assert.equal(given.scope, "tools:read");
      assert.equal(given.expires_in, 600);
      const answer = await fetchProtectedResource(config, given.access_token, new URL("/tools", url), "GET");
      assert.equal(answer.status, 200);
      const told = await tokenIntrospection(config, given.access_token);
      assert.deepEqual([told.active, told.scope, told.client_id, told.sub], [true, "tools:read", id, `acme ${how}`]);
      assert.equal(told.exp, (told.iat as number) + 600);
      await tokenRevocation(config, given.access_token);
      assert.equal((await tokenIntrospection(config, given.access_token)).active, false);
      subject.running.pass(1000);
      assert.equal((await list(given.access_token)).status, 401);
    });
  }

  test("RFC 6749 5.1 a token is not to be kept; without a scope it has all that the client may have", async () => {
    const one = await client("all", "visitor", "member");
    const reply = await post("/oauth/token", { grant_type: "client_credentials" }, { Authorization: basic(one) });
    assert.equal(reply.headers["cache-control"], "no-store");
    assert.match(reply.headers["content-type"] ?? "", /^application\/json$/);
    const { access_token: token, ...rest } = reply.json as { access_token: string };
    assert.deepEqual(rest, { token_type: "Bearer", expires_in: 600, scope: "tools:read tools:write" });
    assert.match(token, /^partner_t_[0-9A-Za-z]{33}$/);
    assert.equal((await add(token)).status, 201);
    const stored = JSON.stringify(await subject.running.store.keys.list());
    assert(!stored.includes(token) && !stored.includes(one.secret));
  });

  test("R5.2 a scope too few is 403 with the one that is missing; a role too few no scope gives", async () => {
    const one = await client("narrow", "visitor", "member");
    const reply = await add(await tokenFor(one, "tools:read"));
    assert.equal(reply.status, 403, reply.text);
    assert.match(reply.headers["www-authenticate"] ?? "", /error="insufficient_scope".*scope="tools:write"/);
    const reader = await client("reader", "visitor");
    const refused = await post(
      "/oauth/token",
      { grant_type: "client_credentials", scope: "tools:write" },
      { Authorization: basic(reader) },
    );
    assert.deepEqual([refused.status, (refused.json as { error: string }).error], [400, "invalid_scope"]);
    assert.equal((await list(await tokenFor(reader))).status, 200);
  });

  test("a token ends in its time, with its client, and by its client alone", async () => {
    const [one, other] = [await client("one", "visitor"), await client("other", "visitor")];
    const short = await tokenFor(one);
    assert.equal((await list(short)).status, 200);
    subject.running.pass(10 * minute);
    assert.equal((await list(short)).status, 401);
    assert.equal(await active(one, short), false);
    const token = await tokenFor(one);
    assert.equal(await active(other, token), false);
    const stranger = await post("/oauth/revoke", { token }, { Authorization: basic(other) });
    assert.deepEqual([stranger.status, (stranger.json as { error: string }).error], [400, "unauthorized_client"]);
    assert.equal((await list(token)).status, 200);
    await subject.running.store.keys.revoke(one.id, subject.running.now());
    subject.running.pass(1000);
    assert.equal((await list(token)).status, 401, "R5.4 within a second");
    const again = await post("/oauth/token", { grant_type: "client_credentials" }, { Authorization: basic(one) });
    assert.deepEqual([again.status, (again.json as { error: string }).error], [401, "invalid_client"]);
  });

  test("RFC 7009 2.2 a token that nobody knows is revoked already", async () => {
    const one = await client("calm", "visitor");
    for (const token of ["nonsense", one.secret, `partner_t_${"0".repeat(33)}`]) {
      const reply = await post("/oauth/revoke", { token }, { Authorization: basic(one) });
      assert.equal(reply.status, 200, token);
    }
    assert.equal((await list(await tokenFor(one))).status, 200);
  });

  test("neither a client's secret nor a stranger's token is good for an operation", async () => {
    const one = await client("mixed", "visitor");
    for (const text of [one.secret, `partner_t_${"a".repeat(33)}`, "partner_t_", "x.y.z"]) {
      assert.equal((await list(text)).status, 401, text);
    }
    const asBasic = await subject.client.send({
      method: "GET",
      path: "/tools",
      headers: { Authorization: basic(one) },
    });
    assert.equal(asBasic.status, 401);
  });

  const grant = "grant_type=client_credentials";
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  type Attack = readonly [
    name: string,
    send: (one: Client) => readonly [body: string, headers: Readonly<Record<string, string>>, path?: string],
    expected: string,
  ];
  const attacks: readonly Attack[] = [
    ["no grant type", (one) => ["", { Authorization: basic(one) }], "400 invalid_request"],
    ["the password grant", (one) => ["grant_type=password", { Authorization: basic(one) }], "400 unsupported_grant_type"],
    ["a parameter twice", (one) => [`${grant}&${grant}`, { Authorization: basic(one) }], "400 invalid_request"],
    ["a broken escape", (one) => [`${grant}&scope=%zz`, { Authorization: basic(one) }], "400 invalid_request"],
    ["a scope that there is not", (one) => [`${grant}&scope=all`, { Authorization: basic(one) }], "400 invalid_scope"],
    ["two blanks in a scope", (one) => [`${grant}&scope=tools:read++tools:read`, { Authorization: basic(one) }], "400 invalid_scope"],
    ["no client", () => [grant, {}], "401 invalid_client"],
    ["a client without a secret", (one) => [`${grant}&client_id=${one.id}`, {}], "401 invalid_client"],
    ["a wrong secret", (one) => [grant, { Authorization: basic({ ...one, secret: `${one.secret.slice(0, -1)}_` }) }], "401 invalid_client"],
    ["another client's secret", (one) => [grant, { Authorization: basic({ ...one, id: "key_other" }) }], "401 invalid_client"],
    ["the secret as a bearer", (one) => [grant, { Authorization: `Bearer ${one.secret}` }], "401 invalid_client"],
    ["two ways at once", (one) => [`${grant}&client_id=${one.id}&client_secret=${one.secret}`, { Authorization: basic(one) }], "400 invalid_request"],
    ["two clients", (one) => [`${grant}&client_id=key_x`, { Authorization: basic(one) }], "400 invalid_request"],
    ["JSON", (one) => ['{"grant_type":"client_credentials"}', { Authorization: basic(one), "Content-Type": "application/json" }], "400 invalid_request"],
    ["the secret in the address", (one) => [grant, form, `/oauth/token?client_id=${one.id}&client_secret=${one.secret}`], "400 invalid_request"],
    ["a prototype", (one) => [`${grant}&__proto__=x&scope=__proto__`, { Authorization: basic(one) }], "400 invalid_scope"],
    ["introspection without a client", () => ["token=x", {}, "/oauth/introspect"], "401 invalid_client"],
    ["revocation without a client", () => ["token=x", {}, "/oauth/revoke"], "401 invalid_client"],
    ["revocation of nothing", (one) => ["", { Authorization: basic(one) }, "/oauth/revoke"], "400 invalid_request"],
  ]; // biome-ignore format: a table

  for (const [name, send, expected] of attacks) {
    test(`refused: ${name}`, async () => {
      const one = await client(`attacked by ${name}`, "visitor");
      // Failures of one address are held back: each attack has its minute.
      subject.running.pass(minute);
      const [body, headers, path = "/oauth/token"] = send(one);
      const reply = await post(path, body, headers);
      assert.equal(`${reply.status} ${(reply.json as { error: string }).error}`, expected, reply.text);
      assert.equal(reply.headers["cache-control"], "no-store");
      assert.equal(reply.headers["www-authenticate"] !== undefined, reply.status === 401);
      assert(!reply.text.includes(one.secret));
    });
  }

  test("R5.7 guessing is held back, and costs nobody who knows", async () => {
    const one = await client("guessed", "visitor");
    subject.running.pass(minute);
    const guess = () =>
      post("/oauth/token", { grant_type: "client_credentials", client_id: one.id, client_secret: "guess" });
    for (let count = 0; count < 10; count += 1) assert.equal((await guess()).status, 401);
    const held = await guess();
    assert.deepEqual([held.status, (held.json as { error: string }).error], [429, "invalid_client"]);
    assert(Number(held.headers["retry-after"]) > 0);
    assert.match(await tokenFor(one), /^partner_t_/);
    subject.running.pass(minute);
  });

  test("what is advertised is what there is", async () => {
    const get = async (path: string): Promise<Readonly<Record<string, unknown>>> =>
      (await subject.client.send({ method: "GET", path })).json as Readonly<Record<string, unknown>>;
    const { url } = subject.running;
    const metadata = await get("/.well-known/oauth-authorization-server");
    assert.equal(metadata["issuer"], url);
    for (const name of ["token", "revocation", "introspection"]) {
      const address = String(metadata[`${name}_endpoint`]);
      assert(address.startsWith(`${url}/oauth/`), address);
      assert.equal((await post(address.slice(url.length), "")).status, 401);
    }
    assert.deepEqual(metadata["grant_types_supported"], ["client_credentials"]);
    assert.deepEqual(metadata["scopes_supported"], ["tools:read", "tools:write"]);
    assert.equal((await get("/.well-known/oauth-protected-resource"))["resource"], url);
    const bare = await subject.client.send({ method: "GET", path: "/tools" });
    const challenge = bare.headers["www-authenticate"] ?? "";
    assert(challenge.includes(`resource_metadata="${url}/.well-known/oauth-protected-resource"`), challenge);
    assert(!challenge.includes("error="));
    const wrong = await subject.client.send({ method: "GET", path: "/oauth/token" });
    assert.deepEqual([wrong.status, wrong.headers["allow"]], [405, "POST, OPTIONS"]);
  });
});
