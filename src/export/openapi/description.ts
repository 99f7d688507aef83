/** Describes an operation in CommonMark: who may run it, its transitions and its other effects. */
import { withArticle } from "../../base/case.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { EffectPlan, FurtherWritePlan, SelectionPlan, TransitionPlan } from "../../plan/states/types.ts";
import type { GrantPlan, SessionPlan } from "../../plan/authentication/types.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import { expressionText } from "../expression-text.ts";

/** `isOpen`: whether the service has no credentials, so that there is nothing to say of who may run an operation. */
export function describeOperation(operation: Operation, isOpen: boolean): string {
  const { resource, allow, also, inbound, moves, choose, effects, body, the, guard, session, presentSecret, action } =
    operation;
  return [
    ...(inbound !== undefined
      ? [`Accepts only the credential \`${inbound.credential}\`.`]
      : isOpen
        ? []
        : [`May be run by ${grantsText(allow)}.`]),
    ...(the === undefined ? [] : [`Acts on the oldest ${resource} with \`${expressionText(the)}\`.`]),
    ...(guard === undefined ? [] : [`Requires \`${expressionText(guard.if)}\`, else \`${guard.else}\`.`]),
    ...linkTexts(operation),
    ...outcomeTexts(operation),
    ...(session === undefined ? [] : [sessionText(action, resource, session)]),
    ...(presentSecret === undefined
      ? []
      : [
          `To change their own \`${presentSecret.secret}\`, callers send the current one as \`${presentSecret.member}\`, else \`${presentSecret.else}\`.`,
        ]),
    ...moves.map((transition) =>
      action === "create"
        ? startText(resource, transition)
        : `Moves ${withArticle(resource)} ${transitionText(transition)}.`,
    ),
    ...choose.map(({ field, resource: from, if: condition, else: code }) => {
      const which = condition === undefined ? "" : ` with \`${expressionText(condition)}\``;
      return `Uses the first ${from}${which} as \`${field}\`${code === undefined ? ", if there is one" : `, else \`${code}\``}.`;
    }),
    ...[...moves.flatMap((transition) => transition.also ?? []), ...(also ?? [])].map(furtherWriteText),
    ...effects.map((effect) => effectText(effect)),
    ...(body !== undefined && body.fixed.length > 0
      ? [`${body.fixed.map((name) => `\`${name}\``).join(", ")} may be sent unchanged, but cannot be changed here.`]
      : []),
  ].join("\n\n");
}

function linkTexts({ action, resource, link, where }: Operation): readonly string[] {
  if (action === "clear") {
    const which = where === undefined ? "" : ` with \`${expressionText(where)}\``;
    return [`Deletes every ${resource}${which} that the caller may delete, or none.`];
  }
  if (link === undefined) return [];
  const values = link.values.map(({ field, expression }) => `\`${field}\` = \`${expressionText(expression)}\``);
  const verb = action === "link" ? "Creates, unless it exists," : "Deletes, if it exists,";
  return [`${verb} the ${link.resource} with ${values.join(" and ")}.`];
}

function outcomeTexts({ action, resource, response }: Operation): readonly string[] {
  const { same, accepted, differs } = response;
  const when =
    accepted?.if === undefined
      ? `the ${resource} is ${accepted?.states.map((state) => `\`${state}\``).join(" or ") ?? ""} afterwards, and processing continues`
      : `\`${expressionText(accepted.if)}\``;
  const why =
    action === "create"
      ? `there is ${withArticle(resource)} with the same unique values, which is returned`
      : "nothing has to change";
  return [
    ...(same === undefined ? [] : [`Answers ${same} where ${why}.`]),
    ...(accepted === undefined ? [] : [`Answers ${accepted.status} where ${when}.`]),
    ...(differs === undefined ? [] : [`If the existing ${resource} differs: \`${differs}\`.`]),
  ];
}

function sessionText(
  action: Operation["action"],
  resource: string,
  { credential, proof, else: code }: SessionPlan,
): string {
  if (action === "logout") return `Ends the current session of \`${credential}\`.`;
  if (action === "login")
    return `Starts a session of ${withArticle(resource)} and returns a token of \`${credential}\`, else \`${code}\`.`;
  return `Renews a session of \`${credential}\`: each \`${proof}\` is valid for one use, and a second use ends the session, else \`${code}\`.`;
}

function callersText(who: Exclude<GrantPlan["who"], { readonly kind: "role" }>): string {
  const callers = who.kind === "anyone" ? "anyone" : "any signed-in caller";
  return who.unscoped === true ? `${callers}, but no token with scopes` : callers;
}

/** Describes grants in words, such as `operator, or courier if ...`. */
export function grantsText(grants: readonly GrantPlan[]): string {
  if (grants.length === 0) return "nobody";
  const alternatives = grants.map(({ who, if: condition }) => {
    const name = who.kind === "role" ? `\`${who.role}\`` : callersText(who);
    return condition === undefined ? name : `${name} if \`${expressionText(condition)}\``;
  });
  return alternatives.join(", or ");
}

/** Describes a transition of a new record, such as "A new Order begins as `paid` if `input.prepaid`". */
function startText(resource: string, { to, if: condition, else: code }: TransitionPlan): string {
  return `A new ${resource} begins as \`${to}\`${conditionText(condition, code)}.`;
}

function transitionText({ from, to, if: condition, else: code }: TransitionPlan): string {
  return `${from.map((state) => `\`${state}\``).join(" or ")} → \`${to}\`${conditionText(condition, code)}`;
}

/** Returns the end of a sentence with a condition, such as ` if …, else …`; empty without one. */
function conditionText(condition: TypedExpression | undefined, code: string | undefined): string {
  const guard = condition === undefined ? "" : ` if \`${expressionText(condition)}\``;
  return code === undefined ? guard : `${guard}, else \`${code}\``;
}

/** Describes a further write, such as `Also creates a Part for each line in …`. */
function furtherWriteText(write: FurtherWritePlan): string {
  const { each, else: code, if: condition, kind, resource, values } = write;
  const verb = { create: "creates", change: "changes", delete: "deletes" }[kind];
  const set = values.map(({ field, expression }) => `\`${field}\` = \`${expressionText(expression)}\``).join(", ");
  return [
    `Also ${verb} ${kind === "create" ? withArticle(resource) : selectionText(write, resource)}`,
    ...(set === "" ? [] : [` with ${set}`]),
    ...(each === undefined ? [] : [` for each \`${each.name}\` of \`${expressionText(each.list)}\``]),
    `${conditionText(condition, code)}.`,
  ].join("");
}

function selectionText({ first, sort, where }: SelectionPlan, resource: string): string {
  const order = sort === undefined ? "" : ` by \`${sort.column}\`${sort.descending ? ", highest first" : ""}`;
  const which = first === undefined ? `each ${resource}` : `the first ${first} ${resource}${order}`;
  return where === undefined ? which : `${which} of which \`${expressionText(where)}\``;
}

function effectText({ event, state, field, resource, moves }: EffectPlan): string {
  const when = state === undefined ? `\`${event}\`` : `\`${event}\` (on entering \`${state}\`)`;
  if (field === undefined) {
    const which = selectionText(moves[0]?.selection ?? {}, resource);
    return `With it, ${when} moves ${which} ${moves.map(transitionText).join(", or ")}.`;
  }
  return `With it, ${when} moves the ${resource} in \`${field}\` ${moves.map(transitionText).join(", or ")}.`;
}
