/**
 * Records that an operation chooses: they fulfil the condition, there is the declared error if none does, and requests at once never
 * get the same one.
 */
import { withArticle } from "../../base/case.ts";
import { type Json, type JsonObject, omit } from "../../base/json.ts";
import { nodesOf, type TypedExpression } from "../../expression/typed.ts";
import type { Choice } from "../../language/endpoints/model.ts";
import { lifecycleOf, lookup, referenceOf } from "../../language/resources/fields.ts";
import { type Aspect, Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import { type Contract, needsRecord, type Operation } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import { expectError, expectSuccess } from "../expect.ts";
import { truth } from "../expressions.ts";
import { allListed } from "../further-writes/listed.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import { candidatesFor } from "../resources/candidates.ts";
import { recordIn } from "../response.ts";
import { conjuncts, solve } from "../solve.ts";
import { subjectFor } from "../trial/calls.ts";
import { unusedCaller } from "../trial/callers.ts";
import { expressionInput, type Input, isAcceptable, recordAfter } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import { membersOf } from "../trial/learning.ts";
import { observedValues, readId } from "../trial/looking.ts";
import type { Trial } from "../trial/trial.ts";
import { findRecord } from "../trial/world.ts";
import { ifPossible, pathOf, plainOperations } from "./subjects.ts";

/** A field whose record the operation chooses. */
interface Choosing {
  readonly called: Operation;
  readonly field: string;
  readonly choice: Choice;
  readonly condition: TypedExpression | undefined;
  readonly path: string;
}

export function chooseCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called) =>
    Object.entries(called.endpoint.choose ?? {}).flatMap(([field, choice]): readonly Case[] => {
      const path = pathOf(called, `choose/${field}`);
      const choosing: Choosing = { called, field, choice, condition: contract.typed.get(`${path}/if`), path };
      return [
        fulfils(choosing),
        ...(choice.if === undefined || choice.else === undefined ? [] : [hasError(contract, choosing, choice.else)]),
        ...(choice.if === undefined ? [] : [isExclusive(contract, choosing)]),
      ];
    }),
  );
}

function about({ path }: Choosing, expects: string): readonly [Aspect] {
  return [{ path, expects }];
}

/** What an operation that chooses gets. */
interface Attempt {
  readonly caller: Caller;
  readonly input: Input;
  /** The record of the path, if the operation has one. */
  readonly record: KnownRecord | undefined;
  /** The values of the fields that a record needs so that it can be chosen. */
  readonly wanted: JsonObject;
}

/** Prepares a request for which, if possible, no record fits but those that the test makes for it. */
async function attemptFor(trial: Trial, choosing: Choosing): Promise<Attempt> {
  const { called } = choosing;
  const subject = needsRecord(called) ? await subjectFor(trial, called) : undefined;
  const caller = subject?.caller ?? (await trial.callerFor(called.operation));
  const fresh = await freshMembers(trial, choosing, caller);
  const input = await trial.inputFor(called.operation, caller, subject?.record, fresh);
  return { caller, input, record: subject?.record, wanted: wantedBy(trial, choosing, caller, input.body ?? {}) };
}

function wantedBy(trial: Trial, { choice, condition }: Choosing, caller: Caller, body: JsonObject): JsonObject {
  if (condition === undefined) return {};
  const scope = { ...trial.scope(caller, undefined, body), resource: choice.from };
  return Object.fromEntries(solve(condition, scope).fields) as JsonObject;
}

/** Returns members of the body that refer to new records, with which the condition compares a field. */
async function freshMembers(trial: Trial, choosing: Choosing, creator: Caller): Promise<Record<string, Json>> {
  const members: Record<string, Json> = {};
  for (const [name, resource] of comparedReferences(trial.contract, choosing)) {
    const made = await ifPossible(() => trial.make(resource, { creator }));
    const id = made === undefined ? undefined : await readId(trial, made);
    if (id !== undefined) members[name] = id;
  }
  return members;
}

/** Returns the members `m` of `field == input.m` that are references, with the resource to which they refer. */
function comparedReferences(
  contract: Contract,
  { called, condition }: Choosing,
): readonly (readonly [string, string])[] {
  if (condition === undefined) return [];
  const compared = conjuncts(condition).flatMap((one) => {
    if (one.kind !== "compare" || one.operator !== "==") return [];
    const sides = [one.left, one.right];
    const input = sides.find((side) => side.kind === "variable" && side.path[0] === "input");
    const isField = sides.some((side) => side.kind === "field");
    return input?.kind === "variable" && isField ? (input.path[1] ?? []) : [];
  });
  return membersOf(contract, called).flatMap(({ name, field }) => {
    const resource = referenceOf(contract.model, field.type);
    return resource !== undefined && compared.includes(name) ? [[name, resource] as const] : [];
  });
}

/** Runs the operation; returns the record whose field it sets. */
async function choose(
  trial: Trial,
  { called }: Choosing,
  { caller, input, record }: Attempt,
): Promise<{ readonly record: KnownRecord; readonly interaction: Interaction }> {
  if (record === undefined) {
    const made = await trial.make(called.resource as string, { by: called.operation, creator: caller, input });
    return { record: made, interaction: trial.interactions.at(-1) as Interaction };
  }
  const interaction = await trial.call(called.operation, { caller, record, ...input });
  expectSuccess(trial, interaction, pathOf(called));
  return { record, interaction };
}

function fulfils(choosing: Choosing): Case {
  const { called, choice, condition, field, path } = choosing;
  const { operation } = called;
  return {
    id: `${path}: fulfils the condition`,
    aspects: about(choosing, `${operation} chooses a ${choice.from} of which \`${choice.if ?? "true"}\` is true`),
    operation,
    run: async (trial) => {
      const attempt = await attemptFor(trial, choosing);
      await makeOthers(trial, choosing, attempt);
      for (const known of trial.world.records)
        if (known.resource === choice.from && !known.values.has("state")) await trial.look(known);
      const before = new Map(
        trial.world.records.flatMap((one) =>
          one.resource === choice.from && !one.isDeleted ? [[one, new Map(one.values)] as const] : [],
        ),
      );
      const { record, interaction } = await choose(trial, choosing, attempt);
      const id = await chosenBy(trial, record, field);
      if (id === null && choice.else === undefined)
        throw new NotTried(`the test knows no ${choice.from} that ${operation} has to choose`);
      if (id === null) throw new Broken(`\`${field}\` with a ${choice.from}`, "none", interaction, path);
      const chosen = findRecord(trial.world, choice.from, id);
      const values = chosen === undefined ? undefined : before.get(chosen);
      if (values === undefined || condition === undefined) {
        if (condition === undefined) return;
        throw new NotTried(`the test does not know the ${choice.from} that ${operation} chose`);
      }
      const scope = { ...trial.scope(attempt.caller, undefined, attempt.input.body ?? {}), resource: choice.from };
      if (truth(condition, { ...scope, record: values }) !== false) return;
      throw new Broken(
        `a ${choice.from} of which \`${choice.if}\` is true`,
        shortText(Object.fromEntries(values)),
        interaction,
        path,
      );
    },
  };
}

/** Returns the id of the chosen record; null if there is none. @throws NotTried if no response shows it */
async function chosenBy(trial: Trial, record: KnownRecord, field: string): Promise<Json> {
  const id = (await observedValues(trial, record)).get(field) ?? record.values.get(field);
  if (id === undefined) throw new NotTried(`no response shows \`${field}\` of ${withArticle(record.resource)}`);
  return id;
}

/** Makes records that differ from the wanted ones in one field each, so that a wrong choice shows. */
async function makeOthers(
  trial: Trial,
  { choice, condition }: Choosing,
  { caller, input, wanted }: Attempt,
): Promise<void> {
  if (condition === undefined) return;
  const states = Object.keys(lifecycleOf(trial.contract.model, choice.from)?.states ?? {});
  const holds = (record: KnownRecord): boolean | undefined =>
    truth(condition, trial.scope(caller, record, input.body ?? {}));
  for (const name of Object.keys(wanted).slice(0, mostOthers)) {
    const { [name]: _, state, ...values } = wanted;
    const other = name === "state" ? states.find((one) => one !== wanted["state"]) : state;
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const record = await ifPossible(() =>
        trial.make(choice.from, { values, ...(typeof other === "string" ? { state: other } : {}) }),
      );
      if (record === undefined || holds(record) === false) break;
    }
  }
}

const mostOthers = 3;
const mostAttempts = 4;

/** If no record fulfils the condition, there is the declared error. */
function hasError(contract: Contract, choosing: Choosing, code: string): Case {
  const { called, choice } = choosing;
  const { operation } = called;
  return {
    id: `${choosing.path}: none`,
    aspects: about(choosing, `if no ${choice.from} fulfils the condition, ${operation} gets ${code}`),
    operation,
    // Without new records for the condition, it depends on all that there are.
    ...(comparedReferences(contract, choosing).length === 0 ? { exclusive: true as const } : {}),
    run: async (trial) => {
      const attempt = await attemptFor(trial, choosing);
      const { caller: usual, input, record } = attempt;
      const fresh = await freshMembers(trial, choosing, usual);
      // Nothing belongs to a caller who has sent no request yet.
      const unused = isOfCaller(choosing) && record === undefined ? await unusedCaller(trial, usual.roles) : undefined;
      const caller = unused ?? usual;
      const isNew = Object.keys(fresh).length > 0 || unused !== undefined;
      const body = isNew ? { ...input.body, ...fresh } : await bodyWithout(trial, choosing, attempt);
      if (body === undefined)
        throw new NotTried(`the test cannot make that no ${choice.from} fulfils \`${choice.if}\``);
      const interaction = await trial.call(operation, { caller, query: input.query, record: record ?? null, body });
      expectError(trial, interaction, { code });
    },
  };
}

/** Whether the condition asks for a record of the caller: `id == caller.id`. */
function isOfCaller({ condition }: Choosing): boolean {
  const all = condition === undefined ? [] : conjuncts(condition);
  return all.some((one) => {
    const sides = one.kind === "compare" && one.operator === "==" ? [one.left, one.right] : [];
    const isCaller = sides.some((side) => side.kind === "variable" && side.path.join(".") === "caller.id");
    return isCaller && sides.some((side) => side.kind === "field");
  });
}

/** Returns a body with which none of all records fulfils the condition; undefined if the test does not know all, or finds no such body. */
async function bodyWithout(
  trial: Trial,
  { called, choice, condition }: Choosing,
  { caller, input, record }: Attempt,
): Promise<JsonObject | undefined> {
  const { query, body: usual = {} } = input;
  const listed = await allListed(trial, choice.from);
  if (listed === undefined || condition === undefined || called.kind !== "resource") return undefined;
  const { resource } = called;
  const isWithout = (body: JsonObject): boolean => {
    const around = { resource, record: recordAfter(trial, called, { caller, record }, body) };
    const scope = trial.scope(caller, undefined, expressionInput(trial, called, { body, query }));
    const isFalse = (values: ReadonlyMap<string, Json>): boolean =>
      truth(condition, { ...scope, resource: choice.from, record: values, around }) === false;
    return (
      [...listed.values()].every(({ values }) => isFalse(values)) &&
      isAcceptable(trial, called, { caller, record }, { body, query })
    );
  };
  if (isWithout(usual)) return usual;
  const read = nodesOf(condition).flatMap((one) => (one.kind === "variable" ? (one.path[1] ?? []) : []));
  for (const member of membersOf(trial.contract, called).filter(({ name }) => read.includes(name))) {
    for (const value of await candidatesFor(trial, member, condition, { kind: "create", called })) {
      const body = value === undefined ? omit(usual, [member.name]) : { ...usual, [member.name]: value };
      if (isWithout(body)) return body;
    }
  }
  return undefined;
}

/** How many requests race, and for how many records. */
const racers = 4;
const prizes = 2;

/** Requests at once get different records, if a chosen record cannot be chosen again. */
function isExclusive(contract: Contract, choosing: Choosing): Case {
  const { called, choice, condition, field, path } = choosing;
  const { operation } = called;
  return {
    id: `${path}: at once`,
    aspects: about(choosing, `of ${racers} requests at once, no two get the same ${choice.from}`),
    operation,
    run: async (trial) => {
      const attempt = await attemptFor(trial, choosing);
      if (needsRecord(called)) throw new NotTried(`${operation} is about one record`);
      const { record } = await choose(trial, choosing, attempt);
      const first = findRecord(trial.world, choice.from, await chosenBy(trial, record, field));
      if (first === undefined) throw new NotTried(`the test does not know the ${choice.from} that ${operation} chose`);
      await trial.look(first);
      const scope = trial.scope(attempt.caller, first, attempt.input.body ?? {});
      if (condition === undefined || truth(condition, scope) !== false)
        throw new NotTried(`a ${choice.from} may be chosen more than once`);
      await expectDifferent(trial, choosing, attempt);
    },
  };

  async function expectDifferent(trial: Trial, one: Choosing, { caller }: Attempt): Promise<void> {
    const fresh = await freshMembers(trial, one, caller);
    const inputs: Input[] = [];
    while (inputs.length < racers) inputs.push(await trial.inputFor(operation, caller, undefined, fresh));
    const { state, ...values } = wantedBy(trial, one, caller, inputs[0]?.body ?? {});
    for (let count = 1; count < prizes; count += 1)
      await trial.make(choice.from, { values, ...(typeof state === "string" ? { state } : {}) });
    const all = await Promise.all(
      inputs.map((input) => trial.call(operation, { caller, record: null, ...input, expectsLimit: true })),
    );
    const chosen = all.flatMap(({ response }) => {
      if (!isResponse(response) || response.status >= 300) return [];
      return lookup(recordIn(contract, called, response.json)?.record ?? {}, field) ?? [];
    });
    if (new Set(chosen).size === chosen.length) return;
    const got = all.map((other) => statusText(contract, trial.responseOf(other))).join(", ");
    throw new Broken(`different values of \`${field}\``, `${shortText(chosen)}: ${got}`, all.at(-1), path);
  }
}
