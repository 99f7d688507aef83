/**
 * What clients can observe of part 5: the whole matrix of operations and callers, owners and others, hidden fields, and requests
 * with no or a wrong credential.
 */
import { withArticle } from "../../base/case.ts";
import type { Json } from "../../base/json.ts";
import { fieldsOf, isServerSet, lookup, referenceOf } from "../../language/resources/fields.ts";
import { ifPossible } from "../attempts.ts";
import { type Aspect, Broken, type Case, NotTried, type PartCases, type Unobservable } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { admits, mayEverRun, mayRun, maySet, fieldVisibility, recordVisibility } from "../permissions.ts";
import { type Contract, type Operation, needsRecord } from "../contract.ts";
import { transitionsBy } from "../effects.ts";
import { isError } from "../errors/expected.ts";
import { brokenBy, expectError, expectSuccess } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { observableFields, type ObservedRecord, recordIn } from "../response.ts";
import { rolesOf } from "../roles.ts";
import { recordFor, report } from "../trial/calls.ts";
import { supplyFor } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { validValue } from "../values/valid.ts";
import { creatingCases } from "./creating.ts";
import { credentialCases } from "./credentials.ts";
import { hiddenCases } from "./hidden.ts";
import { callerLike, callerWith, kindId, kindText, roleText } from "./kinds.ts";
import { sessionCases } from "./sessions.ts";
import { settingCases } from "./setting.ts";

export function authenticationCases(contract: Contract): PartCases {
  const operations = declaredOperations(contract);
  const credentials = credentialCases(contract);
  return {
    cases: [
      ...matrix(contract),
      ...operations.flatMap((operation) => ofOthers(contract, operation)),
      ...operations.flatMap((operation) => creatingCases(contract, operation)),
      ...Object.keys(contract.model.authentication.show).flatMap((field) => reveals(contract, field)),
      ...settingCases(contract),
      ...credentials.cases,
      ...sessionCases(contract).cases,
      ...hiddenCases(contract),
    ],
    unobservable: [...credentials.unobservable, ...unobservableRoles(contract)],
  };
}

/** The cases of callers who may not run an operation: the error is `unauthenticated` without a credential, and `forbidden` with one. */
export function deniedCases(contract: Contract, code: "unauthenticated" | "forbidden"): readonly Case[] {
  return matrix(contract, ({ may, roles }) => !may && (roles === undefined) === (code === "unauthenticated"));
}

function declaredOperations({ operations }: Contract): readonly Operation[] {
  return [...operations.values()].filter(({ endpoint }) => endpoint.wire === undefined);
}

/** One case for each operation and each kind of caller, or each kind that is wanted. */
function matrix(contract: Contract, isWanted: (kind: Kind) => boolean = () => true): readonly Case[] {
  return declaredOperations(contract).flatMap((called) =>
    kindsOf(contract, called)
      .filter(isWanted)
      .map((kind) => permission(contract, called, kind)),
  );
}

/** Callers with these roles; undefined: without a credential. */
interface Kind {
  readonly roles: readonly string[] | undefined;
  readonly may: boolean;
}

/** Returns the kinds of callers: with each role alone, with none, and without a credential. */
function kindsOf(contract: Contract, { action, operation }: Operation): readonly Kind[] {
  const roles = rolesOf(contract);
  const withoutRole = roles.length === 0 || roles.some((some) => some.length === 0) ? [] : [[]];
  // A logout ends the session of its token, so it always needs one.
  const kinds = [...roles, ...withoutRole, ...(action === "logout" ? [] : [undefined])];
  return kinds.map((one) => ({ roles: one, may: mayEverRun(contract, operation, callerLike(one)) }));
}

function permission(contract: Contract, called: Operation, { may, roles }: Kind): Case {
  const { operation } = called;
  return {
    id: `authentication/allow/${operation}: ${kindId(roles)}`,
    aspects: aspectsOf(contract, operation, `${kindText(roles)} ${may ? "may" : "may not"} run ${operation}`),
    operation,
    // What it deletes, no other case may need.
    ...(called.action === "clear" ? { exclusive: true } : {}),
    run: async (trial) => {
      const found = await callerWith(trial, roles);
      if (mayEverRun(contract, operation, found) !== may)
        throw new NotTried("the test has only tokens with scopes, to which this grant does not apply");
      if (may) await succeeds(trial, called, found);
      else await isForbidden(trial, called, found);
    },
  };
}

function aspectsOf({ model }: Contract, operation: string, expects: string): readonly [Aspect, ...Aspect[]] {
  const isWritten = lookup(model.authentication.allow, operation) !== undefined;
  return [{ path: isWritten ? `authentication/allow/${operation}` : `endpoints/endpoints/${operation}`, expects }];
}

/** A caller who may run the operation on a record of its own gets no error about permissions. */
async function succeeds(trial: Trial, called: Operation, caller: Caller): Promise<void> {
  const { operation } = called;
  const record = needsRecord(called)
    ? await recordOf(trial, called, caller).catch((thrown: unknown) => {
        const last = trial.interactions.at(-1);
        const isOwn = last?.operation === operation && last.caller === caller.name;
        // The same operation makes the record.
        if (thrown instanceof NotTried && isOwn && isDenied(trial, last)) expectSuccess(trial, last);
        throw thrown;
      })
    : undefined;
  if (record !== undefined && mayRun(trial.contract, operation, caller, trial.around(record)) !== true)
    throw new NotTried(`the test has no record on which ${caller.name} may run ${operation}`);
  const deleted = await deletedBy(trial, called, caller);
  const interaction = await trial.call(operation, { caller, ...(record === undefined ? {} : { record }) });
  const { status } = trial.responseOf(interaction);
  if (status < 300 && deleted !== undefined && (await trial.look(deleted)))
    throw brokenBy(trial, `no ${deleted.resource} of ${caller.name} after ${operation}`, "it is there");
  expectPermitted(trial, interaction, record);
}

/** Other cases are about what else the operation may answer. */
function expectPermitted(trial: Trial, interaction: Interaction, record: KnownRecord | undefined): void {
  const { status } = trial.responseOf(interaction);
  if (status === 401 || status === 403 || (status === 404 && record !== undefined)) expectSuccess(trial, interaction);
}

/** Returns a record that the deletion of all records deletes: one who may not delete it gets a success, too. */
async function deletedBy(trial: Trial, called: Operation, caller: Caller): Promise<KnownRecord | undefined> {
  const { action, endpoint, operation, resource = "" } = called;
  if (action !== "clear" || endpoint.where !== undefined) return undefined;
  const record = await ifPossible(() => trial.make(resource, { creator: caller }));
  const may = record !== undefined && mayRun(trial.contract, operation, caller, trial.around(record)) === true;
  return may ? record : undefined;
}

function isDenied(trial: Trial, interaction: Interaction): boolean {
  return [401, 403].includes(trial.responseOf(interaction).status);
}

/** Makes a record for an operation, if possible by the caller, in a state in which the operation is possible. */
async function recordOf(trial: Trial, called: Operation, creator: Caller): Promise<KnownRecord> {
  const { resource, operation } = called;
  if (called.endpoint.the !== undefined) return recordFor(trial, called, creator);
  const account = trial.world.accounts.get(creator);
  if (account !== undefined && account.resource === resource && !account.isDeleted) return account;
  const state = transitionsBy(trial.contract, operation).find((one) => one.resource === resource)?.from[0];
  return trial.make(resource as string, { creator, ...(state === undefined ? {} : { state }) });
}

/** A caller whom no grant names gets 403, or 401 without a credential, whatever the record is. */
async function isForbidden(trial: Trial, called: Operation, caller: Caller): Promise<void> {
  const { operation } = called;
  const path = needsRecord(called) ? { record: await trial.make(called.resource as string) } : {};
  const { contract } = trial;
  const able = needsRecord(called) || called.endpoint.method === "GET" ? undefined : await ableCaller(trial, operation);
  const input = able === undefined ? {} : await trial.inputFor(operation, able);
  const interaction = await trial.call(operation, {
    caller,
    ...path,
    ...input,
    ...(able === undefined ? { body: null } : {}),
  });
  const code = caller.signedIn ? "forbidden" : "unauthenticated";
  expectError(trial, interaction, { code });
  const [credential] = Object.keys(contract.model.authentication.credentials);
  const { headers, status } = trial.responseOf(interaction);
  if (caller.signedIn || credential === undefined || status !== 401) return;
  if (headers["www-authenticate"] !== undefined) return;
  const expected = "WWW-Authenticate with a response 401 (RFC 9110, 15.5.2)";
  report(trial, interaction, { path: `authentication/credentials/${credential}`, expected, got: "no such header" });
}

async function ableCaller(trial: Trial, operation: string): Promise<Caller | undefined> {
  return (await trial.callers()).find((one) => mayEverRun(trial.contract, operation, one));
}

/**
 * Somebody else's record: a caller with a grant without a condition may run the operation on it; one for whom every condition is false
 * gets the hidden status, or 403 if the caller sees the record.
 */
function ofOthers(contract: Contract, called: Operation): readonly Case[] {
  const { operation, resource } = called;
  const grants = lookup(contract.model.authentication.allow, operation) ?? [];
  if (resource === undefined || !needsRecord(called) || called.endpoint.the !== undefined) return [];
  return rolesOf(contract).flatMap((roles): readonly Case[] => {
    const kind = callerLike(roles);
    const own = grants.filter((grant) => admits(grant, kind));
    if (!own.some((grant) => grant.if !== undefined)) return [];
    const may = own.some((grant) => grant.if === undefined);
    // Who may not see the record above gets 404.
    if (may && called.parents.length > 0) return [];
    const who = roleText(roles);
    const verb = may ? "may" : "may not";
    return [
      {
        id: `authentication/allow/${operation}: other ${kindId(roles)}`,
        aspects: aspectsOf(
          contract,
          operation,
          `a caller with ${who} ${verb} run ${operation} on a record of somebody else`,
        ),
        operation,
        run: async (trial) => {
          const owner = await callerWith(trial, roles, 0);
          const other = await callerWith(trial, roles, 1);
          const record = await recordOf(trial, called, owner);
          await trial.look(record);
          const around = trial.around(record);
          if (mayRun(contract, operation, other, around) !== may)
            throw new NotTried(`the test has no record on which ${other.name} ${verb} run ${operation}`);
          if (may) return expectPermitted(trial, await trial.call(operation, { caller: other, record }), record);
          const isVisible = recordVisibility(contract, resource, other, around);
          if (isVisible === undefined)
            throw new NotTried(`the test does not know whether ${other.name} sees the record`);
          const interaction = await trial.call(operation, { caller: other, record });
          const code = isVisible || contract.model.authentication.unseen === 403 ? "forbidden" : "not-found";
          // The other one of the two statuses of hidden records is not the one that the document names.
          const opposite = code === "forbidden" ? "not-found" : "forbidden";
          const isHidden = !isVisible && isError(contract, trial.responseOf(interaction), opposite, operation);
          expectError(trial, interaction, { code }, isHidden ? "authentication/unseen" : undefined);
        },
      },
    ];
  });
}

/** A field below `show` is in the responses to the callers that it names, and in no response to others. */
function reveals(contract: Contract, name: string): readonly Case[] {
  const [resource = "", field = ""] = name.split(".");
  const path = `authentication/show/${name}`;
  const readers = [...contract.operations.values()].filter(
    (one) => one.resource === resource && (one.action === "read" || one.action === "create"),
  );
  const kinds = [...rolesOf(contract), undefined].filter((roles) =>
    readers.some((one) => mayEverRun(contract, one.operation, callerLike(roles))),
  );
  return kinds.map((roles): Case => {
    const who = kindText(roles);
    return {
      id: `${path}: ${kindId(roles)}`,
      aspects: [{ path, expects: `who sees \`${field}\`: ${who}` }],
      run: async (trial) => {
        const caller = await callerWith(trial, roles);
        const isSettable = maySet(contract, resource, field, caller, trial.scope(caller)) === true;
        const values = isSettable ? valueOf(trial, resource, field) : {};
        const record = await trial.make(resource, { creator: caller, values });
        const isAlwaysThere = lookup(fieldsOf(contract.model, resource), field)?.optional === false;
        const visible = fieldVisibility(contract, resource, field, caller, trial.around(record));
        const found = await representationFor(trial, record, caller);
        if (visible === undefined) throw new NotTried(`the test does not know whether ${who} sees the field`);
        const value = lookup(found.record, field);
        if ((value !== undefined) === visible) return;
        const isShowable = observableFields(contract, resource, found.view).includes(field);
        if (visible && !(isShowable && (isAlwaysThere || lookup(values, field) !== undefined)))
          throw new NotTried(`the test has no ${resource} with \`${field}\``);
        throw new Broken(
          visible ? `\`${field}\` in the response` : `no \`${field}\` in the response`,
          visible ? "no such member" : "the member",
          found.interaction,
        );
      },
    };
  });
}

/** Returns a value of a field that clients set, so that there is something to see. */
function valueOf(trial: Trial, resource: string, name: string): Readonly<Record<string, Json>> {
  const field = lookup(fieldsOf(trial.contract.model, resource), name);
  const isSettable =
    field !== undefined && !isServerSet(field) && referenceOf(trial.contract.model, field.type) === undefined;
  const value = isSettable ? validValue(trial.contract, field.type, supplyFor(trial, anonymous)) : undefined;
  return value === undefined ? {} : { [name]: value };
}

interface Representation extends ObservedRecord {
  readonly interaction: Interaction;
}

/** Returns the record as a read operation shows it to the caller, or else as the response to the caller's creation did. */
async function representationFor(trial: Trial, record: KnownRecord, caller: Caller): Promise<Representation> {
  const { contract } = trial;
  const reader = [...contract.operations.values()].find(
    ({ action, operation, resource }) =>
      action === "read" &&
      resource === record.resource &&
      mayRun(contract, operation, caller, trial.around(record)) === true,
  );
  const created = record.history.findLast(
    ({ caller: name, operation }) =>
      name === caller.name && contract.operations.get(operation ?? "")?.action === "create",
  );
  const interaction = reader === undefined ? created : await trial.call(reader.operation, { caller, record });
  const called = contract.operations.get(interaction?.operation ?? "");
  if (interaction === undefined || called === undefined)
    throw new NotTried(`no operation shows one ${record.resource} to ${caller.name}`);
  const found = recordIn(contract, called, expectSuccess(trial, interaction).json);
  if (found === undefined) throw new NotTried(`no response shows ${withArticle(record.resource)} to ${caller.name}`);
  return { ...found, interaction };
}

/** Which roles there are shows in what callers with them may do. */
function unobservableRoles({ model }: Contract): readonly Unobservable[] {
  const { roles = [] } = model.authentication;
  if (roles.length === 0) return [];
  const reason = "what roles mean is in the lines of `allow` and `show`";
  return [{ path: "authentication/roles", expects: `the roles are ${roles.join(", ")}`, reason }];
}
