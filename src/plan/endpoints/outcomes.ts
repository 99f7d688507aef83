/** Plans guards, associations (`link`) and the statuses of responses. */
import { fieldEquals, type TypedExpression } from "../../expression/typed.ts";
import { creates } from "../../language/endpoints/input.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { lifecycleOf } from "../../language/resources/fields.ts";
import type { ResponsePlan, AssociationPlan, Operation } from "./types.ts";
import { startsOf, triggered } from "../states/transitions.ts";
import { both, type PlanInput, typedAt, unique } from "../input.ts";

export function associationPlan(
  planInput: PlanInput,
  { operation, endpoint }: ResourceEndpoint,
): AssociationPlan | undefined {
  const word = endpoint.link === undefined ? "unlink" : "link";
  const link = endpoint[word];
  if (link === undefined) return undefined;
  const values = Object.keys(link.with).map((field) => ({
    field,
    expression: typedAt(planInput, `endpoints/endpoints/${operation}/${word}/with/${field}`),
  }));
  const where = values
    .map(({ field, expression }) => fieldEquals(field, ["link", field], expression.type))
    .reduce(both);
  return { resource: link.in, values, where };
}

export function guardPlan(
  planInput: PlanInput,
  { operation, endpoint }: Pick<ResourceEndpoint, "operation" | "endpoint">,
): Pick<Operation, "guard"> {
  if (endpoint.if === undefined || endpoint.else === undefined) return {};
  return { guard: { if: typedAt(planInput, `endpoints/endpoints/${operation}/if`), else: endpoint.else } };
}

/** Whether a response with the status has no body. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205;
}

type Statuses = Pick<ResponsePlan, "status" | "created" | "same" | "accepted" | "differs" | "errors">;

/** Plans the success statuses. The defaults: 201 for a created record, 204 without a body, else 200. */
export function statusPlan(planInput: PlanInput, resolved: ResourceEndpoint, isBodyless: boolean): Statuses {
  const { action, endpoint } = resolved;
  const { created, same, accepted, differs, errors } = endpoint.statuses ?? {};
  const status =
    (action === "create" ? created : undefined) ??
    endpoint.status ??
    (action === "create" ? 201 : isBodyless ? 204 : 200);
  const made = action === "create" ? undefined : (created ?? (creates(planInput.model, resolved) ? 201 : undefined));
  return {
    status,
    ...(made === undefined ? {} : { created: made }),
    ...(same === undefined ? {} : { same }),
    ...(accepted === undefined
      ? {}
      : { accepted: { status: accepted.status, ...when(planInput, resolved, accepted.if) } }),
    ...(differs === undefined ? {} : { differs }),
    ...(errors === undefined ? {} : { errors }),
  };
}

function when(
  planInput: PlanInput,
  { operation, resource }: ResourceEndpoint,
  condition: string | undefined,
): { readonly if?: TypedExpression; readonly states: readonly string[] } {
  if (condition !== undefined)
    return { if: typedAt(planInput, `endpoints/endpoints/${operation}/status/accepted/if`), states: [] };
  return { states: passing(planInput, resource) };
}

/** Returns the states that a record leaves without an operation: by a timer or an event. */
function passing(planInput: PlanInput, resource: string): readonly string[] {
  if (lifecycleOf(planInput.model, resource) === undefined) return [];
  const moves = triggered(planInput, resource).filter(({ trigger }) => trigger.on.kind !== "by");
  return unique(
    moves.flatMap(({ transition }) =>
      startsOf(planInput, resource, transition).filter((state) => state !== transition.to),
    ),
  );
}
