/** A resource that no operation is about and nothing refers to. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { namedTypes } from "../type-names.ts";

export const check: Check = {
  code: "resources/unused-resource",
  severity: "warning",
  why: "It would have a table that nothing ever reads or writes.",
  *run(facts) {
    if (!says(facts, "endpoints") || facts.hasHandlers) return;
    const used = new Set(namedTypes(facts.model).flatMap(({ name, within }) => (name === within ? [] : [name])));
    for (const meaning of facts.endpoints.values()) {
      if (meaning.kind !== "unclear" && meaning.resource !== undefined) used.add(meaning.resource);
      const { link, unlink } = meaning.endpoint;
      for (const { in: linked } of [link, unlink].filter((one) => one !== undefined)) used.add(linked);
      for (const { from } of Object.values(meaning.endpoint.choose ?? {})) used.add(from);
    }
    for (const { of } of Object.values(facts.model.authentication.credentials)) if (of !== undefined) used.add(of);
    for (const resource of Object.keys(facts.model.resources.resources)) {
      if (used.has(resource)) continue;
      yield {
        at: `resources/${resource}#key`,
        message: `No operation is about ${resource}, and nothing refers to it`,
        help: "give it an endpoint in part 4, or remove it",
      };
    }
  },
};
