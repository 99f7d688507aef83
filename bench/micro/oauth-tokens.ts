/**
 * `node bench/micro/oauth-tokens.ts`: client credentials by `src/runtime/auth/oauth/server.ts`, and by `oidc-provider` behind the same client
 * authentication: what loading the package costs, the responses of both, and in turn the processor time of a token and of its check.
 */
import { randomBytes } from "node:crypto";
import process from "node:process";
import { defined } from "../../src/base/defined.ts";
import { type HttpRequest, readHeaders } from "../../src/http/message.ts";
import { hashSecret } from "../../src/runtime/auth/api-key.ts";
import { createFailureLimits } from "../../src/runtime/auth/failures.ts";
import { mintKey } from "../../src/runtime/auth/mint.ts";
import { createAdapter } from "../../src/runtime/auth/oauth/adapter.ts";
import { bridged, requestOf } from "../../src/runtime/auth/oauth/bridge.ts";
import { createClients } from "../../src/runtime/auth/oauth/clients.ts";
import { readForm } from "../../src/runtime/auth/oauth/form.ts";
import { findClient, register } from "../../src/runtime/auth/oauth/registered.ts";
import { isServed, oauthPages } from "../../src/runtime/auth/oauth/server.ts";
import { findToken, scopesOf } from "../../src/runtime/auth/oauth/tokens.ts";
import { templateOf } from "../../src/runtime/routing/router.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { planOf } from "../../test/serve/running.ts";
import { documentText } from "../../test/serve/scenario.ts";
import { median } from "../median.ts";

const plan = planOf(documentText("notebook").replace("    login: session\n", "").replace("    renewed: 30d\n", ""));
const credential = defined(plan.credentials.find(isServed), "the authorization server");
const clock = { now: () => Date.now() };
const store = await openSqliteStore({ file: ":memory:", tables: plan.tables, clock: clock.now });
const { grants, keys } = store;
const issuer = "http://127.0.0.1";
const options = {
  ...{ plan, credential, keys, grants, clock, logins: new Map(), random: randomBytes, prefix: "", secret: "a bench" },
  ...{ failures: createFailureLimits(undefined, "a bench"), guard: { verified: async () => false } },
  ...{ baseUrl: () => issuer, used: () => new Error("used") },
};
type Respond = (httpRequest: HttpRequest) => Promise<{ readonly status: number; readonly body?: string | Uint8Array }>;

const pages = new Map(oauthPages(options).map(({ path, page }) => [templateOf(path), page]));
const own: Respond = async (httpRequest) =>
  defined(pages.get(httpRequest.target), "a page")(httpRequest, {}, unused, {
    caller: unused,
    versionFor: unused,
    challenge: unused,
    requestId: "",
  });

function unused(): never {
  throw new Error("these pages have neither a version nor a caller");
}

const began = { now: performance.now(), memory: process.memoryUsage().rss };
// @ts-ignore: the package has no types.
const { default: Provider } = await import("oidc-provider");
const isOwn = (_: unknown, client: { readonly clientId: string }, token: { readonly clientId: string }): boolean =>
  client.clientId === token.clientId;
const provider = new Provider(issuer, {
  adapter: (kind: string) => ({
    ...createAdapter(options, kind),
    ...(kind === "Client" && { find: clientWith }),
  }),
  scopes: Object.keys(credential.oauth.scopes ?? {}),
  clientAuthMethods: ["none"],
  ttl: { ClientCredentials: defined(credential.lastsMilliseconds, "a lifetime") / 1000 },
  routes: { token: "/oauth/token", introspection: "/oauth/introspect", revocation: "/oauth/revoke" },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: isOwn },
    revocation: { enabled: true, allowedPolicy: isOwn },
  },
});
const program = provider.callback();
const megabytes = (process.memoryUsage().rss - began.memory) / 2 ** 20;
console.log(`oidc-provider starts in ${(performance.now() - began.now).toFixed(0)} ms, ${megabytes.toFixed(0)} MB`);

async function clientWith(id: string): Promise<unknown> {
  const { key } = defined(await findClient(credential, options, id, clock.now()), "a client");
  const scope = scopesOf(credential, key).join(" ");
  const none = { token_endpoint_auth_method: "none", redirect_uris: [], response_types: [] };
  return { ...none, client_id: id, id_token_signed_response_alg: "RS256", grant_types: ["client_credentials"], scope };
}

const authenticate = createClients(credential, options);
const library: Respond = async (httpRequest) => {
  const form = await readForm(httpRequest);
  const { key } = await authenticate(httpRequest, form);
  const body = new URLSearchParams({ ...Object.fromEntries(form), client_id: key.id }).toString();
  const { target } = httpRequest;
  return requestOf(program, bridged({ method: "POST", target, base: issuer, cookies: undefined, body }));
};

const requestOfClient =
  (authorization: string) =>
  (target: string, text: string): HttpRequest => ({
    ...{ method: "POST", target, address: "127.0.0.1", secure: false },
    headers: readHeaders(["Content-Type", "application/x-www-form-urlencoded", "Authorization", authorization]),
    body: async () => ({ kind: "bytes", bytes: Buffer.from(text) }),
  });
async function createClient(user: string, ...roles: string[]): Promise<ReturnType<typeof requestOfClient>> {
  const { key, secret } = await mintKey(keys, { user, roles, credential }, clock, randomBytes);
  await register(grants, key, { redirects: [], isPublic: false });
  return requestOfClient(`Basic ${Buffer.from(`${key.id}:${secret}`).toString("base64")}`);
}
const [client, other] = [await createClient("acme", "reader", "writer"), await createClient("other", "reader")];
const grant = "grant_type=client_credentials";

async function tokenBy(respond: Respond): Promise<string> {
  const { body } = await respond(client("/oauth/token", grant));
  return (JSON.parse(String(body)) as { readonly access_token: string }).access_token;
}

const requests: readonly (readonly [of: typeof client, path: string, form: (token: string) => string])[] = [
  [client, "/oauth/token", () => grant],
  [client, "/oauth/token", () => `${grant}&scope=notes:read`],
  [client, "/oauth/token", () => `${grant}&scope=unknown`],
  [other, "/oauth/token", () => `${grant}&scope=notes:write`],
  [client, "/oauth/token", () => "grant_type=password"],
  [client, "/oauth/introspect", (token) => `token=${token}`],
  [other, "/oauth/introspect", (token) => `token=${token}`],
  [other, "/oauth/revoke", (token) => `token=${token}`],
  [client, "/oauth/revoke", (token) => `token=${token}`],
];
for (const [of, path, form] of requests) {
  console.log(`${of === other ? "another client: " : ""}POST ${path} ${form("…")}`);
  for (const respond of [own, library]) {
    const { status, body } = await respond(of(path, form(await tokenBy(respond))));
    console.log(`  ${status} ${String(body)}`);
  }
}

const checked = { own: await tokenBy(own), library: await tokenBy(library) };
const work: Readonly<Record<string, () => Promise<unknown>>> = {
  "a token, own": () => own(client("/oauth/token", grant)),
  "a token, oidc-provider": () => library(client("/oauth/token", grant)),
  "a check, own": () => findToken(credential, checked.own, options, clock.now()),
  // Its tokens name their client by its id, as those of users do, and a key is found by its hash.
  "a check, oidc-provider": async () => {
    const token = defined(await grants.find("ClientCredentials", hashSecret(checked.library)), "a token");
    const { clientId } = JSON.parse(token.text) as { readonly clientId: string };
    return findClient(credential, options, clientId, clock.now());
  },
};
const times = new Map(Object.keys(work).map((name) => [name, [] as number[]]));
for (let round = 0; round < 8; round += 1) {
  for (const [name, run] of Object.entries(work)) {
    const cpu = process.cpuUsage();
    for (let count = 0; count < 2000; count += 1) await run();
    const { system, user } = process.cpuUsage(cpu);
    // The first round warms up.
    if (round > 0) times.get(name)?.push((user + system) / 2000);
  }
}
for (const [name, some] of times) console.log(`${name}: ${median(some).toFixed(0)} µs of processor time`);
await store.close();
