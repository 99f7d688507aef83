/** A kind of user for whom no operation is. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "purpose/user-can-do-nothing",
  severity: "hint",
  why: "Part 1 promises these users that the service is for them.",
  *run(documentIndex) {
    if (!declares(documentIndex, "authentication")) return;
    // Operations for everybody may be meant for users without an account.
    if (documentIndex.grants.some(({ grant }) => grant.who.kind !== "role")) return;
    const roles = new Set(documentIndex.model.authentication.roles ?? []);
    const granted = documentIndex.grants.flatMap(({ grant }) => (grant.who.kind === "role" ? [grant.who.role] : []));
    for (const role of granted) roles.add(role);
    for (const user of Object.keys(documentIndex.model.purpose.users)) {
      if (roles.has(user)) continue;
      yield {
        at: `purpose/users/${user}#key`,
        message: `No permission names \`${user}\``,
        help: `name \`${user}\` in \`roles\` and \`allow\` of part 5, or leave it out here`,
      };
    }
  },
};
