/**
 * Lets users consent to a client (RFC 6749 section 4.1 with PKCE, RFC 7636). The user logs in with the document's password
 * credential, which starts no session; then the user consents; then the client gets a code and exchanges it for a token.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { CredentialPlan, LoginPlan, OAuthPlan, OAuthUsersPlan } from "../../../plan/authentication/types.ts";
import { provedRecord } from "../records.ts";
import type { HttpResponse, HttpRequest } from "../../../http/message.ts";
import { idText } from "../../context/caller.ts";
import { ApiError } from "../../errors/api-error.ts";
import { requestOf, type Bridged, bridged, type Forwarded, type BridgedResponse } from "./bridge.ts";
import { OAuthError, type OAuthErrorCode, oauthResponse } from "./error.ts";
import { type Form, readForm } from "./form.ts";
import type { OAuthOptions } from "./options.ts";
import { type ConsentPage, consentPage, oauthErrorPage, loginPage, pageResponse } from "./page.ts";
import { createProvider, type Interaction, type Provider, userCookie } from "./provider.ts";
import { findClient } from "./registered.ts";
import { scopesOf } from "./tokens.ts";

export interface UsersOptions extends OAuthOptions {
  readonly credential: CredentialPlan & { readonly oauth: OAuthPlan & { readonly users: OAuthUsersPlan } };
  /** The login of the credential with which users log in. */
  readonly login: LoginPlan;
}

export interface Users {
  authorize(httpRequest: HttpRequest): Promise<HttpResponse>;
  resume(httpRequest: HttpRequest, uid: string): Promise<HttpResponse>;
  consent(httpRequest: HttpRequest, uid: string): Promise<HttpResponse>;
  respondWith(httpRequest: HttpRequest, uid: string): Promise<HttpResponse>;
  /** Returns the token for a code or a refresh token of an authenticated client. */
  token(client: string, form: Form): Promise<HttpResponse>;
}

export async function createUsers(options: UsersOptions): Promise<Users> {
  const { credential, plan, prefix, clock } = options;
  const { service } = plan;
  const issuer = options.baseUrl();
  const { oauth } = credential;
  const authorizePath = prefix + oauth.users.authorize;
  const consentPath = prefix + oauth.users.consent;
  const mount = new URL(issuer).pathname.replace(/\/+$/, "");
  const cookiePath = mount + authorizePath.slice(0, authorizePath.lastIndexOf("/") + 1);
  const clientWith = (id: string) => findClient(credential, options, id, clock.now());
  const clientScopes = async (id: string): Promise<readonly string[]> => {
    const client = await clientWith(id);
    return client === undefined ? [] : scopesOf(credential, client.key);
  };
  const provider = await createProvider({
    ...options,
    service,
    issuer,
    routes: { authorization: authorizePath, token: prefix + oauth.token },
    cookiePath,
    consentUrl: (uid) => `${mount}${consentPath}/${uid}`,
    canRequest: async (client, scopes) => {
      const may = await clientScopes(client);
      return scopes.length > 0 && scopes.every((scope) => may.includes(scope));
    },
  });
  const failures = new WeakMap<object, unknown>();
  provider.on("server_error", ({ req }, failure) => failures.set(req, failure));
  const program = provider.callback();
  const forwarded = async (what: Omit<Forwarded, "base">): Promise<BridgedResponse> => {
    const pair = bridged({ ...what, base: issuer });
    const reply = await requestOf(program, pair);
    // An error of `oidc-provider` is an error of the service: it is logged, and the response is a 500 without details.
    if (failures.has(pair.request)) throw failures.get(pair.request);
    return reply;
  };
  const interactionOf = async (httpRequest: HttpRequest, uid: string): Promise<ConsentRequest | undefined> => {
    const target = `${consentPath}/${uid}`;
    const pair = bridged({ method: "GET", target, base: issuer, cookies: httpRequest.headers.get("cookie") });
    const interaction = await provider.interactionDetails(pair.request, pair.response).catch((thrown: unknown) => {
      if ((thrown as Error).name === "SessionNotFound") return undefined;
      throw thrown;
    });
    if (interaction?.uid !== uid) return undefined;
    const client = await clientWith(interaction.params.client_id);
    if (client === undefined) return undefined;
    const scopes = (interaction.params.scope ?? "").split(" ");
    const page: ConsentPage = {
      service,
      client: client.key.user,
      scopes: scopes.map((scope) => [scope, oauth.scopes?.[scope] ?? []] as const),
      token: formToken(options.secret, uid, interaction.prompt.name),
      redirect: interaction.params.redirect_uri,
    };
    return { interaction, page, pair, provider };
  };
  return {
    async authorize({ target, headers }) {
      const consentRequest = await withDefaultScopes(authorizePath, target, clientScopes);
      const reply = browserResponse(await forwarded({ method: "GET", target: consentRequest, cookies: undefined }));
      // An earlier login in this browser does not apply to this request.
      const old = headers.get("cookie")?.includes(`${userCookie}=`) === true ? ended(userCookie, cookiePath) : [];
      return { ...reply, headers: [...reply.headers, ...old] };
    },
    resume: async ({ headers }, uid) =>
      browserResponse(
        await forwarded({ method: "GET", target: `${authorizePath}/${uid}`, cookies: headers.get("cookie") }),
      ),
    async consent(httpRequest, uid) {
      const consentRequest = await interactionOf(httpRequest, uid);
      return consentRequest === undefined ? over(service) : pageFor(options, consentRequest);
    },
    async respondWith(httpRequest, uid) {
      const consentRequest = await interactionOf(httpRequest, uid);
      if (consentRequest === undefined) return over(service);
      const form = await readForm(httpRequest).catch((thrown: unknown) => {
        if (thrown instanceof OAuthError) return new Map<string, string>();
        throw thrown;
      });
      if (!isSame(form.get("token") ?? "", consentRequest.page.token)) return over(service);
      return consentResponse(options, consentRequest, form, httpRequest);
    },
    async token(client, form) {
      const { client_secret: _, ...rest } = Object.fromEntries(form);
      const body = new URLSearchParams({ ...rest, client_id: client }).toString();
      const reply = await forwarded({ method: "POST", target: prefix + oauth.token, cookies: undefined, body });
      const { error, error_description: description, ...token } = JSON.parse(reply.body) as TokenReply;
      if (error !== undefined) throw new OAuthError(error, description);
      return oauthResponse(reply.status, token);
    },
  };
}

interface TokenReply {
  readonly error?: OAuthErrorCode;
  readonly error_description: string;
}

/** A page of the login, and its interaction in `oidc-provider`. */
interface ConsentRequest {
  readonly interaction: Interaction;
  readonly page: ConsentPage;
  readonly pair: Bridged;
  readonly provider: Provider;
}

/** Adds all scopes of the client to a request without `scope`, and allows only `response_mode=query`. */
async function withDefaultScopes(
  path: string,
  target: string,
  clientScopes: (id: string) => Promise<readonly string[]>,
): Promise<string> {
  const query = new URLSearchParams(target.includes("?") ? target.slice(target.indexOf("?") + 1) : "");
  const id = query.get("client_id");
  if ((query.get("scope") ?? "") === "" && id !== null) query.set("scope", (await clientScopes(id)).join(" "));
  // The response modes `fragment` and `form_post` are for clients without PKCE.
  if (query.has("response_mode") && query.get("response_mode") !== "query") query.set("response_mode", "unsupported");
  return `${path}?${query.toString()}`;
}

function pageFor({ login }: UsersOptions, { interaction, page }: ConsentRequest, error?: PageError): HttpResponse {
  const html = interaction.prompt.name === "login" ? loginPage(page, login.name, error?.text) : consentPage(page);
  return pageResponse(error?.status ?? 200, html, page.redirect, error?.headers);
}

interface PageError {
  readonly status: number;
  readonly text: string;
  readonly headers?: readonly string[];
}

async function consentResponse(
  options: UsersOptions,
  consentRequest: ConsentRequest,
  form: Form,
  httpRequest: HttpRequest,
): Promise<HttpResponse> {
  const { interaction } = consentRequest;
  const reply = form.get("answer");
  if (reply === "deny")
    return finished(consentRequest, { error: "access_denied", error_description: "the user denied the request" });
  if (interaction.prompt.name === "login") {
    const proved = await prove(options, form, httpRequest);
    if (typeof proved !== "string") return pageFor(options, consentRequest, proved);
    return finished(consentRequest, { login: { accountId: proved, remember: false } });
  }
  const accountId = interaction.session?.accountId;
  if (reply !== "allow" || accountId === undefined) return pageFor(options, consentRequest);
  const grant = new consentRequest.provider.Grant({ accountId, clientId: interaction.params.client_id });
  grant.addOIDCScope(interaction.params.scope ?? "");
  return finished(consentRequest, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
}

/**
 * Logs a user in, with the limits of the `login` action (R5.7): returns the id of the user's record, else the error for the
 * page.
 */
async function prove(options: UsersOptions, form: Form, { address }: HttpRequest): Promise<string | PageError> {
  const attempt = { name: form.get("name") ?? "", secret: form.get("secret") ?? "", address };
  try {
    const found = await provedRecord(options, options.credential.oauth.users.credential, attempt, options.clock.now());
    if (found !== undefined) return idText(found.id);
    return { status: 400, text: "The name is unknown, or the password is wrong" };
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    const { detail = "Try again later", headers = [] } = thrown.details;
    return { status: thrown.code === "rate-limited" ? 429 : 503, text: detail, headers };
  }
}

async function finished(
  { provider, pair }: ConsentRequest,
  result: Readonly<Record<string, unknown>>,
  options = { mergeWithLastSubmission: false },
): Promise<HttpResponse> {
  const next = await provider.interactionResult(pair.request, pair.response, result, options);
  return { status: 303, headers: ["Location", next, "Cache-Control", "no-store"] };
}

/** Returns the CSRF token for one page of one interaction. */
function formToken(secret: string, uid: string, prompt: string): string {
  return createHmac("sha256", secret).update(`oauth page\0${uid}\0${prompt}`).digest("base64url");
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Returns the header fields that delete a cookie and its signature. */
function ended(cookie: string, path: string): readonly string[] {
  const end = `=; path=${path}; expires=Thu, 01 Jan 1970 00:00:00 GMT; samesite=lax; httponly`;
  return [cookie, `${cookie}.sig`].flatMap((name) => ["Set-Cookie", name + end]);
}

function over(service: string): HttpResponse {
  return pageResponse(400, oauthErrorPage(service, "This login has expired, or it was started in another browser."));
}

function browserResponse({ status, headers, body }: BridgedResponse): HttpResponse {
  if (status >= 300 && status < 400) return { status, headers };
  const cookies = headers.flatMap((name, index) => {
    const value = headers[index + 1];
    return index % 2 === 0 && name === "set-cookie" && value !== undefined ? [name, value] : [];
  });
  return pageResponse(status, body, undefined, cookies);
}
