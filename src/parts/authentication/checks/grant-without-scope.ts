/** A grant that no token with scopes satisfies, beside none that one can. */
import { readsCaller } from "../../../expression/typed.ts";
import { sessionDeeds } from "../../endpoints/model.ts";
import type { Facts, GrantFacts } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { own } from "../../resources/fields.ts";
import { nameOf } from "../grants.ts";
import type { Grant } from "../model.ts";
import { bindsByScopes, rolesByScope } from "../oauth.ts";

export const check: Check = {
  code: "authentication/grant-without-scope",
  severity: "warning",
  why: "A token does what its scopes allow. What names no scope is closed to it, unless the document says that any will do.",
  *run(facts) {
    const { credentials } = facts.model.authentication;
    const [found] = Object.entries(credentials).filter(([, credential]) => bindsByScopes(credential));
    if (found === undefined) return;
    const [credential, said] = found;
    const given = new Set(Object.values(rolesByScope(said) ?? {}).flat());
    const isForTokens = ({ who }: Grant): boolean =>
      who.kind === "role" ? given.has(who.role) : who.kind === "signed-in" && who.anyScope === true;
    for (const [permission, grants] of Map.groupBy(facts.grants, ({ at }) => at.slice(0, at.lastIndexOf("/")))) {
      if (grants.some(({ grant }) => isForTokens(grant))) continue;
      const closed = grants.find((one) => namesNoScope(facts, one));
      if (closed === undefined || isOfSessions(facts, closed)) continue;
      const name = nameOf(closed.grant);
      const [role = "reader"] = given;
      yield {
        at: closed.at,
        message: `\`${name}\` names no scope, so no token of \`${credential}\` has \`${permission.split("/").at(-1)}\``,
        help: `write \`${name} | ${role}\` or another role that a scope gives, \`any-scope\` where any token will do, or \`# ok grant-without-scope: …\` where none may`,
      };
    }
  },
};

function namesNoScope({ typed }: Facts, { at, grant }: GrantFacts): boolean {
  if (grant.who.kind === "signed-in") return grant.who.anyScope !== true;
  const condition = typed.get(`${at}/if`);
  return grant.who.kind === "anyone" && condition !== undefined && readsCaller(condition);
}

/** Only a session itself logs out or is renewed. */
function isOfSessions({ model }: Facts, { operation }: GrantFacts): boolean {
  const does = operation === undefined ? undefined : own(model.endpoints.endpoints, operation)?.does;
  return does !== undefined && (sessionDeeds as ReadonlySet<string>).has(does);
}
