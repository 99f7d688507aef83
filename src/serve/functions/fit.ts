/** Whether functions fit a document: each that it needs is there, and each that is there is one that something runs. */
import { parseClockDuration } from "../../base/duration.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { Operation, Plan } from "../../plan/plan.ts";
import { servedPlan, withoutWired } from "../../plan/wire.ts";
import { handlerOf, hookOf, type ServiceFunctions } from "./functions.ts";

/** A sentence for each that does not. */
export function misfits(plan: Plan, functions: ServiceFunctions): readonly string[] {
  const { before, after, on, every, ...handlers } = functions;
  const { operations } = servedPlan(plan);
  const needed = operations.filter(({ deed }) => deed === "handler").map(({ name }) => name);
  const asked = operations.filter(({ deed }) => deed !== "receive").map(({ name }) => name);
  const given = Object.keys(handlers).filter((name) => handlers[name] !== undefined);
  return [
    ...needed
      .filter((name) => handlerOf(functions, name) === undefined)
      .map(
        (name) => `there is no function \`${name}\`, which the document says that a handler does${near(name, given)}`,
      ),
    ...given
      .filter((name) => !needed.includes(name))
      .map((name) =>
        asked.includes(name)
          ? `\`${name}\` is done by Nonet; write \`does: handler\` in part 4, or \`before\` or \`after\` here`
          : `\`${name}\` is no operation of the document${near(name, needed)}`,
      ),
    ...strangers("before", before, asked, "operation"),
    ...strangers("after", after, asked, "operation"),
    ...strangers("on", on, Object.keys(plan.events.out), "event that goes out"),
    ...intervals(every),
  ];
}

/** The plan with what functions around its operations may add to their answers: any error of the document. */
export function planWith(plan: Plan, functions: ServiceFunctions | undefined): Plan {
  if (functions === undefined) return plan;
  const enforced = plan.wired.length === 0 ? plan : { ...plan, unenforced: withoutWired(plan) };
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
    wired: plan.wired.map((one) => ({ ...one, operation: hooked(one.operation) })),
  };
}

function strangers(
  group: string,
  given: object | undefined,
  known: readonly string[],
  what: string,
): readonly string[] {
  return Object.entries(given ?? {}).flatMap(([name, one]) => {
    if (!known.includes(name)) return [`\`${name}\` in \`${group}\` is no ${what} of the document${near(name, known)}`];
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

function near(name: string, known: readonly string[]): string {
  const meant = didYouMean(name, known);
  return meant === undefined ? "" : `; did you mean \`${meant}\`?`;
}
