/** More than one credential whose tokens the service makes itself. */
import type { Check } from "../../analysis/finding.ts";
import { makesTokens } from "../oauth.ts";

export const check: Check = {
  code: "authentication/two-token-servers",
  severity: "error",
  why: "Clients look for one authorization server at one address (RFC 8414).",
  *run({ model }) {
    const [, ...others] = Object.entries(model.authentication.credentials).filter(([, one]) => makesTokens(one));
    for (const [name] of others) {
      yield {
        at: `authentication/credentials/${name}`,
        message: `\`${name}\` is a second credential whose tokens this service issues`,
        help: "tell clients apart by their roles, or by scopes",
      };
    }
  },
};
