/**
 * Every kind of caller of a generated document: without credential, each kind of credential with each set of roles, as the owner
 * and as another user, and credentials that are invalid, expired, revoked, of another kind, or two at once.
 */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { SignJWT } from "jose";
import { signatureField } from "../../src/runtime/auth/hmac.ts";
import { keyCredentials, mintKey } from "../../src/runtime/auth/mint.ts";
import { register } from "../../src/runtime/auth/oauth/registered.ts";
import type { Client, Reply, Sent } from "../serve/client.ts";
import type { Running } from "../serve/running.ts";
import type { Caller, Vault } from "./vault.ts";

export interface Asking extends Caller {
  readonly name: string;
  /** What comes of every request with this credential; undefined: it is good. */
  readonly refused?: 400 | 401;
  /** The request with the credential. */
  sign(sent: Sent): Sent;
}

export const secrets = { TICKET_SECRET: "a shared secret of enough length", BELL_SECRET: "the bell's secret" };

export const password = "correct horse battery";
const redirect = "https://client.example/back";

interface World {
  readonly running: Running;
  readonly client: Client;
}

export async function callersOf(vault: Vault, world: World): Promise<readonly Asking[]> {
  const { running } = world;
  const bearer = (key: string): Fields => ({ Authorization: `Bearer ${key}` });
  const keys = await Promise.all(
    ["ona", "odd"].flatMap((id) =>
      [[], ["clerk"], ["boss"], ["clerk", "boss"]].map(async (roles) =>
        asking(
          `a key of ${id} with [${roles.join()}]`,
          { id, roles },
          bearer(await running.keyOf("key", id, ...roles)),
        ),
      ),
    ),
  );
  const sessions = await Promise.all(
    (["clerk", "boss", undefined] as const).map(async (role, index) => {
      const { id, token } = await member(world, `m${index}@example.org`, role);
      const roles = role === undefined ? [] : [role];
      return asking(`a session with [${roles.join()}]`, { id, roles }, { "X-Session": token });
    }),
  );
  const [first] = sessions;
  assert(first?.id !== undefined);
  const all = [
    asking("nobody", { id: undefined, roles: [] }, {}),
    ...keys,
    ...sessions,
    asking(
      "basic with [clerk]",
      { id: "ona", roles: ["clerk"] },
      basic("ona", await running.keyOf("pass", "ona", "clerk")),
    ),
    asking(
      "a ticket with [boss]",
      { id: "ona", roles: ["boss"] },
      { "X-Ticket": await ticket("ona", ["boss"], 2_592_000) },
    ),
    asking(
      "a ticket with unheard of roles",
      { id: "odd", roles: [] },
      { "X-Ticket": await ticket("odd", ["root", "anyone"], 2_592_000) },
    ),
    signing("a signature", { id: "bell", roles: ["clerk"] }, (sent) => signed(running, sent)),
    ...(vault.clients === "themselves" ? await clients(world) : await users(world, first.id)),
  ];
  return [...all, ...(await refused(world))];
}

type Fields = Readonly<Record<string, string>>;

function asking(name: string, who: Caller, headers: Fields, refused?: 400 | 401): Asking {
  return signing(name, who, () => headers, refused);
}

function signing(name: string, who: Caller, sign: (sent: Sent) => Fields, refused?: 400 | 401): Asking {
  return {
    name,
    ...who,
    ...(refused === undefined ? {} : { refused }),
    sign: (sent) => ({ ...sent, headers: { ...sent.headers, ...sign(sent) } }),
  };
}

function basic(user: string, secret: string): Fields {
  return { Authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}` };
}

function ticket(sub: string, roles: readonly string[], seconds: number): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + seconds;
  return new SignJWT({ sub, roles: [...roles], exp })
    .setProtectedHeader({ alg: "HS256" })
    .sign(new TextEncoder().encode(secrets.TICKET_SECRET));
}

/** Of exactly this request, a moment later than the last, since a signature counts once. */
function signed(running: Running, sent: Sent, seconds = 0, secret = secrets.BELL_SECRET): Fields {
  running.pass(1000);
  const body = Buffer.from(
    sent.body === undefined ? "" : typeof sent.body === "string" ? sent.body : JSON.stringify(sent.body),
  );
  const at = Math.floor(running.now() / 1000) + seconds;
  return { "Bell-Signature": signatureField(secret, at, { method: sent.method, target: sent.path, body }) };
}

// ── Members, and clients that act for them ─────────────────────────────────────────────────────────────────────────

async function member(
  { client, running }: World,
  email: string,
  role: string | undefined,
): Promise<{ readonly id: string; readonly token: string }> {
  const made = await client.send({
    method: "POST",
    path: "/members",
    body: { email, password, ...(role && { role }) },
  });
  assert.equal(made.status, 201, made.text);
  return { id: (made.json as { id: string }).id, token: await login({ client, running }, email) };
}

async function login({ client }: World, email: string): Promise<string> {
  const reply = await client.send({ method: "POST", path: "/sessions", body: { email, password } });
  assert.equal(reply.status, 200, reply.text);
  return (reply.json as { token: string }).token;
}

interface App {
  readonly id: string;
  readonly secret: string;
}

async function appOf({ running }: World, owner: string, ...roles: string[]): Promise<App> {
  const secret = await running.keyOf("app", owner, ...roles);
  const key = (await running.store.keys.list()).findLast(
    ({ user, credential }) => user === owner && credential === "app",
  );
  assert(key !== undefined);
  return { id: key.id, secret };
}

function token({ client }: World, app: App, fields: Fields): Promise<Reply> {
  const body = new URLSearchParams(fields).toString();
  const headers = { "Content-Type": "application/x-www-form-urlencoded", ...basic(app.id, app.secret) };
  return client.send({ method: "POST", path: "/oauth/token", headers, body });
}

async function clients(world: World): Promise<readonly Asking[]> {
  const app = await appOf(world, "ona", "clerk", "boss");
  const scoped = async (scope: string): Promise<Fields> => {
    const reply = await token(world, app, { grant_type: "client_credentials", scope });
    assert.equal(reply.status, 200, reply.text);
    return { "X-Token": (reply.json as { access_token: string }).access_token };
  };
  return [
    asking("a client with one scope", { id: "ona", roles: ["clerk"], scoped: true }, await scoped("things:read")),
    asking(
      "a client with all scopes",
      { id: "ona", roles: ["clerk", "boss"], scoped: true },
      await scoped("things:all"),
    ),
  ];
}

/** The first member is a clerk, the client may be both, and the scope gives both: the token is a clerk's. */
async function users(world: World, id: string): Promise<readonly Asking[]> {
  const app = await appOf(world, "acme", "clerk", "boss");
  const key = (await world.running.store.keys.list()).find((one) => one.id === app.id);
  assert(key !== undefined);
  await register(world.running.store.grants, key, { redirects: [redirect], isPublic: false });
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const code = await letIn(world, {
    client_id: app.id,
    response_type: "code",
    redirect_uri: redirect,
    scope: "things:all",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const reply = await token(world, app, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirect,
    code_verifier: verifier,
  });
  assert.equal(reply.status, 200, reply.text);
  const fields = { "X-Token": (reply.json as { access_token: string }).access_token };
  return [asking("a client for a member", { id, roles: ["clerk"], scoped: true }, fields)];
}

/** Through the pages, as a browser goes: the code that the client is sent. */
async function letIn({ client, running }: World, request: Fields): Promise<string> {
  const cookies = new Map<string, string>();
  const go = async (method: string, address: string, fields?: Fields): Promise<{ at: string; reply: Reply }> => {
    const url = new URL(address, running.url);
    const reply = await client.send({
      method,
      path: url.pathname + url.search,
      headers: {
        Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(fields === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
      },
      ...(fields === undefined ? {} : { body: new URLSearchParams(fields).toString() }),
    });
    for (const [, name = "", value = ""] of (reply.headers["set-cookie"] ?? "").matchAll(/(?:^|, )([a-z_.]+)=([^;]*)/g))
      cookies.set(name, value);
    const next = reply.headers["location"];
    if (next === undefined || new URL(next, running.url).origin !== running.url) return { at: address, reply };
    return go("GET", next);
  };
  const submit = ({ at, reply }: { at: string; reply: Reply }, fields: Fields) => {
    const [, hidden = ""] = /name="token" value="([^"]+)"/.exec(reply.text) ?? [];
    return go("POST", at, { token: hidden, ...fields });
  };
  const asked = await go("GET", `/oauth/authorize?${new URLSearchParams(request).toString()}`);
  const agreed = await submit(asked, { name: "m0@example.org", secret: password, answer: "login" });
  const told = await submit(agreed, { answer: "allow" });
  const code = new URL(told.reply.headers["location"] ?? "", running.url).searchParams.get("code");
  assert(code !== null, told.reply.text);
  return code;
}

// ── What is no good ────────────────────────────────────────────────────────────────────────────────────────────────

async function refused(world: World): Promise<readonly Asking[]> {
  const { running, client } = world;
  const boss: Caller = { id: "ona", roles: [...["clerk", "boss"]] };
  const no = (name: string, headers: Fields, status: 400 | 401 = 401): Asking => asking(name, boss, headers, status);
  const good = await running.keyOf("key", "ona", "clerk", "boss");
  const revoked = await running.keyOf("key", "ona", "clerk", "boss");
  const newest = (await running.store.keys.list()).at(-1);
  assert(newest !== undefined && (await running.store.keys.revoke(newest.id, running.now())));
  const credential = keyCredentials(running.plan).find(({ name }) => name === "key");
  assert(credential !== undefined);
  const past = { now: () => running.now() - 3_600_000 };
  const over = await mintKey(
    running.store.keys,
    { user: "ona", roles: ["clerk", "boss"], credential, milliseconds: 60_000 },
    past,
    randomBytes,
  );
  const { token: ended } = await member(world, "ended@example.org", "boss");
  const logout = await client.send({ method: "DELETE", path: "/sessions/current", headers: { "X-Session": ended } });
  assert.equal(logout.status, 204, logout.text);
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = encode({ sub: "ona", roles: ["clerk", "boss"], exp: 9_999_999_999 });
  const unsigned = `${encode({ alg: "none" })}.${claims}.`;
  return [
    no("a key that is nobody's", { Authorization: `Bearer ${good.slice(0, -1)}${good.endsWith("A") ? "B" : "A"}` }),
    no("a revoked key", { Authorization: `Bearer ${revoked}` }),
    no("a key that is over", { Authorization: `Bearer ${over.secret}` }),
    no("a key in the place of a session", { "X-Session": good }),
    no("a key in the place of a token", { "X-Token": good }),
    no("a key in an unknown scheme", { Authorization: `Token ${good}` }),
    no("another user's key in basic", basic("odd", await running.keyOf("pass", "ona", "boss"))),
    no("a session that was ended", { "X-Session": ended }),
    no("a ticket that is over", { "X-Ticket": await ticket("ona", ["boss"], -3600) }),
    no("a ticket that nobody signed", { "X-Ticket": unsigned }),
    no("a client's own secret", { "X-Token": (await appOf(world, "raw", "boss")).secret }),
    signing("a signature of last hour", boss, (sent) => signed(running, sent, -3600), 401),
    signing(
      "a signature of another request",
      boss,
      (sent) => signed(running, { ...sent, path: `${sent.path}/x` }),
      401,
    ),
    signing("a signature by another secret", boss, (sent) => signed(running, sent, 0, "another secret"), 401),
    no("two credentials", { Authorization: `Bearer ${good}`, "X-Session": ended }, 401),
    no("an empty credential", { Authorization: "Bearer " }, 400),
  ];
}
