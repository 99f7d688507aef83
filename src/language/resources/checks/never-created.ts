/** Reports a resource that operations read or move, or that others refer to, but that no operation creates. */
import { withArticle } from "../../../base/case.ts";
import { creates } from "../../endpoints/input.ts";
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { furtherWriteSites } from "../../states/further-writes.ts";
import { namedTypes } from "../type-names.ts";

export const check: Check = {
  code: "resources/never-created",
  severity: "warning",
  why: "Its operations would never find a record.",
  *run(documentIndex) {
    if (!declares(documentIndex, "endpoints") || documentIndex.hasHandlers) return;
    const { model } = documentIndex;
    const linked = new Set([
      ...[...documentIndex.endpoints.values()].map(({ endpoint }) => endpoint.link?.in),
      ...furtherWriteSites(model).flatMap(({ write }) => (write.kind === "create" ? [write.resource] : [])),
    ]);
    const referred = new Set(namedTypes(model).flatMap(({ name, enclosing }) => (name === enclosing ? [] : [name])));
    for (const resource of Object.keys(model.resources.resources)) {
      const endpoints = documentIndex.endpointsOf.get(resource) ?? [];
      // Another check reports a resource that no other statement mentions.
      if ((endpoints.length === 0 && !referred.has(resource)) || linked.has(resource)) continue;
      if (endpoints.some((resolved) => resolved.action === "create" || creates(model, resolved))) continue;
      yield {
        at: `resources/${resource}#key`,
        message: `No operation creates ${withArticle(resource)}`,
        help: "add an endpoint with `POST` to its collection, or one that creates it with `link` or `also`; if a function creates its records, write `# ok never-created: …`",
      };
    }
  },
};
