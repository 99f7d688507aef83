/** A credential in a header field that already has another meaning. */
import type { Check } from "../../analysis/finding.ts";
import { isHeaderReserved } from "../../grammar/request-fields.ts";

export const check: Check = {
  code: "authentication/place-taken",
  severity: "error",
  why: "One header cannot carry both a credential and its standard value.",
  *run({ model }) {
    const { repeats } = model.endpoints;
    const idempotencyHeader = repeats === undefined || repeats === "none" ? undefined : repeats.header.toLowerCase();
    for (const [name, { sent }] of Object.entries(model.authentication.credentials)) {
      if (sent === undefined || !(isHeaderReserved(sent.header) || sent.header.toLowerCase() === idempotencyHeader))
        continue;
      yield {
        at: `authentication/credentials/${name}`,
        message: `\`${name}\` is sent in \`${sent.header}\`, which HTTP uses for something else`,
        help: "write `Authorization Bearer`, or a custom header, as in `header X-Key`",
      };
    }
  },
};
