/** Credentials in cookies, in the query and with several schemes; several in one request; forged requests of other pages. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { run } from "./running.ts";
import { stores } from "./scenario.ts";

const text = (more: string) => `
title: Notes
purpose: { nonet: 1, service: notes, operations: [addMember, login, logout, addNote, listNotes] }
resources:
  Member: { id: id(mem), name: "string(1..20), unique", password: "string(8..72), secret" }
  Note: { id: id(counter), text: "string(..80), filter", by: user = caller }
states: none
endpoints:
  lists: cursor, 1 per page, at most 100
  ${more}
  endpoints:
    addMember: { at: POST /members, gives: none }
    login: { at: POST /login, does: login, gives: none }
    logout: { at: POST /logout, of: Member, does: logout }
    addNote: POST /notes
    listNotes: GET /notes
authentication:
  credentials:
    session: { kind: password, of: Member, name: name, secret: password, sent: ["cookie session, set by login", Authorization Bearer], lasts: 1h }
    key: { kind: api-key, sent: [Authorization token, query api_key, header X-Key] }
  roles: none
  allow: { addMember: anyone, login: anyone, logout: signed-in, addNote: signed-in, listNotes: signed-in }
events: none
errors: { standard: all }
limits: none
versioning: none
`;

const json = { "Content-Type": "application/json" };
const credentials = { name: "ann", password: "correct horse" };

for (const store of stores) {
  void describe(`places of credentials (${store})`, () => {
    void test("cookies that the login sets, and forged requests", async () => {
      await using service = await run(text("cors: { origins: [https://app.example], credentials: yes }"), { store });
      const ask = async (path: string, headers: Readonly<Record<string, string>>, body?: object) =>
        fetch(`${service.url}${path}`, {
          method: body === undefined ? "GET" : "POST",
          headers: { ...(body === undefined ? {} : json), ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      assert.equal((await ask("/members", {}, credentials)).status, 201);
      const refused = await ask("/login", {}, { ...credentials, password: "wrong horse" });
      assert.deepEqual([refused.status, refused.headers.get("set-cookie")], [401, null]);
      const login = await ask("/login", {}, credentials);
      assert.equal(login.status, 204);
      const set = login.headers.get("set-cookie") ?? "";
      assert.match(set, /^session=session_\w{33}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/);
      const Cookie = `other=1; ${set.split(";")[0]}; last=2`;
      const note = { text: "milk" };
      // What a program or a page of the service itself sends, and a page that `cors` trusts.
      assert.equal((await ask("/notes", { Cookie }, note)).status, 201);
      assert.equal((await ask("/notes", { Cookie, Origin: service.url }, note)).status, 201);
      assert.equal((await ask("/notes", { Cookie, Origin: "https://app.example" }, note)).status, 201);
      for (const headers of [
        { Origin: "https://evil.example" },
        { Origin: "null" },
        { "Sec-Fetch-Site": "cross-site" },
        { "Sec-Fetch-Site": "same-site" },
      ]) {
        const forged = await ask("/notes", { Cookie, ...headers } as Readonly<Record<string, string>>, note);
        assert.equal(forged.status, 403, JSON.stringify(headers));
      }
      // A token that a page sends itself is no forgery, and neither is a read, whose response CORS hides.
      const token = set.slice("session=".length, set.indexOf(";"));
      const bearer = { Authorization: `Bearer ${token}`, Origin: "https://evil.example" };
      assert.equal((await ask("/notes", bearer, note)).status, 201);
      assert.equal((await ask("/notes", { Cookie, Origin: "https://evil.example" })).status, 200);
      assert.equal((await ask("/notes", { Cookie: `${Cookie}; session=x` })).status, 400);
      const wrong = await ask("/notes", { Cookie: "session=session_wrong" });
      assert.equal(wrong.status, 401);
      assert.match(wrong.headers.get("set-cookie") ?? "", /^session=; Path=\/; Max-Age=0; HttpOnly/);
      assert.match(wrong.headers.get("www-authenticate") ?? "", /Token realm="notes", cookie="session"/);
      assert.equal((await ask("/notes", {})).headers.get("set-cookie"), null);
      const logout = await fetch(`${service.url}/logout`, { method: "POST", headers: { Cookie } });
      assert.equal(logout.status, 204);
      assert.match(logout.headers.get("set-cookie") ?? "", /^session=; Path=\/; Max-Age=0/);
      assert.equal((await ask("/notes", { Cookie })).status, 401);
      assert.deepEqual(service.failures, []);
    });

    void test("several schemes, the query, and several credentials at once", async () => {
      await using service = await run(text(""), { store });
      const [ann, bob] = [await service.keyOf("key", "ann"), await service.keyOf("key", "bob")];
      const status = async (query: string, headers: Readonly<Record<string, string>> = {}) =>
        (await fetch(`${service.url}/notes${query}`, { headers })).status;
      for (const [query, headers, expected] of [
        ["", { Authorization: `token ${ann}` }, 200],
        ["", { Authorization: `Token ${ann}` }, 200],
        ["", { Authorization: `Bearer ${ann}` }, 401],
        ["", { "X-Key": ann }, 200],
        [`?api_key=${ann}`, {}, 200],
        [`?text=milk&api_key=${ann}`, {}, 200],
        [`?api_key=${ann}x`, {}, 401],
        [`?api_key=${ann}&api_key=${ann}`, {}, 400],
        [`?key=${ann}`, { "X-Key": ann }, 400],
        // Both are ann's, one is wrong, or they are of two users.
        [`?api_key=${ann}`, { "X-Key": ann }, 200],
        [`?api_key=${ann}`, { "X-Key": `${ann}x` }, 401],
        [`?api_key=${ann}`, { "X-Key": bob }, 400],
      ] as const)
        assert.equal(
          await status(query, headers as Readonly<Record<string, string>>),
          expected,
          `${query} ${JSON.stringify(headers)}`,
        );
      for (const one of ["a", "b"]) {
        const body = JSON.stringify({ text: one });
        const made = await fetch(`${service.url}/notes?api_key=${ann}`, { method: "POST", headers: json, body });
        assert.equal(made.status, 201);
        assert.doesNotMatch(made.headers.get("location") ?? "", /api_key/);
      }
      const list = await fetch(`${service.url}/notes?api_key=${ann}&sort=id`, {});
      const page = await fetch(`${service.url}/notes?api_key=${ann}`);
      assert.equal(page.status, 200);
      assert.match(page.headers.get("link") ?? "", /rel="next"/);
      for (const one of [list, page])
        assert.doesNotMatch(JSON.stringify([[...one.headers], await one.text()]), new RegExp(ann));
      assert.deepEqual(service.failures, []);
    });
  });
}
