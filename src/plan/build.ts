/** Builds the plan of a model without errors. Deterministic; throws only for a bug of Nonet. */
import { lengthOf, parseDuration } from "../base/duration.ts";
import { kebabCase } from "../base/case.ts";
import { withWebhooks } from "./events/webhooks.ts";
import { type TypedExpressions, typeExpressions } from "../language/analysis/expressions.ts";
import type { Model, SourceLocations } from "../language/model.ts";
import { withDeprecatedFields } from "../language/versioning/deprecated.ts";
import { viewPlans } from "./endpoints/responses.ts";
import { credentialPlans, roleNames } from "./authentication/credentials.ts";
import { grantPlan } from "./authentication/permissions.ts";
import { errorBodies, errorPlans } from "./errors/errors.ts";
import { buildHistory } from "./versioning/data-changes.ts";
import { eventsPlan } from "./events/events.ts";
import { aggregateOperations } from "./endpoints/aggregates.ts";
import { handlerOperations, systemOperations } from "./endpoints/handlers.ts";
import { inboundOperations } from "./events/incoming.ts";
import { quotaPlans, generalRates, ratePlans, serverLimits } from "./limits/limits.ts";
import { buildOperations } from "./endpoints/operations.ts";
import type { Plan } from "./plan.ts";
import { assert, type PlanInput } from "./input.ts";
import { buildTables } from "./resources/tables.ts";
import { unenforcedStatements } from "./unsupported.ts";
import { versionsPlan, withDeprecationPlan } from "./versioning/versions.ts";
import { contractOperationsOf, servedSchemas } from "./endpoints/contract.ts";

export function buildPlan(model: Model, places: SourceLocations, expressions: TypedExpressions): Plan {
  const [problem] = expressions.problems;
  assert(problem === undefined, `${problem?.path}: ${problem?.problem.message}`);
  const full = withWebhooks(model);
  // The resources that webhooks add have more expressions, so the model is typed again.
  const { typed } = full === model ? expressions : typeExpressions(full);
  const planInput: PlanInput = { model: full, places, typed };
  const newest = planOf(planInput);
  const system = systemOperations(planInput, newest.tables);
  const plan = { ...newest, system, unenforced: unenforcedStatements({ model, places, typed }) };
  const versions = versionsPlan(planInput, plan, planOf);
  return versions === undefined ? plan : { ...plan, versions };
}

/** Plans CORS. The default of `keep` is ten minutes (R4.22). */
function corsPlan({ model }: PlanInput): Pick<Plan, "cors"> {
  const { cors } = model.endpoints;
  if (cors === undefined || cors === "none") return {};
  const { origins, credentials = false, keep = "10m" } = cors;
  const maxAge = parseDuration(keep);
  assert(maxAge !== undefined, keep);
  return { cors: { origins, credentials, maxAgeSeconds: Math.floor(lengthOf(maxAge) / 1000) } };
}

/** Plans the address for agents. */
function mcpPlan(planInput: PlanInput): Pick<Plan, "mcp"> {
  const { mcp } = planInput.model.endpoints;
  if (mcp === undefined || mcp === "none") return {};
  const { at, for: callers } = mcp;
  return { mcp: { at, ...(callers && { for: callers.map(({ who }) => grantPlan(planInput, who)) }) } };
}

/** Builds the plan of a single version. */
function planOf(written: PlanInput): Plan {
  const model = withDeprecatedFields(written.model);
  const planInput = { ...written, model };
  const title = model.title ?? model.purpose.service ?? "Service";
  const tables = buildTables(planInput);
  const newest = model.versioning.versions?.[0];
  return {
    service: model.purpose.service ?? kebabCase(title),
    title,
    purpose: model.purpose.purpose ?? "",
    ...(newest === undefined ? {} : { version: newest.name }),
    history: buildHistory(planInput),
    base: model.endpoints.base ?? "{base_url}",
    ...(model.endpoints.openapi === undefined ? {} : { openapi: model.endpoints.openapi }),
    ...corsPlan(planInput),
    ...mcpPlan(planInput),
    tables,
    ...(model.resources.views === undefined ? {} : { views: viewPlans(planInput, tables) }),
    operations: [
      ...buildOperations(planInput, tables),
      ...aggregateOperations(planInput, tables),
      ...handlerOperations(planInput, tables),
      ...inboundOperations(planInput, tables),
    ].map((operation) => withDeprecationPlan(model, operation)),
    system: [],
    contractOperations: contractOperationsOf(planInput, tables).map((one) => {
      return { ...one, operation: withDeprecationPlan(model, one.operation) };
    }),
    schemas: servedSchemas(model),
    credentials: credentialPlans(planInput),
    roles: roleNames(planInput),
    errors: errorPlans(planInput),
    ...errorBodies(planInput),
    // A 403 would reveal that a record exists, so the default is 404 (R5.8).
    unseen: model.authentication.unseen ?? 404,
    limits: serverLimits(planInput),
    rates: ratePlans(planInput),
    generalRates: generalRates(planInput),
    quotas: quotaPlans(planInput),
    events: eventsPlan(planInput),
    unenforced: [],
  };
}
