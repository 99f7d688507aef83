/** Reports a password field that allows short passwords. */
import type { Check } from "../../analysis/finding.ts";
import { bareType, fieldsOf, lookup } from "../../resources/fields.ts";
import { loginsOf } from "../login.ts";

/** NIST SP 800-63B section 3.1.1.2 requires eight characters if there is a second factor, and fifteen otherwise. */
const least = 8;

export const check: Check = {
  code: "authentication/short-password",
  severity: "warning",
  why: "Attackers guess short passwords, even if the service limits attempts.",
  *run({ model }) {
    for (const { resource, secret } of loginsOf(model)) {
      const field = lookup(fieldsOf(model, resource), secret);
      const type = field && bareType(field.type);
      if (type?.kind !== "scalar" || (type.name !== "string" && type.name !== "text")) continue;
      if (type.min !== undefined && type.min >= least) continue;
      yield {
        at: `resources/${resource}/${secret}`,
        message: `\`${secret}\` may be ${type.min === undefined ? "empty" : `as short as ${type.min}`}`,
        help: `write \`${secret}: string(${least}..72), secret\``,
      };
    }
  },
};
