/**
 * Finds the credential that callers of each served operation need, so that the summary can name it. If only tokens of another
 * server would do, and the source does not name that server, the document gets a credential with keys in their place: an
 * operator gives each key its roles, so that no key may do more than such a token.
 */
import { uniqueName } from "../base/case.ts";
import type { Credential, Grant } from "../language/authentication/model.ts";
import type { ImportedSecurity } from "./security.ts";

/** What the callers of one operation need: a sentence for the summary. */
export interface Need {
  readonly operation: string;
  readonly what: string;
}

export interface Keys {
  readonly security: ImportedSecurity;
  readonly needs: readonly Need[];
  /** The name of the credential in place of tokens. */
  readonly added?: string;
}

/** `served`: the names of the operations that Nonet performs. */
export function withKeys(security: ImportedSecurity, served: Iterable<string>): Keys {
  const { allow, credentials } = security;
  const restricted = [...served].flatMap((operation): readonly (readonly [string, readonly Grant[]])[] => {
    const grants = allow[operation] ?? [];
    return grants.some(({ who }) => who.kind === "anyone") ? [] : [[operation, grants]];
  });
  const isUnreachable = restricted.some(
    ([, grants]) => grants.length > 0 && !grants.some((one) => holderOf(one, credentials)),
  );
  if (!isUnreachable)
    return {
      security,
      needs: restricted.map(([operation, grants]) => ({ operation, what: needOf(grants, credentials) })),
    };
  const name = uniqueName(new Set(Object.keys(credentials)), "key");
  const key: Credential = { kind: "api-key", obtained: "from the operator, with `nonet key create`" };
  // One key for all operations: of the alternatives those that only a token fulfils.
  const chosen = restricted.flatMap(
    ([, grants]) => grants.find((one) => holderOf(one, credentials) === undefined) ?? grants[0] ?? [],
  );
  const roles = [...new Set(chosen.flatMap(rolesOf))].map((role) => ` --role ${role}`).join("");
  return {
    security: { ...security, credentials: { ...credentials, [name]: key } },
    needs: restricted.map(([operation, grants]) => ({
      operation,
      what: grants.length === 0 ? denied : `${keyCommand(name)}${roles}`,
    })),
    added: name,
  };
}

const denied = "nobody may run it: the language cannot express its credentials";

function keyCommand(credential: string): string {
  return `a key is needed: nonet key create DOC --user NAME --credential ${credential}`;
}

/** Returns the name of the credential whose callers all have the roles of a grant, and get them with a key or from a named issuer. */
function holderOf(grant: Grant, credentials: ImportedSecurity["credentials"]): string | undefined {
  const wanted = rolesOf(grant);
  return Object.entries(credentials).find(([, { kind, issuer, roles, scopeRoles = {} }]) => {
    const held = [...(Array.isArray(roles) ? (roles as readonly string[]) : []), ...Object.values(scopeRoles).flat()];
    const isObtainable = kind === "api-key" || kind === "basic" || issuer !== undefined;
    return isObtainable && wanted.every((role) => held.includes(role));
  })?.[0];
}

function rolesOf({ who, if: condition = "" }: Grant): readonly string[] {
  const others = [...condition.matchAll(/'([^']+)' in caller\.roles/g)].map(([, role = ""]) => role);
  return [...(who.kind === "role" ? [who.role] : []), ...others];
}

function needOf(grants: readonly Grant[], credentials: ImportedSecurity["credentials"]): string {
  const [name] = grants.flatMap((grant) => holderOf(grant, credentials) ?? []);
  if (name === undefined) return denied;
  const issuer = credentials[name]?.issuer;
  return issuer === undefined ? keyCommand(name) : `a token of ${issuer} is needed`;
}
