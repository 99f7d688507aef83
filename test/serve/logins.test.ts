/** Passwords, sessions and what they are renewed with (R5.2, R5.4, R5.7, R5.10; RFC 9700 section 4.14.2). */
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

served("logins", text, (subject) => {
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
});
