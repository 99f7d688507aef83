/**
 * Configures `oidc-provider`: only the code flow with PKCE and refresh tokens that rotate at each use. It is an optional package,
 * loaded if the document lets users log in for clients.
 */
import { generateKeyPairSync } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { defined } from "../../../base/defined.ts";
import { hashSecret, mintSecret, refreshPrefix } from "../api-key.ts";
import { type AdapterOptions, createAdapter } from "./adapter.ts";
import { findUser } from "./consents.ts";
import { oauthErrorPage } from "./page.ts";
import { tokenPrefix } from "./tokens.ts";

export interface ProviderOptions extends Omit<AdapterOptions, "used"> {
  readonly service: string;
  readonly random: (bytes: number) => Uint8Array;
  readonly secret: string;
  /** The service's URL, without a trailing slash. */
  readonly issuer: string;
  /** The paths below the issuer's URL. */
  readonly routes: { readonly authorization: string; readonly token: string };
  readonly cookiePath: string;
  readonly consentUrl: (uid: string) => string;
  readonly canRequest: (client: string, scopes: readonly string[]) => Promise<boolean>;
}

/** The current step of a login: the page that the user has to complete. */
export interface Interaction {
  readonly uid: string;
  readonly prompt: { readonly name: string };
  readonly params: { readonly client_id: string; readonly redirect_uri: string; readonly scope?: string };
  readonly session?: { readonly accountId?: string };
}

interface Model {
  readonly prototype: { generateTokenId: (this: unknown) => string };
}

interface NewGrant {
  addOIDCScope(scope: string): void;
  save(): Promise<string>;
}

/** The members of the package's types that Nonet uses. */
export interface Provider {
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  on(event: "server_error", listener: (context: { readonly req: IncomingMessage }, failure: unknown) => void): void;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
  interactionResult(
    request: IncomingMessage,
    response: ServerResponse,
    result: Readonly<Record<string, unknown>>,
    options: { readonly mergeWithLastSubmission: boolean },
  ): Promise<string>;
  readonly Grant: new (of: { readonly accountId: string; readonly clientId: string }) => NewGrant;
  readonly AccessToken: Model;
  readonly RefreshToken: Model;
}

interface ConsentCheck {
  readonly oidc: {
    readonly result?: { readonly login?: unknown; readonly consent?: { readonly grantId?: string } };
    readonly params: { readonly client_id: string; readonly scope?: string };
    readonly provider: { readonly Grant: { find(id: string): Promise<unknown> } };
  };
}

interface Package {
  readonly default: new (issuer: string, configuration: Readonly<Record<string, unknown>>) => Provider;
  readonly errors: Readonly<Record<"InvalidGrant" | "InvalidScope", new (text: string) => Error>>;
  readonly interactionPolicy: {
    readonly Prompt: new (
      about: { readonly name: string; readonly requestable: boolean },
      ...checks: unknown[]
    ) => object;
    readonly Check: new (
      reason: string,
      description: string,
      error: string,
      check: (request: ConsentCheck) => boolean | Promise<boolean>,
    ) => object;
  };
}

export const missingPackage =
  "`login` of an oauth2 credential needs the package oidc-provider, which is not installed: npm install oidc-provider@9";

export async function loadPackage(): Promise<Package> {
  try {
    // @ts-ignore: the package has no types, and is optional.
    return (await import("oidc-provider")) as Package;
  } catch (thrown) {
    if ((thrown as { readonly code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw thrown;
    throw new Error(missingPackage, { cause: thrown });
  }
}

/** The name of the cookie of the logged-in user, which lasts until the user consents or denies. */
export const userCookie = "oauth_user";

/** The lifetime of a code: one minute (RFC 9700, RFC 6749 section 4.1.2). The login and consent pages are valid for ten. */
const codeSeconds = 60;
const consentSeconds = 600;

export async function createProvider(options: ProviderOptions): Promise<Provider> {
  const { default: ProviderOf, errors, interactionPolicy } = await loadPackage();
  const { credential, random, service } = options;
  const { Prompt, Check } = interactionPolicy;
  const scopes = Object.keys(credential.oauth?.scopes ?? {});
  const tokenSeconds = Math.floor(defined(credential.lastsMilliseconds, "how long a token is good") / 1000);
  const renewed = credential.oauth?.users?.renewedMilliseconds;
  const renewedSeconds = renewed === undefined ? undefined : Math.floor(renewed / 1000);
  const used = (): Error => new errors.InvalidGrant("it was already used");
  const prompt = new Prompt(
    { name: "login", requestable: true },
    new Check("login_required", "the user has to log in", "login_required", async ({ oidc }) => {
      const wanted = (oidc.params.scope ?? "").split(" ").filter((scope) => scope !== "");
      if (!(await options.canRequest(oidc.params.client_id, wanted)))
        throw new errors.InvalidScope("a scope is unknown or not allowed for this client");
      // Users log in for each request: with a session, a page could get consent without the user seeing it.
      return oidc.result?.login === undefined;
    }),
  );
  const agreed = new Prompt(
    { name: "consent", requestable: true },
    new Check("consent_required", "the user has to agree", "consent_required", ({ oidc }) => {
      return oidc.result?.consent === undefined;
    }),
  );
  const off = { enabled: false };
  const cookie = { httpOnly: true, sameSite: "lax", signed: true, overwrite: true };
  const provider = new ProviderOf(options.issuer, {
    adapter: (kind: string) => createAdapter({ ...options, used }, kind),
    // Nonet signs nothing, because it looks up tokens; but `oidc-provider` requires a key and an algorithm for each client.
    jwks: { keys: [generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })] },
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    scopes,
    claims: {},
    responseTypes: ["code"],
    clientAuthMethods: ["none"],
    enableHttpPostMethods: false,
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: () => true },
    routes: options.routes,
    cookies: {
      keys: [hashSecret(`cookies of oauth\0${options.secret}`)],
      long: { ...cookie, path: options.cookiePath },
      short: cookie,
      names: { session: userCookie, interaction: "oauth_ask", resume: "oauth_resume" },
    },
    ttl: {
      AccessToken: tokenSeconds,
      AuthorizationCode: codeSeconds,
      Grant: Math.max(tokenSeconds, renewedSeconds ?? 0) + consentSeconds,
      Interaction: consentSeconds,
      RefreshToken: renewedSeconds ?? 1,
      Session: consentSeconds,
      IdToken: 1,
    },
    features: Object.fromEntries(unused.map((feature) => [feature, off])),
    interactions: {
      policy: [prompt, agreed],
      url: (_: unknown, { uid }: { readonly uid: string }) => options.consentUrl(uid),
    },
    findAccount: async (_: unknown, id: string) => {
      const user = await findUser(credential, options, id);
      return user === undefined ? undefined : { accountId: id, claims: () => ({ sub: id }) };
    },
    // A consent is valid for one authorization request.
    loadExistingGrant: ({ oidc }: ConsentCheck) => {
      const id = oidc.result?.consent?.grantId;
      return id === undefined ? undefined : oidc.provider.Grant.find(id);
    },
    issueRefreshToken: () => renewedSeconds !== undefined,
    rotateRefreshToken: () => true,
    expiresWithSession: () => false,
    revokeGrantPolicy: () => true,
    renderError: (context: { type: string; body: string }, out: { readonly error_description?: string }) => {
      context.type = "html";
      context.body = oauthErrorPage(service, out.error_description ?? "The request is malformed.");
    },
  });
  named(provider.AccessToken, () => mintSecret(tokenPrefix(credential), random));
  named(provider.RefreshToken, () => mintSecret(refreshPrefix(credential), random));
  return provider;
}

/**
 * Replaces the tokens of `oidc-provider` by Nonet's (R5.4). The original function is still called, since it also sets the
 * token's format.
 */
function named({ prototype }: Model, mint: () => string): void {
  const original = prototype.generateTokenId;
  prototype.generateTokenId = function generateTokenId(this: unknown): string {
    original.call(this);
    return mint();
  };
}

const unused = [
  "claimsParameter",
  "devInteractions",
  "dPoP",
  "introspection",
  "pushedAuthorizationRequests",
  "requestObjects",
  "resourceIndicators",
  "revocation",
  "rpInitiatedLogout",
  "userinfo",
];
