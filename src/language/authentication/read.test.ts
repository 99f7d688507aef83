/** Part 5: what each form means, and what is complained about, where. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBlock } from "../../../test/part-block.ts";
import type { Grant } from "./model.ts";
import { authentication } from "./grammar.ts";

const role = (name: string, condition?: string): Grant => ({
  who: { kind: "role", role: name },
  ...(condition === undefined ? {} : { if: condition }),
});

const grantForms: readonly [written: string, grants: readonly Grant[]][] = [
  ["operator", [role("operator")]],
  ["none", []],
  ["anyone", [{ who: { kind: "anyone" } }]],
  ["signed-in if own", [{ who: { kind: "signed-in" }, if: "own" }]],
  ["operator | courier if own", [role("operator"), role("courier", "own")]],
  ["operator|courier if own", [role("operator"), role("courier", "own")]],
  ["courier if own || state == 'free' | operator", [role("courier", "own || state == 'free'"), role("operator")]],
  ["courier if (own || open) | operator", [role("courier", "(own || open)"), role("operator")]],
  ["courier if \"state == 'a | b'\"", [role("courier", "state == 'a | b'")]],
  ["courier if size == 'a | b'", [role("courier", "size == 'a | b'")]],
  ["courier if x in ['a', 'b']", [role("courier", "x in ['a', 'b']")]],
  ["[operator, courier if own]", [role("operator"), role("courier", "own")]],
  ["{ who: courier, if: own }", [role("courier", "own")]],
  ["{ who: signed-in }", [{ who: { kind: "signed-in" } }]],
  ["[operator, { who: courier, if: own }]", [role("operator"), role("courier", "own")]],
  ["operator | operator", [role("operator")]],
  ["ifs", [role("ifs")]],
];

for (const [written, grants] of grantForms) {
  test(`allow: ${written}`, () => {
    const { part, faults } = readBlock(authentication.readPart, `allow:\n  x: ${written}\n`);
    assert.deepEqual(faults, []);
    assert.deepEqual(part.allow, { x: grants });
  });
}

test("several operations share a line, two lines of one operation add up, each name has its place", () => {
  const { part, faults, reader } = readBlock(
    authentication.readPart,
    "allow:\n  a, bee: operator\n  bee: courier if own | operator\n",
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(part.allow, { a: [role("operator")], bee: [role("operator"), role("courier", "own")] });
  const key = reader.places.get("authentication/allow/bee#key");
  assert.deepEqual([key?.start.line, key?.start.column, key?.end.column], [2, 6, 9]);
  const condition = reader.places.get("authentication/allow/bee/1/if#value");
  assert.deepEqual([condition?.start.line, condition?.start.column, condition?.end.column], [3, 19, 22]);
});

test("every kind of credential says what it can", () => {
  const { part, faults } = readBlock(
    authentication.readPart,
    `credentials:
  bare: api-key
  key: { kind: api-key, sent: header X-Api-Key, prefix: pl_, obtained: An operator makes it, lasts: until revoked,
         renewed: "By asking, in time", revoked: at once, roles: courier, scopes: [read, write] }
  session: { kind: password, of: User, name: email, secret: password, sent: Authorization Key, lasts: 60d }
  token: { kind: jwt, issuer: "https://i.example", audience: api, jwks: "https://i.example/jwks", user: claim sub,
           roles: claim realm.roles, revoked: none }
  own: { kind: jwt, secret: env JWT_SECRET, roles: [courier] }
  app: { kind: oauth2, scopes: "a:read, a:write" }
  simple: basic
  device: { kind: hmac-sha256, sent: { header: Door-Signature }, secret: env DOOR_SECRET, lasts: 12mo }
  mapped: { kind: api-key, sent: { header: authorization, scheme: Token } }
`,
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(part.credentials, {
    bare: { kind: "api-key" },
    key: {
      kind: "api-key",
      sent: [{ header: "X-Api-Key" }],
      obtained: "An operator makes it",
      renewed: "By asking, in time",
      prefix: "pl_",
      lasts: "until revoked",
      revoked: "at once",
      roles: ["courier"],
      scopes: ["read", "write"],
    },
    session: {
      kind: "password",
      sent: [{ header: "Authorization", scheme: "Key" }],
      lasts: "60d",
      field: "password",
      of: "User",
      name: "email",
    },
    token: {
      kind: "jwt",
      revoked: "none",
      issuer: "https://i.example",
      audience: "api",
      jwks: "https://i.example/jwks",
      user: "sub",
      roles: { claim: "realm.roles" },
    },
    own: { kind: "jwt", secret: "JWT_SECRET", roles: ["courier"] },
    app: { kind: "oauth2", scopes: ["a:read", "a:write"] },
    simple: { kind: "basic" },
    device: { kind: "hmac-sha256", sent: [{ header: "Door-Signature" }], lasts: "12mo", secret: "DOOR_SECRET" },
    mapped: { kind: "api-key", sent: [{ header: "Authorization", scheme: "Token" }] },
  });
});

test("what is open is a gap and no fault", () => {
  const { part, faults, reader } = readBlock(
    authentication.readPart,
    "credentials:\n  device: { kind: hmac-sha256, secret: not shown }\n  other: { kind: not shown }\nroles: not shown\nallow:\n  a, b: not shown\nunseen: not shown\n",
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(part, { credentials: { device: { kind: "hmac-sha256" } }, own: {}, allow: {}, show: {} });
  assert.deepEqual(reader.gaps.toSorted(), [
    "authentication/allow/a",
    "authentication/allow/b",
    "authentication/credentials/device/secret",
    "authentication/credentials/other/kind",
    "authentication/roles",
    "authentication/unseen",
  ]);
});

test("none is an answer", () => {
  const yaml = "credentials: none\nroles: none\nown: none\nallow: none\nshow: none\nunseen: 403\n";
  const { part, faults } = readBlock(authentication.readPart, yaml);
  assert.deepEqual(faults, []);
  assert.deepEqual(part, { credentials: {}, roles: [], own: {}, allow: {}, show: {}, unseen: 403 });
});

const wrong: readonly [yaml: string, ...faults: string[]][] = [
  ["alow: { a: anyone }", "1:1 authentication/unknown-key alow"],
  ["unseen: 401", "1:9 authentication/unknown-value 401"],
  ["roles: [courier, anyone]", "1:18 authentication/bad-role anyone"],
  ["roles: [a, a]", "1:12 authentication/bad-list a"],
  ["roles: { a: b }", "1:8 authentication/not-a-list { a: b }"],
  ["own: [a]", "1:6 authentication/not-a-map [a]"],
  ["own: { Parcel: }", "1:8 authentication/empty Parcel"],
  ["allow: { a: operator own }", "1:13 authentication/bad-grant operator own"],
  ["allow: { a: operator | courier if }", "1:24 authentication/bad-grant courier if"],
  ["allow:\n  a: operator, courier", "2:6 authentication/comma-between-grants operator, courier"],
  ["allow: { a: public | operator }", "1:13 authentication/bad-grant public"],
  ["allow: { a: signed in }", "1:13 authentication/bad-grant signed in"],
  ['allow: { a: "operator | ? if own" }', "1:25 authentication/bad-grant ?"],
  ["allow: { a: operator | }", "1:23 authentication/bad-grant "],
  ["allow: { a: { if: own } }", "1:13 authentication/bad-grant { if: own }"],
  ["allow: { a: { who: x, when: own } }", "1:23 authentication/unknown-key when"],
  ["allow:\n  a,, b: anyone", "2:3 authentication/empty-name a,, b"],
  ["credentials: { k: api_key }", "1:19 authentication/unknown-value api_key"],
  ["credentials: { k: { sent: header X } }", "1:16 authentication/missing-member k"],
  ["credentials: { k: hmac-sha256 }", "1:16 authentication/missing-member k"],
  ["credentials: { k: { kind: hmac-sha256, secret: [] } }", "1:16 authentication/missing-member k"],
  ["credentials: { k: { kind: jwt, audience: a } }", "1:16 authentication/missing-member k"],
  ["credentials: { k: { kind: password, of: User, name: email } }", "1:16 authentication/missing-member k"],
  [
    "credentials: { k: { kind: password, of: U, name: e, secret: p, changed: current } }",
    "1:73 authentication/bad-changed current",
  ],
  ["credentials: { k: { kind: api-key, changed: with a } }", "1:36 authentication/member-of-other-kind changed"],
  ["credentials: { k: { kind: api-key, issuer: a } }", "1:36 authentication/member-of-other-kind issuer"],
  ["credentials: { k: { kind: api-key, sent: query a b } }", "1:42 authentication/bad-sent query a b"],
  ["credentials: { k: { kind: api-key, sent: cookie } }", "1:42 authentication/bad-sent cookie"],
  ["credentials: { k: { kind: api-key, sent: none } }", "1:42 authentication/bad-sent none"],
  ["credentials: { k: { kind: api-key, sent: X-Key } }", "1:42 authentication/bad-sent X-Key"],
  [
    "credentials: { k: { kind: api-key, sent: { header: X, scheme: B } } }",
    "1:42 authentication/bad-sent { header: X, scheme: B }",
  ],
  ["credentials: { k: { kind: api-key, lasts: forever } }", "1:43 authentication/bad-duration forever"],
  ["credentials: { k: { kind: api-key, revoked: now } }", "1:45 authentication/bad-duration now"],
  ["credentials: { k: { kind: api-key, prefix: a b } }", "1:44 authentication/bad-prefix a b"],
  ["credentials: { k: { kind: api-key, roles: claim r } }", "1:43 authentication/bad-claim claim r"],
  ["credentials: { k: { kind: jwt, secret: env A, user: sub } }", "1:53 authentication/bad-claim sub"],
  ["credentials: { k: { kind: jwt, jwks: keys } }", "1:38 authentication/bad-address keys"],
  ["credentials: { k: { kind: hmac-sha256, secret: hunter2 } }", "1:48 authentication/secret-in-document hunter2"],
];

for (const [yaml, ...expected] of wrong) {
  test(`wrong: ${yaml.replace("\n", " ⏎ ")}`, () => {
    assert.deepEqual(readBlock(authentication.readPart, `${yaml}\n`).faults, expected);
  });
}

test("a secret that stands in the document is not repeated", () => {
  const { reader } = readBlock(authentication.readPart, "credentials: { k: { kind: hmac-sha256, secret: hunter2 } }\n");
  assert.equal(JSON.stringify(reader.diagnostics).includes("hunter2"), false);
});
