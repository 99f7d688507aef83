/** Callers of older versions and links, filters, parameters, guards, outcomes, logins and operations on one record. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../../enforced/document.ts";
import { by, faultsOf } from "../scenario.ts";
import { newest, oldest, servedVersions } from "./of-versions.ts";

const text = documentOf({
  resources: {
    Member: {
      id: "id(mem)",
      email: "string(3..40), unique",
      password: "string(8..72), secret",
      rank: "member | admin = member, read-only",
      "motto?": "string(1..40)",
    },
    Task: {
      id: "id(tsk)",
      title: "string(1..40), unique",
      level: "minor | major = minor",
      labels: "string(1..20)[] = []",
    },
    Star: { id: "id(str)", owner: "Member", task: "Task" },
    views: { Account: { of: "Member", fields: ["email", "rank"], token: "string := token(session)" } },
  },
  endpoints: {
    wrap: { one: "{resource}" },
    endpoints: {
      register: { at: "POST /members", gives: { user: "Account" } },
      login: {
        at: "POST /login",
        does: "login",
        takes: { user: { email: "email", password: "string(1..72)" } },
        gives: { user: "Account" },
      },
      getMe: { at: "GET /me", of: "Member", the: "id == caller.id", gives: { user: "Account" } },
      changeMe: { at: "PATCH /me", of: "Member", the: "id == caller.id" },
      star: { at: "POST /tasks/{title}/star", link: { in: "Star", with: { owner: "caller.id", task: "id" } } },
      unstar: { at: "DELETE /tasks/{title}/star", unlink: { in: "Star", with: { owner: "caller.id", task: "id" } } },
      addTask: { at: "POST /tasks", status: { created: 201, same: 200, differs: "differs" } },
      listTasks: {
        at: "GET /tasks",
        filters: { label: "label in labels", hardness: "level == value", text: "title.contains(value)" },
      },
      getTask: "GET /tasks/{title}",
      dropTask: {
        at: "DELETE /tasks/{title}",
        query: { force: "boolean = false" },
        if: "level == 'minor' || input.force",
        else: "too-hard",
        status: { "not-found": 410 },
      },
    },
  },
  authentication: {
    credentials: {
      session: {
        kind: "password",
        of: "Member",
        name: "email",
        secret: "password",
        roles: "field rank",
        obtained: "by `login`, or by `register`",
        lasts: "1h",
        revoked: "at once",
      },
    },
    own: { Member: "id == caller.id" },
    allow: { getMe: "signed-in", changeMe: "signed-in", star: "signed-in", unstar: "signed-in", dropTask: "member" },
  },
  errors: { errors: { "too-hard": "409 It is too hard", differs: "409 There is another one" } },
  versioning: {
    scheme: "dated",
    sent: "header Version",
    absent: "newest",
    versions: {
      "2026-02-01": [
        "rename Member.name -> email",
        "rename login.name -> email",
        "rename Member.kind -> rank",
        "add Member.motto",
        "rename Task.name -> title",
        "rename Task.tags -> labels",
        "rename Star.by -> owner",
        "retype Task.level, was low | high, seen as level == 'minor' ? 'low' : 'high' before, taken as level == 'low' ? 'minor' : 'major' before",
        "error too-hard, was 422 hard",
      ],
      "2026-01-01": "first",
    },
  },
});

servedVersions("one's own record, links, filters, guards and logins in versions", text, (send) => {
  const user = { name: "ann@example.com", kind: "member" };
  let headers: Readonly<Record<string, string>> = {};

  test("whoever registers and logs in by the older name of the credential's field is the record of today", async () => {
    const made = await send("POST /members", { body: { member: { name: user.name, password: "correct horse" } } });
    assert.equal(made.status, 201, made.text);
    assert.partialDeepStrictEqual(made.json, { user });
    const wrong = await send("POST /login", { body: { user: { email: user.name, password: "correct horse" } } });
    assert.deepEqual([wrong.status, faultsOf(wrong)], [422, ["#/user/email unknown-field", "#/user/name required"]]);
    const login = await send("POST /login", { body: { user: { name: user.name, password: "correct horse" } } });
    assert.equal(login.status, 200, login.text);
    headers = by((login.json as { user: { token: string } }).user.token);
    const me = await send("GET /me", { headers });
    assert.equal(me.status, 200, me.text);
    assert.partialDeepStrictEqual(me.json, { user });
    const now = await send("GET /me", { headers, version: newest });
    assert.partialDeepStrictEqual(now.json, { user: { email: user.name, rank: "member" } });
  });

  test("one's own record is changed by its older names, and fields of today stay hidden", async () => {
    await send("PATCH /me", { body: { member: { motto: "On" } }, headers, version: newest });
    const reply = await send("PATCH /me", { body: { member: { name: "eve@example.com" } }, headers });
    assert.equal(reply.status, 200, reply.text);
    const { id } = (reply.json as { member: { id: string } }).member;
    assert.deepEqual(reply.json, { member: { id, ...user, name: "eve@example.com" } });
    const wrong = await send("PATCH /me", { body: { member: { motto: "Off" } }, headers });
    assert.deepEqual([wrong.status, faultsOf(wrong)], [422, ["#/member/motto unknown-field"]]);
  });

  test("a creation that finds the same answers in older words, and refuses another one", async () => {
    const task = { name: "sweep", level: "high", tags: ["home"] };
    const first = await send("POST /tasks", { body: { task } });
    assert.equal(first.status, 201, first.text);
    const { id } = (first.json as { task: { id: string } }).task;
    assert.deepEqual(first.json, { task: { id, ...task } });
    const same = await send("POST /tasks", { body: { task } });
    assert.deepEqual([same.status, same.json], [200, first.json]);
    const other = await send("POST /tasks", { body: { task: { ...task, level: "low" } } });
    assert.deepEqual([other.status, (other.json as { code: string }).code], [409, "differs"]);
    const now = await send("GET /tasks/sweep", { version: newest });
    assert.deepEqual(now.json, { task: { id, title: "sweep", level: "major", labels: ["home"] } });
  });

  test("filters take the values of the version that asks", async () => {
    await send("POST /tasks", { body: { task: { name: "wave", level: "low", tags: [] } } });
    const found = async (query: string, version: string): Promise<unknown> => {
      const reply = await send(`GET /tasks?${query}`, { version });
      if (reply.status !== 200) return reply.status;
      return (reply.json as { items: Record<string, unknown>[] }).items.map((one) => one["name"] ?? one["title"]);
    };
    assert.deepEqual(await found("label=home", oldest), ["sweep"]);
    assert.deepEqual(await found("text=ave", oldest), ["wave"]);
    assert.deepEqual(await found("hardness=high", oldest), ["sweep"]);
    assert.deepEqual(await found("hardness=low", oldest), ["wave"]);
    assert.deepEqual(await found("hardness=major", oldest), 400);
    assert.deepEqual(await found("hardness=major", newest), ["sweep"]);
  });

  test("a link is made and taken away whichever names its fields have", async () => {
    for (const version of [oldest, newest]) {
      const starred = await send("POST /tasks/sweep/star", { headers, version });
      assert.partialDeepStrictEqual(
        [starred.status, starred.json],
        [200, { task: version === oldest ? { name: "sweep", level: "high" } : { title: "sweep", level: "major" } }],
      );
    }
    const gone = await send("DELETE /tasks/sweep/star", { headers });
    assert.equal(gone.status, 200, gone.text);
  });

  test("a guard refuses with the older code and status, and a parameter lets through", async () => {
    const refused = await send("DELETE /tasks/sweep", { headers });
    assert.deepEqual([refused.status, (refused.json as { code: string }).code], [422, "hard"]);
    const wrong = await send("DELETE /tasks/sweep?force=perhaps", { headers });
    assert.deepEqual([wrong.status, faultsOf(wrong)], [400, ["force wrong-type"]]);
    assert.equal((await send("DELETE /tasks/sweep?force=true", { headers })).status, 204);
    const gone = await send("DELETE /tasks/sweep?force=true", { headers });
    assert.deepEqual([gone.status, (gone.json as { code: string }).code], [410, "not-found"]);
  });
});
