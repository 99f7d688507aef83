/** A caller who changes their own password must send the present one, if the document requires it (`changed`, R5.11). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";
import { type Client, createClient, type Reply } from "./client.ts";
import { documentText, type Subject, served } from "./scenario.ts";

const clubhouse = documentText("clubhouse")
  .replace("    secret: password\n", "    secret: password\n    changed: with currentPassword\n")
  .replace("  key: {", '  app: { kind: oauth2, login: session, scopes: { "me": member } }\n  key: {')
  .replace("warden\n  addNote", "warden | any-scope if own\n  addNote")
  .replace("getMember, listMembers: anyone", "getMember, listMembers: anyone\n  putMember: signed-in if own")
  .replace("  changeMember: Change", "  putMember: Say all anew\n  changeMember: Change")
  .replace("  changeMember: PATCH", "  putMember: PUT /members/{id}\n  changeMember: PATCH")
  .replace("## Versioning\nnone", `## Versioning
\`\`\`yaml
scheme: numbered
sent: header Club-Version
absent: newest
versions:
  2: ["rename Member.passphrase -> password"]
  1: first
\`\`\``); // biome-ignore format: a document

let members = 0;

/** In a minute of its own, so that guesses of another test do not count. */
async function member({ running }: Subject, client: Client) {
  running.pass(60_001);
  members += 1;
  const email = `member${members}@example.com`;
  const made = await client.send({ method: "POST", path: "/members", body: { email, password: "correct horse" } });
  assert.equal(made.status, 201, made.text);
  const { id, token } = made.json as { readonly id: string; readonly token: string };
  const authorization = { Authorization: `Token ${token}` };
  return {
    id,
    email,
    token,
    change: (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
      client.send({ method: "PATCH", path: `/members/${id}`, body, headers: { ...authorization, ...headers } }),
    put: (body: unknown) => client.send({ method: "PUT", path: `/members/${id}`, body, headers: authorization }),
    login: (password: string, headers: Readonly<Record<string, string>> = {}) =>
      client.send({ method: "POST", path: "/sessions", body: { email, password }, headers }),
  };
}

const codeOf = ({ json }: Reply) => (json as { readonly code?: string }).code;
const faultsOf = ({ json }: Reply) =>
  (json as { readonly errors: readonly { pointer: string; code: string }[] }).errors.map(
    ({ pointer, code }) => `${pointer} ${code}`,
  );

served("a password change", clubhouse, (subject) => {
  test("the present password, missing, wrong and right", async () => {
    const { change, login } = await member(subject, subject.client);
    const password = "battery staple";
    const missing = await change({ password });
    assert.equal(missing.status, 422, missing.text);
    assert.deepEqual(faultsOf(missing), ["#/currentPassword required"]);
    const wrong = await change({ password, currentPassword: "incorrect horse" });
    assert.equal(wrong.status, 401, wrong.text);
    assert.equal(codeOf(wrong), "unauthenticated");
    const typed = await change({ password, currentPassword: 7 });
    assert.deepEqual([typed.status, faultsOf(typed)], [422, ["#/currentPassword wrong-type"]]);
    assert.equal((await login("correct horse")).status, 200, "none of these changed it");
    const other = (await login("correct horse")).json as { readonly token: string };
    const right = await change({ password, currentPassword: "correct horse" });
    assert.equal(right.status, 200, right.text);
    assert(!right.text.includes("urrentPassword"));
    assert.equal((await login("correct horse")).status, 401);
    assert.equal((await login(password)).status, 200);
    const note = { method: "POST", path: "/notes", body: { text: "hello" } };
    const ended = await subject.client.send({ ...note, headers: { Authorization: `Token ${other.token}` } });
    assert.equal(ended.status, 401, "other sessions have ended");
  });

  test("what does not change the password needs none, and may say it", async () => {
    const { change, login } = await member(subject, subject.client);
    assert.equal((await change({ about: "sings" })).status, 200);
    assert.equal((await change({ about: "dances", currentPassword: "whatever" })).status, 200);
    assert.equal((await login("correct horse")).status, 200);
  });

  test("a PUT asks for it as a PATCH does", async () => {
    const { put, login, email } = await member(subject, subject.client);
    assert.equal((await put({ email, password: "battery staple" })).status, 422);
    assert.equal((await put({ email, password: "battery staple", currentPassword: "wrong horse" })).status, 401);
    assert.equal((await put({ email, password: "battery staple", currentPassword: "correct horse" })).status, 200);
    assert.equal((await login("battery staple")).status, 200);
  });

  test("who resets somebody else's password does not know it", async () => {
    const { id, login } = await member(subject, subject.client);
    const key = await subject.running.keyOf("key", "olga", "warden");
    const headers = { Authorization: `Bearer ${key}` };
    const reset = { method: "PATCH", path: `/members/${id}`, headers, body: { password: "battery staple" } };
    const reply = await subject.client.send(reset);
    assert.equal(reply.status, 200, reply.text);
    assert.equal((await login("battery staple")).status, 200);
  });

  test("a key that acts for the member is asked, too", async () => {
    const { id, login } = await member(subject, subject.client);
    const key = await subject.running.keyOf("key", id, "warden");
    const headers = { Authorization: `Bearer ${key}` };
    const reply = await subject.client.send({
      method: "PATCH",
      path: `/members/${id}`,
      headers,
      body: { password: "battery staple" },
    });
    assert.equal(reply.status, 422, reply.text);
    assert.equal((await login("correct horse")).status, 200);
  });

  test("R5.7 guesses count as those of logins do", async () => {
    const { change, login } = await member(subject, subject.client);
    const from = (address: string) => ({ "X-Forwarded-For": address });
    const guess = (n: number) =>
      change({ password: "battery staple", currentPassword: `guess ${n}` }, from(`192.0.2.${n}`));
    const guesses = await Promise.all(Array.from({ length: 14 }, (_, n) => guess(n)));
    assert.equal(guesses.filter(({ status }) => status === 401).length, 10);
    assert.equal(guesses.filter(({ status }) => status === 429).length, 4);
    assert.equal((await login("correct horse", from("192.0.2.99"))).status, 429);
    const right = { password: "battery staple", currentPassword: "correct horse" };
    assert.equal((await change(right, from("192.0.2.98"))).status, 429);
    subject.running.pass(60_001);
    assert.equal((await change(right, from("192.0.2.98"))).status, 200);
  });

  test("R4.20 a change that is sent again is answered as it was, though the password is another one now", async () => {
    const { change } = await member(subject, subject.client);
    const once = { "Idempotency-Key": `change-${members}` };
    const body = { password: "battery staple", currentPassword: "correct horse" };
    const first = await change(body, once);
    assert.equal(first.status, 200, first.text);
    const second = await change(body, once);
    assert.equal(second.status, 200, second.text);
    assert.equal(second.headers["idempotency-replayed"] ?? "true", "true");
    assert.equal((await change({ ...body, currentPassword: "battery staple" }, once)).status, 422, "another request");
  });

  test("of two changes at once by the same password one holds", async () => {
    const { change, login } = await member(subject, subject.client);
    const replies = await Promise.all(
      ["first password", "other password"].map((password) => change({ password, currentPassword: "correct horse" })),
    );
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 401],
    );
    const won = replies[0]?.status === 200 ? "first password" : "other password";
    assert.equal((await login(won)).status, 200);
  });

  test("an older version, in which the password has another name", async () => {
    // Its answers are those of another description.
    using client = createClient(subject.running.port, () => {});
    const { change, login } = await member(subject, client);
    const older = { "Club-Version": "1" };
    assert.equal((await change({ passphrase: "battery staple" }, older)).status, 422);
    assert.equal((await change({ passphrase: "battery staple", currentPassword: "no horse" }, older)).status, 401);
    const right = await change({ passphrase: "battery staple", currentPassword: "correct horse" }, older);
    assert.equal(right.status, 200, right.text);
    assert.equal((await login("battery staple")).status, 200);
  });

  test("a token of a client that acts for the member", async () => {
    const { id, login } = await member(subject, subject.client);
    const secret = await subject.running.keyOf("app", id, "member");
    const key = (await subject.running.store.keys.list()).find((one) => one.user === id);
    const basic = Buffer.from(`${key?.id}:${secret}`).toString("base64");
    const granted = await subject.client.send({
      method: "POST",
      path: "/oauth/token",
      headers: { "Content-Type": "application/x-www-form-urlencoded", Authorization: `Basic ${basic}` },
      body: "grant_type=client_credentials&scope=me",
    });
    assert.equal(granted.status, 200, granted.text);
    const { access_token: token } = granted.json as { readonly access_token: string };
    const change = (body: unknown) =>
      subject.client.send({
        method: "PATCH",
        path: `/members/${id}`,
        body,
        headers: { Authorization: `Bearer ${token}` },
      });
    assert.equal((await change({ password: "battery staple" })).status, 422);
    assert.equal((await change({ password: "battery staple", currentPassword: "no horse" })).status, 401);
    assert.equal((await login("correct horse")).status, 200);
    assert.equal((await change({ password: "battery staple", currentPassword: "correct horse" })).status, 200);
  });
});

const journal = documentText("journal").replace(
  "secret: password,",
  "secret: password, changed: with currentPassword,",
);

served("a password change of another shape", journal, (subject) => {
  test("it stands beside the new one, and is refused as a login is", async () => {
    const send = (method: string, path: string, user: unknown, token?: string) =>
      subject.client.send({
        method,
        path,
        body: { user },
        ...(token === undefined ? {} : { headers: { Authorization: `Token ${token}` } }),
      });
    const ann = { email: "ann@example.com", handle: "ann", password: "correct horse" };
    assert.equal((await send("POST", "/users", ann)).status, 201);
    const login = (password: string) => send("POST", "/users/login", { email: ann.email, password });
    const { user } = (await login(ann.password)).json as { readonly user: { readonly token: string } };
    const change = (body: unknown) => send("PUT", "/users/ann", body, user.token);
    const missing = await change({ password: "battery staple" });
    assert.deepEqual([missing.status, faultsOf(missing)], [422, ["#/user/currentPassword required"]]);
    const wrong = await change({ password: "battery staple", currentPassword: "no horse" });
    assert.deepEqual([wrong.status, codeOf(wrong)], [422, "wrong-password"]);
    assert.equal((await change({ password: "battery staple", currentPassword: "correct horse" })).status, 200);
    assert.equal((await login("battery staple")).status, 200);
  });
});

const findings = (text: string) =>
  check("a.md", text).diagnostics.flatMap(({ code, message }) =>
    code === "authentication/no-current-secret" || code === "authentication/login-field-unfit" ? [message] : [],
  );

const withChanged = (said: string, more: readonly [string, string] = ["", ""]) =>
  documentText("clubhouse")
    .replace("    secret: password\n", `    secret: password\n${said}`)
    .replace(...more);

test("check asks for the statement where somebody can change the own password, and nowhere else", () => {
  const asked = ["`changeMember` lets a Member change its own `password` without sending the current one"];
  const changed = "    changed: with currentPassword\n";
  const rows: readonly (readonly [string, readonly string[]])[] = [
    [withChanged(""), asked],
    [withChanged(changed), []],
    [withChanged("", ["changeMember, leave: signed-in if own | warden", "changeMember, leave: warden"]), asked],
    [
      withChanged("", ["roles: field role", "roles: [member]"]).replace("signed-in if own | warden\n  addNote", "warden\n  addNote"),
      [],
    ],
    [withChanged("    changed: with about\n"), ["`about` is already a field of Member"]],
    [
      withChanged(changed, ["at: POST /members\n", "at: POST /members\n"]).replace(
        "changeMember: PATCH /members/{id}",
        "changeMember: { at: PATCH /members/{id}, takes: { about?: string(1..200) } }",
      ),
      ["No operation changes `password` of Member, so no request sends the current one"],
    ],
    [
      withChanged(changed).replace(
        "changeMember: PATCH /members/{id}",
        'changeMember: { at: PATCH /members/{id}, takes: { password: "string(8..72)", currentPassword: "string(1..9)" } }',
      ),
      ["`changeMember` already has a different input `currentPassword`"],
    ],
  ]; // biome-ignore format: a table
  for (const [text, expected] of rows) assert.deepEqual(findings(text), expected);
});
