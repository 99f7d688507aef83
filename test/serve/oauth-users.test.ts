/** Users authorize clients: the code flow with PKCE (RFC 6749, 7636, 7009, 8252, 9207, 9700). */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  discovery,
  fetchProtectedResource,
  None,
  randomPKCECodeVerifier,
  refreshTokenGrant,
  tokenIntrospection,
  tokenRevocation,
} from "openid-client";
import { register } from "../../src/runtime/auth/oauth/registered.ts";
import type { Reply } from "./client.ts";
import { documentText, served } from "./scenario.ts";

const document = documentText("notebook");

const minute = 60_000;
const redirect = "https://client.example/back";
const password = "correct horse battery";

served("oauth2 with login", document, (subject) => {
  let count = 0;

  interface App {
    readonly id: string;
    readonly secret: string;
  }

  const app = async (
    roles: readonly string[] = ["reader", "writer"],
    more: { readonly isPublic?: boolean; readonly redirects?: readonly string[] } = {},
  ): Promise<App> => {
    const { running } = subject;
    const owner = `acme ${(count += 1)}`;
    const secret = await running.keyOf("app", owner, ...roles);
    const key = (await running.store.keys.list()).find(({ user }) => user === owner);
    assert(key !== undefined);
    await register(running.store.grants, key, { redirects: [redirect], isPublic: false, ...more });
    return { id: key.id, secret };
  };

  interface User {
    readonly id: string;
    readonly email: string;
  }

  const user = async (role = "writer"): Promise<User> => {
    // Guesses of one minute are held back together.
    subject.running.pass(minute);
    const email = `ann${(count += 1)}@example.com`;
    const made = await send("POST", "/users", { body: { email, password, role } });
    assert.equal(made.status, 201, made.text);
    return { id: (made.json as { id: string }).id, email };
  };

  interface Said {
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  }

  const send = (method: string, path: string, { body, headers = {} }: Said = {}): Promise<Reply> =>
    subject.client.send({
      method,
      path,
      headers: {
        ...(method === "POST" && typeof body === "object" ? { "Idempotency-Key": `k${(count += 1)}` } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body as never }),
    });
  const form = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}): Said => ({
    body: new URLSearchParams(fields).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
  });

  /** As much of a browser as is needed: cookies by path, and no redirect followed unasked. */
  class Browser {
    readonly cookies = new Map<string, { readonly value: string; readonly path: string }>();

    headersFor(path: string): Record<string, string> {
      const sent = [...this.cookies].filter(([, cookie]) => path.startsWith(cookie.path));
      return sent.length === 0 ? {} : { Cookie: sent.map(([name, { value }]) => `${name}=${value}`).join("; ") };
    }

    async go(method: string, address: string, fields?: Readonly<Record<string, string>>): Promise<Reply> {
      const url = new URL(address, subject.running.url);
      const headers = this.headersFor(url.pathname);
      const target = url.pathname + url.search;
      const reply = await send(method, target, fields === undefined ? { headers } : form(fields, headers));
      for (const line of [reply.headers["set-cookie"] ?? []].flat()) {
        for (const one of line.split(/, (?=[a-z_.]+=)/)) {
          assert.match(one, /httponly/i);
          assert.match(one, /samesite=lax/i);
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
          const path = /path=([^;]+)/i.exec(one)?.[1] ?? "/";
          if (value === "") this.cookies.delete(name);
          else this.cookies.set(name, { value, path });
        }
      }
      return reply;
    }

    /** Follows what stays with the service. */
    async follow(reply: Reply): Promise<Reply> {
      let last = reply;
      for (let hops = 0; hops < 5; hops += 1) {
        const location = last.headers["location"];
        if (location === undefined || new URL(location, subject.running.url).origin !== subject.running.url)
          return last;
        this.at = location;
        last = await this.go("GET", location);
      }
      return last;
    }

    at = "";

    submit(page: Reply, fields: Readonly<Record<string, string>>): Promise<Reply> {
      const [, token = ""] = /name="token" value="([^"]+)"/.exec(page.text) ?? [];
      return this.go("POST", this.at, { token, ...fields });
    }
  }

  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const request = (client: App, more: Readonly<Record<string, string | undefined>> = {}): string => {
    const parameters = {
      client_id: client.id,
      response_type: "code",
      redirect_uri: redirect,
      scope: "notes:read notes:write",
      state: "s1",
      code_challenge: challenge,
      code_challenge_method: "S256",
      ...more,
    };
    const said = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    return `/oauth/authorize?${new URLSearchParams(said).toString()}`;
  };

  /** Through both pages; gives where the client is told the outcome. */
  const letIn = async (address: string, { email }: User, browser = new Browser()): Promise<URL> => {
    const login = await browser.follow(await browser.go("GET", address));
    assert.equal(login.status, 200, login.text);
    const consent = await browser.follow(
      await browser.submit(login, { name: email, secret: password, answer: "login" }),
    );
    assert.equal(consent.status, 200, consent.text);
    const told = await browser.follow(await browser.submit(consent, { answer: "allow" }));
    assert.equal(told.status, 303, told.text);
    return new URL(told.headers["location"] ?? "");
  };
  const basic = ({ id, secret }: App) => ({
    Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
  });
  const exchange = (client: App, code: string, more: Readonly<Record<string, string>> = {}): Promise<Reply> =>
    send(
      "POST",
      "/oauth/token",
      form(
        { grant_type: "authorization_code", code, redirect_uri: redirect, code_verifier: verifier, ...more },
        basic(client),
      ),
    );
  interface Tokens {
    readonly access_token: string;
    readonly refresh_token: string;
    readonly scope: string;
    readonly expires_in: number;
  }
  const tokensFor = async (client: App, who: User, more: Readonly<Record<string, string>> = {}): Promise<Tokens> => {
    const code = (await letIn(request(client, more), who)).searchParams.get("code") ?? "";
    const reply = await exchange(client, code);
    assert.equal(reply.status, 200, reply.text);
    return reply.json as Tokens;
  };
  const refresh = (client: App, token: string): Promise<Reply> =>
    send("POST", "/oauth/token", form({ grant_type: "refresh_token", refresh_token: token }, basic(client)));
  const list = (token: string): Promise<Reply> =>
    send("GET", "/notes", { headers: { Authorization: `Bearer ${token}` } });
  const add = (token: string): Promise<Reply> =>
    send("POST", "/notes", { headers: { Authorization: `Bearer ${token}` }, body: { text: "hello" } });
  const errorOf = (reply: Reply): string => `${reply.status} ${(reply.json as { error?: string }).error ?? ""}`;

  test("a client of another make goes all the way, with a secret", async () => {
    const [client, ann] = [await app(), await user()];
    const url = new URL(subject.running.url);
    const config = await discovery(url, client.id, undefined, ClientSecretBasic(client.secret), {
      algorithm: "oauth2",
      execute: [allowInsecureRequests],
    });
    const code_verifier = randomPKCECodeVerifier();
    const address = buildAuthorizationUrl(config, {
      redirect_uri: redirect,
      scope: "notes:write",
      code_challenge: await calculatePKCECodeChallenge(code_verifier),
      code_challenge_method: "S256",
      state: "x",
    });
    const back = await letIn(address.href, ann);
    assert.equal(back.searchParams.get("iss"), subject.running.url);
    const given = await authorizationCodeGrant(config, back, { pkceCodeVerifier: code_verifier, expectedState: "x" });
    assert.equal(given.scope, "notes:write");
    assert.equal(given.expires_in, 600);
    assert.match(given.access_token, /^app_t_/);
    const answer = await fetchProtectedResource(config, given.access_token, new URL("/notes", url), "GET");
    assert.equal(answer.status, 200);
    const told = await tokenIntrospection(config, given.access_token);
    assert.deepEqual([told.active, told.sub, told.client_id, told.scope], [true, ann.id, client.id, "notes:write"]);
    const next = await refreshTokenGrant(config, given.refresh_token ?? "");
    assert.notEqual(next.refresh_token, given.refresh_token);
    assert.equal((await list(next.access_token)).status, 200);
    await tokenRevocation(config, next.refresh_token ?? "");
    assert.equal((await tokenIntrospection(config, next.access_token)).active, false);
    subject.running.pass(1000);
    assert.equal((await list(next.access_token)).status, 401, "R5.4 within a second");
    assert.equal((await list(given.access_token)).status, 401);
  });

  test("so does one without a secret, on a port of its own (RFC 8252 section 7.3)", async () => {
    const client = await app(["reader"], { isPublic: true, redirects: ["http://127.0.0.1/back"] });
    const config = await discovery(new URL(subject.running.url), client.id, undefined, None(), {
      algorithm: "oauth2",
      execute: [allowInsecureRequests],
    });
    const code_verifier = randomPKCECodeVerifier();
    const address = buildAuthorizationUrl(config, {
      redirect_uri: "http://127.0.0.1:51234/back",
      code_challenge: await calculatePKCECodeChallenge(code_verifier),
      code_challenge_method: "S256",
    });
    const back = await letIn(address.href, await user("reader"));
    const given = await authorizationCodeGrant(config, back, { pkceCodeVerifier: code_verifier });
    assert.equal(given.scope, "notes:read", "all that the client may have");
    assert.equal((await list(given.access_token)).status, 200);
    const own = await send("POST", "/oauth/token", form({ grant_type: "client_credentials", client_id: client.id }));
    assert.equal(errorOf(own), "400 unauthorized_client");
    const asked = await send("POST", "/oauth/introspect", form({ token: given.access_token, client_id: client.id }));
    assert.equal(errorOf(asked), "401 invalid_client");
  });

  test("the caller is the record, and may do what it, the client and the scopes all may", async () => {
    const [client, ann] = [await app(), await user()];
    const made = await add((await tokensFor(client, ann)).access_token);
    assert.deepEqual([made.status, (made.json as { by: string }).by], [201, ann.id]);
    const narrow = await add((await tokensFor(client, ann, { scope: "notes:read" })).access_token);
    assert.equal(narrow.status, 403);
    assert.match(narrow.headers["www-authenticate"] ?? "", /error="insufficient_scope".*scope="notes:write"/);
    const reader = await tokensFor(client, await user("reader"));
    assert.equal((await list(reader.access_token)).status, 200);
    assert.equal((await add(reader.access_token)).status, 403, "no scope gives what the user has not");
  });

  test("a token ends in its time, with the user, with the client, and with the password that was proved", async () => {
    const client = await app();
    const [ann, ben, cem] = [await user(), await user(), await user()];
    const [one, two, three] = [
      await tokensFor(client, ann),
      await tokensFor(client, ben),
      await tokensFor(client, cem),
    ];
    const login = await send("POST", "/login", { body: { email: ben.email, password } });
    const session = { Authorization: `Bearer ${(login.json as { token: string }).token}` };
    const changed = await send("PATCH", `/users/${ben.id}`, {
      headers: { ...session, "Content-Type": "application/merge-patch+json" },
      body: { password: "another long one" },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await list(two.access_token)).status, 401);
    assert.equal(errorOf(await refresh(client, two.refresh_token)), "400 invalid_grant");
    assert.equal((await send("DELETE", `/users/${cem.id}`, { headers: session })).status, 204);
    assert.equal((await list(three.access_token)).status, 401);
    assert.equal(errorOf(await refresh(client, three.refresh_token)), "400 invalid_grant");
    assert.equal((await list(one.access_token)).status, 200);
    subject.running.pass(10 * minute);
    assert.equal((await list(one.access_token)).status, 401);
    const again = (await refresh(client, one.refresh_token)).json as Tokens;
    assert.equal((await list(again.access_token)).status, 200);
    await subject.running.store.keys.revoke(client.id, subject.running.now());
    subject.running.pass(1000);
    assert.equal((await list(again.access_token)).status, 401);
    assert.equal(errorOf(await refresh(client, again.refresh_token)), "401 invalid_client");
  });

  test("refresh tokens go on for as long as they are used, and end all where one is used twice", async () => {
    const [client, ann] = [await app(), await user()];
    let tokens = await tokensFor(client, ann);
    for (let count = 0; count < 3; count += 1) {
      subject.running.pass(20 * 24 * 60 * minute);
      const reply = await refresh(client, tokens.refresh_token);
      assert.equal(reply.status, 200, reply.text);
      const before = tokens;
      tokens = reply.json as Tokens;
      assert.notEqual(tokens.refresh_token, before.refresh_token);
      if (count < 2) continue;
      assert.equal((await list(tokens.access_token)).status, 200);
      assert.equal(errorOf(await refresh(client, before.refresh_token)), "400 invalid_grant");
      assert.equal((await list(tokens.access_token)).status, 401);
      assert.equal(errorOf(await refresh(client, tokens.refresh_token)), "400 invalid_grant");
    }
    const idle = await tokensFor(client, ann);
    const other = await app();
    assert.equal(errorOf(await refresh(other, idle.refresh_token)), "400 invalid_grant", "another client's");
    subject.running.pass(31 * 24 * 60 * minute);
    assert.equal(errorOf(await refresh(client, idle.refresh_token)), "400 invalid_grant");
  });

  test("a code is good once, for a minute, for its client, address and verifier", async () => {
    const [client, other, ann] = [await app(), await app(), await user()];
    const code = async (): Promise<string> => (await letIn(request(client), ann)).searchParams.get("code") ?? "";
    const used = await code();
    const { access_token: token } = (await exchange(client, used)).json as Tokens;
    assert.equal((await list(token)).status, 200);
    assert.equal(errorOf(await exchange(client, used)), "400 invalid_grant");
    assert.equal((await list(token)).status, 401, "OA21: what came of it ends");
    const late = await code();
    subject.running.pass(minute);
    assert.equal(errorOf(await exchange(client, late)), "400 invalid_grant");
    const good = await code();
    const wrong: readonly (readonly [App, Readonly<Record<string, string>>, string])[] = [
      [other, {}, "400 invalid_grant"],
      [client, { code_verifier: randomBytes(32).toString("base64url") }, "400 invalid_grant"],
      [client, { code_verifier: "" }, "400 invalid_grant"],
      [client, { redirect_uri: `${redirect}/` }, "400 invalid_grant"],
      [client, { redirect_uri: "" }, "400 invalid_request"],
      [{ ...client, secret: other.secret }, {}, "401 invalid_client"],
    ];
    for (const [who, more, expected] of wrong)
      assert.equal(errorOf(await exchange(who, good, more)), expected, JSON.stringify(more));
    const both = await Promise.all([exchange(client, good), exchange(client, good)]);
    assert(both.filter(({ status }) => status === 200).length <= 1, "of two at once one at most");
    for (const { status, json } of both)
      if (status === 200) assert.equal((await list((json as Tokens).access_token)).status, 401);
  });

  test("what is wrong with a request is told to the client, with who says it", async () => {
    const client = await app(["reader"]);
    const wrong: readonly (readonly [Readonly<Record<string, string | undefined>>, string])[] = [
      [{ code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
      [{ code_challenge_method: undefined }, "invalid_request"],
      [{ code_challenge_method: "plain" }, "invalid_request"],
      [{ code_challenge: "short" }, "invalid_request"],
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ response_mode: "form_post" }, "unsupported_response_mode"],
      [{ response_mode: "fragment" }, "unsupported_response_mode"],
      [{ scope: "notes:write" }, "invalid_scope"],
      [{ scope: "openid" }, "invalid_scope"],
      [{ scope: "notes:read notes:write" }, "invalid_scope"],
      [{ scope: "notes:read", prompt: "none" }, "login_required"],
    ];
    for (const [more, expected] of wrong) {
      const reply = await new Browser().go("GET", request(client, { scope: "notes:read", ...more }));
      assert.equal(reply.status, 303, `${JSON.stringify(more)} ${reply.text}`);
      // Who asks for a token is told in the fragment, as it would be given one.
      const location = reply.headers["location"] ?? "";
      assert(location.startsWith(redirect), `${JSON.stringify(more)} ${location}`);
      const back = new URL(location.replace("#", "?"));
      assert.equal(`${back.origin}${back.pathname}`, redirect);
      assert.deepEqual(
        ["error", "state", "iss"].map((name) => back.searchParams.get(name)),
        [expected, "s1", subject.running.url],
        JSON.stringify(more),
      );
    }
  });

  test("nobody is sent where the client did not say", async () => {
    const client = await app(["reader"], {
      redirects: [redirect, "http://127.0.0.1/back", "com.example.app:/back"],
    });
    const addresses = [
      "https://evil.example/back", `${redirect}/`, `${redirect}?x=1`, `${redirect}#x`, `${redirect}/../evil`, "https://client.example",
      "https://client.example.evil.example/back", "https://client.example@evil.example/back", "https://CLIENT.example/Back",
      "http://client.example/back", "//client.example/back", "/back", "javascript:alert(1)", "https://client.example/back%0d%0aX: y",
      "http://127.0.0.1:8080/other", "http://localhost/back", "http://127.0.0.1.evil.example/back", "https://127.0.0.1/back",
      "com.example.app:/other", "com.example.other:/back", "",
    ]; // biome-ignore format: a table
    for (const address of addresses) {
      const reply = await new Browser().go("GET", request(client, { scope: "notes:read", redirect_uri: address }));
      assert.equal(reply.status, 400, address);
      assert.equal(reply.headers["location"], undefined, address);
      assert.match(reply.headers["content-type"] ?? "", /^text\/html/);
    }
    for (const more of [{ client_id: "key_none" }, { client_id: undefined }]) {
      const reply = await new Browser().go("GET", request(client, more));
      assert.deepEqual([reply.status, reply.headers["location"]], [400, undefined]);
    }
    const without = await subject.running.keyOf("app", "plain", "reader");
    const key = (await subject.running.store.keys.list()).find(({ user }) => user === "plain");
    const reply = await new Browser().go("GET", request({ id: key?.id ?? "", secret: without }));
    assert.deepEqual(
      [reply.status, reply.headers["location"]],
      [400, undefined],
      "a client that acts for itself alone",
    );
  });

  test("pages are in no frame, run nothing, and are for the browser that began", async () => {
    const [client, ann] = [await app(), await user()];
    const browser = new Browser();
    const page = await browser.follow(await browser.go("GET", request(client)));
    const policy = page.headers["content-security-policy"] ?? "";
    assert.match(
      policy,
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:\/\/client\.example;/,
    );
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(page.headers["cache-control"], "no-store");
    assert.doesNotMatch(page.text, /<script/);
    const right = { name: ann.email, secret: password, answer: "login" };
    const [, token = ""] = /name="token" value="([^"]+)"/.exec(page.text) ?? [];
    for (const reply of [
      await browser.go("POST", browser.at, right),
      await browser.go("POST", browser.at, { ...right, token: `${token}x` }),
      await new Browser().go("POST", browser.at, { ...right, token }),
      await new Browser().go("GET", browser.at),
    ]) {
      assert.deepEqual([reply.status, reply.headers["location"]], [400, undefined]);
      assert(!reply.text.includes(token));
    }
    const other = new Browser();
    await other.follow(await other.go("GET", request(client)));
    assert.equal((await other.go("POST", other.at, { ...right, token })).status, 400, "another's token");
    // What is asked first is answered first: no consent without a login.
    const early = await browser.submit(page, { answer: "allow" });
    assert.equal(early.status, 400);
    const consent = await browser.follow(await browser.submit(page, right));
    assert.match(consent.text, /<li><strong>notes:read/);
    assert.equal((await browser.submit(page, { answer: "allow" })).status, 400, "the token of the other page");
    const asked = browser.at;
    const denied = await browser.follow(await browser.submit(consent, { answer: "deny" }));
    const back = new URL(denied.headers["location"] ?? "");
    assert.deepEqual([back.searchParams.get("error"), back.searchParams.get("code")], ["access_denied", null]);
    browser.at = asked;
    assert.equal((await browser.submit(consent, { answer: "allow" })).status, 400, "it is over");
    assert.equal(
      (await subject.running.store.sessions.list()).some((one) => one.user === ann.id),
      false,
    );
  });

  test("who logged in before is asked again", async () => {
    const [client, ann, ben] = [await app(), await user(), await user()];
    const browser = new Browser();
    for (const who of [ann, ann, ben]) {
      const back = await letIn(request(client), who, browser);
      assert.notEqual(back.searchParams.get("code"), null);
    }
  });

  test("R5.7 guessing on the page is held back", async () => {
    const [client, ann] = [await app(), await user()];
    const browser = new Browser();
    const page = await browser.follow(await browser.go("GET", request(client)));
    const guess = (name: string) => browser.submit(page, { name, secret: "a wrong password", answer: "login" });
    const [known, unknown] = [await guess(ann.email), await guess("nobody@example.com")];
    assert.deepEqual([known.status, unknown.status], [400, 400]);
    assert.equal(known.text, unknown.text);
    for (let tries = 2; tries < 10; tries += 1) await guess(ann.email);
    const held = await browser.submit(page, { name: ann.email, secret: password, answer: "login" });
    assert.equal(held.status, 429);
    assert(Number(held.headers["retry-after"]) > 0);
    subject.running.pass(minute);
    const right = await browser.submit(page, { name: ann.email, secret: password, answer: "login" });
    assert.equal(right.status, 303);
  });

  test("what is kept gives nobody a token", async () => {
    const [client, ann] = [await app(), await user()];
    const kept: string[] = [];
    const { grants } = subject.running.store;
    const put = grants.put.bind(grants);
    grants.put = (grant) => {
      kept.push(JSON.stringify(grant));
      return put(grant);
    };
    const code = (await letIn(request(client), ann)).searchParams.get("code") ?? "";
    const tokens = (await exchange(client, code)).json as Tokens;
    grants.put = put;
    assert(kept.length > 5);
    for (const secret of [code, tokens.access_token, tokens.refresh_token, password, client.secret])
      assert(!kept.some((text) => text.includes(secret)));
  });

  test("what is advertised is what there is", async () => {
    const metadata = (await send("GET", "/.well-known/oauth-authorization-server")).json as Record<string, unknown>;
    assert.equal(metadata["authorization_endpoint"], `${subject.running.url}/oauth/authorize`);
    assert.deepEqual(metadata["grant_types_supported"], ["client_credentials", "authorization_code", "refresh_token"]);
    assert.deepEqual(metadata["code_challenge_methods_supported"], ["S256"]);
    assert.deepEqual(metadata["response_types_supported"], ["code"]);
    assert.equal(metadata["authorization_response_iss_parameter_supported"], true);
    assert.equal(metadata["jwks_uri"], undefined);
  });
});
