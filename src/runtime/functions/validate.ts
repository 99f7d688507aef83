/** Checks that the functions match the document: no handler is missing, and each function belongs to something. */
import { parseClockDuration } from "../../base/duration.ts";
import { suggestion } from "../../base/suggest.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { Plan } from "../../plan/plan.ts";
import { servedPlan, withoutContractOperations } from "../../plan/endpoints/contract.ts";
import { handlerOf, hookOf, type ServiceFunctions } from "./functions.ts";

/** Returns a message for each mismatch. */
export function mismatches(plan: Plan, functions: ServiceFunctions): readonly string[] {
  const { before, after, on, every, ...handlers } = functions;
  const { operations } = servedPlan(plan);
  const needed = operations
    .filter(({ action, unserved }) => action === "handler" && unserved === undefined)
    .map(({ name }) => name);
  const operationNames = operations
    .filter(({ action, unserved }) => action !== "receive" && unserved === undefined)
    .map(({ name }) => name);
  const handlerNames = Object.keys(handlers).filter((name) => handlers[name] !== undefined);
  return [
    ...needed
      .filter((name) => handlerOf(functions, name) === undefined)
      .map(
        (name) =>
          `there is no function \`${name}\`, which the document says that a handler does${suggestion(name, handlerNames)}`,
      ),
    ...handlerNames
      .filter((name) => !needed.includes(name))
      .map((name) =>
        operationNames.includes(name)
          ? `\`${name}\` is done by Nonet; write \`does: handler\` in part 4, or \`before\` or \`after\` here`
          : `\`${name}\` is no operation of the document${suggestion(name, needed)}`,
      ),
    ...strangers("before", before, operationNames, "operation"),
    ...strangers("after", after, operationNames, "operation"),
    ...strangers("on", on, Object.keys(plan.events.out), "event that goes out"),
    ...intervals(every),
  ];
}

/** Returns the plan in which operations with hooks may also return any error of the document. */
export function planWith(plan: Plan, functions: ServiceFunctions | undefined): Plan {
  if (functions === undefined) return plan;
  const enforced =
    plan.contractOperations.length === 0 ? plan : { ...plan, unenforced: withoutContractOperations(plan) };
  if (functions.before === undefined && functions.after === undefined) return enforced;
  const errors = Object.keys(plan.errors).filter((code) => plan.errors[code]?.source === "document");
  const hooked = (operation: Operation): Operation => {
    const { name } = operation;
    const hook = hookOf(functions, "before", name) ?? hookOf(functions, "after", name);
    if (hook === undefined) return operation;
    return { ...operation, hooked: errors.filter((code) => !operation.errors.includes(code)) };
  };
  return {
    ...enforced,
    operations: plan.operations.map(hooked),
    contractOperations: plan.contractOperations.map((one) => ({ ...one, operation: hooked(one.operation) })),
  };
}

function strangers(
  group: string,
  handlerNames: object | undefined,
  known: readonly string[],
  what: string,
): readonly string[] {
  return Object.entries(handlerNames ?? {}).flatMap(([name, one]) => {
    if (!known.includes(name))
      return [`\`${name}\` in \`${group}\` is no ${what} of the document${suggestion(name, known)}`];
    return typeof one === "function" || one === undefined ? [] : [`\`${name}\` in \`${group}\` is no function`];
  });
}

function intervals(every: ServiceFunctions["every"]): readonly string[] {
  const names = new Set<string>();
  return Object.entries(every ?? {}).flatMap(([interval, named]) => {
    const milliseconds = parseClockDuration(interval);
    if (milliseconds === undefined || milliseconds < 1000)
      return [`\`${interval}\` in \`every\` is no time of a second or more, such as \`5m\` or \`1d\``];
    return Object.entries(named).flatMap(([name, one]) => {
      if (typeof one !== "function") return [`\`${name}\` in \`every\` is no function`];
      if (names.has(name)) return [`\`${name}\` stands twice in \`every\`; the name says when it ran last`];
      names.add(name);
      return [];
    });
  });
}
