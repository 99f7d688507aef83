/**
 * The authorization server for `oauth2` credentials without an external issuer: tokens for clients (RFC 6749 section 4.4) and for
 * users who consent (`users.ts`, loaded if the document declares `login`), revocation (RFC 7009), introspection (RFC 7662), and
 * metadata (RFC 8414, RFC 9728).
 */
import type { CredentialPlan, OAuthPlan, OAuthUsersPlan } from "../../../plan/authentication/types.ts";
import type { Segment } from "../../../plan/endpoints/types.ts";
import type { Key } from "../../../store/port/store.ts";
import type { HttpResponse } from "../../../http/message.ts";
import { literalPath } from "../../routing/router.ts";
import type { Page } from "../../context/endpoint.ts";
import { type Client, createClients } from "./clients.ts";
import { oauthErrorResponse, OAuthError, oauthResponse } from "./error.ts";
import { type Form, readForm } from "./form.ts";
import type { OAuthOptions } from "./options.ts";
import { resourceMetadataPath } from "../challenge.ts";
import { endConsent, endToken, findToken, issueToken, scopesOf } from "./tokens.ts";
import type { Users } from "./users.ts";

type Server = CredentialPlan & { readonly oauth: OAuthPlan };

/** Whether Nonet issues the tokens of this credential. */
export function isServed(credential: CredentialPlan): credential is Server {
  return credential.oauth !== undefined;
}

export function oauthPages(options: OAuthOptions): readonly Page[] {
  const { plan, prefix } = options;
  const [credential] = plan.credentials.filter(isServed);
  if (credential === undefined) return [];
  const { oauth } = credential;
  const prove = createClients(credential, options);
  const users = oauth.users && loadedOnce(options, credential, oauth.users);
  const endpoint = (path: string, response: (client: Client, form: Form) => Promise<HttpResponse>): Page => ({
    method: "POST",
    path: literalPath(prefix + path),
    requestFields: ["Authorization", "Content-Type"],
    page: async (httpRequest) => {
      try {
        const form = await readForm(httpRequest);
        return await response(await prove(httpRequest, form), form);
      } catch (thrown) {
        if (thrown instanceof OAuthError) return oauthErrorResponse(thrown, plan.service);
        throw thrown;
      }
    },
  });
  return [
    endpoint(oauth.token, (client, form) => token(options, credential, users, client, form)),
    endpoint(oauth.revoke, (client, form) => revoke(options, credential, client, form)),
    endpoint(oauth.introspect, (client, form) => introspect(options, credential, client, form)),
    ...(oauth.users === undefined || users === undefined ? [] : userPages(prefix, oauth.users, users)),
    {
      path: literalPath(serverMetadataPath),
      page: () => metadata(serverMetadata(options, credential)),
    },
    { path: literalPath(resourceMetadataPath), page: () => metadata(resourceMetadata(options, credential)) },
  ];
}

/**
 * Returns a function that creates the users' part at the first request: only then is `oidc-provider` loaded, and the service's
 * URL known.
 */
function loadedOnce(options: OAuthOptions, credential: Server, users: OAuthUsersPlan): () => Promise<Users> {
  const { plan } = options;
  const login = plan.credentials.find(({ name }) => name === users.credential)?.login;
  if (login === undefined) throw new Error(`${credential.name} is of users who cannot log in`);
  const with_ = { ...credential, oauth: { ...credential.oauth, users } };
  const create = async (): Promise<Users> => {
    const { createUsers } = await import("./users.ts");
    return createUsers({ ...options, credential: with_, login });
  };
  let loaded: Promise<Users> | undefined;
  return () => (loaded ??= create());
}

function userPages(
  prefix: string,
  { authorize, consent }: OAuthUsersPlan,
  users: () => Promise<Users>,
): readonly Page[] {
  const of = (path: string): readonly Segment[] => [...literalPath(prefix + path), { kind: "parameter", name: "uid" }];
  const uidOf = (parameters: Readonly<Record<string, string>>): string => parameters["uid"] ?? "";
  return [
    {
      rate: "stored",
      path: literalPath(prefix + authorize),
      page: async (httpRequest) => (await users()).authorize(httpRequest),
    },
    { path: of(authorize), page: async (httpRequest, named) => (await users()).resume(httpRequest, uidOf(named)) },
    { path: of(consent), page: async (httpRequest, named) => (await users()).consent(httpRequest, uidOf(named)) },
    {
      method: "POST",
      path: of(consent),
      page: async (httpRequest, named) => (await users()).respondWith(httpRequest, uidOf(named)),
    },
  ];
}

async function token(
  { grants, clock, random }: OAuthOptions,
  credential: Server,
  users: (() => Promise<Users>) | undefined,
  { key: client, isPublic }: Client,
  form: Form,
): Promise<HttpResponse> {
  const types = grantTypes(credential);
  const grantType = form.get("grant_type");
  if (grantType === undefined) throw new OAuthError("invalid_request", "grant_type is missing");
  if (!types.includes(grantType))
    throw new OAuthError("unsupported_grant_type", `The supported grant types are ${types.join(", ")}`);
  if (users !== undefined && grantType !== "client_credentials") return (await users()).token(client.id, form);
  if (isPublic) throw new OAuthError("unauthorized_client", "A public client cannot use client_credentials");
  const scopes = grantedScopes(credential, client, form.get("scope"));
  const { token: text, seconds } = await issueToken(credential, { client, scopes, now: clock.now() }, grants, random);
  return oauthResponse(200, {
    access_token: text,
    token_type: "Bearer",
    expires_in: seconds,
    scope: scopes.length === 0 ? undefined : scopes.join(" "),
  });
}

function grantTypes({ oauth: { users } }: Server): readonly string[] {
  if (users === undefined) return ["client_credentials"];
  const renewed = users.renewedMilliseconds === undefined ? [] : ["refresh_token"];
  return ["client_credentials", "authorization_code", ...renewed];
}

/** Returns the granted scopes; without requested scopes, all scopes that the client may have (RFC 6749 section 3.3). */
function grantedScopes(credential: Server, client: Key, scopeText: string | undefined): readonly string[] {
  const may = scopesOf(credential, client);
  if (scopeText === undefined) return may;
  const scopes = [...new Set(scopeText.split(" "))];
  // An unknown scope and a forbidden scope get the same error, so that neither is revealed.
  if (!scopes.every((scope) => may.includes(scope)))
    throw new OAuthError("invalid_scope", "A scope is unknown or not allowed for this client");
  return may.filter((scope) => scopes.includes(scope));
}

/**
 * Revokes a token. Responds 200 even for an unknown token (RFC 7009 section 2.2); a client cannot revoke another client's
 * token.
 */
async function revoke(options: OAuthOptions, credential: Server, { key }: Client, form: Form): Promise<HttpResponse> {
  const text = tokenIn(form);
  const found = await findToken(credential, text, options, options.clock.now());
  const isOthers = found !== undefined && found.client.id !== key.id;
  if (isOthers || !(await endConsent(credential, text, key, options.grants)))
    throw new OAuthError("unauthorized_client", "The token belongs to another client");
  if (found !== undefined) await endToken(text, options.grants);
  return oauthResponse(200, {});
}

/**
 * Reports on a token. A token that is unknown, expired or of another client is only reported as not active (RFC 7662 section
 * 2.2).
 */
async function introspect(
  options: OAuthOptions,
  credential: Server,
  { key, isPublic }: Client,
  form: Form,
): Promise<HttpResponse> {
  // The client has to authenticate, or anyone could probe for valid tokens (RFC 7662 section 2.1).
  if (isPublic) throw new OAuthError("invalid_client", "A public client cannot authenticate");
  const found = await findToken(credential, tokenIn(form), options, options.clock.now());
  if (found === undefined || found.client.id !== key.id) return oauthResponse(200, { active: false });
  const { scopes, user, issued, expires } = found;
  return oauthResponse(200, {
    active: true,
    scope: scopes.length === 0 ? undefined : scopes.join(" "),
    client_id: key.id,
    sub: user,
    token_type: "Bearer",
    iat: Math.floor(issued / 1000),
    exp: Math.floor(expires / 1000),
    iss: options.baseUrl(),
  });
}

function tokenIn(form: Form): string {
  const text = form.get("token");
  if (text === undefined) throw new OAuthError("invalid_request", "token is missing");
  return text;
}

// ── Metadata ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns the server's metadata, which list only implemented features. */
function serverMetadata(options: OAuthOptions, credential: Server): Readonly<Record<string, unknown>> {
  const { oauth } = credential;
  const issuer = options.baseUrl();
  const at = (path: string): string => `${issuer}${options.prefix}${path}`;
  const methods = ["client_secret_basic", "client_secret_post"];
  const open = oauth.users === undefined ? methods : [...methods, "none"];
  return {
    issuer,
    ...(oauth.users === undefined ? {} : { authorization_endpoint: at(oauth.users.authorize), ...codeFlow }),
    token_endpoint: at(oauth.token),
    token_endpoint_auth_methods_supported: open,
    grant_types_supported: grantTypes(credential),
    response_types_supported: oauth.users === undefined ? [] : ["code"],
    scopes_supported: oauth.scopes && Object.keys(oauth.scopes),
    revocation_endpoint: at(oauth.revoke),
    revocation_endpoint_auth_methods_supported: open,
    introspection_endpoint: at(oauth.introspect),
    introspection_endpoint_auth_methods_supported: methods,
    service_documentation: `${issuer}/`,
  };
}

const codeFlow = {
  response_modes_supported: ["query"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
};

function resourceMetadata({ baseUrl }: OAuthOptions, { oauth }: Server): Readonly<Record<string, unknown>> {
  const issuer = baseUrl();
  return {
    resource: issuer,
    authorization_servers: [issuer],
    scopes_supported: oauth.scopes && Object.keys(oauth.scopes),
    bearer_methods_supported: ["header"],
    resource_documentation: `${issuer}/`,
  };
}

function metadata(body: Readonly<Record<string, unknown>>): HttpResponse {
  const headers = ["Content-Type", "application/json", "Cache-Control", "private, no-cache"];
  return { status: 200, headers, body: JSON.stringify(body) };
}

/** The path at which clients look for the metadata (RFC 8414). */
const serverMetadataPath = "/.well-known/oauth-authorization-server";
