/**
 * Tokens in answers. Where the document says `token(session)` the store writes a mark into the text, and the token takes its
 * place just before the answer leaves: in the transaction of what was done, so that what is undone leaves no session, and
 * after the answer was remembered for its key, so that no secret is kept (R4.20).
 *
 * A token is for the record itself. It is made for one that this request has made, or that has just proved who it is; who
 * came with a token of its own is told that one. Of any other record there is null. The marks of a request begin with a text
 * that nobody can know before, so that what a record says is never taken for one.
 */
import { instantText } from "../base/clock.ts";
import { defined } from "../base/defined.ts";
import type { Value } from "../expression/evaluate.ts";
import type { CredentialPlan } from "../plan/plan.ts";
import type { Awaitable, Transaction } from "../store/store.ts";
import { type Call, type Context, credentialNamed } from "./context.ts";
import type { SessionSecrets } from "./credentials/session.ts";
import { openSession } from "./credentials/session.ts";
import type { Answer } from "./exchange.ts";
import { idText } from "./keys-in-path.ts";

export interface Marks {
  /** What each mark of this request begins and ends with. */
  readonly nonce: string;
  /** What expressions see as `tokens`. */
  readonly variable: Readonly<Record<string, Readonly<Record<string, string>> | string>>;
  /** The records that were made, or proved who they are, in this request; with their tokens where they have some. */
  readonly proved: Map<string, SessionSecrets | undefined>;
}

/** A record that tokens may be made for: the caller has made it, or proved to be it. */
export function markProved({ marks }: Call, resource: string, id: Value | undefined, secrets?: SessionSecrets): void {
  marks?.proved.set(`${resource}\0${idText(id)}`, secrets);
}

const uses = ["token", "refreshToken", "expiry"] as const;

/** Undefined where the document has no tokens to give. */
export function createMarks(credentials: readonly CredentialPlan[], random: Context["random"]): Marks | undefined {
  const giving = credentials.filter(({ kind }) => kind === "password");
  if (giving.length === 0) return undefined;
  const nonce = Buffer.from(random(18)).toString("base64url");
  const marks = giving.map(({ name }) => {
    return [name, Object.fromEntries(uses.map((use) => [use, `${nonce}:${use}:${name}:`]))] as const;
  });
  return { nonce, variable: { ...Object.fromEntries(marks), end: `:${nonce}` }, proved: new Map() };
}

/** The text as it is the same for each request: what its tag is made from. */
export function unmarked({ marks }: Call, text: string): string {
  return marks === undefined ? text : text.replaceAll(marks.nonce, "");
}

export function hasMarks({ marks }: Call, { body }: Answer): boolean {
  return marks !== undefined && typeof body === "string" && body.includes(marks.nonce);
}

/** The answer without the marks of records whose tokens this caller is not told. */
export function admitted(call: Call, answer: Answer): Answer {
  if (call.marks === undefined || !hasMarks(call, answer)) return answer;
  const { nonce } = call.marks;
  const without = (instead: string) => (whole: string, use: string, name: string, id: string) => {
    return isFor(call, name, idIn(id), use) ? whole : instead;
  };
  // Beside another text the mark is not the whole of a value.
  const values = (answer.body as string).replaceAll(markPattern(nonce, '"'), without("null"));
  return { ...answer, body: values.replaceAll(markPattern(nonce, ""), without("")) };
}

function isFor({ marks, caller, context }: Call, credential: string, id: string, use: string): boolean {
  if (marks?.proved.has(provedKey(context, credential, id)) === true) return true;
  return use !== "refreshToken" && caller.session !== undefined && caller.credential === credential && caller.id === id;
}

function provedKey({ plan }: Context, credential: string, id: string): string {
  return `${plan.credentials.find(({ name }) => name === credential)?.login?.resource}\0${id}`;
}

/** The answer with its tokens, which are made in the transaction. */
export function withTokens(call: Call, tx: Transaction | undefined, given: Answer): Awaitable<Answer> {
  return call.marks === undefined ? given : withMade(call, tx, given);
}

async function withMade(call: Call, tx: Transaction | undefined, given: Answer): Promise<Answer> {
  const answer = admitted(call, given);
  const { marks } = call;
  if (marks === undefined || !hasMarks(call, answer)) return answer;
  const text = answer.body as string;
  const pattern = markPattern(marks.nonce, "");
  const told = new Map<string, SessionSecrets>();
  for (const [, , name = "", id = ""] of text.matchAll(pattern)) {
    const key = `${name}\0${id}`;
    if (!told.has(key)) told.set(key, await secretsOf(call, tx, name, idIn(id)));
  }
  const body = text.replaceAll(pattern, (_, use: (typeof uses)[number], name: string, id: string) => {
    return textOf(defined(told.get(`${name}\0${id}`), `a token of ${name}`), use);
  });
  const headers = answer.headers.map((field, index) =>
    index % 2 === 1 && answer.headers[index - 1] === "Cache-Control" ? "no-store" : field,
  );
  return { ...answer, headers, body };
}

async function secretsOf(call: Call, tx: Transaction | undefined, name: string, user: string): Promise<SessionSecrets> {
  const { caller, marks, context, now } = call;
  const ready = marks?.proved.get(provedKey(context, name, user));
  if (ready !== undefined) return ready;
  if (caller.session !== undefined && caller.credential === name && caller.id === user) return caller.session;
  if (tx === undefined) throw new Error("a token would be made by what only reads");
  const credential = credentialNamed(context, name);
  const session = context.newId("ses");
  return openSession(tx, { credential, user, session, now }, context.random);
}

/** A session without an end has none to tell: the document says `until revoked`, and its members say null. */
function textOf({ token, refreshToken, expires }: SessionSecrets, use: (typeof uses)[number]): string {
  if (use === "token") return token;
  if (use === "refreshToken") return refreshToken ?? "";
  return expires === undefined ? "" : instantText(expires);
}

/** Marks with what stands around each. An id may hold anything; in JSON it is escaped. */
function markPattern(nonce: string, around: "" | '"'): RegExp {
  return new RegExp(`${around}${nonce}:(${uses.join("|")}):([^:"]+):((?:[^"\\\\]|\\\\.)*?):${nonce}${around}`, "g");
}

function idIn(escaped: string): string {
  return JSON.parse(`"${escaped}"`) as string;
}

/** An answer that was remembered with its marks, as those of this request; what they are of has proved it then and now. */
export function remarked(call: Call, text: string, nonce: string): string {
  const { marks, context } = call;
  if (marks === undefined) return text;
  for (const [, , name = "", id = ""] of text.matchAll(markPattern(nonce, ""))) {
    marks.proved.set(provedKey(context, name, idIn(id)), undefined);
  }
  return text.replaceAll(nonce, marks.nonce);
}
