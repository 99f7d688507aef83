/** A reference to records that no caller of the operation may see. */
import { withArticle } from "../../../base/case.ts";
import { inputOf } from "../../endpoints/input.ts";
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { isNullable, lookup, referenceOf } from "../../resources/fields.ts";
import { nameOf } from "../grants.ts";
import { hiddenFromAll } from "../visible.ts";

export const check: Check = {
  code: "authentication/hidden-reference",
  severity: "warning",
  why: "The service treats a hidden record like a missing one, so it rejects every request.",
  *run(documentIndex) {
    const { model, endpoints, places } = documentIndex;
    if (!declares(documentIndex, "resources", "endpoints", "authentication")) return;
    for (const resolved of endpoints.values()) {
      if (resolved.kind !== "resource") continue;
      const { operation, parents } = resolved;
      const callers = lookup(model.authentication.allow, operation) ?? [];
      const references = inputOf(model, resolved).flatMap(({ name, field, required }) => {
        const target = required && !isNullable(field) ? referenceOf(model, field.type) : undefined;
        return target === undefined
          ? []
          : [{ name: `\`${name}\``, at: `endpoints/endpoints/${operation}/takes/${name}`, target }];
      });
      const inPath = parents.map(({ parameter, resource }) => ({
        name: `\`{${parameter}}\``,
        at: "",
        target: resource,
      }));
      for (const { name, at, target } of [...inPath, ...references]) {
        const hidden = hiddenFromAll(model, callers, target);
        if (hidden === undefined) continue;
        const who = [...new Set(callers.map(nameOf))].map((caller) => `\`${caller}\``).join(" or ");
        yield {
          at: places.has(at) ? at : `authentication/allow/${operation}#key`,
          message: `\`${operation}\` needs ${name}, and ${who} cannot see any ${target}`,
          help: `allow ${who} to run \`${hidden}\`, so that the caller can name ${withArticle(target)}`,
        };
      }
    }
  },
};
