/** A role that no permission names. */
import { parts, type TypedExpression } from "../../../expression/typed.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "authentication/unused-role",
  severity: "warning",
  why: "A caller with only this role can do nothing.",
  *run({ model, grants, typed }) {
    const granted = new Set(grants.flatMap(({ grant }) => (grant.who.kind === "role" ? [grant.who.role] : [])));
    // An expression may use a role: `'auditor' in caller.roles`.
    const unnamed = (model.authentication.roles ?? []).filter((role) => !granted.has(role));
    const usedRoles = new Set(unnamed.length === 0 ? [] : [...typed.values()].flatMap(textsIn));
    for (const role of unnamed) {
      if (usedRoles.has(role)) continue;
      yield {
        at: `authentication/roles/${role}`,
        message: `No permission names the role \`${role}\``,
        help: "allow the role an operation, or remove it",
      };
    }
  },
};

function textsIn(typed: TypedExpression): readonly string[] {
  if (typed.kind === "constant") return typeof typed.value === "string" ? [typed.value] : [];
  return parts(typed).flatMap(textsIn);
}
