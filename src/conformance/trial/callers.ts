/** The callers of a trial: those that the target lends, and users whom the test signs up itself. */
import { withArticle } from "../../base/case.ts";
import { lengthOf, parseDuration } from "../../base/duration.ts";
import type { Json } from "../../base/json.ts";
import { getOrMake, onceFor } from "../../base/once.ts";
import { type Login, loginsOf } from "../../language/authentication/login.ts";
import { bareType, fieldsOf, isServerSet, lookup, referenceOf } from "../../language/resources/fields.ts";
import { isImpossible } from "../attempts.ts";
import { clockMilliseconds } from "../effects.ts";
import { Broken, NotTried } from "../case.ts";
import { anonymous, type Caller, idOf } from "../caller.ts";
import type { Interaction, Response } from "../interaction.ts";
import { mayRun, setsAll } from "../permissions.ts";
import type { Contract, Operation } from "../contract.ts";
import { bearer, cookieIn, placesIn, refreshTokenIn, tokenIn, tokenOf, withToken } from "../credentials.ts";
import { rolesOf } from "../roles.ts";
import { signer } from "../signer.ts";
import { unknownId } from "./hidden-ids.ts";
import { type KnownRecord, textOf } from "./known.ts";
import { clientCaller } from "./oauth.ts";
import { tokenCaller } from "../web-token.ts";
import type { Trial } from "./trial.ts";
import { presentOf, type Session } from "./world.ts";

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

/** The first number of a caller who is used for one case: other new callers have lower ones. */
const firstUnused = 1_000_000;

/** Returns somebody with exactly these roles whom no other case uses; undefined if the test can only use lent credentials. */
export function unusedCaller(trial: Trial, roles: readonly string[]): Promise<Caller | undefined> {
  return newCaller(trial, roles, firstUnused + trial.world.count());
}

/** Returns the caller of this number with exactly these roles; undefined if the test has none. */
export async function callerWith(trial: Trial, roles: readonly string[], number: number): Promise<Caller | undefined> {
  const { contract, world } = trial;
  const user = areRecords(contract) ? await signUp(trial, roles, number) : undefined;
  if (user !== undefined) return user;
  const lent =
    (await lentCaller(trial, roles, number)) ??
    tokenCaller(contract, world.target.secrets, { roles, number, now: () => presentOf(world) });
  return lent ?? (await signUp(trial, roles, number)) ?? signingCaller(trial, roles, number);
}

/** Whether a field refers to the caller as a record: then the holder of a key, who is no record, cannot do everything. */
const areRecords = onceFor(({ model }: Contract): boolean => {
  const users = loginsOf(model).map(({ resource }) => resource);
  return Object.values(model.resources.resources).some(({ fields }) =>
    Object.values(fields).some((field) => {
      const target = field.default?.kind === "caller" ? referenceOf(model, field.type) : undefined;
      return target !== undefined && users.includes(target);
    }),
  );
});

/** Returns a caller who signs requests with a secret that the test knows; the only one of its credential, since the secret is the user. */
function signingCaller(trial: Trial, roles: readonly string[], number: number): Caller | undefined {
  const { contract, world } = trial;
  if (number !== 1) return undefined;
  for (const [name, one] of Object.entries(contract.model.authentication.credentials)) {
    const { kind, roles: own, secret = "", tolerance } = one;
    const known = lookup(world.target.secrets, secret);
    const has = own !== undefined && "length" in own ? own : [];
    if (kind !== "hmac-sha256" || known === undefined || has.join() !== roles.join()) continue;
    const farthest = 0.8 * (tolerance === undefined ? signatureMilliseconds : clockMilliseconds(tolerance));
    return getOrMake(world.signers, name, () => ({ ...signingOnce(trial, name, known, farthest), roles }));
  }
  return undefined;
}

/** How far the time of a signature may be from the present, in milliseconds (docs/reference/http.md). */
const signatureMilliseconds = 300_000;

/**
 * Returns a sender whose signatures are all different, since a service accepts a signature once: the time of an equal request is
 * another second. `farthest`: how far a time may be from the present, in milliseconds.
 */
function signingOnce({ contract, world }: Trial, credential: string, secret: string, farthest: number): Caller {
  const used = new Set<string>();
  let shift = 0;
  const sender = signer(contract, credential, secret, () => presentOf(world) + shift);
  return {
    ...sender,
    authorize(request) {
      for (shift = -farthest; shift <= farthest; shift += 1000) {
        const signed = sender.authorize(request);
        const token = tokenOf(contract, credential, signed);
        if (!used.has(token)) {
          used.add(token);
          return signed;
        }
      }
      throw new NotTried("the test has used all signatures of this request that are valid now");
    },
  };
}

/** Returns the caller that the target lends, with tokens if it is a client that gets them from the service. */
export async function lentCaller(
  trial: Trial,
  roles: readonly string[],
  number: number,
  credential?: string,
): Promise<Caller | undefined> {
  const { clients, target } = trial.world;
  const lent = await target.caller(roles, number, credential);
  return lent?.client === undefined ? lent : madeOnce(clients, lent, () => clientCaller(trial, lent));
}

/** Returns the lent callers that the test cannot renew: without a request, since one may be why the test asks. */
export async function lentCallers({ contract, world }: Trial): Promise<readonly Caller[]> {
  const found: Caller[] = [];
  for (const roles of rolesOf(contract)) {
    for (const number of usersPerRole) {
      const caller = await world.target.caller(roles, number);
      if (caller !== undefined && caller.client === undefined) found.push(caller);
    }
  }
  return found;
}

/** The number of the user who logs out. */
const leavingNumber = 50;

export async function callerFor(trial: Trial, operation: string, record?: KnownRecord): Promise<Caller> {
  const all = await callers(trial);
  const ordered = record === undefined ? all : [record.creator, ...all];
  const may = (caller: Caller) => mayRun(trial.contract, operation, caller, trial.around(record));
  const { action, resource } = trial.operation(operation);
  // Only a session can end, and other cases may be using those of the usual callers.
  const session = action === "logout" && record === undefined ? await signUp(trial, [], leavingNumber) : undefined;
  if (session !== undefined && may(session) === true) return session;
  const found =
    ordered.find((caller) => may(caller) === true && setsAll(trial.contract, resource, caller)) ??
    ordered.find((caller) => may(caller) === true) ??
    ordered.find((caller) => may(caller) === undefined);
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

/** Whether the records of a resource are the users of the credential: `password`, or `basic` with `of`. */
export function isOfRecords(contract: Contract, credential: string): boolean {
  return accountsOf(contract).some((one) => one.credential === credential);
}

/** A credential whose users are records, and the fields with their names and secrets. */
type Accounts = Pick<Login, "credential" | "resource" | "name" | "secret">;

function accountsOf({ model }: Contract): readonly Accounts[] {
  const basic = Object.entries(model.authentication.credentials).flatMap(
    ([credential, { kind, ...one }]): Accounts[] =>
      kind === "basic" && one.of !== undefined && one.name !== undefined && one.field !== undefined
        ? [{ credential, resource: one.of, name: one.name, secret: one.field }]
        : [],
  );
  return [...loginsOf(model), ...basic];
}

/**
 * Signs up a user with exactly these roles, if the document has operations for that. `credential`: the user's one; by default the
 * first one whose users are records.
 */
export async function signUp(
  trial: Trial,
  roles: readonly string[],
  number: number,
  credential?: string,
): Promise<Caller | undefined> {
  const { accounts, signedUp } = trial.world;
  const found = accountsOf(trial.contract).find((one) => one.credential === (credential ?? one.credential));
  const chosen = found === undefined ? undefined : valuesFor(trial, found, roles);
  if (found === undefined || chosen === undefined) return undefined;
  const key = `${found.credential} ${roles.join("+")} ${number}`;
  const known = await signedUp.get(key);
  // A case may have deleted the user.
  if (known !== undefined && accounts.get(known)?.isDeleted === true) signedUp.delete(key);
  return madeOnce(signedUp, key, async () => {
    try {
      const user = await trial.make(found.resource, { creator: anonymous, values: chosen });
      return await intoState(trial, user, found, { roles, name: `${roles.join("+") || "user"} ${number}` });
    } catch (thrown) {
      // Other cases are about these operations.
      if (isImpossible(thrown) || thrown instanceof Broken) return undefined;
      throw thrown;
    }
  });
}

/** Makes a value that several cases use. What fails is made again for the next one: it had to wait. */
async function madeOnce<Key, Value>(
  map: Map<Key, Promise<Value>>,
  key: Key,
  make: () => Promise<Value>,
): Promise<Value> {
  try {
    return await getOrMake(map, key, make);
  } catch (thrown) {
    map.delete(key);
    throw thrown;
  }
}

/** Returns the values with which a new record has exactly these roles; undefined if it cannot have them. */
function valuesFor(
  { contract }: Trial,
  { credential, resource }: Accounts,
  roles: readonly string[],
): Readonly<Record<string, Json>> | undefined {
  const { model } = contract;
  const source = lookup(model.authentication.credentials, credential)?.roles;
  if (source === undefined || !("field" in source)) return roles.length === 0 ? {} : undefined;
  const field = lookup(fieldsOf(model, resource), source.field);
  if (roles.length === 0) return {};
  if (field === undefined || isServerSet(field)) return undefined;
  if (bareType(field.type).kind === "list") return { [source.field]: roles };
  const [role] = roles;
  return roles.length === 1 && role !== undefined ? { [source.field]: role } : undefined;
}

/** Returns a caller who is the user, if the test knows the user's secret. */
async function asUser(trial: Trial, record: KnownRecord): Promise<Caller | undefined> {
  const [login] = loginsOf(trial.contract.model, record.resource);
  if (login === undefined || typeof record.values.get(login.secret) !== "string") return undefined;
  const known = [...trial.world.accounts].find(([, account]) => account === record);
  return known?.[0] ?? intoState(trial, record, login, { roles: [], name: `the ${record.resource} itself` });
}

/** Logs in a user that the test created. */
async function intoState(
  trial: Trial,
  user: KnownRecord,
  { credential, ...fields }: Accounts,
  { name, roles }: { readonly name: string; readonly roles: readonly string[] },
): Promise<Caller | undefined> {
  const { contract } = trial;
  const isBasic = lookup(contract.model.authentication.credentials, credential)?.kind === "basic";
  // A request may change the name of the user.
  const pair = (): string => [fields.name, fields.secret].map((one) => textOf(user.values.get(one))).join(":");
  const renew = async (): Promise<string | undefined> => (isBasic ? pair() : logIn(trial, user));
  const token = await renew();
  if (token === undefined) return undefined;
  if (!user.values.has("id")) await trial.readAs(user, bearer(contract, credential, token, { name, roles }));
  const known = user.values.get("id");
  const id = known === undefined || textOf(known).startsWith(unknownId) ? undefined : known;
  const { lasts = usualSession } = lookup(contract.model.authentication.credentials, credential) ?? {};
  const duration = isBasic ? undefined : parseDuration(lasts);
  const session = {
    ...{ token, since: presentOf(trial.world), isOver: false, renew, madeBy: trial },
    milliseconds: duration === undefined ? Number.POSITIVE_INFINITY : lengthOf(duration),
  };
  const caller: Caller = {
    ...bearer(contract, credential, token, { name, roles, id: id === undefined ? undefined : textOf(id) }),
    authorize: (request) => withToken(contract, credential, isBasic ? pair() : session.token, request),
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

/** Logs in a user that the test created. Returns what `read` finds in the response; undefined without an operation for that. */
async function logIn(trial: Trial, user: KnownRecord, read = tokenFrom): Promise<string | undefined> {
  const called = loginOperation(trial.contract, user.resource);
  if (called === undefined) return undefined;
  return read(trial.contract, called, trial.responseOf(await logInteraction(trial, user)));
}

/** Sends the login of a user that the test created. @throws NotTried without an operation for that */
export async function logInteraction(trial: Trial, user: KnownRecord): Promise<Interaction> {
  const called = loginOperation(trial.contract, user.resource);
  if (called === undefined) throw new NotTried(`no operation logs ${withArticle(user.resource)} in`);
  return trial.call(called.operation, { caller: anonymous, record: user, body: loginOf(trial, user) });
}

/** Returns the token in the body of the response to a login, or in the cookie that it sets. */
function tokenFrom(contract: Contract, called: Operation, { headers, json }: Response): string | undefined {
  const found = tokenIn(contract, called, json);
  const [login] = loginsOf(contract.model, called.resource);
  if (found !== undefined || login === undefined) return found;
  return placesIn(contract, login.credential)
    .flatMap((one) =>
      "cookie" in one && one.set !== undefined ? (cookieIn(headers["set-cookie"], one.cookie) ?? []) : [],
    )
    .at(0);
}

/** Returns a refresh token of a new user. @throws NotTried if no login returns one */
export async function newRefreshToken(trial: Trial, resource: string): Promise<string> {
  const called = loginOperation(trial.contract, resource);
  if (called === undefined) throw new NotTried(`no operation logs ${withArticle(resource)} in`);
  const user = await trial.make(resource, { creator: anonymous });
  const token = await logIn(trial, user, (contract, one, { json }) => refreshTokenIn(contract, one, json));
  if (token === undefined) throw new NotTried(`no response to ${called.operation} has a refresh token`);
  return token;
}

/** Gets another token for a caller, if the session is over or soon will be. */
export async function renewSession(trial: Trial, caller: Caller): Promise<void> {
  const { world } = trial;
  const session: Session | undefined = world.sessions.get(caller);
  if (session === undefined || world.accounts.get(caller)?.isDeleted === true) return;
  // The login itself must not begin with another login, and other cases must not send the old token meanwhile.
  if (session.renewal !== undefined && session.madeBy !== trial) await session.renewal;
  const isOld = presentOf(world) - session.since > session.milliseconds / 2;
  if (session.renewal !== undefined || (!session.isOver && !isOld)) return;
  const renewal = renewed(session, presentOf(world));
  session.renewal = renewal.finally(() => (session.renewal = undefined)).catch(() => undefined);
  await renewal;
}

async function renewed(session: Session, since: number): Promise<void> {
  const token = await session.renew();
  if (token === undefined) throw new NotTried("the test could not log in again");
  Object.assign(session, { token, since, isOver: false });
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
