/** `does: login`, `renew` and `logout`: sessions begin, go on and end. */
import { defined } from "../base/defined.ts";
import type { JsonObject } from "../base/json.ts";
import type { Value } from "../expression/evaluate.ts";
import type { CredentialPlan, LoginPlan, SessionPlan } from "../plan/plan.ts";
import type { Row, Transaction } from "../store/store.ts";
import { emptyAnswer, ownAnswer } from "./answers.ts";
import { type Call, credentialNamed, tableOf } from "./context.ts";
import { challengeHeaders } from "./credentials/challenge.ts";
import { hashPassword, isOutdated, isPassword } from "./credentials/password.ts";
import { type LoginRecord, loginRecordsOf } from "./credentials/records.ts";
import { endAfter, renewSession } from "./credentials/session.ts";
import { follow } from "./effects.ts";
import type { Answer } from "./exchange.ts";
import { checkGuard } from "./guard.ts";
import { idText } from "./keys-in-path.ts";
import { columnOf, holds } from "./record.ts";
import { Refusal } from "./refusal.ts";
import { markProved } from "./tokens.ts";
import { secretText, take } from "./values.ts";
import { ownFaults, ownTerms, raised } from "./versions/terms.ts";

/** Who has proved to be a record: with what is kept of the secret, and what is to be kept from now on. */
export interface Proved {
  readonly id: Value;
  readonly kept: string;
  readonly renewed?: string;
}

/**
 * Finds who logs in, before the transaction, which would make everybody wait for it. A name that nobody has takes as long as
 * a wrong secret, and is refused in the same words (R5.7).
 */
export async function proveLogin(asked: Call): Promise<Call> {
  const { context, exchange, now } = asked;
  const plan = sessionOf(asked);
  const call = judged(asked);
  const name = call.input[defined(plan.name, "the member with the name")] as Value;
  const text = secretText(call.input[defined(plan.proof, "the member with the secret")] ?? "");
  const attempt = { credential: plan.credential, name: nameText(name), address: exchange.address };
  let found: LoginRecord | undefined;
  const isRight = await context.guard.verified(attempt, now, async () => {
    found = await loginRecordsOf(context.logins, plan.credential).byName(name);
    return isPassword(text, found?.secret ?? null);
  });
  if (!isRight) throw unproved(asked, plan);
  const { id, secret: kept } = defined(found, "the record whose secret was right");
  if (kept === null) throw new Error("a secret was right that nobody has");
  const renewed = isOutdated(kept) ? { renewed: await hashPassword(text, context.random) } : {};
  return { ...asked, proved: { id, kept, ...renewed } };
}

export async function login(asked: Call, tx: Transaction): Promise<Answer> {
  const { proved } = asked;
  const plan = sessionOf(asked);
  const { resource, secret } = loginOf(asked, plan);
  if (proved?.renewed !== undefined) await tx.mayChange([resource]);
  const row = proved === undefined ? undefined : await tx.refer(resource, "id", proved.id);
  // The secret may have been changed while it was looked at.
  if (row === undefined || proved === undefined || row[secret] !== proved.kept) throw unproved(asked, plan);
  if (!(await holds(asked, tx, asked.kind.allowed, row))) throw new Refusal("forbidden");
  const { call } = await take(asked, tx, judged(asked).input);
  await checkGuard(call, tx, row);
  const present = await withSecret(call, tx, row, proved.renewed);
  markProved(call, resource, present["id"]);
  return answerOf(call, tx, present);
}

/** `refused` makes the answer for a token that was used before: the end of its session is not undone with it. */
export async function renew(asked: Call, tx: Transaction, refused: (refusal: Refusal) => Answer): Promise<Answer> {
  const { context, now } = asked;
  const plan = sessionOf(asked);
  const { resource } = loginOf(asked, plan);
  const { input } = judged(asked);
  const token = input[defined(plan.proof, "the member with the token")];
  const credential = credentialOf(asked, plan);
  const renewed = await renewSession(tx, credential, typeof token === "string" ? token : "", context.secret, now);
  if (renewed.kind === "reused") {
    await tx.endSessions({ session: renewed.session }, endAfter(now, 0));
    return refused(unproved(asked, plan));
  }
  if (renewed.kind === "unknown") throw unproved(asked, plan);
  const row = await tx.refer(resource, "id", idOf(asked, resource, renewed.user));
  if (row === undefined) throw unproved(asked, plan);
  if (!(await holds(asked, tx, asked.kind.allowed, row))) throw new Refusal("forbidden");
  const { call } = await take(asked, tx, input);
  await checkGuard(call, tx, row);
  markProved(call, resource, row["id"], renewed.secrets);
  return answerOf(call, tx, row);
}

/** Ends the session that the request was sent with. */
export async function logout(asked: Call, tx: Transaction): Promise<Answer> {
  const { caller, now } = asked;
  const plan = sessionOf(asked);
  const { resource } = loginOf(asked, plan);
  const { call } = await take(asked, tx, judged(asked).input);
  if (caller.credential !== plan.credential || caller.session === undefined || caller.id === null) {
    throw caller.kind === 0 ? unproved(asked, { ...plan, else: "unauthenticated" }) : new Refusal("forbidden");
  }
  const row = await tx.refer(resource, "id", idOf(asked, resource, caller.id));
  if (row === undefined || !(await holds(asked, tx, asked.kind.allowed, row))) throw new Refusal("forbidden");
  await checkGuard(call, tx, row);
  const answer = await answerOf(call, tx, row);
  await tx.endSessions(
    { session: caller.session.session },
    endAfter(now, credentialOf(asked, plan).revokedAfterMilliseconds),
  );
  return answer;
}

/** The call with what it takes, as the newest version has it; refuses what the document does not let through. */
function judged(asked: Call): { readonly input: JsonObject } {
  const own = ownTerms(asked);
  const faults = own.prepared.judge?.(own.input) ?? [];
  if (faults.length > 0) throw ownFaults(asked, faults);
  return raised(asked, own.input);
}

/** The secret is the same; only what is kept of it is made at today's cost. */
async function withSecret(call: Call, tx: Transaction, row: Row, kept: string | undefined): Promise<Row> {
  if (kept === undefined) return row;
  const { resource, secret } = loginOf(call, sessionOf(call));
  const view = { resource, members: [] };
  const written = await tx.update(resource, row, { [secret]: kept }, view, call.variables);
  if (written.kind === "duplicate") throw new Error(`${resource}.${secret} is taken by another`);
  return written.row;
}

async function answerOf(call: Call, tx: Transaction, row: Row): Promise<Answer> {
  const { operation, table } = call.prepared;
  const { emits, effects, answer } = operation;
  await follow(call, tx, { table, row, change: {}, emits, effects });
  if (answer.kind === "none") return emptyAnswer(answer.status);
  return ownAnswer(call, answer.status, await tx.view(row, call.kind.own ?? call.kind.record.view, call.variables));
}

/** What names are counted by: keyboards differ in how they write `é`. */
export function nameText(name: Value): string {
  return (typeof name === "string" ? name : idText(name)).normalize("NFC");
}

/** Whoever it is, and whatever is wrong: the same words. */
export function unproved({ context: { plan } }: Call, { else: code }: Pick<SessionPlan, "else">): Refusal {
  if (code !== "unauthenticated") return new Refusal(code);
  return new Refusal(code, { detail: "This is not whom it says to be", headers: challengeHeaders(plan) });
}

function sessionOf({ prepared: { operation } }: Call): SessionPlan {
  if (operation.session === undefined) throw new Error(`${operation.name} is about no sessions`);
  return operation.session;
}

function credentialOf({ context }: Call, { credential }: SessionPlan): CredentialPlan {
  return credentialNamed(context, credential);
}

function loginOf(call: Call, plan: SessionPlan): LoginPlan {
  return defined(credentialOf(call, plan).login, `the records of ${plan.credential}`);
}

/** A caller is known by the text of an id, which may be counted. */
function idOf({ context }: Call, resource: string, text: string): Value {
  return columnOf(tableOf(context, resource), "id").type === "integer" ? Number(text) : text;
}
