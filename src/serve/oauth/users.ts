/**
 * Users who let a client act for them (RFC 6749 section 4.1 with PKCE, RFC 7636): they prove who they are by the document's
 * password credential, and no session of it begins; then they are asked; then the client gets a code for a token.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { defined } from "../../base/defined.ts";
import type { CredentialPlan, LoginPlan, OAuthPlan, OAuthUsersPlan } from "../../plan/plan.ts";
import type { KeyStore } from "../../store/store.ts";
import type { LoginGuard } from "../credentials/guard.ts";
import { isPassword } from "../credentials/password.ts";
import { type LoginRecord, loginRecordsOf } from "../credentials/records.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { idText } from "../keys-in-path.ts";
import { Refusal } from "../refusal.ts";
import { askedOf, type Bridged, bridged, type Forwarded, type Told } from "./bridge.ts";
import type { ConsentSources } from "./consents.ts";
import { OAuthFault, oauthAnswer } from "./fault.ts";
import { type Form, readForm } from "./form.ts";
import { type AskPage, consentPage, faultPage, loginPage, pageAnswer } from "./page.ts";
import { createProvider, type Interaction, type Provider, userCookie } from "./provider.ts";
import { findRegistered } from "./registered.ts";
import { scopesOf } from "./tokens.ts";

export interface UsersOptions extends ConsentSources {
  readonly service: string;
  readonly credential: CredentialPlan & { readonly oauth: OAuthPlan & { readonly users: OAuthUsersPlan } };
  /** Of the credential that users prove themselves by. */
  readonly login: LoginPlan;
  readonly keys: KeyStore;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly guard: LoginGuard;
  /** The same in all processes, and after a restart. */
  readonly secret: string;
  readonly prefix: string;
  /** Without a slash at its end. */
  readonly issuer: string;
}

export interface Users {
  authorize(exchange: Exchange): Promise<Answer>;
  resume(exchange: Exchange, uid: string): Promise<Answer>;
  ask(exchange: Exchange, uid: string): Promise<Answer>;
  answered(exchange: Exchange, uid: string): Promise<Answer>;
  /** The token for a code, or for a refresh token; the client has proved who it is. */
  token(client: string, form: Form): Promise<Answer>;
}

export async function createUsers(options: UsersOptions): Promise<Users> {
  const { credential, service, prefix, issuer, grants } = options;
  const { oauth } = credential;
  const authorizePath = prefix + oauth.users.authorize;
  const askPath = prefix + oauth.users.ask;
  const mount = new URL(issuer).pathname.replace(/\/+$/, "");
  const cookiePath = mount + authorizePath.slice(0, authorizePath.lastIndexOf("/") + 1);
  const clientScopes = async (id: string): Promise<readonly string[]> => {
    const registered = await findRegistered(grants, id);
    const key = registered && (await options.keys.find(registered.hash));
    return key === undefined ? [] : scopesOf(credential, key);
  };
  const provider = await createProvider({
    ...options,
    routes: { authorization: authorizePath, token: prefix + oauth.token },
    cookiePath,
    askUrl: (uid) => `${mount}${askPath}/${uid}`,
    mayAsk: async (client, scopes) => {
      const may = await clientScopes(client);
      return scopes.length > 0 && scopes.every((scope) => may.includes(scope));
    },
  });
  const failures = new WeakMap<object, unknown>();
  provider.on("server_error", ({ req }, failure) => failures.set(req, failure));
  const program = provider.callback();
  const forwarded = async (what: Omit<Forwarded, "base">): Promise<Told> => {
    const pair = bridged({ ...what, base: issuer });
    const told = await askedOf(program, pair);
    // Theirs is ours: it is reported, and nothing of it is told.
    if (failures.has(pair.request)) throw failures.get(pair.request);
    return told;
  };
  const asking = async (exchange: Exchange, uid: string): Promise<Asked | undefined> => {
    const target = `${askPath}/${uid}`;
    const pair = bridged({ method: "GET", target, base: issuer, cookies: exchange.headers.get("cookie") });
    const interaction = await provider.interactionDetails(pair.request, pair.response).catch((thrown: unknown) => {
      if ((thrown as Error).name === "SessionNotFound") return undefined;
      throw thrown;
    });
    if (interaction?.uid !== uid) return undefined;
    const registered = await findRegistered(grants, interaction.params.client_id);
    const key = registered && (await options.keys.find(registered.hash));
    if (key === undefined) return undefined;
    const scopes = (interaction.params.scope ?? "").split(" ");
    const page: AskPage = {
      service,
      client: key.user,
      scopes: scopes.map((scope) => [scope, oauth.scopes?.[scope] ?? []] as const),
      token: formToken(options.secret, uid, interaction.prompt.name),
      redirect: interaction.params.redirect_uri,
    };
    return { interaction, page, pair, provider };
  };
  return {
    async authorize({ target, headers }) {
      const asked = await asksFor(authorizePath, target, clientScopes);
      const answer = browserAnswer(await forwarded({ method: "GET", target: asked, cookies: undefined }));
      // Who logged in before in this browser is nothing to this request.
      const old = headers.get("cookie")?.includes(`${userCookie}=`) === true ? ended(userCookie, cookiePath) : [];
      return { ...answer, headers: [...answer.headers, ...old] };
    },
    resume: async ({ headers }, uid) =>
      browserAnswer(
        await forwarded({ method: "GET", target: `${authorizePath}/${uid}`, cookies: headers.get("cookie") }),
      ),
    async ask(exchange, uid) {
      const asked = await asking(exchange, uid);
      return asked === undefined ? over(service) : pageFor(options, asked);
    },
    async answered(exchange, uid) {
      const asked = await asking(exchange, uid);
      if (asked === undefined) return over(service);
      const form = await readForm(exchange).catch((thrown: unknown) => {
        if (thrown instanceof OAuthFault) return new Map<string, string>();
        throw thrown;
      });
      if (!isSame(form.get("token") ?? "", asked.page.token)) return over(service);
      return answeredWith(options, asked, form, exchange);
    },
    async token(client, form) {
      const { client_secret: _, ...rest } = Object.fromEntries(form);
      const body = new URLSearchParams({ ...rest, client_id: client }).toString();
      const told = await forwarded({ method: "POST", target: prefix + oauth.token, cookies: undefined, body });
      const given = JSON.parse(told.body) as Readonly<Record<string, unknown>>;
      const { error, error_description: description, ...token } = given;
      if (error === undefined) return oauthAnswer(told.status, token);
      return oauthAnswer(400, { error, error_description: description }, ["Content-Language", "en"]);
    },
  };
}

/** What one browser is asked. */
interface Asked {
  readonly interaction: Interaction;
  readonly page: AskPage;
  readonly pair: Bridged;
  readonly provider: Provider;
}

/** The request with all that the client may have, where it asks for no scope; and its outcome is told in an address. */
async function asksFor(
  path: string,
  target: string,
  clientScopes: (id: string) => Promise<readonly string[]>,
): Promise<string> {
  const query = new URLSearchParams(target.includes("?") ? target.slice(target.indexOf("?") + 1) : "");
  const id = query.get("client_id");
  if ((query.get("scope") ?? "") === "" && id !== null) query.set("scope", (await clientScopes(id)).join(" "));
  // Fragments and forms with scripts are for clients of a time before PKCE.
  if (query.has("response_mode") && query.get("response_mode") !== "query") query.set("response_mode", "unsupported");
  return `${path}?${query.toString()}`;
}

function pageFor({ login }: UsersOptions, { interaction, page }: Asked, fault?: PageFault): Answer {
  const html = interaction.prompt.name === "login" ? loginPage(page, login.name, fault?.text) : consentPage(page);
  return pageAnswer(fault?.status ?? 200, html, page.redirect, fault?.headers);
}

interface PageFault {
  readonly status: number;
  readonly text: string;
  readonly headers?: readonly string[];
}

async function answeredWith(options: UsersOptions, asked: Asked, form: Form, exchange: Exchange): Promise<Answer> {
  const { interaction } = asked;
  const answer = form.get("answer");
  if (answer === "deny") return finished(asked, { error: "access_denied", error_description: "the user said no" });
  if (interaction.prompt.name === "login") {
    const proved = await prove(options, form, exchange);
    if (typeof proved !== "string") return pageFor(options, asked, proved);
    return finished(asked, { login: { accountId: proved, remember: false } });
  }
  const accountId = interaction.session?.accountId;
  if (answer !== "allow" || accountId === undefined) return pageFor(options, asked);
  const grant = new asked.provider.Grant({ accountId, clientId: interaction.params.client_id });
  grant.addOIDCScope(interaction.params.scope ?? "");
  return finished(asked, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
}

/** The id of who has proved to be a record, as `login` would have it proved (R5.7); else what to say. */
async function prove(options: UsersOptions, form: Form, { address }: Exchange): Promise<string | PageFault> {
  const { credential, logins, guard, clock } = options;
  const by = credential.oauth.users.credential;
  const name = form.get("name") ?? "";
  const attempt = { credential: by, name: name.normalize("NFC"), address };
  let found: LoginRecord | undefined;
  try {
    const isRight = await guard.verified(attempt, clock.now(), async () => {
      found = await loginRecordsOf(logins, by).byName(name);
      return isPassword(form.get("secret") ?? "", found?.secret ?? null);
    });
    if (!isRight)
      return { status: 400, text: "This is not whom it says to be: the name is unknown, or the password is wrong" };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    const { detail = "Come again later", headers = [] } = thrown.details;
    return { status: thrown.code === "rate-limited" ? 429 : 503, text: detail, headers };
  }
  return idText(defined(found, "the record whose secret was right").id);
}

async function finished(
  { provider, pair }: Asked,
  result: Readonly<Record<string, unknown>>,
  options = { mergeWithLastSubmission: false },
): Promise<Answer> {
  const next = await provider.interactionResult(pair.request, pair.response, result, options);
  return { status: 303, headers: ["Location", next, "Cache-Control", "no-store"] };
}

/** For this interaction, and for this question of it. */
function formToken(secret: string, uid: string, question: string): string {
  return createHmac("sha256", secret).update(`oauth page\0${uid}\0${question}`).digest("base64url");
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Of a cookie and its signature. */
function ended(cookie: string, path: string): readonly string[] {
  const end = `=; path=${path}; expires=Thu, 01 Jan 1970 00:00:00 GMT; samesite=lax; httponly`;
  return [cookie, `${cookie}.sig`].flatMap((name) => ["Set-Cookie", name + end]);
}

function over(service: string): Answer {
  return pageAnswer(400, faultPage(service, "This is over, or was begun in another browser."));
}

function browserAnswer({ status, headers, body }: Told): Answer {
  if (status >= 300 && status < 400) return { status, headers };
  const cookies = headers.flatMap((name, index) => {
    const value = headers[index + 1];
    return index % 2 === 0 && name === "set-cookie" && value !== undefined ? [name, value] : [];
  });
  return pageAnswer(status, body, undefined, cookies);
}
