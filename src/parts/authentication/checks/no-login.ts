/** Sessions that no operation begins, or renews. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { loginsOf } from "../login.ts";

export const check: Check = {
  code: "authentication/no-login",
  severity: "error",
  why: "A token that nobody can come by opens nothing.",
  *run(facts) {
    if (!says(facts, "endpoints")) return;
    for (const { credential, resource, renewed } of loginsOf(facts.model)) {
      const at = `authentication/credentials/${credential}`;
      const does = new Set((facts.endpointsOf.get(resource) ?? []).map(({ deed }) => deed));
      if (!does.has("login")) {
        const message = `No operation lets ${resource} records log in with \`${credential}\``;
        yield { at, message, help: "add one to part 4: `login: { at: POST /login, does: login }`" };
      }
      if (renewed && !does.has("renew")) {
        const message = `\`${credential}\` has tokens to renew it with, and no operation that takes one`;
        yield {
          at: `${at}/renewed`,
          message,
          help: "add one to part 4: `renew: { at: POST /login/renewal, does: renew }`, or leave `renewed` out",
        };
      }
    }
  },
};
