/**
 * A model without errors to its plan. Cannot fail for one: what is missing then is a mistake of Nonet's own and throws.
 * The same document gives the same plan.
 */
import { lengthOf, parseDuration } from "../base/duration.ts";
import { kebabCase } from "../base/case.ts";
import { withWebhooks } from "../parts/events/webhooks.ts";
import { type TypedExpressions, typeExpressions } from "../parts/expressions.ts";
import type { Model, Places } from "../parts/model.ts";
import { namedSchemas } from "../parts/resources/json-schema.ts";
import { viewPlans } from "./answers.ts";
import { credentialPlans, roleNames } from "./credentials.ts";
import { errorBodies, errorPlans } from "./errors.ts";
import { buildHistory } from "./history.ts";
import { eventsPlan } from "./events.ts";
import { collectiveOperations } from "./collective.ts";
import { handlerOperations, systemOperations } from "./handlers.ts";
import { inboundOperations } from "./inbound.ts";
import { quotaPlans, generalRates, ratePlans, serverLimits } from "./limits.ts";
import { buildOperations } from "./operations.ts";
import type { Plan } from "./plan.ts";
import { assert, type Sources } from "./sources.ts";
import { buildTables } from "./tables.ts";
import { unenforcedStatements } from "./unenforced.ts";
import { versionsPlan } from "./versions.ts";
import { wiredOperations } from "./wire.ts";

export function buildPlan(model: Model, places: Places, expressions: TypedExpressions): Plan {
  const [problem] = expressions.problems;
  assert(problem === undefined, `${problem?.path}: ${problem?.problem.message}`);
  const full = withWebhooks(model);
  // What webhooks add has expressions of its own.
  const { typed } = full === model ? expressions : typeExpressions(full);
  const sources: Sources = { model: full, places, typed };
  const newest = planOf(sources);
  const system = systemOperations(sources, newest.tables);
  const plan = { ...newest, system, unenforced: unenforcedStatements({ model, places, typed }) };
  const versions = versionsPlan(sources, plan, planOf);
  return versions === undefined ? plan : { ...plan, versions };
}

/** Ten minutes where the document does not say it (R4.22). */
function corsPlan({ model }: Sources): Pick<Plan, "cors"> {
  const { cors } = model.endpoints;
  if (cors === undefined || cors === "none") return {};
  const { origins, credentials = false, keep = "10m" } = cors;
  const kept = parseDuration(keep);
  assert(kept !== undefined, keep);
  return { cors: { origins, credentials, keepSeconds: Math.floor(lengthOf(kept) / 1000) } };
}

/** The plan of one version, by itself. */
function planOf(sources: Sources): Plan {
  const { model } = sources;
  const title = model.title ?? model.purpose.service ?? "Service";
  const tables = buildTables(sources);
  const newest = model.versioning.versions?.[0];
  return {
    service: model.purpose.service ?? kebabCase(title),
    title,
    purpose: model.purpose.purpose ?? "",
    ...(newest === undefined ? {} : { version: newest.name }),
    history: buildHistory(sources),
    base: model.endpoints.base ?? "{base_url}",
    ...corsPlan(sources),
    tables,
    ...(model.resources.views === undefined ? {} : { views: viewPlans(sources, tables) }),
    operations: [
      ...buildOperations(sources, tables),
      ...collectiveOperations(sources, tables),
      ...handlerOperations(sources, tables),
      ...inboundOperations(sources, tables),
    ],
    system: [],
    wired: wiredOperations(sources, tables),
    schemas: namedSchemas(model),
    credentials: credentialPlans(sources),
    roles: roleNames(sources),
    errors: errorPlans(sources),
    ...errorBodies(sources),
    // Saying that a record exists is saying something about it, so the silent answer is 404 (R5.8).
    unseen: model.authentication.unseen ?? 404,
    limits: serverLimits(sources),
    rates: ratePlans(sources),
    generalRates: generalRates(sources),
    quotas: quotaPlans(sources),
    events: eventsPlan(sources),
    unenforced: [],
  };
}
