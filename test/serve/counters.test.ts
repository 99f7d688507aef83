/** Numbers that are counted for each parent: 1, 2, 3 without gaps, whatever becomes of other creations, and keys of paths. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../enforced/document.ts";
import type { Reply } from "./client.ts";
import { served } from "./scenario.ts";

const counted = documentOf({
  resources: {
    Repo: { id: "id(rep)", name: "string(1..20)" },
    Issue: {
      id: "id(iss)",
      repo: "Repo, create-only",
      number: "integer = counter per repo, read-only",
      code: "string(1..20), unique",
      weight: "integer = 1",
    },
    Draft: { id: "id(dra)", repo: "Repo", code: "string(1..20)", weight: "integer = 1" },
    rules: { Issue: ["weight < 10 else too-heavy", "weight != 5 else not-five"] },
  },
  states: {
    Issue: {
      states: { open: "as made", light: "weighs little" },
      start: "open",
      final: ["light"],
      moves: { "open -> light": { by: "addLight", if: "weight < 3", else: "too-heavy" } },
    },
  },
  endpoints: {
    repeats: "Idempotency-Key on every POST, kept 24h",
    endpoints: {
      addRepo: "POST /repos",
      addIssue: { at: "POST /repos/{repo}/issues", status: { same: 200 } },
      addLight: { at: "POST /repos/{repo}/light-issues", of: "Issue" },
      addMany: {
        at: "POST /repos/{repo}/many-issues",
        takes: { issues: "Issue[](1..5)" },
        of: "Issue",
        does: "create",
      },
      addDraft: {
        at: "POST /drafts",
        also: { create: "Issue", with: { repo: "this.repo", code: "this.code", weight: "this.weight" } },
      },
      getIssue: "GET /repos/{repo}/issues/{number}",
      changeIssue: "PATCH /repos/{repo}/issues/{number}",
      listIssues: "GET /repos/{repo}/issues",
    },
  },
  errors: { errors: { "too-heavy": "409 An issue is lighter", "not-five": "422 An issue does not weigh 5" } },
});

served("numbers per parent", counted, (subject) => {
  let serial = 0;
  const send = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    subject.client.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
  const once = (): Readonly<Record<string, string>> => ({ "Idempotency-Key": `key-${(serial += 1)}` });
  const repo = async (): Promise<string> =>
    ((await send("POST", "/repos", { name: "site" })).json as { readonly id: string }).id;
  const code = (): string => `c${(serial += 1)}`;
  const numbers = async (id: string): Promise<readonly number[]> => {
    const { items } = (await send("GET", `/repos/${id}/issues`)).json as { items: readonly { number: number }[] };
    return items.map(({ number }) => number).toSorted((a, b) => a - b);
  };

  interface Row {
    readonly name: string;
    readonly attempt: (id: string, used: string, headers: Readonly<Record<string, string>>) => Promise<Reply>;
    readonly status: number;
  }
  const rows: readonly Row[] = [
    {
      name: "a declared error of a rule",
      attempt: (id, _, headers) => send("POST", `/repos/${id}/issues`, { code: code(), weight: 10 }, headers),
      status: 409,
    },
    {
      name: "another error of a rule",
      attempt: (id, _, headers) => send("POST", `/repos/${id}/issues`, { code: code(), weight: 5 }, headers),
      status: 422,
    },
    {
      name: "a value that another record has",
      attempt: (id, used, headers) => send("POST", `/repos/${id}/light-issues`, { code: used }, headers),
      status: 409,
    },
    {
      name: "a creation whose record is there",
      attempt: (id, used, headers) => send("POST", `/repos/${id}/issues`, { code: used }, headers),
      status: 200,
    },
    {
      name: "the guard of a first transition",
      attempt: (id, _, headers) => send("POST", `/repos/${id}/light-issues`, { code: code(), weight: 4 }, headers),
      status: 409,
    },
    {
      name: "a later record of an array",
      attempt: (id, used, headers) =>
        send("POST", `/repos/${id}/many-issues`, { issues: [{ code: code() }, { code: used }] }, headers),
      status: 409,
    },
    {
      name: "a further write",
      attempt: (id, _, headers) => send("POST", "/drafts", { repo: id, code: code(), weight: 10 }, headers),
      status: 409,
    },
    {
      name: "an invalid body",
      attempt: (id, _, headers) => send("POST", `/repos/${id}/issues`, { code: 1 }, headers),
      status: 422,
    },
  ];
  for (const { attempt, name, status } of rows) {
    test(`no gap after ${name}`, async () => {
      const [id, used] = [await repo(), code()];
      assert.equal((await send("POST", `/repos/${id}/issues`, { code: used })).status, 201);
      for (const headers of [{}, once()]) {
        const reply = await attempt(id, used, headers);
        assert.equal(reply.status, status, reply.text);
      }
      assert.equal((await send("POST", `/repos/${id}/issues`, { code: code() }, once())).status, 201);
      assert.deepEqual(await numbers(id), [1, 2]);
    });
  }

  test("no gap after parallel creations of which some are rejected", async () => {
    const [id, used] = [await repo(), code()];
    assert.equal((await send("POST", `/repos/${id}/issues`, { code: used })).status, 201);
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const { attempt } = rows[index % rows.length] as Row;
        return index % 3 === 0
          ? send("POST", `/repos/${id}/issues`, { code: code() }, once())
          : attempt(id, used, index % 2 === 0 ? once() : {});
      }),
    );
    const made = replies.filter(({ status }) => status === 201).length;
    assert.equal(made, 14);
    assert.deepEqual(
      await numbers(id),
      Array.from({ length: made + 1 }, (_, index) => index + 1),
    );
  });

  test("a number names its record below the parent", async () => {
    const [one, other] = [await repo(), await repo()];
    for (const [id, name] of [
      [one, "a"],
      [other, "b"],
    ] as const) {
      const made = await send("POST", `/repos/${id}/issues`, { code: name + id.slice(-10) });
      assert.deepEqual([made.status, made.headers["location"]], [201, `/repos/${id}/issues/1`]);
    }
    const found = await send("GET", `/repos/${other}/issues/1`);
    assert.equal((found.json as { readonly code: string }).code, `b${other.slice(-10)}`);
    assert.equal((await send("PATCH", `/repos/${one}/issues/1`, { weight: 2 })).status, 200);
    for (const number of ["2", "01", "x", "0"])
      assert.equal((await send("GET", `/repos/${one}/issues/${number}`)).status, 404);
  });
});
