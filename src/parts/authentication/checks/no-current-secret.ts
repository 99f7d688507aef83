/** A secret that a caller changes without the present one. */
import { inputOf } from "../../endpoints/input.ts";
import type { Facts } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { own } from "../../resources/fields.ts";
import { type Login, loginsOf, presentSecretName } from "../login.ts";
import type { Grant } from "../model.ts";

export const check: Check = {
  code: "authentication/no-current-secret",
  severity: "warning",
  why: "Whoever finds a token of somebody, or their screen unlocked, takes over the account for good.",
  *run(facts) {
    for (const login of loginsOf(facts.model)) {
      const { credential, changed, resource, secret } = login;
      if (changed !== undefined) continue;
      const operation = [...facts.endpoints.values()].find((meaning) => {
        if (meaning.kind !== "resource" || meaning.resource !== resource) return false;
        if (meaning.deed !== "update" && meaning.deed !== "replace") return false;
        if (!inputOf(facts.model, meaning).some(({ name, sets }) => sets && name === secret)) return false;
        const grants = own(facts.model.authentication.allow, meaning.operation) ?? [];
        return grants.some((grant) => isForRecords(facts, login, grant));
      })?.operation;
      if (operation === undefined) continue;
      yield {
        at: `authentication/credentials/${credential}`,
        message: `\`${operation}\` lets a ${resource} change the own \`${secret}\` without the present one`,
        help: `write \`changed: with ${presentSecretName(secret)}\`, or \`# ok no-current-secret: …\` with the reason`,
      };
    }
  },
};

/** Whether one of those who log in may have it. */
function isForRecords({ model }: Facts, { credential }: Login, { who }: Grant): boolean {
  const roles = own(model.authentication.credentials, credential)?.roles ?? [];
  return who.kind !== "role" || "field" in roles || ("includes" in roles && roles.includes(who.role));
}
