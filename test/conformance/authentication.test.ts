/** What the cases of part 5 catch: a service that serves another document than the one with which it is tested. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { statementFinder, statementsOf } from "../../src/conformance/statement.ts";
import { check } from "../../src/language/check.ts";
import { crud, documentOf } from "../enforced/document.ts";
import { sampled } from "../nightly.ts";
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
const signedIn = Object.fromEntries(Object.keys(crud).map((name) => [name, "member"]));
/** Clients that get their tokens from the service. */
const clients = documentOf({
  authentication: {
    credentials: {
      app: { kind: "oauth2", at: "POST /tokens", scopes: { all: "member" }, lasts: "10m", revoked: "at once" },
    },
    allow: { ...signedIn, removeThing: "admin", addThing: "any-scope" },
  },
});
/** Users with a role in their record, who send their password with each request; and a device that signs its requests. */
const users = documentOf({
  resources: {
    User: { id: "id(usr)", email: "email, unique", pin: "string(8..72), secret", "role?": "member | admin" },
    Thing: { id: "id(thi)", "name?": "string(1..9)" },
  },
  endpoints: { endpoints: { ...crud, addUser: "POST /users", getUser: "GET /users/{id}" } },
  authentication: {
    credentials: {
      login: { kind: "basic", of: "User", name: "email", secret: "pin", roles: "field role" },
      device: { kind: "hmac-sha256", sent: "header Signature", secret: "env DEVICE_SECRET" },
    },
    allow: { ...signedIn, addThing: "signed-in", changeThing: "admin" },
  },
});

/** Admins see all things, and members their own; anybody may delete all of them. */
const owned = documentOf({
  resources: { Thing: { id: "id(thi)", by: "user = caller, read-only", "name?": "string(1..9)" } },
  endpoints: { endpoints: { ...crud, clearThings: "DELETE /things" } },
  authentication: {
    own: { Thing: "by == caller.id" },
    allow: {
      ...{ ...signedIn, addThing: "signed-in", clearThings: "signed-in" },
      ...{ getThing: "admin | signed-in if own", listThings: "admin | signed-in if own" },
    },
  },
});

/** Admins set the rank of every thing, members the note of their own things. */
const ranked = documentOf({
  resources: {
    Thing: { id: "id(thi)", by: "user = caller, read-only", rank: "integer(0..9) = 0", "note?": "string(1..9)" },
  },
  endpoints: { endpoints: crud },
  authentication: {
    own: { Thing: "by == caller.id" },
    allow: { ...signedIn, addThing: "signed-in", changeThing: "signed-in" },
    set: { "Thing.rank": "admin", "Thing.note": "signed-in" },
  },
});

/** The same, where a creation takes neither. */
const changed = edited(ranked, [["  addThing: POST /things\n", "  addThing: { at: POST /things, takes: {} }\n"]]);

/** A user creates a profile by a PUT to the path with the own name; nobody else can create it. */
const profiles = documentOf({
  resources: { Profile: { id: "string(1..30)", "name?": "string(1..9)" } },
  endpoints: { endpoints: { putProfile: "PUT /profiles/{id}", getProfile: "GET /profiles/{id}" } },
  authentication: {
    own: { Profile: "id == caller.id" },
    allow: { putProfile: "member if own", getProfile: "anyone" },
  },
});

/** Keys in the query and in a header, and people whose login sets a cookie. */
const placed = edited(documents["people"] ?? "", [
  ["    lasts: 1h", '    sent: ["cookie session, set by login", Authorization Bearer]\n    lasts: 1h'],
  [
    "  session:",
    "  key: { kind: api-key, sent: [query api_key, header X-Key], lasts: 30d, revoked: at once }\n  session:",
  ],
]);
/** Keys in a cookie. */
const cookies = edited(things, [["kind: api-key, lasts", "kind: api-key, sent: cookie pass, lasts"]]);

interface Row {
  readonly what: string;
  readonly text: string;
  readonly edit: readonly [from: string, to: string];
  /** The statement whose cases run; by default the broken one. */
  readonly tested?: string;
  readonly broken: string;
}

const rows: readonly Row[] = [
  {
    what: "records that only others may create with a PUT",
    text: profiles,
    edit: ["putProfile: member if own", "putProfile: member if !own"],
    broken: "authentication/allow/putProfile",
  },
  {
    what: "a field that others may set, too",
    text: ranked,
    edit: ["Thing.rank: admin", "Thing.rank: signed-in"],
    broken: "authentication/set/Thing.rank",
  },
  {
    what: "a field that fewer callers may set",
    text: ranked,
    edit: ["Thing.note: signed-in", "Thing.note: admin"],
    broken: "authentication/set/Thing.note",
  },
  {
    what: "a field that others may change, too",
    text: changed,
    edit: ["Thing.rank: admin", "Thing.rank: signed-in"],
    broken: "authentication/set/Thing.rank",
  },
  {
    what: "a field that fewer callers may change",
    text: changed,
    edit: ["Thing.note: signed-in", "Thing.note: admin"],
    broken: "authentication/set/Thing.note",
  },
  {
    what: "keys in another parameter",
    text: placed,
    edit: ["query api_key", "query key"],
    broken: "authentication/credentials/key/sent",
  },
  {
    what: "keys in the query alone",
    text: placed,
    edit: ["[query api_key, header X-Key]", "query api_key"],
    broken: "authentication/credentials/key/sent",
  },
  {
    what: "keys in a cookie, too",
    text: placed,
    edit: ["header X-Key]", "header X-Key, cookie api_key]"],
    broken: "authentication/credentials/key/sent",
  },
  {
    what: "keys as bearer tokens, too",
    text: cookies,
    edit: ["sent: cookie pass", "sent: [cookie pass, Authorization Bearer]"],
    broken: "authentication/credentials/key/sent",
  },
  {
    what: "keys in a cookie for longer",
    text: cookies,
    edit: ["lasts: 30d", "lasts: 40d"],
    broken: "authentication/credentials/key/lasts",
  },
  {
    what: "keys in a cookie whose revocation takes an hour",
    text: cookies,
    edit: ["revoked: at once }", "revoked: 1h }"],
    broken: "authentication/credentials/key/revoked",
  },
  {
    what: "a login that sets no cookie",
    text: placed,
    edit: ["cookie session, set by login", "cookie session"],
    broken: "authentication/credentials/session/sent",
  },
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
    what: "one's own records for all",
    text: owned,
    edit: ["getThing: admin | signed-in if own", "getThing: signed-in if own"],
    broken: "authentication/allow/getThing",
  },
  {
    what: "tokens after another scheme, too",
    text: edited(tokens, [["    secret: env", "    sent: Authorization Bearer\n    secret: env"]]),
    edit: ["sent: Authorization Bearer", "sent: [Authorization Bearer, Authorization Other]"],
    broken: "authentication/credentials/token/sent",
  },
  {
    what: "a list of one's own for one of all",
    text: owned,
    edit: ["listThings: admin | signed-in if own", "listThings: signed-in if own"],
    broken: "authentication/allow/listThings",
  },
  {
    what: "a deletion of nothing for one of all",
    text: owned,
    edit: ["clearThings: signed-in", "clearThings: signed-in if 1 == 2"],
    broken: "authentication/allow/clearThings",
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
    what: "a revocation that takes an hour",
    text: things,
    edit: ["revoked: at once }", "revoked: 1h }"],
    broken: "authentication/credentials/key/revoked",
  },
  {
    what: "keys that end",
    text: edited(things, [["kind: api-key, lasts: 30d", "kind: api-key, lasts: until revoked"]]),
    edit: ["lasts: until revoked", "lasts: 400d"],
    broken: "authentication/credentials/key/lasts",
  },
  {
    what: "another path for tokens",
    text: clients,
    edit: ["at: POST /tokens", "at: POST /oauth/token"],
    broken: "authentication/credentials/app/at",
  },
  {
    what: "tokens of clients for longer",
    text: clients,
    edit: ["lasts: 10m", "lasts: 30m"],
    broken: "authentication/credentials/app/lasts",
  },
  {
    what: "a scope of another role",
    text: clients,
    edit: ["all: member", "all: admin"],
    broken: "authentication/allow/listThings",
  },
  {
    what: "roles in another place",
    text: users,
    edit: [", roles: field role", ""],
    broken: "authentication/allow/changeThing",
  },
  {
    what: "a record of somebody else is forbidden",
    text: things,
    edit: ["unseen: 404", "unseen: 403"],
    tested: "authentication/allow/getThing",
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

/** The line of a statement. */
function lineOf(text: string, path: string): string {
  const { model, places } = check("served.md", text);
  return String(statementFinder(statementsOf(model, places))(path)?.span.start.line);
}

void describe("part 5", () => {
  for (const [name, text] of Object.entries({ members, tokens, scoped, things, clients, users, placed, cookies }))
    void test(`a correct service breaks nothing: ${name}`, async () => {
      const { statements } = await testServed(text, { only: ["authentication"] });
      assert.deepEqual(
        statements.filter(({ kind }) => kind === "broken").map(({ statement }) => statement.path),
        [],
      );
    });

  for (const { what, text, edit, broken, tested = broken } of sampled(rows, 2))
    void test(what, async () => {
      const { cases, statements } = await testServed(text, {
        served: edited(text, [edit]),
        only: [lineOf(text, tested)],
      });
      const found = [
        ...statements.filter(({ kind }) => kind === "broken").map(({ statement }) => statement.path),
        ...cases.flatMap((one) => (one.kind === "broken" ? one.aspects.map(({ path }) => path) : [])),
      ];
      assert(found.includes(broken), found.join(", ") || "nothing is broken");
    });
});
