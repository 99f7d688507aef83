/** Clients that act for users who cannot prove who they are, or cannot see what they agree to. */
import { says } from "../../facts.ts";
import type { Check, Finding } from "../../finding.ts";
import { own } from "../../resources/fields.ts";
import type { Facts } from "../../facts.ts";
import { loginsOf } from "../login.ts";
import { makesTokens } from "../oauth.ts";

export const check: Check = {
  code: "authentication/users-without-login",
  severity: "error",
  why: "A user lets a client act for them on pages that ask for the name and password of one credential, and for nothing else.",
  *run(facts) {
    for (const [name, credential] of Object.entries(facts.model.authentication.credentials)) {
      const { login, scopes, scopeRoles } = credential;
      if (login === undefined || !makesTokens(credential)) continue;
      const at = `authentication/credentials/${name}`;
      if ((scopeRoles === undefined || Object.keys(scopeRoles).length === 0) && (scopes ?? []).length === 0) {
        const message = `\`${name}\` has no scopes, so nobody could be told what they let a client do`;
        yield { at, message, help: 'write `scopes: { "parcels:read": reader }`' };
      }
      yield* loginFaults(facts, `${at}/login`, name, login);
    }
  },
};

function* loginFaults(facts: Facts, at: string, name: string, login: string): Iterable<Finding> {
  const { model } = facts;
  const found = loginsOf(model).find(({ credential }) => credential === login);
  if (found === undefined) {
    const known = loginsOf(model).map(({ credential }) => credential);
    const message = `\`${login}\`, by which users of \`${name}\` log in, is no password credential`;
    const help =
      known.length === 0
        ? "add one: `session: { kind: password, of: User, name: email, secret: password }`"
        : `write \`login: ${known[0]}\``;
    yield { at, message, help };
    return;
  }
  if (!says(facts, "endpoints")) return;
  for (const { operation, deed, endpoint } of facts.endpointsOf.get(found.resource) ?? []) {
    if (deed !== "login") continue;
    const grants = own(model.authentication.allow, operation) ?? [];
    if (
      endpoint.if === undefined &&
      grants.some(({ who, if: condition }) => who.kind === "anyone" && condition === undefined)
    )
      continue;
    const message = `\`${operation}\` lets in some and not others, which the pages of \`${name}\` do not ask`;
    yield {
      at,
      message,
      help: `let \`${operation}\` be for anyone, and say in \`allow\` what those may do who log in`,
    };
  }
}
