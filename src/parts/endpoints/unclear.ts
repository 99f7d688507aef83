/** What the four checks of endpoints whose meaning is unclear share. */
import type { Facts } from "../facts.ts";
import type { Finding } from "../finding.ts";
import type { UnclearEndpoint } from "./meaning.ts";

/** The endpoints of which this is unclear. An unknown resource in `of` has a check of its own. */
export function* unclearEndpoints(
  { endpoints, model }: Facts,
  what: UnclearEndpoint["what"],
  help: (unclear: UnclearEndpoint) => string,
): Iterable<Finding> {
  for (const meaning of endpoints.values()) {
    if (meaning.kind !== "unclear" || meaning.what !== what) continue;
    const { of } = meaning.endpoint;
    if (of !== undefined && !Object.hasOwn(model.resources.resources, of)) continue;
    yield { at: `endpoints/endpoints/${meaning.operation}/at`, message: meaning.sentence, help: help(meaning) };
  }
}
