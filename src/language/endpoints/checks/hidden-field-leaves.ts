/** Reports a response member computed from a field that some of its receivers may not see. */
import { fieldsReadIn, hiddenFrom } from "../../authentication/hidden.ts";
import { allowedTo } from "../../analysis/document-index.ts";
import { responseShape, responseExpressions } from "../shape.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "endpoints/hidden-field-leaves",
  severity: "warning",
  why: "Callers who may not see the field get a response without this member.",
  *run(documentIndex) {
    for (const resolved of documentIndex.endpoints.values()) {
      // An aggregate of the whole service is not about a single record; it reads the fields of all records.
      const isAggregate = resolved.kind === "free" && resolved.action === "read";
      if (resolved.kind !== "resource" && !isAggregate) continue;
      const resource = isAggregate ? "" : (resolved.resource ?? "");
      const { item, page, pageAt } = responseShape(documentIndex.model, resolved);
      const gives = `endpoints/endpoints/${resolved.operation}/gives`;
      for (const { path } of [pageAt === gives ? page : item].flatMap((shape) =>
        shape === undefined ? [] : responseExpressions(shape),
      )) {
        const at = [gives, ...path].join("/");
        const name = path.join(".");
        const typed = documentIndex.typed.get(at);
        if (typed === undefined) continue;
        for (const field of fieldsReadIn(typed, resource)) {
          const who = hiddenFrom(documentIndex, field, allowedTo(documentIndex, resolved.operation));
          if (who === undefined) continue;
          yield {
            at: `${at}#key`,
            message: `\`${name}\` reads the field \`${field}\`, which is hidden from \`${who}\`: they get no \`${name}\``,
            help: `allow \`${resolved.operation}\` only to callers who see the field, or suppress this finding if the member may be absent`,
          };
        }
      }
    }
  },
};
