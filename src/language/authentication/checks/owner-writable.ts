/** An owner that callers can write themselves. */
import { withArticle } from "../../../base/case.ts";
import { inputOf } from "../../endpoints/input.ts";
import type { Check } from "../../analysis/finding.ts";
import { parts, type TypedExpression } from "../../../expression/typed.ts";

export const check: Check = {
  code: "authentication/owner-writable",
  severity: "warning",
  why: "A caller who may create or edit a record can give it to another user, or take over a record of another user.",
  *run(documentIndex) {
    for (const resource of Object.keys(documentIndex.model.authentication.own)) {
      const typed = documentIndex.typed.get(`authentication/own/${resource}`);
      if (typed === undefined) continue;
      const owners = new Set(ownerFields(typed));
      for (const resolved of documentIndex.endpointsOf.get(resource) ?? []) {
        const writable = inputOf(documentIndex.model, resolved).find(({ name, sets }) => sets && owners.has(name));
        if (writable === undefined) continue;
        owners.delete(writable.name);
        yield {
          at: `resources/${resource}/${writable.name}`,
          message: `\`${writable.name}\` says who owns ${withArticle(resource)}, and \`${resolved.operation}\` lets callers set it`,
          help: `write \`${writable.name}: user = caller, read-only\`; if callers may set it for others, add \`# ok owner-writable: …\` with the reason`,
        };
      }
    }
  },
};

/** The fields of the record that are compared with the caller's id. */
function ownerFields(typed: TypedExpression): readonly string[] {
  if (typed.kind === "compare" && typed.operator === "==") {
    const { left, right } = typed;
    if (isCaller(left) && right.kind === "field") return [right.name];
    return isCaller(right) && left.kind === "field" ? [left.name] : [];
  }
  return parts(typed).flatMap(ownerFields);
}

function isCaller(typed: TypedExpression): boolean {
  return typed.kind === "variable" && typed.path.join(".") === "caller.id";
}
