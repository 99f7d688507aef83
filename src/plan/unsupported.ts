/** Lists the statements of a document that this release does not support: one entry each, with its line, in document order. */
import { resolveEndpoint } from "../language/endpoints/resolve.ts";
import { isCounted } from "./limits/limits.ts";
import type { PlanInput } from "./input.ts";

export interface Unenforced {
  /** The path of the statement, as in `SourceLocations`. */
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

export function unenforcedStatements(planInput: PlanInput): readonly Unenforced[] {
  const statements = [...endpointStatements(planInput), ...eventStatements(planInput), ...limitStatements(planInput)];
  return statements.map(({ path, what }) => ({ path, line: lineOf(planInput, path), what }));
}

type Statement = Omit<Unenforced, "line">;

/** Returns the line of the statement, or of the nearest enclosing statement with a location. */
function lineOf({ places }: PlanInput, path: string): number {
  for (let at = path; at !== ""; at = at.slice(0, Math.max(at.lastIndexOf("/"), 0))) {
    const span = places.get(at);
    if (span !== undefined) return span.start.line;
  }
  return 1;
}

// ── Endpoints and authentication ───────────────────────────────────────────────────────────────────────────────────

function endpointStatements({ model }: PlanInput): readonly Statement[] {
  return Object.keys(model.endpoints.endpoints).flatMap((operation): Statement[] => {
    const resolved = resolveEndpoint(model, operation);
    const path = `endpoints/endpoints/${operation}`;
    if (resolved?.kind === "free" && resolved.endpoint.wire !== undefined && resolved.endpoint.does !== "none") {
      return [{ path, what: `\`${operation}\` is described by its wire, and not served` }];
    }
    return resolved?.kind === "unclear" ? [{ path, what: `\`${operation}\` is not served: ${resolved.message}` }] : [];
  });
}

// ── Events, limits ───────────────────────────────────────────────────────────────────────────────────────

function eventStatements({ model }: PlanInput): readonly Statement[] {
  if (Object.keys(model.resources.resources).length > 0) return [];
  const inbound = Object.keys(model.events.in ?? {});
  return inbound.map((name) => ({ path: `events/in/${name}`, what: `\`${name}\` never comes in` }));
}

function limitStatements(planInput: PlanInput): readonly Statement[] {
  const { events, limits } = planInput.model;
  const { quota = {} } = limits;
  const uncounted = Object.keys(quota).filter((target) => {
    // A quota of `webhook` counts the webhook resource (plan/events/webhooks.ts).
    const counted = target === "webhook" && events.delivery?.webhook !== undefined;
    return !counted && !quota[target]?.every((one) => isCounted(planInput, target, one));
  });
  return [
    ...uncounted.map((name) => ({ path: `limits/quota/${name}`, what: `the quota of \`${name}\` is not counted` })),
  ];
}
