/**
 * What the document says and this release does not enforce yet: one entry for each statement, with its line, in the order
 * of the document. Nothing is left out silently.
 */
import { meaningOf } from "../parts/endpoints/meaning.ts";
import { isCounted } from "./limits.ts";
import type { Unenforced } from "./plan.ts";
import type { Sources } from "./sources.ts";

export function unenforcedStatements(sources: Sources): readonly Unenforced[] {
  const statements = [...endpointStatements(sources), ...eventStatements(sources), ...limitStatements(sources)];
  return statements.map(({ path, what }) => ({ path, line: lineOf(sources, path), what }));
}

type Statement = Omit<Unenforced, "line">;

/** The line of the statement, or of the nearest one around it that has a place. */
function lineOf({ places }: Sources, path: string): number {
  for (let at = path; at !== ""; at = at.slice(0, Math.max(at.lastIndexOf("/"), 0))) {
    const place = places.get(at);
    if (place !== undefined) return place.start.line;
  }
  return 1;
}

// ── Endpoints and authentication ───────────────────────────────────────────────────────────────────────────────────

function endpointStatements({ model }: Sources): readonly Statement[] {
  return Object.keys(model.endpoints.endpoints).flatMap((operation): Statement[] => {
    const meaning = meaningOf(model, operation);
    const path = `endpoints/endpoints/${operation}`;
    if (meaning?.kind === "free" && meaning.endpoint.wire !== undefined) {
      return [{ path, what: `\`${operation}\` is described by its wire, and not served` }];
    }
    return meaning?.kind === "unclear" ? [{ path, what: `\`${operation}\` is not served: ${meaning.sentence}` }] : [];
  });
}

// ── Events, limits ───────────────────────────────────────────────────────────────────────────────────────

function eventStatements({ model }: Sources): readonly Statement[] {
  if (Object.keys(model.resources.resources).length > 0) return [];
  const inbound = Object.keys(model.events.in ?? {});
  return inbound.map((name) => ({ path: `events/in/${name}`, what: `\`${name}\` never comes in` }));
}

function limitStatements(sources: Sources): readonly Statement[] {
  const { events, limits } = sources.model;
  const { quota = {} } = limits;
  const uncounted = Object.keys(quota).filter((target) => {
    // Of webhooks that of their own resource is counted (parts/events/webhooks.ts).
    const counted = target === "webhook" && events.delivery?.webhook !== undefined;
    return !counted && !quota[target]?.every((one) => isCounted(sources, target, one));
  });
  return [
    ...uncounted.map((name) => ({ path: `limits/quota/${name}`, what: `the quota of \`${name}\` is not counted` })),
  ];
}
