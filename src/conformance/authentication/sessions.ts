/** What clients can observe of sessions: who may begin one, who may renew it, that it ends, and how its secret changes. */
import { lengthOf, parseDuration } from "../../base/duration.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { isRenewed, type Login, loginsOf } from "../../language/authentication/login.ts";
import { lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried, type PartCases, shortText } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { type Contract, type Operation, needsRecord } from "../contract.ts";
import { expectError, expectSuccess } from "../expect.ts";
import { loginOf, loginOperation, newRefreshToken, signUp } from "../trial/callers.ts";
import { supplyFor } from "../trial/inputs.ts";
import { textOf } from "../trial/known.ts";
import { membersOf } from "../trial/learning.ts";
import { creatorsOf } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import { validValue } from "../values/valid.ts";
import { withoutRenewal } from "./accepted.ts";
import { probesOf } from "./probe.ts";

export function sessionCases(contract: Contract): PartCases {
  return {
    cases: loginsOf(contract.model).flatMap((login) => {
      const entrance = loginOperation(contract, login.resource);
      if (entrance === undefined) return [];
      return [
        ...wrongLogins(login, entrance),
        ...endsWithLogout(contract, login),
        ...renews(contract, login),
        ...changesSecret(contract, login),
      ];
    }),
    unobservable: [],
  };
}

/** The numbers of the users who are only in these cases. */
const numbers = { logout: 51, renewal: 52, secret: 53 };

function errorOf({ endpoint }: Operation): string {
  return endpoint.else ?? "unauthenticated";
}

function wrongLogins({ credential, name, secret, resource }: Login, entrance: Operation): readonly Case[] {
  const path = `authentication/credentials/${credential}`;
  const { operation } = entrance;
  const error = `endpoints/endpoints/${operation}/else`;
  const wrong = (what: string, member: string, changed: string): Case => ({
    id: `${path}: ${what}`,
    aspects: [
      { path: `${path}/${member}`, expects: `a login with ${what} is rejected` },
      ...(entrance.endpoint.else === undefined
        ? []
        : [{ path: error, expects: `a login with ${what} gets its error` }]),
    ],
    operation,
    run: async (trial) => {
      // A name that nobody has needs no user, where the test cannot make one.
      const isMade = creatorsOf(trial, resource).length > 0 || changed !== name;
      const user = isMade ? await trial.make(resource, { creator: anonymous }) : undefined;
      const valid = user === undefined ? randomLogin(trial, entrance, [name, secret]) : loginOf(trial, user);
      const value = otherText(trial, valid[changed] ?? "", changed === name);
      const body = { ...valid, [changed]: value };
      const interaction = await trial.call(operation, { caller: anonymous, record: user ?? null, body });
      const isStated = entrance.endpoint.else !== undefined || trial.contract.model.errors.standard === "all";
      const { status } = trial.responseOf(interaction);
      // A document that names no error of a failed login, and not all standard ones, leaves it open.
      if (isStated || status < 400) expectError(trial, interaction, { code: errorOf(entrance) });
    },
  });
  return [wrong("a wrong secret", "secret", secret), wrong("an unknown name", "name", name)];
}

function randomLogin(trial: Trial, entrance: Operation, names: readonly string[]): Readonly<Record<string, string>> {
  const members = membersOf(trial.contract, entrance).filter(({ name }) => names.includes(name));
  return Object.fromEntries(
    members.map(({ name, field }) => [
      name,
      textOf(validValue(trial.contract, field.type, supplyFor(trial, anonymous))),
    ]),
  );
}

/** Returns another text of the same form. */
function otherText({ random }: Trial, text: string, isName: boolean): string {
  const other = isName
    ? `${random.text(8)}${text.slice(Math.min(8, text.indexOf("@") < 0 ? 8 : text.indexOf("@")))}`
    : `${text.slice(1)}x`;
  return other === text ? `z${text.slice(1)}` : other;
}

async function signedUp(trial: Trial, number: number): Promise<Caller> {
  const caller = await signUp(trial, [], number);
  if (caller === undefined) throw new NotTried("the test cannot sign up a user");
  return caller;
}

function probeOf(contract: Contract): Operation | undefined {
  return probesOf(contract).find((one) => !needsRecord(one));
}

function endsWithLogout(contract: Contract, { credential, resource }: Login): readonly Case[] {
  const path = `authentication/credentials/${credential}/revoked`;
  const { revoked } = contract.model.authentication.credentials[credential] ?? {};
  const leave = [...contract.operations.values()].find((one) => one.action === "logout" && one.resource === resource);
  const called = probeOf(contract);
  if (revoked === undefined || revoked === "none" || leave === undefined || called === undefined) return [];
  const delay = parseDuration(revoked);
  return [
    {
      id: `${path}: after ${leave.operation}`,
      aspects: [
        { path, expects: `the token is rejected after ${leave.operation}` },
        { path: `endpoints/endpoints/${leave.operation}`, expects: "it ends the session" },
      ],
      operation: leave.operation,
      run: async (trial) => {
        const caller = withoutRenewal(trial, await signedUp(trial, numbers.logout));
        expectSuccess(trial, await trial.call(called.operation, { caller }));
        expectSuccess(trial, await trial.call(leave.operation, { caller }));
        if (delay !== undefined) await trial.pass(lengthOf(delay) + 1000);
        const body = called.endpoint.method === "GET" ? {} : { body: null };
        expectError(trial, await trial.call(called.operation, { caller, ...body }), { code: "unauthenticated" });
      },
    },
  ];
}

function renews(contract: Contract, login: Login): readonly Case[] {
  const { credential, resource } = login;
  const path = `authentication/credentials/${credential}/renewed`;
  const definition = contract.model.authentication.credentials[credential];
  const renewal = [...contract.operations.values()].find((one) => one.action === "renew" && one.resource === resource);
  const called = probeOf(contract);
  if (definition === undefined || renewal === undefined || called === undefined || !isRenewed(definition)) return [];
  const lifetime = parseDuration(definition.renewed ?? "");
  const length = lifetime === undefined ? Number.NaN : lengthOf(lifetime);
  const early = Math.min(3_600_000, length / 4);
  const [member] = membersOf(contract, renewal);
  if (member === undefined) return [];
  const renew = (trial: Trial, token: string) =>
    trial.call(renewal.operation, { caller: anonymous, body: { [member.name]: token } });
  const begin = async (trial: Trial): Promise<string> => {
    try {
      return await newRefreshToken(trial, resource);
    } catch (thrown) {
      const last = trial.interactions.at(-1);
      const json = last === undefined ? undefined : trial.responseOf(last).json;
      const isOfLogin = last?.operation === loginOperation(contract, resource)?.operation;
      // A response may have the token under a name that the document does not write.
      if (!(thrown instanceof NotTried) || !isOfLogin || last === undefined || !isObject(json)) throw thrown;
      if (trial.responseOf(last).status !== 200 || /refresh/i.test(Object.keys(json).join())) throw thrown;
      throw new Broken("a refresh token in the response to a login", shortText(json), last, path);
    }
  };
  return [
    {
      id: `${path}: renews`,
      aspects: [
        { path, expects: "a refresh token gets another token" },
        { path: `endpoints/endpoints/${renewal.operation}`, expects: "it renews the session" },
      ],
      operation: renewal.operation,
      run: async (trial) => {
        expectSuccess(trial, await renew(trial, await begin(trial)));
        const wrong = await renew(trial, `${credential}_r_${trial.random.text(33)}`);
        expectError(trial, wrong, { code: errorOf(renewal) });
      },
    },
    {
      id: `${path}: expires`,
      aspects: [{ path, expects: `a refresh token is valid for ${definition.renewed}, and not longer` }],
      operation: renewal.operation,
      exclusive: true,
      run: async (trial) => {
        const [one, other] = [await begin(trial), await begin(trial)];
        await trial.pass(length - early);
        expectSuccess(trial, await renew(trial, one));
        await trial.pass(early + 120_000);
        expectError(trial, await renew(trial, other), { code: errorOf(renewal) });
      },
    },
  ];
}

/** Who changes a secret has to send the current one. */
function changesSecret(contract: Contract, { changed, credential, resource, secret }: Login): readonly Case[] {
  const path = `authentication/credentials/${credential}/changed`;
  const change = [...contract.operations.values()].find(
    (one) =>
      (one.action === "update" || one.action === "replace") &&
      one.resource === resource &&
      membersOf(contract, one).some(({ name, sets }) => name === secret && sets),
  );
  if (changed === undefined || change === undefined) return [];
  const { operation } = change;
  return [
    {
      id: `${path}: proves`,
      aspects: [{ path, expects: `${operation} needs the current secret in \`${changed}\` for a new one` }],
      operation,
      run: async (trial) => {
        const caller = await signedUp(trial, numbers.secret);
        const record = trial.world.accounts.get(caller);
        if (record === undefined) throw new NotTried("the test cannot sign up a user");
        const current = loginOf(trial, record)[secret] ?? "";
        const fresh = `${current.slice(1)}y`;
        const { body = {} } = await trial.inputFor(operation, caller, record, { [secret]: fresh });
        const { [changed]: _, ...unproven } = body;
        const send = (more: JsonObject) => trial.call(operation, { caller, record, body: { ...unproven, ...more } });
        expectError(trial, await send({}), { code: "invalid-request", status: 422 });
        const entrance = loginOperation(contract, resource);
        expectError(trial, await send({ [changed]: `${current.slice(1)}z` }), {
          code: entrance === undefined ? "unauthenticated" : errorOf(entrance),
        });
        expectSuccess(trial, await send({ [changed]: current }));
        record.values.set(secret, fresh);
        if (entrance === undefined) return;
        const name = lookup(loginOf(trial, record), secret);
        if (name !== fresh) throw new NotTried("the test does not know the new secret");
        const interaction = await trial.call(entrance.operation, {
          caller: anonymous,
          record,
          body: loginOf(trial, record),
        });
        expectSuccess(trial, interaction);
      },
    },
  ];
}
