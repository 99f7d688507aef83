/** The callers of a trial: those that the target lends, and users whom the test signs up itself. */
import { lengthOf, parseDuration } from "../../base/duration.ts";
import { getOrMake } from "../../base/once.ts";
import { loginsOf } from "../../language/authentication/login.ts";
import { lookup } from "../../language/resources/fields.ts";
import { Broken, NotTried } from "../case.ts";
import { anonymous, type Caller, idOf } from "../caller.ts";
import { mayRun } from "../permissions.ts";
import type { Contract, Operation } from "../contract.ts";
import { bearer, refreshTokenIn, tokenIn, withToken } from "../credentials.ts";
import { rolesOf } from "../roles.ts";
import { unknownId } from "./hidden-ids.ts";
import { type KnownRecord, textOf } from "./known.ts";
import { tokenCaller } from "../web-token.ts";
import type { Trial } from "./trial.ts";
import { presentOf } from "./world.ts";

/** How many users with the same roles the test needs: an owner and somebody else. */
const usersPerRole = [1, 2];

export async function callers(trial: Trial): Promise<readonly Caller[]> {
  const found: Caller[] = [];
  for (const roles of rolesOf(trial.contract)) {
    for (const number of usersPerRole) {
      const caller = await callerWith(trial, roles, number);
      if (caller !== undefined) found.push(caller);
    }
  }
  return [...found, anonymous];
}

/**
 * Returns somebody with exactly these roles who is new to the implementation; undefined if the test can only use lent credentials,
 * since nobody knows what they were used for before. The same number is the same user, in this run alone.
 */
export async function newCaller(trial: Trial, roles: readonly string[], number: number): Promise<Caller | undefined> {
  const caller = await callerWith(trial, roles, trial.world.deadline + number);
  return caller?.isNew === true ? caller : undefined;
}

/** Returns the caller of this number with exactly these roles; undefined if the test has none. */
export async function callerWith(trial: Trial, roles: readonly string[], number: number): Promise<Caller | undefined> {
  const { contract, world } = trial;
  const lent =
    (await world.target.caller(roles, number)) ??
    tokenCaller(contract, world.target.secrets, { roles, number, now: () => presentOf(world) });
  return lent ?? (roles.length === 0 ? signUp(trial, number) : undefined);
}

export async function callerFor(trial: Trial, operation: string, record?: KnownRecord): Promise<Caller> {
  const all = await callers(trial);
  const ordered = record === undefined ? all : [record.creator, ...all];
  const may = (caller: Caller) => mayRun(trial.contract, operation, caller, trial.around(record));
  const found = ordered.find((caller) => may(caller) === true) ?? ordered.find((caller) => may(caller) === undefined);
  if (found !== undefined) return found;
  const user = record === undefined ? undefined : await asUser(trial, record);
  if (user !== undefined && may(user) === true) return user;
  throw new NotTried(`no caller of the test may run ${operation}`, remedyFor(trial, operation));
}

function remedyFor({ contract: { model } }: Trial, operation: string): string {
  const grants = lookup(model.authentication.allow, operation) ?? [];
  const roles = grants.flatMap(({ who }) => (who.kind === "role" ? [who.role] : []));
  return roles.length === 0 ? "a credential" : `a credential with the role ${roles.join(" or ")}`;
}

/** Signs up a user of a `password` credential, if the document has operations for that. */
export async function signUp(trial: Trial, number: number): Promise<Caller | undefined> {
  const known = await trial.world.signedUp.get(number);
  // A case may have deleted the user.
  if (known !== undefined && trial.world.accounts.get(known)?.isDeleted === true) trial.world.signedUp.delete(number);
  return getOrMake(trial.world.signedUp, number, async () => {
    try {
      return await register(trial, number);
    } catch (thrown) {
      // Other cases are about these operations.
      if (thrown instanceof NotTried || thrown instanceof Broken) return undefined;
      throw thrown;
    }
  });
}

async function register(trial: Trial, number: number): Promise<Caller | undefined> {
  const { contract } = trial;
  const [login] = loginsOf(contract.model);
  if (login === undefined || loginOperation(contract, login.resource) === undefined) return undefined;
  const { credential, resource } = login;
  return intoState(trial, await trial.make(resource, { creator: anonymous }), credential, `user ${number}`);
}

/** Returns a caller who is the user, if the test knows the user's secret. */
async function asUser(trial: Trial, record: KnownRecord): Promise<Caller | undefined> {
  const [login] = loginsOf(trial.contract.model, record.resource);
  if (login === undefined || typeof record.values.get(login.secret) !== "string") return undefined;
  const known = [...trial.world.accounts].find(([, account]) => account === record);
  return known?.[0] ?? intoState(trial, record, login.credential, `the ${record.resource} itself`);
}

/** Logs a user in whom the test made. */
async function intoState(
  trial: Trial,
  user: KnownRecord,
  credential: string,
  name: string,
): Promise<Caller | undefined> {
  const { contract } = trial;
  const token = await logIn(trial, user);
  if (token === undefined) return undefined;
  if (!user.values.has("id")) await trial.readAs(user, bearer(contract, credential, token, { name }));
  const known = user.values.get("id");
  const id = known === undefined || textOf(known).startsWith(unknownId) ? undefined : known;
  const session = { token, since: presentOf(trial.world), isOver: false };
  const caller: Caller = {
    ...bearer(contract, credential, token, { name, id: id === undefined ? undefined : textOf(id) }),
    authorize: (request) => withToken(contract, credential, session.token, request),
    isNew: true,
    isRenewed: true,
  };
  // The caller and the record are one, even if no response shows its id.
  if (known !== undefined) user.values.set("id", id ?? idOf(caller));
  trial.world.accounts.set(caller, user);
  trial.world.sessions.set(caller, session);
  return caller;
}

/** Returns the operation with which users of a resource log in. */
export function loginOperation({ operations }: Contract, resource: string): Operation | undefined {
  return [...operations.values()].find((one) => one.action === "login" && one.resource === resource);
}

/** Logs a user in whom the test made. Returns the token; undefined if the response has none. */
async function logIn(trial: Trial, user: KnownRecord): Promise<string | undefined> {
  const called = loginOperation(trial.contract, user.resource);
  if (called === undefined) return undefined;
  const body = loginOf(trial, user);
  const interaction = await trial.call(called.operation, { caller: anonymous, record: user, body });
  return tokenIn(trial.contract, called, trial.responseOf(interaction).json);
}

/** Returns a refresh token of a new user. @throws NotTried if no login returns one */
export async function newRefreshToken(trial: Trial, resource: string): Promise<string> {
  const called = loginOperation(trial.contract, resource);
  if (called === undefined) throw new NotTried(`nobody can log in as a ${resource}`);
  const user = await trial.make(resource, { creator: anonymous });
  const body = loginOf(trial, user);
  const interaction = await trial.call(called.operation, { caller: anonymous, record: user, body });
  const token = refreshTokenIn(trial.contract, called, trial.responseOf(interaction).json);
  if (token === undefined) throw new NotTried(`no response to ${called.operation} has a refresh token`);
  return token;
}

/** Logs in again a caller whom the test signed up, if the session is over or soon will be. */
export async function renewSession(trial: Trial, caller: Caller): Promise<void> {
  const { contract, world } = trial;
  const session = world.sessions.get(caller);
  const user = world.accounts.get(caller);
  if (session === undefined || user === undefined || user.isDeleted) return;
  const lasts = lookup(contract.model.authentication.credentials, caller.credential ?? "")?.lasts ?? usualSession;
  const duration = parseDuration(lasts);
  const isOld = duration !== undefined && presentOf(world) - session.since > lengthOf(duration) / 2;
  if (!session.isOver && !isOld) return;
  // The login itself must not begin with another login.
  Object.assign(session, { since: presentOf(world), isOver: false });
  const token = await logIn(trial, user);
  if (token === undefined) throw new NotTried("the test could not log in again");
  session.token = token;
}

/** How long a session lasts without a declaration. */
const usualSession = "30d";

/** Notes that the sessions of a caller, or of all callers with the account, are over. */
export function endSession({ world }: Trial, of: Caller | KnownRecord | undefined): void {
  for (const [caller, session] of world.sessions)
    if (caller === of || world.accounts.get(caller) === of) session.isOver = true;
}

/** Returns the members with which a user whom the test made logs in. */
export function loginOf({ contract: { model } }: Trial, user: KnownRecord): Record<string, string> {
  const [login] = loginsOf(model, user.resource);
  const members = login === undefined ? [] : [login.name, login.secret].map((name) => [name, user.values.get(name)]);
  if (members.length === 0 || members.some(([, value]) => typeof value !== "string"))
    throw new NotTried("the test does not know the secret of a user");
  return Object.fromEntries(members) as Record<string, string>;
}
