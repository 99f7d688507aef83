/** Plans aggregate reads: expressions over all records, without a current record. */
import { aggregateMedia } from "./requests.ts";
import { resolveEndpoint } from "../../language/endpoints/resolve.ts";
import { headerPlans } from "./headers.ts";
import { aggregateMembers } from "./responses.ts";
import { operationLimits, quotasOfOperation, ratesOf } from "../limits/limits.ts";
import { emitsOf } from "../states/transitions.ts";
import { allowOf } from "../authentication/permissions.ts";
import { descriptionOf } from "./operations.ts";
import type { Operation } from "./types.ts";
import type { Table } from "../resources/types.ts";
import { guardPlan } from "./outcomes.ts";
import { queryPlans } from "./queries.ts";
import type { PlanInput } from "../input.ts";

export function aggregateOperations(planInput: PlanInput, tables: readonly Table[]): readonly Operation[] {
  const { model } = planInput;
  return Object.keys(model.endpoints.endpoints).flatMap((name): Operation[] => {
    const resolved = resolveEndpoint(model, name);
    if (resolved?.kind !== "free" || resolved.action !== "read") return [];
    const { endpoint, segments } = resolved;
    // The plan of every operation needs a resource, even one that reads none.
    const resource = tables[0]?.resource ?? "";
    const rated = { operation: name, resource, parents: [] };
    const errors = endpoint.statuses?.errors;
    const guarded = guardPlan(planInput, resolved);
    return [
      {
        name,
        sentence: descriptionOf(model, name),
        action: "read",
        method: endpoint.method,
        path: segments,
        template: endpoint.path,
        resource,
        parents: [],
        aggregate: true,
        allow: allowOf(planInput, name),
        visible: [],
        creates: false,
        ...aggregateMedia(planInput, resolved),
        query: queryPlans(planInput, resolved),
        ...guarded,
        response: {
          status: endpoint.status ?? 200,
          kind: "members",
          members: aggregateMembers(planInput, name, endpoint.gives ?? {}),
          ...(errors === undefined ? {} : { errors }),
        },
        ...headerPlans(planInput, resolved),
        moves: [],
        choose: [],
        edits: "none",
        effects: [],
        emits: emitsOf(planInput, name),
        rules: [],
        limits: operationLimits(planInput, name),
        rates: ratesOf(planInput, rated),
        quotas: quotasOfOperation(planInput, rated, {}),
        errors: guarded.guard === undefined ? [] : [guarded.guard.else],
        needs: [],
      },
    ];
  });
}
