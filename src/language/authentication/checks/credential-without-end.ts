/** A key that is valid for ever and cannot be taken back. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "authentication/credential-without-end",
  severity: "warning",
  why: "Anyone who finds it in an old log or backup can still use it years later.",
  *run({ model }) {
    for (const [name, { lasts, revoked }] of Object.entries(model.authentication.credentials)) {
      if (revoked !== "none" || (lasts !== undefined && lasts !== "until revoked")) continue;
      yield {
        at: `authentication/credentials/${name}/revoked`,
        message: `\`${name}\` never expires and cannot be revoked`,
        help: "write `revoked: at once`, or a lifetime such as `lasts: 365d`",
      };
    }
  },
};
