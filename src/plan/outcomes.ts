/** What an operation does to another resource's records, and with which status its outcomes are answered. */
import { fieldEquals, type TypedExpression } from "../expression/typed.ts";
import { creates } from "../parts/endpoints/input.ts";
import type { ResourceEndpoint } from "../parts/endpoints/meaning.ts";
import { lifecycleOf } from "../parts/resources/fields.ts";
import type { AnswerPlan, LinkPlan, Operation } from "./plan.ts";
import { startsOf, triggered } from "./moves.ts";
import { both, type Sources, typedAt, unique } from "./sources.ts";

export function linkPlan(sources: Sources, { operation, endpoint }: ResourceEndpoint): LinkPlan | undefined {
  const word = endpoint.link === undefined ? "unlink" : "link";
  const link = endpoint[word];
  if (link === undefined) return undefined;
  const values = Object.keys(link.with).map((field) => ({
    field,
    expression: typedAt(sources, `endpoints/endpoints/${operation}/${word}/with/${field}`),
  }));
  const where = values
    .map(({ field, expression }) => fieldEquals(field, ["link", field], expression.type))
    .reduce(both);
  return { resource: link.in, values, where };
}

export function guardPlan(
  sources: Sources,
  { operation, endpoint }: Pick<ResourceEndpoint, "operation" | "endpoint">,
): Pick<Operation, "guard"> {
  if (endpoint.if === undefined || endpoint.else === undefined) return {};
  return { guard: { if: typedAt(sources, `endpoints/endpoints/${operation}/if`), else: endpoint.else } };
}

/** A status that has no body. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205;
}

type Statuses = Pick<AnswerPlan, "status" | "created" | "same" | "accepted" | "differs" | "errors">;

/** Where the document does not say it: 201 for what is made, 204 where nothing is given, 200 for all else. */
export function statusPlan(sources: Sources, meaning: ResourceEndpoint, silent: boolean): Statuses {
  const { deed, endpoint } = meaning;
  const { created, same, accepted, differs, errors } = endpoint.statuses ?? {};
  const status =
    (deed === "create" ? created : undefined) ?? endpoint.status ?? (deed === "create" ? 201 : silent ? 204 : 200);
  const made = deed === "create" ? undefined : (created ?? (creates(sources.model, meaning) ? 201 : undefined));
  return {
    status,
    ...(made === undefined ? {} : { created: made }),
    ...(same === undefined ? {} : { same }),
    ...(accepted === undefined
      ? {}
      : { accepted: { status: accepted.status, ...when(sources, meaning, accepted.if) } }),
    ...(differs === undefined ? {} : { differs }),
    ...(errors === undefined ? {} : { errors }),
  };
}

function when(
  sources: Sources,
  { operation, resource }: ResourceEndpoint,
  condition: string | undefined,
): { readonly if?: TypedExpression; readonly states: readonly string[] } {
  if (condition !== undefined)
    return { if: typedAt(sources, `endpoints/endpoints/${operation}/status/accepted/if`), states: [] };
  return { states: passing(sources, resource) };
}

/** The states that a record leaves without anybody asking for it. */
function passing(sources: Sources, resource: string): readonly string[] {
  if (lifecycleOf(sources.model, resource) === undefined) return [];
  const moves = triggered(sources, resource).filter(({ trigger }) => trigger.on.kind !== "by");
  return unique(moves.flatMap(({ move }) => startsOf(sources, resource, move).filter((state) => state !== move.to)));
}
