/** Requests that cause a declared error: violated rules, equal values, false guards, nothing to choose. */
import { violationCodes } from "../../language/errors/model.ts";
import { nodesOf } from "../../expression/typed.ts";
import { type Case, NotTried } from "../case.ts";
import type { Contract } from "../contract.ts";
import { transitionsOf, type TriggeredTransition } from "../effects.ts";
import { expectError } from "../expect.ts";
import { deniedCases } from "../authentication/cases.ts";
import { sessionCases } from "../authentication/sessions.ts";
import { chooseCases } from "../endpoints/choose.ts";
import { guardCases } from "../endpoints/guards.ts";
import { outcomeCases } from "../endpoints/outcomes.ts";
import { createdRuleCases } from "../further-writes/rules.ts";
import { deletionCases } from "../resources/deletion.ts";
import { memberCases } from "../resources/members.ts";
import { ruleCases } from "../resources/rules.ts";
import { uniqueCases } from "../resources/unique.ts";
import { valueCases } from "../resources/values.ts";
import { stateCases } from "../states/cases.ts";
import { textOf } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { findRecord } from "../trial/world.ts";

export type ErrorTrigger = (trial: Trial) => Promise<void>;

/** Returns what may cause the error, by the statements that declare it as theirs. */
export function triggersOf(contract: Contract, code: string): readonly ErrorTrigger[] {
  const { model } = contract;
  const rules = Object.entries(model.resources.rules).flatMap(([resource, all]) =>
    all.flatMap((rule, index) => (rule.else === code ? [`resources/rules/${resource}/${index}`] : [])),
  );
  const transitions = transitionsOf(contract).flatMap(({ path, trigger }) => (trigger.else === code ? [path] : []));
  const isAbout = (paths: readonly string[]) => (one: Case) =>
    one.exclusive !== true &&
    one.aspects.some(({ path }) => paths.some((each) => path === each || path === `${each}/if`));
  const byCases = [
    ...(rules.length > 0
      ? [...ruleCases(contract), ...createdRuleCases(contract), ...uniqueCases(contract)].filter(isAbout(rules))
      : []),
    ...(transitions.length > 0 ? stateCases(contract).cases.filter(isAbout(transitions)) : []),
  ];
  const byKind = casesFor(contract, code);
  const byReferences = transitionsOf(contract)
    .filter(({ trigger }) => trigger.else === code && trigger.on.kind === "by")
    .map((transition) => leaveState(transition, code));
  return [...byCases, ...byKind, ...operationCases(contract, code)].map(({ run }) => run).concat(byReferences);
}

/** Returns the cases that cause an error of operations: of false guards, of nothing to choose, of records that differ, of wrong logins. */
function operationCases(contract: Contract, code: string): readonly Case[] {
  const ids = [...contract.operations.values()].flatMap(({ endpoint, operation }) => [
    ...(endpoint.else === code
      ? [`endpoints/${operation}: guard is false`, `endpoints/endpoints/${operation}/else`]
      : []),
    ...(endpoint.statuses?.differs === code ? [`endpoints/${operation}: differs`] : []),
    ...Object.entries(endpoint.choose ?? {}).flatMap(([field, choice]) =>
      choice.else === code ? [`endpoints/endpoints/${operation}/choose/${field}: none`] : [],
    ),
  ]);
  if (ids.length === 0) return [];
  const logins = sessionCases(contract).cases.filter(({ aspects }) => aspects.some(({ path }) => ids.includes(path)));
  const others = [...guardCases(contract), ...chooseCases(contract), ...outcomeCases(contract)];
  return [...logins, ...others.filter(({ id }) => ids.includes(id))];
}

/** How many cases the test runs again to cause a standard error. */
const mostCases = 6;

/** Returns cases of other parts that cause a standard error, or an error of a single member. */
function casesFor(contract: Contract, code: string): readonly Case[] {
  const all = (): readonly Case[] => {
    if (code === "already-exists") return uniqueCases(contract).filter(({ id }) => id.includes(": twice in"));
    if (code === "still-referenced") return deletionCases(contract);
    if (code === "unauthenticated" || code === "forbidden") return deniedCases(contract, code);
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
