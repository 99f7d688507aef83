/** A credential that is sent in a header field with a meaning of its own. */
import type { Check } from "../../finding.ts";
import { isHeaderTaken } from "../../request-fields.ts";

export const check: Check = {
  code: "authentication/place-taken",
  severity: "error",
  why: "One value cannot be a credential and what else is sent there.",
  *run({ model }) {
    const { repeats } = model.endpoints;
    const ofRepeats = repeats === undefined || repeats === "none" ? undefined : repeats.header.toLowerCase();
    for (const [name, { sent }] of Object.entries(model.authentication.credentials)) {
      if (sent === undefined || !(isHeaderTaken(sent.header) || sent.header.toLowerCase() === ofRepeats)) continue;
      yield {
        at: `authentication/credentials/${name}`,
        message: `\`${name}\` is sent in \`${sent.header}\`, which has a meaning of its own`,
        help: "write `Authorization Bearer`, or a header of its own, as in `header X-Key`",
      };
    }
  },
};
