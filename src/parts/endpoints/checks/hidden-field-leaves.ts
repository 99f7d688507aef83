/** A member of an answer that is worked out from a field which not everybody who gets the answer may see. */
import { fieldsReadIn, hiddenFrom } from "../../authentication/hidden.ts";
import { allowedTo } from "../../facts.ts";
import { answerShape, expressionsGiven } from "../shape.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "endpoints/hidden-field-leaves",
  severity: "warning",
  why: "A hidden field appears nowhere, so to those who may not see it the answer comes without this member.",
  *run(facts) {
    for (const meaning of facts.endpoints.values()) {
      // What tells of the service as a whole is of no record, and reads the fields of all.
      const isCollective = meaning.kind === "free" && meaning.deed === "read";
      if (meaning.kind !== "resource" && !isCollective) continue;
      const resource = isCollective ? "" : (meaning.resource ?? "");
      const { item, page } = answerShape(facts.model, meaning);
      for (const { path } of [page ?? item].flatMap((shape) => (shape === undefined ? [] : expressionsGiven(shape)))) {
        const at = ["endpoints/endpoints", meaning.operation, "gives", ...path].join("/");
        const name = path.join(".");
        const typed = facts.typed.get(at);
        if (typed === undefined) continue;
        for (const field of fieldsReadIn(typed, resource)) {
          const who = hiddenFrom(facts, field, allowedTo(facts, meaning.operation));
          if (who === undefined) continue;
          yield {
            at: `${at}#key`,
            message: `\`${name}\` reads the field \`${field}\`, which is hidden from \`${who}\`: they get no \`${name}\``,
            help: `allow \`${meaning.operation}\` only to those who see it, or silence this where it may be absent`,
          };
        }
      }
    }
  },
};
