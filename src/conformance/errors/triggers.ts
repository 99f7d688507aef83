/** Requests that cause a declared error: violated rules, equal values, false guards, nothing to choose. */
import type { Json, JsonObject } from "../../base/json.ts";
import { creates } from "../../language/endpoints/input.ts";
import { violationCodes } from "../../language/errors/model.ts";
import { nodesOf } from "../../expression/typed.ts";
import { fieldsOf, lookup, referenceOf } from "../../language/resources/fields.ts";
import { type Case, NotTried } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import { transitionsOf, type TriggeredTransition } from "../effects.ts";
import { expectError } from "../expect.ts";
import { conjuncts } from "../solve.ts";
import { deletionCases } from "../resources/deletion.ts";
import { memberCases } from "../resources/members.ts";
import { ruleCases } from "../resources/rules.ts";
import { uniqueCases } from "../resources/unique.ts";
import { valueCases } from "../resources/values.ts";
import { otherValue, sendWrite, settingMembers, writesOf } from "../resources/writing.ts";
import { stateCases } from "../states/cases.ts";
import { creatorFor, sendCreation } from "../trial/records.ts";
import { type KnownRecord, textOf } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { findRecord } from "../trial/world.ts";

export type ErrorTrigger = (trial: Trial) => Promise<void>;

/** Returns what may cause the error, by the statements that declare it as theirs. */
export function triggersOf(contract: Contract, code: string): readonly ErrorTrigger[] {
  const { model, operations } = contract;
  const rules = Object.entries(model.resources.rules).flatMap(([resource, all]) =>
    all.flatMap((rule, index) => (rule.else === code ? [`resources/rules/${resource}/${index}`] : [])),
  );
  const transitions = transitionsOf(contract).flatMap(({ path, trigger }) => (trigger.else === code ? [path] : []));
  const isAbout = (paths: readonly string[]) => (one: Case) =>
    one.exclusive !== true &&
    one.aspects.some(({ path }) => paths.some((each) => path === each || path === `${each}/if`));
  const byCases = [
    ...(rules.length > 0 ? [...ruleCases(contract), ...uniqueCases(contract)].filter(isAbout(rules)) : []),
    ...(transitions.length > 0 ? stateCases(contract).cases.filter(isAbout(transitions)) : []),
  ];
  const byKind = casesFor(contract, code);
  const byReferences = transitionsOf(contract)
    .filter(({ trigger }) => trigger.else === code && trigger.on.kind === "by")
    .map((transition) => leaveState(transition, code));
  const byOperations = [...operations.values()].flatMap((called): readonly ErrorTrigger[] => [
    ...(called.endpoint.else === code && called.endpoint.if !== undefined ? [violateGuard(called, code)] : []),
    ...Object.entries(called.endpoint.choose ?? {}).flatMap(([field, choice]) =>
      choice.else === code ? [leaveNothingToChoose(called, field, code)] : [],
    ),
    ...(called.endpoint.statuses?.differs === code ? [replaceOther(called, code)] : []),
  ]);
  return [...byCases, ...byKind].map(({ run }) => run).concat(byReferences, byOperations);
}

/** How many cases the test runs again to cause a standard error. */
const mostCases = 6;

/** Returns cases of other parts that cause a standard error, or an error of a single member. */
function casesFor(contract: Contract, code: string): readonly Case[] {
  const all = (): readonly Case[] => {
    if (code === "already-exists") return uniqueCases(contract).filter(({ id }) => id.includes(": twice in"));
    if (code === "still-referenced") return deletionCases(contract);
    if (code === "state-conflict") return stateCases(contract).cases.filter(({ id }) => id.includes(": not from"));
    if (code === "required" || code === "invalid-request")
      return memberCases(contract).filter(({ id }) => id.endsWith(": required members"));
    if (!violationCodes.includes(code)) return [];
    return valueCases(contract).filter(({ id }) => id.endsWith(" rejects"));
  };
  const cases = all().filter(({ exclusive }) => exclusive !== true);
  return violationCodes.includes(code) ? cases : cases.slice(0, mostCases);
}

/** Moves the record to which a record refers out of the state that the guard of a transition asks for. */
function leaveState({ path, resource, from, trigger }: TriggeredTransition, code: string): ErrorTrigger {
  return async (trial) => {
    const { contract, world } = trial;
    const guard = contract.typed.get(`${path}/if`);
    const [state] = from;
    const { on } = trigger;
    if (guard === undefined || state === undefined || on.kind !== "by")
      throw new NotTried("the guard does not depend on the state of another record");
    for (const node of nodesOf(guard)) {
      if (node.kind !== "walk" || node.name !== "state" || node.reference.kind !== "field") continue;
      const record = await trial.make(resource, { state });
      if (!record.values.has(node.reference.name)) await trial.look(record);
      const id = record.values.get(node.reference.name);
      const referred = id === undefined ? undefined : findRecord(world, node.resource, id);
      if (referred !== undefined && !referred.values.has("state")) await trial.look(referred);
      const away = transitionsOf(contract).find(
        (one) =>
          one.resource === node.resource &&
          one.trigger.on.kind === "by" &&
          one.to !== referred?.values.get("state") &&
          one.from.includes(textOf(referred?.values.get("state"))),
      );
      if (referred === undefined || away === undefined) continue;
      await trial.makeTransition(referred, away);
      await trial.look(referred);
      const caller = await trial.callerFor(on.operation, record);
      const input = await trial.inputWhere(on.operation, caller, record, `${path}/if`, false);
      if (input === undefined) continue;
      return void expectError(trial, await trial.call(on.operation, { caller, record, ...input }), { code });
    }
    throw new NotTried("the test cannot move the record on which the guard depends");
  };
}

function violateGuard(called: Operation, code: string): ErrorTrigger {
  const { operation } = called;
  return async (trial) => {
    const caller = await trial.callerFor(operation);
    const input = await trial.inputWhere(operation, caller, undefined, `endpoints/endpoints/${operation}/if`, false);
    if (input === undefined) throw new NotTried("the test finds no input with which the guard is false");
    if (called.kind === "resource" && creates(trial.contract.model, called)) {
      const { interaction } = await sendCreation(trial, called, caller, { input });
      return void expectError(trial, interaction, { code });
    }
    expectError(trial, await trial.call(operation, { caller, ...input }), { code });
  };
}

/** Sends a PUT for the id of a record that has other values. */
function replaceOther(called: Operation, code: string): ErrorTrigger {
  return async (trial) => {
    const { contract } = trial;
    const write = writesOf(contract).find((one) => one.called === called && one.kind === "create");
    if (write === undefined || called.key?.column !== "id") throw new NotTried("the test knows no record that differs");
    const first = await sendWrite(trial, write, { isValid: true });
    const id = first.record?.values.get("id");
    for (const { name, field } of settingMembers(contract, write)) {
      const value = id === undefined ? undefined : await otherValue(trial, field.type, [lookup(first.body, name)]);
      if (id === undefined || value === undefined || referenceOf(contract.model, field.type) !== undefined) continue;
      const change = (): JsonObject => ({ ...first.body, [name]: value });
      const parent = parentOf(trial, called, first.record);
      const second = await sendWrite(trial, write, { id, caller: first.caller, change, ...(parent && { parent }) });
      expectError(trial, second.interaction, { code });
      return;
    }
    throw new NotTried("the test finds no other value");
  };
}

function parentOf({ world }: Trial, { parents }: Operation, record: KnownRecord | undefined): KnownRecord | undefined {
  const last = parents.at(-1);
  const id = last === undefined ? undefined : record?.values.get(last.field);
  return last === undefined || id === undefined ? undefined : findRecord(world, last.resource, id);
}

/** Creates a record with references to new records, to which nothing that could be chosen refers. */
function leaveNothingToChoose(called: Operation, field: string, code: string): ErrorTrigger {
  return async (trial) => {
    const { contract } = trial;
    const condition = contract.typed.get(`endpoints/endpoints/${called.operation}/choose/${field}/if`);
    if (called.kind !== "resource" || called.action !== "create" || condition === undefined)
      throw new NotTried("the test does not know when there is nothing to choose");
    const fresh: Record<string, Json> = {};
    for (const one of conjuncts(condition)) {
      if (one.kind !== "compare" || one.operator !== "==") continue;
      const input = [one.left, one.right].find((side) => side.kind === "variable" && side.path[0] === "input");
      const member = input?.kind === "variable" ? input.path[1] : undefined;
      const type = member === undefined ? undefined : lookup(fieldsOf(contract.model, called.resource), member)?.type;
      const resource = type === undefined ? undefined : referenceOf(contract.model, type);
      if (member === undefined || resource === undefined) continue;
      const record = await trial.make(resource);
      if (!record.values.has("id")) await trial.look(record);
      fresh[member] = record.values.get("id") ?? null;
    }
    if (Object.keys(fresh).length === 0) throw new NotTried("the test does not know when there is nothing to choose");
    const caller = await creatorFor(trial, called, {});
    if (caller === undefined) throw new NotTried(`no caller of the test may run ${called.operation}`);
    const { interaction } = await sendCreation(trial, called, caller, { change: (body) => ({ ...body, ...fresh }) });
    expectError(trial, interaction, { code });
  };
}
