/** What the cases of part 5 catch: a service that serves another document than the one with which it is tested. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { documents } from "./mutants/engine/documents.ts";
import { testServed } from "./served.ts";

/** People with sessions that they can renew. */
const members = edited(documents["people"] ?? "", [
  ["    lasts: 1h", "    renewed: 30d\n    lasts: 1h"],
  ["  logout: { at", "  renew: { at: POST /renew, does: renew, of: User }\n  logout: { at"],
  ["  logout: Do logout", "  renew: Do renew\n  logout: Do logout"],
  ["  logout: anyone", "  renew: anyone\n  logout: anyone"],
]);
const tokens = documents["tokens"] ?? "";
const scoped = edited(tokens, [["    roles: claim roles", '    roles: claim roles\n    scopes: ["things:all"]']]);
const things = documents["things"] ?? "";

interface Row {
  readonly what: string;
  readonly text: string;
  readonly edit: readonly [from: string, to: string];
  readonly broken: string;
}

const rows: readonly Row[] = [
  {
    what: "another header",
    text: tokens,
    edit: ["    secret: env", "    sent: header X-Token\n    secret: env"],
    broken: "authentication/credentials/token/kind",
  },
  {
    what: "another issuer",
    text: tokens,
    edit: ["    issuer: https://issuer.example\n", ""],
    broken: "authentication/credentials/token/issuer",
  },
  {
    what: "another audience",
    text: tokens,
    edit: ["    audience: things\n", ""],
    broken: "authentication/credentials/token/audience",
  },
  {
    what: "tokens for longer",
    text: tokens,
    edit: ["    lasts: 1h", "    lasts: 2h"],
    broken: "authentication/credentials/token/lasts",
  },
  {
    what: "tokens for less",
    text: tokens,
    edit: ["    lasts: 1h", "    lasts: 30m"],
    broken: "authentication/credentials/token/lasts",
  },
  {
    what: "no scopes",
    text: scoped,
    edit: ['    scopes: ["things:all"]\n', ""],
    broken: "authentication/credentials/token/scopes",
  },
  {
    what: "roles in another claim",
    text: tokens,
    edit: ["    roles: claim roles", "    roles: claim groups"],
    broken: "authentication/allow/addThing",
  },
  {
    what: "sessions for longer",
    text: members,
    edit: ["    lasts: 1h", "    lasts: 3h"],
    broken: "authentication/credentials/session/lasts",
  },
  {
    what: "sessions for less",
    text: members,
    edit: ["    lasts: 1h", "    lasts: 30m"],
    broken: "authentication/credentials/session/lasts",
  },
  {
    what: "refresh tokens for longer",
    text: members,
    edit: ["    renewed: 30d", "    renewed: 31d"],
    broken: "authentication/credentials/session/renewed",
  },
  {
    what: "no proof of the current password",
    text: members,
    edit: ["    changed: with currentPassword\n", ""],
    broken: "authentication/credentials/session/changed",
  },
  {
    what: "keys for longer",
    text: things,
    edit: ["kind: api-key, lasts: 30d", "kind: api-key, lasts: 40d"],
    broken: "authentication/credentials/key/lasts",
  },
  {
    what: "a record of somebody else is forbidden",
    text: things,
    edit: ["unseen: 404", "unseen: 403"],
    broken: "authentication/unseen",
  },
  {
    what: "a list has the records of others",
    text: things,
    edit: ["  listThings: admin | member if own", "  listThings: admin | member"],
    broken: "authentication/allow/listThings",
  },
];

function edited(text: string, edits: readonly (readonly [from: string, to: string])[]): string {
  return edits.reduce((before, [from, to]) => {
    assert(before.includes(from), `${from} is not in the document`);
    return before.replace(from, () => to);
  }, text);
}

void describe("part 5", () => {
  for (const [name, text] of Object.entries({ members, tokens, scoped, things }))
    void test(`a correct service breaks nothing: ${name}`, async () => {
      const { statements } = await testServed(text, { only: ["authentication"] });
      assert.deepEqual(
        statements.filter(({ kind }) => kind === "broken").map(({ statement }) => statement.path),
        [],
      );
    });

  for (const { what, text, edit, broken } of rows)
    void test(what, async () => {
      const { statements } = await testServed(text, { served: edited(text, [edit]), only: ["authentication"] });
      const found = statements.filter(({ kind }) => kind === "broken").map(({ statement }) => statement.path);
      assert(found.includes(broken), found.join(", ") || "nothing is broken");
    });
});
