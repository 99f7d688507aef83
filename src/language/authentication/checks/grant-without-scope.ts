/** A grant that no token with scopes can satisfy, without another grant that one can satisfy. */
import { readsCaller } from "../../../expression/typed.ts";
import { sessionActions } from "../../endpoints/model.ts";
import type { DocumentIndex, IndexedGrant } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { lookup } from "../../resources/fields.ts";
import { nameOf } from "../grants.ts";
import type { Grant } from "../model.ts";
import { bindsByScopes, rolesByScope } from "../oauth.ts";

export const check: Check = {
  code: "authentication/grant-without-scope",
  severity: "warning",
  why: "A token may do what its scopes allow. It may not run an operation that names no scope, unless the document says `any-scope`.",
  *run(documentIndex) {
    const { credentials } = documentIndex.model.authentication;
    const [found] = Object.entries(credentials).filter(([, credential]) => bindsByScopes(credential));
    if (found === undefined) return;
    const [credential, definition] = found;
    const scopedRoles = new Set(Object.values(rolesByScope(definition) ?? {}).flat());
    const isForTokens = ({ who }: Grant): boolean =>
      who.kind === "role" ? scopedRoles.has(who.role) : who.kind === "signed-in" && who.anyScope === true;
    for (const [permission, grants] of Map.groupBy(documentIndex.grants, ({ at }) =>
      at.slice(0, at.lastIndexOf("/")),
    )) {
      if (grants.some(({ grant }) => isForTokens(grant))) continue;
      const closed = grants.find((one) => namesNoScope(documentIndex, one));
      if (closed === undefined || isOfSessions(documentIndex, closed)) continue;
      const name = nameOf(closed.grant);
      const [role = "reader"] = scopedRoles;
      yield {
        at: closed.at,
        message: `\`${name}\` names no scope, so no token of \`${credential}\` has \`${permission.split("/").at(-1)}\``,
        help: `write \`${name} | ${role}\` or another role that a scope gives, \`any-scope\` if every token may run it, or \`# ok grant-without-scope: …\` if none may`,
      };
    }
  },
};

function namesNoScope({ typed }: DocumentIndex, { at, grant }: IndexedGrant): boolean {
  if (grant.who.kind === "signed-in") return grant.who.anyScope !== true;
  const condition = typed.get(`${at}/if`);
  return grant.who.kind === "anyone" && condition !== undefined && readsCaller(condition);
}

/** Only a session itself logs out or is renewed. */
function isOfSessions({ model }: DocumentIndex, { operation }: IndexedGrant): boolean {
  const does = operation === undefined ? undefined : lookup(model.endpoints.endpoints, operation)?.does;
  return does !== undefined && (sessionActions as ReadonlySet<string>).has(does);
}
