/** Reads that tell of the service as a whole: expressions over all records, for whoever may run them. */
import { meaningOf } from "../parts/endpoints/meaning.ts";
import { own } from "../parts/resources/fields.ts";
import { collectiveMembers } from "./answers.ts";
import { operationLimits, quotasOfOperation, ratesOf } from "./limits.ts";
import { emitsOf } from "./moves.ts";
import { allowOf } from "./permissions.ts";
import type { Operation, Table } from "./plan.ts";
import { guardPlan } from "./outcomes.ts";
import { queryPlans } from "./queries.ts";
import type { Sources } from "./sources.ts";

export function collectiveOperations(sources: Sources, tables: readonly Table[]): readonly Operation[] {
  const { model } = sources;
  return Object.keys(model.endpoints.endpoints).flatMap((name): Operation[] => {
    const meaning = meaningOf(model, name);
    if (meaning?.kind !== "free" || meaning.deed !== "read") return [];
    const { endpoint, segments } = meaning;
    // Every operation is listed with some resource.
    const resource = tables[0]?.resource ?? "";
    const rated = { operation: name, resource, parents: [] };
    const errors = endpoint.statuses?.errors;
    const guarded = guardPlan(sources, meaning);
    return [
      {
        name,
        sentence: own(model.purpose.operations, name) ?? "",
        deed: "read",
        method: endpoint.method,
        path: segments,
        template: endpoint.path,
        resource,
        parents: [],
        collective: true,
        allow: allowOf(sources, name),
        visible: [],
        creates: false,
        query: queryPlans(sources, meaning),
        ...guarded,
        answer: {
          status: endpoint.status ?? 200,
          kind: "members",
          members: collectiveMembers(sources, name, endpoint.gives ?? {}),
          ...(errors === undefined ? {} : { errors }),
        },
        moves: [],
        choose: [],
        edits: "none",
        effects: [],
        emits: emitsOf(sources, name),
        rules: [],
        limits: operationLimits(sources, name),
        rates: ratesOf(sources, rated),
        quotas: quotasOfOperation(sources, rated, {}),
        errors: guarded.guard === undefined ? [] : [guarded.guard.else],
        needs: [],
      },
    ];
  });
}
