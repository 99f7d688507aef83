/** Reports a secret that a caller can change without sending the current one. */
import { withArticle } from "../../../base/case.ts";
import { inputOf } from "../../endpoints/input.ts";
import { allowedTo, type DocumentIndex } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { lookup } from "../../resources/fields.ts";
import { type Login, loginsOf, presentSecretName } from "../login.ts";
import type { Grant } from "../model.ts";

export const check: Check = {
  code: "authentication/no-current-secret",
  severity: "warning",
  why: "Anyone with a stolen token or an unlocked screen could take over the account for good.",
  *run(documentIndex) {
    for (const login of loginsOf(documentIndex.model)) {
      const { credential, changed, resource, secret } = login;
      if (changed !== undefined) continue;
      const operation = [...documentIndex.endpoints.values()].find((resolved) => {
        if (resolved.kind !== "resource" || resolved.resource !== resource) return false;
        if (resolved.action !== "update" && resolved.action !== "replace") return false;
        if (!inputOf(documentIndex.model, resolved).some(({ name, sets }) => sets && name === secret)) return false;
        return allowedTo(documentIndex, resolved.operation).some((grant) => isForRecords(documentIndex, login, grant));
      })?.operation;
      if (operation === undefined) continue;
      yield {
        at: `authentication/credentials/${credential}`,
        message: `\`${operation}\` lets ${withArticle(resource)} change its own \`${secret}\` without sending the current one`,
        help: `write \`changed: with ${presentSecretName(secret)}\`, or \`# ok no-current-secret: …\` with the reason`,
      };
    }
  },
};

/** Whether a caller who logs in with a record's password can have this grant. */
function isForRecords({ model }: DocumentIndex, { credential }: Login, { who }: Grant): boolean {
  const roles = lookup(model.authentication.credentials, credential)?.roles ?? [];
  return who.kind !== "role" || "field" in roles || ("includes" in roles && roles.includes(who.role));
}
