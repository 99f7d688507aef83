/** A kind of user for whom no operation is. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "purpose/user-can-do-nothing",
  severity: "hint",
  why: "Whoever reads part 1 expects these people to find something here.",
  *run(facts) {
    if (!says(facts, "authentication")) return;
    // Operations for everybody may be meant for users without an account.
    if (facts.grants.some(({ grant }) => grant.who.kind !== "role")) return;
    const roles = new Set(facts.model.authentication.roles ?? []);
    const granted = facts.grants.flatMap(({ grant }) => (grant.who.kind === "role" ? [grant.who.role] : []));
    for (const role of granted) roles.add(role);
    for (const user of Object.keys(facts.model.purpose.users)) {
      if (roles.has(user)) continue;
      yield {
        at: `purpose/users/${user}#key`,
        message: `No permission is for \`${user}\``,
        help: `name \`${user}\` in \`roles\` and \`allow\` of part 5, or leave it out here`,
      };
    }
  },
};
