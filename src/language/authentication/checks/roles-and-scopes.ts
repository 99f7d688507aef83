/** Checks roles and scopes: reports those that give nothing, and permissions that no scope gives. */
import { nodesOf, readsVariable, type TypedExpression } from "../../../expression/typed.ts";
import type { DocumentIndex, IndexedGrant } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { sessionActions } from "../../endpoints/model.ts";
import { lookup } from "../../resources/fields.ts";
import { excludesTokens, nameOf } from "../grants.ts";
import type { Grant } from "../model.ts";
import { makesTokens, rolesByScope, bindsByScopes } from "../oauth.ts";

/** Reports a role that no permission names. */
const unusedRole: Check = {
  code: "authentication/unused-role",
  severity: "warning",
  why: "A caller with only this role can do nothing.",
  *run({ model, grants, typed }) {
    const granted = new Set(grants.flatMap(({ grant }) => (grant.who.kind === "role" ? [grant.who.role] : [])));
    // A role without a grant can still be used in an expression: `'auditor' in caller.roles`.
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
  return nodesOf(typed).flatMap((node) =>
    node.kind === "constant" && typeof node.value === "string" ? node.value : [],
  );
}

/** Reports a scope of the service's own tokens that gives an unknown role. */
const scopeWithoutRole: Check = {
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

/**
 * Reports a grant that no token with scopes can satisfy, if the operation has no other grant that such a token can satisfy.
 */
const grantWithoutScope: Check = {
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
  const condition = typed.get(`${at}/if`);
  return excludesTokens({ ...grant, readsCaller: condition !== undefined && readsVariable(condition, "caller") });
}

/** Whether the grant is for a logout or a renewal: only the session itself may run these operations. */
function isOfSessions({ model }: DocumentIndex, { operation }: IndexedGrant): boolean {
  const does = operation === undefined ? undefined : lookup(model.endpoints.endpoints, operation)?.does;
  return does !== undefined && (sessionActions as ReadonlySet<string>).has(does);
}

export const checks: readonly Check[] = [unusedRole, scopeWithoutRole, grantWithoutScope];
