/** The statuses that `status` declares: one for each outcome, and those of errors in this operation. */
import type { JsonObject } from "../../base/json.ts";
import { creates } from "../../language/endpoints/input.ts";
import type { InputMember } from "../../language/endpoints/input.ts";
import { lookup, referenceOf } from "../../language/resources/fields.ts";
import { type Aspect, Broken, type Case, NotTried } from "../case.ts";
import { anonymous } from "../caller.ts";
import { type Contract, needsRecord, type Operation } from "../contract.ts";
import { transitionsBy, transitionsOf } from "../effects.ts";
import { determinesUnique } from "../distinguishing.ts";
import { expectError, neededSuccess } from "../expect.ts";
import { truth } from "../expressions.ts";
import type { Interaction } from "../interaction.ts";
import { mayEverRun } from "../permissions.ts";
import { recordIn } from "../response.ts";
import { otherValue } from "../resources/writing.ts";
import { expressionInput, type Input } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import { membersOf } from "../trial/learning.ts";
import { identifier } from "../trial/pages.ts";
import type { Trial } from "../trial/trial.ts";
import { created, ifPossible, operationCase, pathOf, plainOperations, validOptions } from "./subjects.ts";

type OutcomeName = "created" | "changed" | "same";

export function outcomeCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called): readonly Case[] => {
    const { statuses = {} } = called.endpoint;
    if (!contract.places.has(pathOf(called, "status")) || called.kind !== "resource") return [];
    const isNew = called.action === "create" || creates(contract.model, called);
    return [
      ...(isNew && (statuses.created ?? statuses.accepted ?? called.endpoint.status) !== undefined
        ? [creation(called)]
        : []),
      ...(!isNew && (statuses.accepted ?? called.endpoint.status) !== undefined ? [change(contract, called)] : []),
      ...(statuses.same === undefined ? [] : [same(contract, called)]),
      ...(statuses.differs === undefined ? [] : [differs(called, statuses.differs)]),
      ...Object.keys(statuses.errors ?? {}).flatMap((code) => error(called, code)),
    ];
  });
}

function about(called: Operation, member: string, expects: string): readonly [Aspect] {
  return [{ path: pathOf(called, `status/${member}`), expects }];
}

// ── Success ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns the status that the document writes for an outcome; undefined if it writes none, or if the test does not know. */
function statusFor(
  trial: Trial,
  called: Operation,
  name: OutcomeName,
  around: { readonly record: KnownRecord; readonly input: Input },
): number | undefined {
  const { status, statuses = {} } = called.endpoint;
  const { accepted } = statuses;
  const isAccepted = accepted === undefined ? false : acceptance(trial, called, around);
  if (isAccepted === undefined) return undefined;
  if (isAccepted) return accepted?.status;
  if (name === "same") return statuses.same ?? status;
  if (name === "created") return statuses.created ?? (called.action === "create" ? status : undefined);
  return status;
}

/** Whether processing continues after the response: the condition is true, or the record leaves its state by itself. */
function acceptance(
  trial: Trial,
  called: Operation,
  { record, input }: { readonly record: KnownRecord; readonly input: Input },
): boolean | undefined {
  const { contract } = trial;
  if (called.endpoint.statuses?.accepted?.if === undefined) {
    const state = record.values.get("state");
    if (typeof state !== "string") return undefined;
    return transitionsOf(contract).some(
      ({ resource, from, trigger }) => resource === record.resource && from.includes(state) && trigger.on.kind !== "by",
    );
  }
  const condition = contract.typed.get(pathOf(called, "status/accepted/if"));
  return condition && truth(condition, trial.scope(record.creator, record, expressionInput(trial, called, input)));
}

function expectStatus(trial: Trial, called: Operation, expected: number | undefined, interaction: Interaction): void {
  const { status } = neededSuccess(trial, interaction);
  if (expected === undefined) throw new NotTried("the test does not know which outcome it is");
  if (status !== expected)
    throw new Broken(`the status ${expected}`, String(status), interaction, pathOf(called, "status"));
}

function creation(called: Operation): Case {
  const { resource } = called;
  const aspects = about(called, "created", `a new ${resource} has the declared status`);
  return operationCase(called, "status when created", aspects, async (trial) => {
    const { record, input, interaction } = await created(trial, called);
    await trial.look(record);
    expectStatus(trial, called, statusFor(trial, called, "created", { record, input }), interaction);
  });
}

function change(contract: Contract, called: Operation): Case {
  const { operation } = called;
  return operationCase(
    called,
    "status",
    about(called, "given", `${operation} has the declared status`),
    async (trial) => {
      const { record, body, ...options } = await validOptions(trial, called);
      const before = record?.values.get("state");
      const interaction = await trial.call(operation, { ...options, record, body });
      const { statuses = {}, status } = called.endpoint;
      if (record === undefined || called.action === "delete")
        return expectStatus(trial, called, statuses.accepted === undefined ? status : undefined, interaction);
      await trial.look(record);
      const transition = transitionsBy(contract, operation).find(
        ({ from }) => typeof before === "string" && from.includes(before),
      );
      if (!record.values.has("state") && transition !== undefined) record.values.set("state", transition.to);
      const input = { query: options.query, body: body ?? undefined };
      const isLink = called.action === "link";
      expectStatus(
        trial,
        called,
        statusFor(trial, called, isLink ? "created" : "changed", { record, input }),
        interaction,
      );
    },
    called.action === "clear" ? { exclusive: true } : {},
  );
}

/** A request that has nothing to change. */
function same(contract: Contract, called: Operation): Case {
  const { operation, resource } = called;
  const aspects = about(called, "same", `${operation} that has nothing to change has the declared status`);
  return operationCase(called, "status when the same", aspects, async (trial) => {
    const { record, input, again } = await repeated(trial, called);
    await trial.look(record);
    expectStatus(trial, called, statusFor(trial, called, "same", { record, input }), again);
    const observed = recordIn(contract, called, trial.responseOf(again).json);
    const found = identifier(contract, resource as string, observed);
    const known = found === undefined ? undefined : record.values.get(found.field);
    if (found === undefined || known === undefined || lookup(observed?.record ?? {}, found.member) === known) return;
    throw new Broken(`the same ${resource}`, "another one", again, pathOf(called, "status/same"));
  });
}

/** Sends the same request twice. */
async function repeated(
  trial: Trial,
  called: Operation,
): Promise<{ readonly record: KnownRecord; readonly input: Input; readonly again: Interaction }> {
  const isNew = called.action === "create" || (called.kind === "resource" && creates(trial.contract.model, called));
  if (isNew) {
    const { record, input } = await created(trial, called);
    const again = await trial.call(called.operation, { ...againOptions(called, record), ...input });
    return { record, input, again };
  }
  const { record, body, ...options } = await validOptions(trial, called);
  if (record === undefined) throw new NotTried(`${called.operation} is about no record`);
  await trial.call(called.operation, { ...options, record, body });
  const again = await trial.call(called.operation, { ...options, record, body });
  return { record, input: { query: options.query, body: body ?? undefined }, again };
}

/** Returns what a second creation of the record needs besides its input. */
function againOptions(called: Operation, record: KnownRecord) {
  const parent = called.parents.at(-1);
  const value = parent === undefined ? undefined : record.parent?.values.get(parent.column);
  return {
    caller: record.creator,
    record: called.action === "create" ? null : record,
    ...(parent === undefined || value === undefined ? {} : { path: { [parent.parameter]: value } }),
  };
}

// ── Errors ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The record exists, and would have to change. */
function differs(called: Operation, code: string): Case {
  const { operation, resource } = called;
  const aspects = about(called, "differs", `${operation} of an existing ${resource} with other values gets ${code}`);
  return operationCase(called, "differs", aspects, async (trial) => {
    const { record, input } = await created(trial, called);
    const body = await otherBody(trial, called, input.body ?? {});
    const interaction = await trial.call(operation, { ...againOptions(called, record), query: input.query, body });
    expectError(trial, interaction, { code }, pathOf(called, "status/differs"));
  });
}

/** Returns the body with another value of a member that does not identify the record, or with one that it does not have. */
async function otherBody(trial: Trial, called: Operation, body: JsonObject): Promise<JsonObject> {
  const { contract } = trial;
  const members = membersOf(contract, called).filter(
    ({ name, sets }) => sets && !determinesUnique(contract, called.resource as string, name),
  );
  // A reference to another record may violate a rule.
  const isReference = ({ field }: InputMember): boolean => referenceOf(contract.model, field.type) !== undefined;
  for (const { name, field } of members.toSorted(
    (one, other) => Number(isReference(one)) - Number(isReference(other)),
  )) {
    const other = await ifPossible(() => otherValue(trial, field.type, [lookup(body, name)]));
    if (other !== undefined) return { ...body, [name]: other };
  }
  throw new NotTried(`the test finds no other body for ${called.operation}`);
}

/** An error with a status of its own in this operation. The cases of part 7 cause those of requests that the service cannot read. */
function error(called: Operation, code: string): readonly Case[] {
  const { operation } = called;
  const provoke = provocations[code];
  if (provoke === undefined) return [];
  return [
    operationCase(
      called,
      `status of ${code}`,
      about(called, code, `${code} has the status ${called.endpoint.statuses?.errors?.[code]} in ${operation}`),
      async (trial) => {
        expectError(trial, await provoke(trial, called), { code }, pathOf(called, `status/${code}`));
      },
    ),
  ];
}

type Provoke = (trial: Trial, called: Operation) => Promise<Interaction>;

const provocations: Readonly<Record<string, Provoke>> = {
  "state-conflict": async (trial, called) => {
    const { contract } = trial;
    const possible = transitionsBy(contract, called.operation).flatMap(({ from }) => from);
    const lifecycle = lookup(contract.model.states, called.resource as string);
    const states = lifecycle === undefined || lifecycle === "none" ? [] : Object.keys(lifecycle.states);
    const state = states.find((one) => !possible.includes(one));
    if (state === undefined || possible.length === 0)
      throw new NotTried(`${called.operation} is possible in each state`);
    const record = await trial.make(called.resource as string, { state });
    return trial.call(called.operation, { caller: await trial.callerFor(called.operation, record), record });
  },
  unauthenticated: async (trial, called) => {
    if (mayEverRun(trial.contract, called.operation, anonymous)) throw new NotTried("no credential is needed");
    const { caller: _, ...options } = await validOptions(trial, called);
    return trial.call(called.operation, { ...options, caller: anonymous });
  },
  "precondition-needed": async (trial, called) => {
    if (!needsRecord(called)) throw new NotTried(`${called.operation} is about no record`);
    return trial.call(called.operation, { ...(await validOptions(trial, called)), withoutTag: true });
  },
  stale: async (trial, called) =>
    trial.call(called.operation, { ...(await validOptions(trial, called)), headers: { "If-Match": '"wrong"' } }),
};
