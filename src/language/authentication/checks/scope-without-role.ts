/** A scope of the service's own tokens that gives a role that there is not. */
import type { Check } from "../../analysis/finding.ts";
import { makesTokens, rolesByScope } from "../oauth.ts";

export const check: Check = {
  code: "authentication/scope-without-role",
  severity: "error",
  why: "Roles decide what a token may do, so a token with this scope could do nothing.",
  *run({ model }) {
    const { credentials, roles } = model.authentication;
    if (roles === undefined) return;
    for (const [name, credential] of Object.entries(credentials)) {
      if (!makesTokens(credential)) continue;
      for (const [scope, scopeRoles] of Object.entries(rolesByScope(credential) ?? {})) {
        const unknown = scopeRoles.find((role) => !roles.includes(role));
        if (unknown === undefined && scopeRoles.length > 0) continue;
        yield {
          at: `authentication/credentials/${name}/scopes`,
          message:
            unknown === undefined
              ? `The scope \`${scope}\` gives no role`
              : `The scope \`${scope}\` gives \`${unknown}\`, which is not a role`,
          help: `write the roles that it gives: \`scopes: { "${scope}": ${roles[0] ?? "reader"} }\``,
        };
      }
    }
  },
};
