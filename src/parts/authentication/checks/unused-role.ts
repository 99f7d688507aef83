/** A role that no permission names. */
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "authentication/unused-role",
  severity: "warning",
  why: "Whoever is given it can do nothing with it.",
  *run({ model, grants, typed }) {
    const granted = new Set(grants.flatMap(({ grant }) => (grant.who.kind === "role" ? [grant.who.role] : [])));
    for (const role of model.authentication.roles ?? []) {
      if (granted.has(role)) continue;
      // An expression may ask for it: `'auditor' in caller.roles`.
      if ([...typed.values()].some((one) => JSON.stringify(one).includes(JSON.stringify(role)))) continue;
      yield {
        at: `authentication/roles/${role}`,
        message: `No permission names the role \`${role}\``,
        help: "allow it something, or remove it",
      };
    }
  },
};
