/** Shared by the four checks of endpoints that cannot be resolved. */
import type { DocumentIndex } from "../analysis/document-index.ts";
import type { Finding } from "../analysis/finding.ts";
import type { UnclearEndpoint } from "./resolve.ts";

/** The endpoints for which this is unclear. A separate check reports an unknown resource in `of`. */
export function* unclearEndpoints(
  { endpoints, model }: DocumentIndex,
  what: UnclearEndpoint["what"],
  help: (unclear: UnclearEndpoint) => string,
): Iterable<Finding> {
  for (const resolved of endpoints.values()) {
    if (resolved.kind !== "unclear" || resolved.what !== what) continue;
    const { of } = resolved.endpoint;
    if (of !== undefined && !Object.hasOwn(model.resources.resources, of)) continue;
    yield { at: `endpoints/endpoints/${resolved.operation}/at`, message: resolved.message, help: help(resolved) };
  }
}
