/** Reports a resource that no operation is about and that no field refers to. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { furtherWriteSites } from "../../states/further-writes.ts";
import { namedTypes } from "../type-names.ts";

export const check: Check = {
  code: "resources/unused-resource",
  severity: "warning",
  why: "The service would have a table that nothing reads or writes.",
  *run(documentIndex) {
    if (!declares(documentIndex, "endpoints") || documentIndex.hasHandlers) return;
    const used = new Set(
      namedTypes(documentIndex.model).flatMap(({ name, enclosing }) => (name === enclosing ? [] : [name])),
    );
    for (const resolved of documentIndex.endpoints.values()) {
      if (resolved.kind !== "unclear" && resolved.resource !== undefined) used.add(resolved.resource);
      const { link, unlink } = resolved.endpoint;
      for (const { in: linked } of [link, unlink].filter((one) => one !== undefined)) used.add(linked);
      for (const { from } of Object.values(resolved.endpoint.choose ?? {})) used.add(from);
    }
    for (const { write } of furtherWriteSites(documentIndex.model)) used.add(write.resource);
    for (const { of } of Object.values(documentIndex.model.authentication.credentials))
      if (of !== undefined) used.add(of);
    for (const resource of Object.keys(documentIndex.model.resources.resources)) {
      if (used.has(resource)) continue;
      yield {
        at: `resources/${resource}#key`,
        message: `No operation uses ${resource}, and nothing refers to it`,
        help: "give it an endpoint in part 4, or remove it",
      };
    }
  },
};
