/** What the plan says of an operation in words: who may run it, what it moves, what else it does. CommonMark. */
import type { EffectPlan, GrantPlan, MovePlan, Operation } from "../../plan/plan.ts";
import { expressionText } from "../expression-text.ts";

export function describeOperation(operation: Operation): string {
  const { resource, allow, inbound, moves, choose, effects, body } = operation;
  return [
    inbound === undefined ? `May be run by ${grantsText(allow)}.` : `Taken from \`${inbound.credential}\` alone.`,
    ...moves.map((move) => `Moves a ${resource} ${moveText(move)}.`),
    ...choose.map(({ field, resource: from, if: condition, else: code }) => {
      const which = condition === undefined ? "" : ` with \`${expressionText(condition)}\``;
      return `Takes the first ${from}${which} as \`${field}\`, else \`${code}\`.`;
    }),
    ...effects.map((effect) => effectText(effect)),
    ...(body !== undefined && body.fixed.length > 0
      ? [`${body.fixed.map((name) => `\`${name}\``).join(", ")} may be sent back as read, and cannot be changed here.`]
      : []),
  ].join("\n\n");
}

/** `operator, or courier if ...`. */
export function grantsText(grants: readonly GrantPlan[]): string {
  if (grants.length === 0) return "nobody";
  const alternatives = grants.map(({ who, if: condition }) => {
    const name = who.kind === "role" ? `\`${who.role}\`` : who.kind === "anyone" ? "anyone" : "anybody signed in";
    return condition === undefined ? name : `${name} if \`${expressionText(condition)}\``;
  });
  return alternatives.join(", or ");
}

function moveText({ from, to, if: condition, else: code }: MovePlan): string {
  const guard = condition === undefined ? "" : ` if \`${expressionText(condition)}\``;
  const otherwise = code === undefined ? "" : `, else \`${code}\``;
  return `${from.map((state) => `\`${state}\``).join(" or ")} → \`${to}\`${guard}${otherwise}`;
}

function effectText({ event, state, field, resource, moves }: EffectPlan): string {
  const when = state === undefined ? `\`${event}\`` : `\`${event}\` (on entering \`${state}\`)`;
  return `With it, ${when} moves the ${resource} in \`${field}\` ${moves.map(moveText).join(", or ")}.`;
}
