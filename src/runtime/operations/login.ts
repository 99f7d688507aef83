/** Performs `does: login`, `renew` and `logout`: starts, renews and ends sessions. */
import { recordHeaders } from "./headers.ts";
import { defined } from "../../base/defined.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { CredentialPlan, LoginPlan, SessionPlan } from "../../plan/authentication/types.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import { emptyResponse, textResponse } from "./responses.ts";
import { type Call, credentialNamed, tableOf } from "../context/context.ts";
import { hashPassword, isOutdated, secretText } from "../auth/password.ts";
import { provedRecord } from "../auth/records.ts";
import { endAfter, renewSession } from "../auth/session.ts";
import { follow } from "../records/effects.ts";
import type { HttpResponse } from "../../http/message.ts";
import { checkGuard } from "./guard.ts";
import { columnOf, holds } from "../records/find-and-authorise.ts";
import { ApiError } from "../errors/api-error.ts";
import { allowTokens } from "../auth/token-placeholders.ts";
import { toStoredInput } from "../records/defaults-and-rules.ts";
import { validatedRequest } from "../versions/request.ts";
import { unproved } from "../auth/challenge.ts";

/** Verifies a login before the transaction, because hashing would block other writes. */
export async function proveLogin(received: Call): Promise<Call> {
  const { context, httpRequest, now } = received;
  const plan = sessionOf(received);
  const call = validatedRequest(received);
  const name = call.input[defined(plan.name, "the member with the name")] as Value;
  const secret = secretText(call.input[defined(plan.proof, "the member with the secret")] ?? "");
  const { address } = httpRequest;
  const proved = await provedRecord(context, plan.credential, { name, secret, address }, now);
  if (proved === undefined) throw unproved(received, plan);
  const renewed = isOutdated(proved.storedHash) ? { renewed: await hashPassword(secret, context.random) } : {};
  return { ...received, proved: { ...proved, ...renewed } };
}

export async function login(received: Call, tx: Transaction): Promise<HttpResponse> {
  const { proved } = received;
  const plan = sessionOf(received);
  const { resource, secret } = loginOf(received, plan);
  if (proved?.renewed !== undefined) await tx.declareWrites([resource]);
  const row = proved === undefined ? undefined : await tx.lockShared(resource, "id", proved.id);
  // The stored secret may have changed since the sent one was verified.
  if (row === undefined || proved === undefined || row[secret] !== proved.storedHash) throw unproved(received, plan);
  if (!(await holds(received, tx, received.kind.allowed, row))) throw new ApiError("forbidden");
  const { call } = await toStoredInput(received, tx, validatedRequest(received).input);
  await checkGuard(call, tx, row);
  const present = await withSecret(call, tx, row, proved.renewed);
  allowTokens(call, resource, present["id"]);
  return loginResponse(call, tx, present);
}

/**
 * Renews a session. `rejected`: makes the response for a reused token, since the end of its session must not be rolled back.
 */
export async function renew(
  received: Call,
  tx: Transaction,
  rejected: (error: ApiError) => HttpResponse,
): Promise<HttpResponse> {
  const { context, now } = received;
  const plan = sessionOf(received);
  const { resource } = loginOf(received, plan);
  const { input } = validatedRequest(received);
  const token = input[defined(plan.proof, "the member with the token")];
  const credential = credentialOf(received, plan);
  const renewed = await renewSession(tx, credential, typeof token === "string" ? token : "", context.secret, now);
  if (renewed.kind === "reused") {
    await tx.endSessions({ session: renewed.session }, endAfter(now, 0));
    return rejected(unproved(received, plan));
  }
  if (renewed.kind === "unknown") throw unproved(received, plan);
  const row = await tx.lockShared(resource, "id", idOf(received, resource, renewed.user));
  if (row === undefined) throw unproved(received, plan);
  if (!(await holds(received, tx, received.kind.allowed, row))) throw new ApiError("forbidden");
  const { call } = await toStoredInput(received, tx, input);
  await checkGuard(call, tx, row);
  allowTokens(call, resource, row["id"], renewed.secrets);
  return loginResponse(call, tx, row);
}

/** Ends the session of the request. */
export async function logout(received: Call, tx: Transaction): Promise<HttpResponse> {
  const { caller, now } = received;
  const plan = sessionOf(received);
  const { resource } = loginOf(received, plan);
  const { call } = await toStoredInput(received, tx, validatedRequest(received).input);
  if (caller.credential !== plan.credential || caller.session === undefined || caller.id === null) {
    throw caller.kind === 0 ? unproved(received, { ...plan, else: "unauthenticated" }) : new ApiError("forbidden");
  }
  const row = await tx.lockShared(resource, "id", idOf(received, resource, caller.id));
  if (row === undefined || !(await holds(received, tx, received.kind.allowed, row))) throw new ApiError("forbidden");
  await checkGuard(call, tx, row);
  const response = await loginResponse(call, tx, row);
  await tx.endSessions(
    { session: caller.session.session },
    endAfter(now, credentialOf(received, plan).revokedAfterMilliseconds),
  );
  return response;
}

/** Stores the new hash of the unchanged secret with the current cost. */
async function withSecret(call: Call, tx: Transaction, row: Row, storedHash: string | undefined): Promise<Row> {
  if (storedHash === undefined) return row;
  const { resource, secret } = loginOf(call, sessionOf(call));
  const view = { resource, members: [] };
  const written = await tx.update(resource, row, { [secret]: storedHash }, view, call.variables);
  if (written.kind === "duplicate") throw new Error(`${resource}.${secret} is taken by another`);
  return written.row;
}

async function loginResponse(call: Call, tx: Transaction, row: Row): Promise<HttpResponse> {
  const { operation, table } = call.compiled;
  const { emits, effects, response } = operation;
  await follow(call, tx, { table, row, change: {}, emits, effects });
  const fields = await recordHeaders(call, tx, row);
  if (response.kind === "none") return emptyResponse(response.status, fields);
  const text = await tx.view(row, call.kind.own ?? call.kind.record.view, call.variables);
  return textResponse(call, response.status, text, fields);
}

function sessionOf({ compiled: { operation } }: Call): SessionPlan {
  if (operation.session === undefined) throw new Error(`${operation.name} is about no sessions`);
  return operation.session;
}

function credentialOf({ context }: Call, { credential }: SessionPlan): CredentialPlan {
  return credentialNamed(context, credential);
}

function loginOf(call: Call, plan: SessionPlan): LoginPlan {
  return defined(credentialOf(call, plan).login, `the records of ${plan.credential}`);
}

/** Returns the id of a record: a caller's id is text, but the record's id may be a number. */
function idOf({ context }: Call, resource: string, text: string): Value {
  return columnOf(tableOf(context, resource), "id").type === "integer" ? Number(text) : text;
}
