/** Reports OAuth clients that act for users, although users cannot log in or cannot see the requested consent. */
import { allowedTo, declares, type DocumentIndex } from "../../analysis/document-index.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import { loginsOf } from "../login.ts";
import { makesTokens } from "../oauth.ts";

export const check: Check = {
  code: "authentication/users-without-login",
  severity: "error",
  why: "A user authorizes a client on pages that ask only for the name and password of one credential.",
  *run(documentIndex) {
    for (const [name, credential] of Object.entries(documentIndex.model.authentication.credentials)) {
      const { login, scopes, scopeRoles } = credential;
      if (login === undefined || !makesTokens(credential)) continue;
      const at = `authentication/credentials/${name}`;
      if ((scopeRoles === undefined || Object.keys(scopeRoles).length === 0) && (scopes ?? []).length === 0) {
        const message = `\`${name}\` has no scopes, so the consent page could not say what a client may do`;
        yield { at, message, help: 'write `scopes: { "parcels:read": reader }`' };
      }
      yield* loginFindings(documentIndex, `${at}/login`, name, login);
    }
  },
};

function* loginFindings(documentIndex: DocumentIndex, at: string, name: string, login: string): Iterable<Finding> {
  const { model } = documentIndex;
  const found = loginsOf(model).find(({ credential }) => credential === login);
  if (found === undefined) {
    const known = loginsOf(model).map(({ credential }) => credential);
    const message = `\`${login}\`, by which users of \`${name}\` log in, is not a password credential`;
    const help =
      known.length === 0
        ? "add one: `session: { kind: password, of: User, name: email, secret: password }`"
        : `write \`login: ${known[0]}\``;
    yield { at, message, help };
    return;
  }
  if (!declares(documentIndex, "endpoints")) return;
  for (const { operation, action, endpoint } of documentIndex.endpointsOf.get(found.resource) ?? []) {
    if (action !== "login") continue;
    if (
      endpoint.if === undefined &&
      allowedTo(documentIndex, operation).some(
        ({ who, if: condition }) => who.kind === "anyone" && condition === undefined,
      )
    )
      continue;
    const message = `\`${operation}\` admits only some users, which the login page of \`${name}\` does not check`;
    yield {
      at,
      message,
      help: `allow \`${operation}\` to anyone, and restrict the other operations in \`allow\``,
    };
  }
}
