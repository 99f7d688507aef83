/** What the plan says of an operation in words: who may run it, what it moves, what else it does. CommonMark. */
import type { EffectPlan, TransitionPlan } from "../../plan/states/types.ts";
import type { GrantPlan, SessionPlan } from "../../plan/authentication/types.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import { expressionText } from "../expression-text.ts";

export function describeOperation(operation: Operation): string {
  const { resource, allow, inbound, moves, choose, effects, body, the, guard, session, presentSecret, action } =
    operation;
  return [
    inbound === undefined ? `May be run by ${grantsText(allow)}.` : `Taken from \`${inbound.credential}\` alone.`,
    ...(the === undefined ? [] : [`About the oldest ${resource} with \`${expressionText(the)}\`.`]),
    ...(guard === undefined ? [] : [`Done if \`${expressionText(guard.if)}\`, else \`${guard.else}\`.`]),
    ...linkTexts(operation),
    ...outcomeTexts(operation),
    ...(session === undefined ? [] : [sessionText(action, resource, session)]),
    ...(presentSecret === undefined
      ? []
      : [
          `Who changes the own \`${presentSecret.secret}\` sends the present one as \`${presentSecret.member}\`, else \`${presentSecret.else}\`.`,
        ]),
    ...moves.map((transition) => `Moves a ${resource} ${transitionText(transition)}.`),
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

function linkTexts({ action, resource, link, where }: Operation): readonly string[] {
  if (action === "clear") {
    const which = where === undefined ? "" : ` with \`${expressionText(where)}\``;
    return [`Deletes every ${resource}${which} that the caller may run this on, or none.`];
  }
  if (link === undefined) return [];
  const values = link.values.map(({ field, expression }) => `\`${field}\` = \`${expressionText(expression)}\``);
  const verb = action === "link" ? "Makes, unless there is one," : "Deletes, if there is one,";
  return [`${verb} the ${link.resource} with ${values.join(" and ")}.`];
}

function outcomeTexts({ action, resource, response }: Operation): readonly string[] {
  const { same, accepted, differs } = response;
  const when =
    accepted?.if === undefined
      ? `the ${resource} is ${accepted?.states.map((state) => `\`${state}\``).join(" or ") ?? ""} then, and goes on by itself`
      : `\`${expressionText(accepted.if)}\``;
  const why =
    action === "create"
      ? `there is a ${resource} with the same unique values, which is given`
      : "nothing has to change";
  return [
    ...(same === undefined ? [] : [`Answers ${same} where ${why}.`]),
    ...(accepted === undefined ? [] : [`Answers ${accepted.status} where ${when}.`]),
    ...(differs === undefined ? [] : [`Where there is a ${resource} that would have to change: \`${differs}\`.`]),
  ];
}

function sessionText(
  action: Operation["action"],
  resource: string,
  { credential, proof, else: code }: SessionPlan,
): string {
  if (action === "logout") return `Ends the session of \`${credential}\` that it is sent with.`;
  if (action === "login")
    return `Begins a session of a ${resource} with a token of \`${credential}\`, else \`${code}\`.`;
  return `Goes on with a session of \`${credential}\`: each \`${proof}\` is good once, and one that is used again ends the session, else \`${code}\`.`;
}

function callersText(who: Exclude<GrantPlan["who"], { readonly kind: "role" }>): string {
  const callers = who.kind === "anyone" ? "anyone" : "anybody signed in";
  return who.unscoped === true ? `${callers}, but no token with scopes` : callers;
}

/** `operator, or courier if ...`. */
export function grantsText(grants: readonly GrantPlan[]): string {
  if (grants.length === 0) return "nobody";
  const alternatives = grants.map(({ who, if: condition }) => {
    const name = who.kind === "role" ? `\`${who.role}\`` : callersText(who);
    return condition === undefined ? name : `${name} if \`${expressionText(condition)}\``;
  });
  return alternatives.join(", or ");
}

function transitionText({ from, to, if: condition, else: code }: TransitionPlan): string {
  const guard = condition === undefined ? "" : ` if \`${expressionText(condition)}\``;
  const otherwise = code === undefined ? "" : `, else \`${code}\``;
  return `${from.map((state) => `\`${state}\``).join(" or ")} → \`${to}\`${guard}${otherwise}`;
}

function effectText({ event, state, field, resource, moves }: EffectPlan): string {
  const when = state === undefined ? `\`${event}\`` : `\`${event}\` (on entering \`${state}\`)`;
  return `With it, ${when} moves the ${resource} in \`${field}\` ${moves.map(transitionText).join(", or ")}.`;
}
