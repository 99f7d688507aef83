/** A key that is valid for ever and cannot be taken back. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "authentication/credential-without-end",
  severity: "warning",
  why: "Whoever finds it in a log or a backup years from now can still use it.",
  *run({ model }) {
    for (const [name, { lasts, revoked }] of Object.entries(model.authentication.credentials)) {
      if (revoked !== "none" || (lasts !== undefined && lasts !== "until revoked")) continue;
      yield {
        at: `authentication/credentials/${name}/revoked`,
        message: `\`${name}\` is valid for ever, and nobody can take it back`,
        help: "write `revoked: at once`, or an end such as `lasts: 365d`",
      };
    }
  },
};
