/** A version that is sent where something else is. */
import type { Check } from "../../analysis/finding.ts";
import type { Model } from "../../model.ts";
import { isHeaderReserved, isParameterReserved } from "../../grammar/request-fields.ts";

export const check: Check = {
  code: "versioning/place-taken",
  severity: "error",
  why: "One value cannot be both a version and the standard value.",
  *run({ model }) {
    const { sent } = model.versioning;
    const at = "versioning/sent";
    const help = "use a custom name, as in `header Lockers-Version`";
    if (
      sent?.kind === "header" &&
      (isHeaderReserved(sent.name) || reservedHeaders(model).has(sent.name.toLowerCase()))
    ) {
      yield { at, message: `The header \`${sent.name}\` already has a standard meaning`, help };
    }
    if (sent?.kind === "query" && isParameterReserved(sent.name)) {
      yield { at, message: `The parameter \`${sent.name}\` is already a parameter of lists`, help: "use another name" };
    }
  },
};

/** Where credentials and keys for repeats are sent. */
function reservedHeaders({ authentication, endpoints }: Model): ReadonlySet<string> {
  const { repeats } = endpoints;
  return new Set([
    "authorization",
    ...Object.values(authentication.credentials).flatMap(({ sent }) => sent?.header.toLowerCase() ?? []),
    ...(repeats === undefined || repeats === "none" ? [] : [repeats.header.toLowerCase()]),
  ]);
}
