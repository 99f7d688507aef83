/** A permission for a role that is not listed. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "authentication/unknown-role",
  severity: "error",
  why: "Nobody would ever have it, so the permission would be for nobody.",
  *run({ model, grants }) {
    const { roles } = model.authentication;
    if (roles === undefined) return;
    for (const { grant, at } of grants) {
      if (grant.who.kind !== "role" || roles.includes(grant.who.role)) continue;
      const { role } = grant.who;
      yield { at, message: `There is no role \`${role}\``, unknown: { name: role, known: roles } };
    }
  },
};
