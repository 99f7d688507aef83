/** Proofs of part 5. */
import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JWTPayload } from "jose";
import { exportJWK, SignJWT } from "jose";
import type { Json } from "../../src/base/json.ts";
import { signatureField } from "../../src/runtime/auth/hmac.ts";
import type { Block } from "./document.ts";
import { crud, documentOf, things } from "./document.ts";
import type { Expected, Proof, ApiError, Step } from "./proof.ts";
import { ask, pass } from "./proof.ts";
import { says } from "./resources.ts";

const environment = {
  TOKEN_SECRET: "a shared secret of enough length",
  OTHER_SECRET: "another secret of enough length",
};

/** An issuer of tokens, for as long as the tests run. */
const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const keySet = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: "k", alg: "ES256" }] });
const issuer = createServer((_, response) => {
  response.writeHead(200, { "Content-Type": "application/json" }).end(keySet);
});
await new Promise<void>((resolve) => issuer.listen(0, "127.0.0.1", resolve));
issuer.unref();
const jwks = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys`;

const resources = things({ "name?": "string(1..9)", "by?": "user = caller, read-only", "hidden?": "string(1..9)" });

/** Things that whoever is signed in may handle. */
function secured(authentication: Block): string {
  const allow = Object.fromEntries(Object.keys(crud).map((operation) => [operation, "signed-in"]));
  const said = Object.entries((authentication["allow"] ?? {}) as Block);
  const each = said.flatMap(([names, grants]) => names.split(", ").map((name) => [name, grants] as const));
  return documentOf({
    resources,
    authentication: { ...authentication, allow: { ...allow, ...Object.fromEntries(each) } },
  });
}

/** With one credential. */
function with_(credential: Json): string {
  return secured({ credentials: { pass: credential } });
}

/** A request by a token with these claims; of HMAC, or by the issuer's key. */
function byToken(claims: JWTPayload, gets: Expected, by: "secret" | "issuer" = "secret"): Step {
  return async (scene) => {
    const seconds = Math.floor(Date.now() / 1000);
    const token = new SignJWT({ sub: "ann", exp: seconds + 600, iat: seconds, ...claims });
    const text =
      by === "secret"
        ? await token.setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(environment.TOKEN_SECRET))
        : await token.setProtectedHeader({ alg: "ES256", kid: "k" }).sign(pair.privateKey);
    await ask(`POST /things\nAuthorization: Bearer ${text}`, {}, gets)(scene);
  };
}

/** A signed request. */
function bySignature(secret: string, gets: Expected, header = "Door-Signature"): Step {
  return async (scene) => {
    const body = Buffer.from("{}");
    const field = signatureField(secret, Math.floor(Date.now() / 1000), { method: "POST", target: "/things", body });
    await ask(`POST /things\n${header}: ${field}`, {}, gets)(scene);
  };
}

/** Somebody revokes ann's keys. */
const revoked: Step = async ({ running }) => {
  for (const key of await running.store.keys.list()) await running.store.keys.revoke(key.id, Date.now());
};

const day = 86_400_000;

const key = { kind: "api-key", lasts: "365d" };
const token = { kind: "jwt", secret: "env TOKEN_SECRET" };
const device = { kind: "hmac-sha256", sent: "header Door-Signature", secret: "env OTHER_SECRET" };

/** Signs as Stripe does, some seconds ago. */
function byScheme(late: number): Step {
  return async (scene) => {
    const seconds = Math.floor(scene.running.now() / 1000) - late;
    const hex = createHmac("sha256", environment.OTHER_SECRET).update(`${seconds}.{}`).digest("hex");
    await ask(
      `POST /things\nDoor-Signature: t=${seconds},v1=${hex}`,
      {},
      { status: "201", has: { by: "pass" } },
    )(scene);
  };
}

/** A client gets a token, of all its scopes, and makes a thing with it. */
function byClient(
  at: string,
  gets: Expected,
  prefix = "pass_",
  roles: readonly string[] = ["member"],
  body: Json = {},
): Step {
  return async (scene) => {
    const secret = await scene.running.key("acme", ...roles);
    const [client] = (await scene.running.store.keys.list()).filter(({ user }) => user === "acme");
    assert(secret.startsWith(prefix), secret);
    const given = await scene.send({
      method: "POST",
      path: at,
      headers: {
        Authorization: `Basic ${Buffer.from(`${client?.id ?? ""}:${secret}`).toString("base64")}`,
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body: "grant_type=client_credentials",
    });
    const token = (given.json as { access_token?: string } | undefined)?.access_token ?? "none";
    await ask(`POST /things\nAuthorization: Bearer ${token}`, body, gets)(scene);
  };
}

const partner = { kind: "oauth2" };

const oauth: readonly Proof[] = [
  {
    of: ["authentication/credentials/oauth2"],
    with: with_(partner),
    without: with_(key),
    play: [
      byClient("/oauth/token", { status: "201", has: { by: "acme" } }),
      ask("GET /.well-known/oauth-authorization-server", "200"),
      ask("POST /things\nAuthorization: Bearer pass_t_nonsense", {}, "401 unauthenticated"),
    ],
  },
  {
    of: ["authentication/credentials/at"],
    with: with_({ ...partner, at: "POST /tokens" }),
    without: with_(partner),
    play: [byClient("/tokens", "201")],
  },
  {
    of: ["authentication/credentials/scopeRoles"],
    with: secured({ credentials: { pass: { ...partner, scopes: { all: "member" } } }, allow: { addThing: "member" } }),
    without: secured({
      credentials: { pass: { ...partner, scopes: { all: "admin" } } },
      allow: { addThing: "member" },
    }),
    play: [byClient("/oauth/token", "201")],
  },
];

/** Tokens with scopes, at a grant that names no role. */
const bound = { credentials: { pass: { ...partner, scopes: { all: "member" } } } };
const anyScope: readonly Proof[] = [
  {
    of: ["authentication/allow/who/signed-in/anyScope"],
    with: secured({ ...bound, allow: { addThing: "any-scope" } }),
    without: secured({ ...bound, allow: { addThing: "signed-in" } }),
    play: [byClient("/oauth/token", "201")],
  },
  {
    of: ["authentication/show/who/signed-in/anyScope"],
    with: secured({ ...bound, allow: { addThing: "any-scope" }, show: { "Thing.hidden": "any-scope" } }),
    without: secured({ ...bound, allow: { addThing: "any-scope" }, show: { "Thing.hidden": "signed-in" } }),
    play: [
      byClient("/oauth/token", { status: "201", has: { hidden: "secretive" } }, "pass_", ["member"], {
        hidden: "secretive",
        name: "a",
      }),
    ],
  },
  {
    of: ["authentication/credentials/foreign"],
    with: with_({ ...partner, issuer: "not shown" }),
    without: with_(partner),
    play: [ask("GET /.well-known/oauth-authorization-server", "404 not-found")],
  },
];

const credentials: readonly Proof[] = [
  ...anyScope,
  ...oauth,
  {
    of: ["authentication/credentials", "authentication/credentials/api-key"],
    with: with_(key),
    without: with_(token),
    environment,
    play: [
      ask("ann POST /things", {}, { status: "201", has: { by: "ann" } }),
      ask("POST /things", {}, "401 unauthenticated"),
      ask("POST /things\nAuthorization: Bearer pass_nonsense", {}, "401 unauthenticated"),
    ],
  },
  {
    of: ["authentication/credentials/jwt", "authentication/credentials/secret"],
    with: with_(token),
    without: with_({ ...token, secret: "env OTHER_SECRET" }),
    environment,
    play: [byToken({}, { status: "201", has: { by: "ann" } }), byToken({ exp: 1 }, "401 unauthenticated")],
  },
  {
    of: ["authentication/credentials/hmac-sha256", "authentication/credentials/secret"],
    with: with_(device),
    without: with_({ ...device, secret: "env TOKEN_SECRET" }),
    environment,
    play: [
      bySignature(environment.OTHER_SECRET, { status: "201", has: { by: "pass" } }),
      bySignature("guessed", "401 unauthenticated"),
    ],
  },
  {
    of: ["authentication/credentials/formerSecrets"],
    with: with_({ ...device, secret: ["env OTHER_SECRET", "env TOKEN_SECRET"] }),
    without: with_(device),
    environment,
    play: [bySignature(environment.TOKEN_SECRET, { status: "201", has: { by: "pass" } })],
  },
  {
    of: ["authentication/credentials/scheme"],
    with: with_({ ...device, scheme: "stripe" }),
    without: with_(device),
    environment,
    play: [byScheme(0)],
  },
  {
    of: ["authentication/credentials/tolerance"],
    with: with_({ ...device, scheme: "stripe", tolerance: "20m" }),
    without: with_({ ...device, scheme: "stripe" }),
    environment,
    play: [byScheme(600)],
  },
  {
    of: ["authentication/credentials/basic"],
    with: with_({ kind: "basic" }),
    without: with_(key),
    play: [
      async (scene) => {
        const secret = await scene.key("ann");
        const basic = (user: string) => `Authorization: Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;
        await ask(`POST /things\n${basic("ann")}`, {}, { status: "201", has: { by: "ann" } })(scene);
        await ask(`POST /things\n${basic("bob")}`, {}, "401 unauthenticated")(scene);
      },
    ],
  },
  {
    of: ["authentication/credentials/sent", "authentication/credentials/sent/header"],
    with: with_({ ...key, sent: "header X-Key" }),
    without: with_(key),
    play: [
      async (scene) => ask(`POST /things\nX-Key: ${await scene.key("ann")}`, {}, "201")(scene),
      ask("ann POST /things", {}, "401"),
    ],
  },
  {
    of: ["authentication/credentials/sent/scheme"],
    with: with_({ ...key, sent: "Authorization Token" }),
    without: with_(key),
    play: [
      async (scene) => ask(`POST /things\nAuthorization: Token ${await scene.key("ann")}`, {}, "201")(scene),
      ask("ann POST /things", {}, "401"),
    ],
  },
  {
    of: ["authentication/credentials/sent/cookie"],
    with: with_({ ...key, sent: "cookie pass" }),
    without: with_(key),
    play: [
      async (scene) => ask(`POST /things\nCookie: a=b; pass=${await scene.key("ann")}`, {}, "201")(scene),
      ask("ann POST /things", {}, "401"),
    ],
  },
  {
    of: ["authentication/credentials/sent/query"],
    with: with_({ ...key, sent: "query pass" }),
    without: with_(key),
    play: [
      async (scene) => ask(`POST /things?pass=${await scene.key("ann")}`, {}, "201")(scene),
      ask("ann POST /things", {}, "401"),
    ],
  },
  {
    of: ["authentication/credentials/obtained", "authentication/credentials/renewed"],
    with: with_({ ...key, obtained: "at the front desk", renewed: "by asking again" }),
    without: with_(key),
    play: [
      ask("GET /\nAccept: text/html", says("at the front desk")),
      ask("GET /\nAccept: text/html", says("by asking again")),
    ],
  },
  {
    of: ["authentication/credentials/prefix"],
    with: with_({ ...key, prefix: "pl_" }),
    without: with_(key),
    play: [
      async (scene) => assert.match(await scene.key("ann"), /^pl_/),
      ask("ann POST /things", {}, "201"),
      ask("GET /openapi.json", says("pl_")),
    ],
  },
  {
    of: ["authentication/credentials/lasts"],
    with: with_({ ...key, lasts: "2d" }),
    without: with_({ ...key, lasts: "4d" }),
    play: [
      ask("ann POST /things", {}, "201"),
      pass(day),
      ask("ann POST /things", {}, "201"),
      pass(2 * day),
      ask("ann POST /things", {}, "401"),
    ],
  },
  {
    of: ["authentication/credentials/lasts"],
    with: with_({ ...token, lasts: "1h" }),
    without: with_(token),
    environment,
    play: [
      byToken({}, "201"),
      byToken({ exp: Math.floor(Date.now() / 1000) + 7200 }, "401 unauthenticated"),
      byToken({ iat: Math.floor(Date.now() / 1000) - 7200 }, "401 unauthenticated"),
    ],
  },
  {
    of: ["authentication/credentials/lasts/until revoked"],
    with: with_({ ...key, lasts: "until revoked" }),
    without: with_({ ...key, lasts: "4d" }),
    play: [
      ask("ann POST /things", {}, "201"),
      pass(400 * day),
      ask("ann POST /things", {}, "201"),
      revoked,
      pass(1000),
      ask("ann POST /things", {}, "401"),
    ],
  },
  {
    of: ["authentication/credentials/revoked", "authentication/credentials/revoked/at once"],
    with: with_({ ...key, revoked: "at once" }),
    without: with_({ ...key, revoked: "1h" }),
    play: [ask("ann POST /things", {}, "201"), revoked, pass(1000), ask("ann POST /things", {}, "401")],
  },
  {
    of: ["authentication/credentials/revoked"],
    with: with_({ ...key, revoked: "1h" }),
    without: with_({ ...key, revoked: "at once" }),
    play: [
      ask("ann POST /things", {}, "201"),
      revoked,
      pass(1000),
      ask("ann POST /things", {}, "201"),
      pass(3_600_000),
      ask("ann POST /things", {}, "401"),
    ],
  },
  {
    of: ["authentication/credentials/revoked/none"],
    with: with_({ ...key, lasts: "2d", revoked: "none" }),
    without: with_({ ...key, lasts: "2d", revoked: "at once" }),
    play: [
      ask("ann POST /things", {}, "201"),
      revoked,
      pass(day),
      ask("ann POST /things", {}, "201"),
      pass(day),
      ask("ann POST /things", {}, "401"),
    ],
  },
  {
    of: ["authentication/credentials/issuer"],
    with: with_({ ...token, issuer: "https://issuer.example" }),
    without: with_(token),
    environment,
    play: [
      byToken({ iss: "https://issuer.example" }, "201"),
      byToken({ iss: "https://other.example" }, "401"),
      byToken({}, "401"),
    ],
  },
  {
    of: ["authentication/credentials/audience"],
    with: with_({ ...token, audience: "things" }),
    without: with_(token),
    environment,
    play: [byToken({ aud: "things" }, "201"), byToken({ aud: "boxes" }, "401"), byToken({}, "401")],
  },
  {
    of: ["authentication/credentials/jwks"],
    with: with_({ kind: "jwt", jwks }),
    without: with_(token),
    environment,
    play: [byToken({}, "201", "issuer"), byToken({}, "401")],
  },
  {
    of: ["authentication/credentials/user"],
    with: with_({ ...token, user: "claim email" }),
    without: with_(token),
    environment,
    play: [byToken({ email: "a@example.org" }, { status: "201", has: { by: "a@example.org" } }), byToken({}, "401")],
  },
  {
    of: ["authentication/credentials/roles", "authentication/credentials/roles/claim"],
    with: secured({ credentials: { pass: { ...token, roles: "claim groups" } }, allow: { addThing: "admin" } }),
    without: secured({ credentials: { pass: token }, allow: { addThing: "admin" } }),
    environment,
    play: [
      byToken({ groups: ["admin"] }, "201"),
      byToken({ groups: ["member"] }, "403 forbidden"),
      byToken({ roles: ["admin"] }, "403 forbidden"),
    ],
  },
  {
    of: ["authentication/credentials/roles"],
    with: secured({ credentials: { pass: { ...device, roles: ["admin"] } }, allow: { addThing: "admin" } }),
    without: secured({ credentials: { pass: { ...device, roles: ["member"] } }, allow: { addThing: "admin" } }),
    environment,
    play: [bySignature(environment.OTHER_SECRET, "201")],
  },
  {
    of: ["authentication/credentials/scopes"],
    with: with_({ ...token, scopes: ["things:write", "things:read"] }),
    without: with_(token),
    environment,
    play: [
      byToken({ scope: "things:read things:write other" }, "201"),
      byToken({ scp: ["things:read", "things:write"] }, "201"),
      byToken(
        { scope: "things:read" },
        { status: "403 forbidden", headers: { "WWW-Authenticate": /insufficient_scope.*things:write/ } },
      ),
      byToken({}, "403 forbidden"),
    ],
  },
];

const member = { addThing: "member" };

const permissions: readonly Proof[] = [
  {
    of: ["authentication/roles"],
    with: secured({ roles: ["member", "admin"], allow: member }),
    without: secured({ roles: ["member", "admin", "guest"], allow: member }),
    play: [ask("GET /\nAccept: text/html", { lacks: ["guest"] }), ask("GET /\nAccept: text/html", says("member"))],
  },
  {
    of: ["authentication/allow", "authentication/allow/who/role"],
    with: secured({ allow: member }),
    without: secured({ allow: { addThing: "admin" } }),
    play: [
      ask("ann POST /things", {}, "201"),
      ask("olga POST /things", {}, "403 forbidden"),
      ask("zoe POST /things", {}, "403 forbidden"),
      ask("POST /things", {}, "401 unauthenticated"),
    ],
  },
  {
    of: ["authentication/allow/who/signed-in"],
    with: secured({ allow: { addThing: "signed-in" } }),
    without: secured({ allow: { addThing: "anyone" } }),
    play: [ask("zoe POST /things", {}, "201"), ask("POST /things", {}, "401 unauthenticated")],
  },
  {
    of: ["authentication/allow/who/anyone"],
    with: secured({ allow: { addThing: "anyone" } }),
    without: secured({ allow: { addThing: "signed-in" } }),
    play: [ask("POST /things", {}, "201"), ask("ann POST /things", {}, "201")],
  },
  {
    of: ["authentication/allow/if"],
    with: secured({ allow: { "getThing, listThings": "signed-in if name == 'open'" } }),
    without: secured({}),
    play: [
      ask("ann POST /things", { name: "open" }, "201"),
      ask("ann POST /things", { name: "shut" }, "201"),
      ask("bob GET /things/{1}", "200"),
      ask("bob GET /things/{2}", "404"),
      ask("bob GET /things", { items: [{ name: "open" }] }),
    ],
  },
  {
    of: ["authentication/own"],
    with: secured({
      own: { Thing: "by == caller.id" },
      allow: { "getThing, listThings, changeThing": "admin | member if own" },
    }),
    without: secured({
      own: { Thing: "by != caller.id" },
      allow: { "getThing, listThings, changeThing": "admin | member if own" },
    }),
    play: [
      ask("ann POST /things", {}, "201"),
      ask("bob POST /things", {}, "201"),
      ask("ann GET /things/{1}", "200"),
      ask("bob GET /things/{1}", "404"),
      ask("bob PATCH /things/{1}", { name: "a" }, "404"),
      ask("bob GET /things", { items: [{ by: "bob" }] }),
      ask("olga GET /things", { items: 2 }),
    ],
  },
  {
    of: ["authentication/unseen", "authentication/unseen/403"],
    with: secured({
      unseen: "403",
      own: { Thing: "by == caller.id" },
      allow: { "getThing, listThings": "member if own" },
    }),
    without: secured({
      unseen: "404",
      own: { Thing: "by == caller.id" },
      allow: { "getThing, listThings": "member if own" },
    }),
    play: [ask("ann POST /things", {}, "201"), ask("bob GET /things/{1}", "403 forbidden")],
  },
  {
    of: ["authentication/unseen/404"],
    with: secured({
      unseen: "404",
      own: { Thing: "by == caller.id" },
      allow: { "getThing, listThings": "member if own" },
    }),
    without: secured({
      unseen: "403",
      own: { Thing: "by == caller.id" },
      allow: { "getThing, listThings": "member if own" },
    }),
    play: [
      ask("ann POST /things", {}, "201"),
      ask("bob GET /things/{1}", "404 not-found"),
      ask("bob GET /things/thi_00000000000000000000000000", "404 not-found"),
    ],
  },
];

/** Who sees the hidden field; the thing has it either way. */
function showing(grant: string | undefined): string {
  const allow = { "addThing, getThing, listThings": "anyone", changeThing: "admin" };
  return secured({ allow, ...(grant === undefined ? {} : { show: { "Thing.hidden": grant } }) });
}

const hidden = ask("ann POST /things", { hidden: "secretive", name: "a" }, "201");
const sees = (who: string): Step => ask(`${who}GET /things/{1}`, { has: { hidden: "secretive" } });
const misses = (who: string): readonly Step[] => [
  ask(`${who}GET /things/{1}`, { lacks: ["secretive", "hidden"] }),
  ask(`${who}GET /things`, { lacks: ["secretive", "hidden"] }),
];

const shows: readonly Proof[] = [
  {
    of: ["authentication/show", "authentication/show/who/role"],
    with: showing("admin"),
    without: showing(undefined),
    play: [hidden, sees("olga "), ...misses("ann "), ...misses("")],
  },
  {
    of: ["authentication/show/who/signed-in"],
    with: showing("signed-in"),
    without: showing("admin"),
    play: [hidden, sees("zoe "), ...misses("")],
  },
  {
    of: ["authentication/show/who/anyone"],
    with: showing("anyone"),
    without: showing("admin"),
    play: [hidden, sees("")],
  },
  {
    of: ["authentication/show/if"],
    with: showing("member if name == 'a'"),
    without: showing("member"),
    play: [
      hidden,
      ask("ann POST /things", { hidden: "secretive", name: "b" }, "201"),
      sees("ann "),
      ask("ann GET /things/{2}", { lacks: ["secretive", "hidden"] }),
    ],
  },
];

/** Who sets the field; without the line everybody does. */
function setting(grant: string | undefined): string {
  const allow = { "addThing, getThing, listThings": "anyone", changeThing: "anyone" };
  return secured({ allow, ...(grant === undefined ? {} : { set: { "Thing.hidden": grant } }) });
}

const settable = (who: string, name = "a"): Step =>
  ask(`${who}POST /things`, { hidden: "new", name }, { status: "201", has: { hidden: "new" } });
const refused = (who: string, name = "a"): Step =>
  ask(`${who}POST /things`, { hidden: "new", name }, "422 #/hidden read-only");

const sets: readonly Proof[] = [
  {
    of: ["authentication/set", "authentication/set/who/role"],
    with: setting("admin"),
    without: setting(undefined),
    play: [settable("olga "), refused("ann "), refused("")],
  },
  {
    of: ["authentication/set/who/signed-in"],
    with: setting("signed-in"),
    without: setting("admin"),
    play: [settable("zoe "), refused("")],
  },
  {
    of: ["authentication/set/who/anyone"],
    with: setting("anyone"),
    without: setting("admin"),
    play: [settable("")],
  },
  {
    of: ["authentication/set/if"],
    with: setting("member if name == 'a'"),
    without: setting("member"),
    play: [settable("ann "), refused("ann ", "b")],
  },
  {
    of: ["authentication/set/who/signed-in/anyScope"],
    with: secured({ ...bound, allow: { addThing: "any-scope" }, set: { "Thing.hidden": "any-scope" } }),
    without: secured({ ...bound, allow: { addThing: "any-scope" }, set: { "Thing.hidden": "signed-in" } }),
    play: [
      byClient("/oauth/token", { status: "201", has: { hidden: "secretive" } }, "pass_", ["member"], {
        hidden: "secretive",
        name: "a",
      }),
    ],
  },
];

export const authenticationProofs: readonly Proof[] = [...credentials, ...permissions, ...shows, ...sets];

const ignored = "authentication/statement-ignored";

export const authenticationRefusals: readonly ApiError[] = [
  {
    of: ["authentication/credentials/revoked"],
    with: with_({ ...token, revoked: "at once" }),
    refused: ignored,
    without: with_(token),
  },
  {
    of: ["authentication/credentials/revoked"],
    with: with_({ ...device, revoked: "1h" }),
    refused: ignored,
    without: with_(device),
  },
  {
    of: ["authentication/credentials/lasts"],
    with: with_({ ...token, lasts: "until revoked" }),
    refused: ignored,
    without: with_(token),
  },
  {
    of: ["authentication/credentials/lasts"],
    with: with_({ ...device, lasts: "1h" }),
    refused: ignored,
    without: with_(device),
  },
  {
    of: ["authentication/credentials/scopes"],
    with: with_({ ...key, scopes: ["a"] }),
    refused: ignored,
    without: with_(key),
  },
];
