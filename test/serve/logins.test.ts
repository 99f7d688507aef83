/** Passwords, sessions and refresh tokens (R5.2, R5.4, R5.7, R5.10; RFC 9700 section 4.14.2). */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "./client.ts";
import type { Subject } from "./scenario.ts";
import { documentText, served } from "./scenario.ts";

const text = documentText("clubhouse");

interface Session {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly refreshToken: string;
  readonly expiresAt: string;
}

let members = 0;

function clubhouse({ client }: Subject) {
  const send = (method: string, path: string, body?: unknown, token?: string, more: Record<string, string> = {}) =>
    client.send({
      method,
      path,
      ...(body === undefined ? {} : { body }),
      headers: { ...(token === undefined ? {} : { Authorization: `Token ${token}` }), ...more },
    });
  return {
    send,
    member: async (): Promise<Session> => {
      members += 1;
      const email = `member${members}@example.com`;
      const reply = await send("POST", "/members", { email, password: "correct horse" });
      assert.equal(reply.status, 201, reply.text);
      return { ...(reply.json as Session), email };
    },
    login: (email: string, password: string) => send("POST", "/sessions", { email, password }),
    renew: (refreshToken: string) => send("POST", "/sessions/renewal", { refreshToken }),
    note: (token: string | undefined) => send("POST", "/notes", { text: "hello" }, token),
  };
}

function sessionIn(reply: Reply): Session {
  assert.equal(reply.status, 200, reply.text);
  return reply.json as Session;
}

served(
  "logins",
  text,
  (subject) => {
    const club = () => clubhouse(subject);

    test("R5.4 whoever registers has a session, with a token of the credential's prefix", async () => {
      const { member, note } = club();
      const session = await member();
      assert.match(session.token, /^club_[0-9A-Za-z]{33}$/);
      assert.match(session.refreshToken, /^club_r_[0-9A-Za-z]{33}$/);
      const reply = await note(session.token);
      assert.equal(reply.status, 201, reply.text);
      assert.equal((reply.json as { by: string }).by, session.id);
      assert.equal((reply.json as { mine: boolean }).mine, true);
    });

    test("a login gives a token that is good for an hour, to the millisecond", async () => {
      const { member, login, note } = club();
      const { email } = await member();
      const before = subject.running.now();
      const session = sessionIn(await login(email, "correct horse"));
      const until = Date.parse(session.expiresAt);
      assert(until >= before + 3_600_000 && until <= subject.running.now() + 3_600_000);
      assert.equal((await note(session.token)).status, 201);
      subject.running.pass(3_600_001);
      assert.equal((await note(session.token)).status, 401);
    });

    test("R5.7 a wrong password and an unknown name are refused in the same words", async () => {
      const { member, login } = club();
      const { email } = await member();
      const wrong = await login(email, "incorrect horse");
      const unknown = await login("nobody@example.com", "correct horse");
      for (const reply of [wrong, unknown]) {
        assert.equal(reply.status, 401);
        assert.equal((reply.json as { code: string }).code, "unauthenticated");
        assert.match(reply.headers["www-authenticate"] ?? "", /Token realm="clubhouse"/);
      }
      const same = ({ json }: Reply) => ({ ...(json as object), request_id: "", instance: "" });
      assert.deepEqual(same(wrong), same(unknown));
    });

    test("R5.7 ten failures in a minute for a name, and ten from an address; the owner goes on", async () => {
      const { member, note } = club();
      const { email, token } = await member();
      const from = (address: string, name: string, password: string) =>
        club().send("POST", "/sessions", { email: name, password }, undefined, { "X-Forwarded-For": address });
      assert.equal((await from("192.0.2.200", email, "correct horse")).status, 200);
      for (let i = 0; i < 10; i += 1) assert.equal((await from(`192.0.2.${i}`, email, `guess ${i}`)).status, 401);
      const refused = await from("192.0.2.99", email, "correct horse");
      assert.equal(refused.status, 429, "a right guess is refused as well, or guessing would not be limited");
      assert(Number(refused.headers["retry-after"]) >= 1);
      assert.equal((await from("192.0.2.200", email, "correct horse")).status, 200, "where it has logged in before");
      assert.equal((await note(token)).status, 201, "sessions go on");
      for (let i = 0; i < 10; i += 1)
        assert.equal((await from("198.51.100.1", `nobody${i}@example.com`, "guess guess")).status, 401);
      assert.equal((await from("198.51.100.1", "other@example.com", "guess guess")).status, 429);
      subject.running.pass(60_001);
      assert.equal((await from("192.0.2.99", email, "correct horse")).status, 200);
    });

    test("R5.4 what is kept of a token is its hash, and what is kept of a password is slow", async () => {
      const { member } = club();
      const session = await member();
      const kept = await subject.running.store.sessions.list();
      const own = kept.find(({ user }) => user === session.id);
      assert.match(own?.hash ?? "", /^[0-9a-f]{64}$/);
      assert(!JSON.stringify(kept).includes(session.token));
      const read = subject.running.store.read({
        resource: "Member",
        system: true,
        key: "id",
        view: {
          resource: "Member",
          members: [{ name: "p", source: { kind: "column", column: "password" }, type: "text", absent: "null" }],
        },
      });
      assert.match((await read(session.id, {}))?.text ?? "", /argon2id\$19456\$2\$1\$/);
    });

    test("what is no token of this service is refused, whatever it is", async () => {
      const { member, note } = club();
      const { token, refreshToken } = await member();
      const last = token.endsWith("0") ? "1" : "0";
      const key = await subject.running.key("ann", "warden");
      for (const wrong of [
        `${token.slice(0, -1)}${last}`,
        token.slice(0, -1),
        `${token}0`,
        token.replace("club_", "club_r_"),
        token.replace("club_", "other_"),
        refreshToken,
        key,
        "club_",
        `club_${"0".repeat(33)}`,
        "' OR 1=1 --",
        "club_\u0000",
        token.toUpperCase(),
      ]) {
        const sent = Buffer.from(wrong).toString("latin1").replaceAll("\0", "%00");
        const reply = await note(sent);
        assert([400, 401, 429].includes(reply.status), `${wrong}: ${reply.status}`);
      }
      subject.running.pass(60_001);
      assert.equal((await note(token)).status, 201);
      const asBearer = await club().send("POST", "/notes", { text: "x" }, undefined, {
        Authorization: `Bearer ${token}`,
      });
      assert.equal(asBearer.status, 401, "in the scheme of another credential it is another credential's");
    });

    test("names and passwords that are more than they seem", async () => {
      const { send, login } = club();
      const email = `odd${subject.running.now()}@example.com`;
      const password = "caf\u00e9 \u{1f511} noir";
      assert.equal(
        (await send("POST", "/members", { email, password: `${password}\u0000` })).status,
        422,
        "NUL is no text",
      );
      assert.equal((await send("POST", "/members", { email, password })).status, 201);
      assert.equal(
        (await login(email, "cafe\u0301 \u{1f511} noir")).status,
        200,
        "NFC: composed and decomposed are one",
      );
      for (const wrong of ["caf\u00e9 ", "caf\u00e9", "CAF\u00c9 \u{1f511} NOIR", `${password} `]) {
        assert.equal((await login(email, wrong)).status, 401, JSON.stringify(wrong));
      }
      assert.equal((await login(email, "")).status, 422);
      assert.equal((await login(email, "x".repeat(10_000))).status, 422);
      for (const name of ["' OR '1'='1", `${email}' --`, `${email}\u0000`, email.toUpperCase()]) {
        assert([400, 401, 422].includes((await login(name, password)).status), name);
      }
      subject.running.pass(60_001);
    });

    test("RFC 9700 4.14.2 each token is renewed once; twice at once gives one answer twice", async () => {
      const { member, renew, note } = club();
      const first = await member();
      const [one, two] = await Promise.all([renew(first.refreshToken), renew(first.refreshToken)]);
      const next = sessionIn(one as Reply);
      assert.deepEqual(sessionIn(two as Reply), next);
      assert.notEqual(next.token, first.token);
      assert.notEqual(next.refreshToken, first.refreshToken);
      assert.equal((await note(next.token)).status, 201);
      subject.running.pass(3_600_001);
      assert.equal((await note(next.token)).status, 401, "an hour is an hour");
      const third = sessionIn(await renew(next.refreshToken));
      assert.equal((await note(third.token)).status, 201);
    });

    test("RFC 9700 4.14.2 who uses an old one ends the session, whoever it is", async () => {
      const { member, renew, note, login } = club();
      const first = await member();
      const elsewhere = sessionIn(await login(first.email, "correct horse"));
      const next = sessionIn(await renew(first.refreshToken));
      subject.running.pass(10_001);
      const reused = await renew(first.refreshToken);
      assert.equal(reused.status, 401);
      assert.equal((await note(next.token)).status, 401);
      assert.equal((await note(first.token)).status, 401);
      assert.equal((await renew(next.refreshToken)).status, 401);
      assert.equal((await note(elsewhere.token)).status, 201, "another session is another one");
    });

    test("a token to renew with is over after 90 days", async () => {
      const { member, renew } = club();
      const { refreshToken } = await member();
      subject.running.pass(90 * 86_400_000);
      assert.equal((await renew(refreshToken)).status, 401);
    });

    test("a logout ends the session that it was sent with, at once", async () => {
      const { member, send, note, login, renew } = club();
      const first = await member();
      const other = sessionIn(await login(first.email, "correct horse"));
      assert.equal((await send("DELETE", "/sessions/current", undefined, first.token)).status, 204);
      assert.equal((await note(first.token)).status, 401);
      assert.equal((await renew(first.refreshToken)).status, 401);
      assert.equal((await send("DELETE", "/sessions/current", undefined, first.token)).status, 401);
      assert.equal((await note(other.token)).status, 201);
      assert.equal((await send("DELETE", "/sessions/current")).status, 401);
      const key = await subject.running.key("ann", "warden");
      const byKey = await send("DELETE", "/sessions/current", undefined, undefined, { Authorization: `Bearer ${key}` });
      assert.equal(byKey.status, 403, "a key has no session");
    });

    test("another password ends all sessions but the one that changes it", async () => {
      const { member, send, note, login } = club();
      const first = await member();
      const other = sessionIn(await login(first.email, "correct horse"));
      const path = `/members/${first.id}`;
      assert.equal((await send("PATCH", path, { about: "me" }, first.token)).status, 200);
      assert.equal((await note(other.token)).status, 201, "what else changes ends nothing");
      assert.equal((await send("PATCH", path, { password: "battery staple" }, first.token)).status, 200);
      assert.equal((await note(other.token)).status, 401);
      assert.equal((await note(first.token)).status, 201);
      assert.equal((await login(first.email, "correct horse")).status, 401);
      assert.equal((await login(first.email, "battery staple")).status, 200);
    });

    test("a session that was ended is not good again when the clock is set back, nor is a token that was used", async () => {
      const { member, send, note, login, renew } = club();
      const first = await member();
      const open = async () => sessionIn(await login(first.email, "correct horse"));
      const [out, other, renewed] = [await open(), await open(), await open()];
      assert.equal((await send("DELETE", "/sessions/current", undefined, out.token)).status, 204);
      const next = sessionIn(await renew(renewed.refreshToken));
      subject.running.pass(-86_400_000);
      assert.equal((await note(out.token)).status, 401, "its owner has logged out");
      assert.equal((await renew(out.refreshToken)).status, 401);
      assert.equal((await note(next.token)).status, 201);
      assert.equal((await renew(renewed.refreshToken)).status, 401, "nobody honest sends it again a day from then");
      assert.equal((await note(next.token)).status, 401, "so the session is over");
      subject.running.pass(86_400_000);
      const path = `/members/${first.id}`;
      assert.equal((await send("PATCH", path, { password: "battery staple" }, first.token)).status, 200);
      subject.running.pass(-86_400_000);
      assert.equal((await note(other.token)).status, 401, "the password is another one");
      assert.equal((await note(first.token)).status, 201);
      subject.running.pass(86_400_000);
    });

    test("who is gone has no sessions", async () => {
      const { member, send, note, renew, login } = club();
      const first = await member();
      assert.equal((await send("DELETE", `/members/${first.id}`, undefined, first.token)).status, 204);
      assert.equal((await note(first.token)).status, 401);
      assert.equal((await renew(first.refreshToken)).status, 401);
      assert.equal((await login(first.email, "correct horse")).status, 401);
      assert.equal(
        (await subject.running.store.sessions.list()).some(({ user }) => user === first.id),
        false,
      );
    });

    test("R5.10 a role is what the record says at this moment", async () => {
      const { member, send, note } = club();
      const { id, token } = await member();
      const made = await note(token);
      const sweep = () => send("DELETE", `/notes/${(made.json as { id: string }).id}`, undefined, token);
      assert.equal((await sweep()).status, 403);
      assert.equal((await send("PATCH", `/members/${id}`, { role: "warden" }, token)).status, 200);
      assert.equal((await sweep()).status, 204);
      assert.equal((await send("PATCH", `/members/${id}`, { role: null }, token)).status, 200);
      assert.equal((await sweep()).status, 403);
    });

    test("what anyone may do is done for whoever comes with a token, and a bad one is refused", async () => {
      const { member, send, note } = club();
      const { id, token } = await member();
      await note(token);
      const mine = (reply: Reply) =>
        (reply.json as { items: { by: string; mine: boolean }[] }).items.filter(({ by }) => by === id);
      assert.deepEqual(
        mine(await send("GET", "/notes")).map((each) => each.mine),
        [false],
      );
      assert.deepEqual(
        mine(await send("GET", "/notes", undefined, token)).map((each) => each.mine),
        [true],
      );
      assert.equal((await send("GET", "/notes", undefined, `${token}x`)).status, 401);
    });

    test("R4.20 a repeated registration or login keeps no token, and is told one that is good", async () => {
      const { send, note } = club();
      const email = `again${subject.running.now()}@example.com`;
      const once = { "Idempotency-Key": `once-${email}` };
      const body = { email, password: "correct horse" };
      const first = await send("POST", "/members", body, undefined, once);
      const again = await send("POST", "/members", body, undefined, once);
      assert.equal(first.status, 201);
      assert.equal(again.status, 201);
      assert.equal(again.headers["idempotent-replayed"], "true");
      assert.equal(again.headers["nonet-marks"], undefined);
      const [one, two] = [first.json as Session, again.json as Session];
      assert.equal(two.id, one.id);
      assert.notEqual(two.token, one.token);
      for (const { token } of [one, two]) assert.equal((await note(token)).status, 201);
      const other = await send("POST", "/members", { ...body, password: "battery staple" }, undefined, once);
      assert.equal(other.status, 422);
      assert.equal((other.json as { code: string }).code, "idempotency-key-reused");
      const login = { "Idempotency-Key": `login-${email}` };
      assert.equal((await send("POST", "/sessions", body, undefined, login)).status, 200);
      assert.equal((await send("POST", "/sessions", body, undefined, login)).status, 200);
      const wrong = await send("POST", "/sessions", { ...body, password: "battery staple" }, undefined, login);
      assert.equal(wrong.status, 401, "who repeats a login proves it again");
    });

    test("a registration that comes to nothing leaves no session", async () => {
      const { member, send } = club();
      const { email } = await member();
      const before = (await subject.running.store.sessions.list()).length;
      assert.equal((await send("POST", "/members", { email, password: "correct horse" })).status, 409);
      assert.equal((await subject.running.store.sessions.list()).length, before);
    });

    test("sessions that are over are purged", async () => {
      const { member, renew } = club();
      const { refreshToken } = await member();
      subject.running.pass(3_600_001);
      await subject.running.store.purge(subject.running.now());
      assert.equal((await subject.running.store.sessions.list()).length, 0);
      assert.equal((await renew(refreshToken)).status, 200);
    });
  },
  { proxies: ["127.0.0.1"] },
);

served("tokens in shapes of the document's own", documentText("journal"), (subject) => {
  const send = (method: string, path: string, body?: unknown, token?: string, more: Record<string, string> = {}) =>
    subject.client.send({
      method,
      path,
      ...(body === undefined ? {} : { body }),
      headers: { ...(token === undefined ? {} : { Authorization: `Token ${token}` }), ...more },
    });
  interface Account {
    readonly email: string;
    readonly handle: string;
    readonly token: string;
    readonly until: string;
  }
  const account = (reply: Reply): Account => (reply.json as { user: Account }).user;
  let writers = 0;
  const register = async () => {
    writers += 1;
    const user = { email: `w${writers}@example.com`, handle: `w${writers}`, password: "correct horse" };
    const reply = await send("POST", "/users", { user });
    assert.equal(reply.status, 201, reply.text);
    assert.equal(reply.headers["cache-control"], "no-store");
    return account(reply);
  };

  test("whoever logs in by an envelope is told a token in one", async () => {
    const { email } = await register();
    const reply = await send("POST", "/users/login", { user: { email, password: "correct horse" } });
    assert.equal(reply.status, 200, reply.text);
    assert.match(account(reply).token, /^session_/);
    const wrong = await send("POST", "/users/login", { user: { email, password: "incorrect horse" } });
    assert.equal(wrong.status, 422);
    assert.equal((wrong.json as { code: string }).code, "wrong-password");
    const missing = await send("POST", "/users/login", { user: { email } });
    assert.equal(missing.status, 422);
    assert.match(missing.text, /#\/user\/password/);
  });

  test("who came with a token is told that one, and nobody else is told any", async () => {
    const one = await register();
    const other = await register();
    const before = (await subject.running.store.sessions.list()).length;
    const mine = await send("GET", `/users/${one.handle}`, undefined, one.token);
    assert.equal(account(mine).token, one.token);
    assert.equal(account(mine).until, one.until);
    const key = await subject.running.key("ann");
    for (const reply of [
      await send("GET", `/users/${other.handle}`, undefined, one.token),
      await send("GET", `/users/${one.handle}`),
      await send("GET", `/users/${one.handle}`, undefined, undefined, { "X-Key": key }),
    ]) {
      assert.equal(account(reply).token, null);
      for (const { token } of [one, other]) assert(!reply.text.includes(token));
    }
    const post = await send("POST", "/posts", { title: "A" }, one.token);
    assert.equal((post.json as { post: { author: Account } }).post.author.token, one.token);
    assert.equal((await subject.running.store.sessions.list()).length, before, "what reads begins no session");
  });

  test("R4.15 the tag of an answer does not follow its token", async () => {
    const one = await register();
    const again = account(
      await send("POST", "/users/login", { user: { email: one.email, password: "correct horse" } }),
    );
    const path = `/users/${one.handle}`;
    const first = await send("GET", path, undefined, one.token);
    const second = await send("GET", path, undefined, again.token);
    assert.notEqual(first.text, second.text);
    assert.equal(first.headers["etag"], second.headers["etag"]);
    assert.equal(first.headers["cache-control"], "no-store");
    const tag = { "If-None-Match": first.headers["etag"] ?? "" };
    assert.equal((await send("GET", path, undefined, again.token, tag)).status, 304);
  });

  test("a changed secret ends the other sessions, and the answer has the token that it was sent with", async () => {
    const one = await register();
    const other = account(
      await send("POST", "/users/login", { user: { email: one.email, password: "correct horse" } }),
    );
    const changed = await send("PUT", `/users/${one.handle}`, { user: { password: "battery staple" } }, one.token);
    assert.equal(changed.status, 200, changed.text);
    assert.equal(account(changed).token, one.token);
    assert.equal((await send("POST", "/posts", { title: "A" }, other.token)).status, 401);
    assert.equal((await send("POST", "/posts", { title: "A" }, one.token)).status, 201);
  });
});
