/** Reports sessions that no operation begins or renews. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { loginsOf } from "../login.ts";

export const check: Check = {
  code: "authentication/no-login",
  severity: "error",
  why: "No caller can obtain a token of this credential.",
  *run(documentIndex) {
    if (!declares(documentIndex, "endpoints")) return;
    for (const { credential, resource, renewed } of loginsOf(documentIndex.model)) {
      const at = `authentication/credentials/${credential}`;
      const does = new Set((documentIndex.endpointsOf.get(resource) ?? []).map(({ action }) => action));
      if (!does.has("login")) {
        const message = `No operation lets ${resource} records log in with \`${credential}\``;
        yield { at, message, help: "add one to part 4: `login: { at: POST /login, does: login }`" };
      }
      if (renewed && !does.has("renew")) {
        const message = `\`${credential}\` has renewal tokens, but no operation accepts one`;
        yield {
          at: `${at}/renewed`,
          message,
          help: "add one to part 4: `renew: { at: POST /login/renewal, does: renew }`, or leave `renewed` out",
        };
      }
    }
  },
};
