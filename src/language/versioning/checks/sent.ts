/** Checks how a request selects its version. */
import { headerOf } from "../../authentication/model.ts";
import type { Check } from "../../analysis/finding.ts";
import { routesOf } from "../../endpoints/routes.ts";
import { isHeaderReserved, isParameterReserved } from "../../grammar/request-fields.ts";
import type { Model } from "../../model.ts";

/** Reports a version in the path of an operation, although requests select the version in another way. */
const selectedTwice: Check = {
  code: "versioning/chosen-twice",
  severity: "warning",
  why: "A caller could send one version in the path and another elsewhere.",
  *run({ model }) {
    const { sent } = model.versioning;
    if (sent === undefined || sent.kind === "path") return;
    const route = routesOf(model).find(({ shape }) => /^v\d+$/.test(shape[0] ?? ""));
    if (route === undefined) return;
    yield {
      at: route.at,
      message: `The path of \`${route.name}\` contains a version, and part 9 lets callers send one too`,
      help: "take it out of the path, or write `sent: path /v{n}` in part 9",
    };
  },
};

/** Reports a version header that already has another meaning. */
const reservedHeader: Check = {
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

/** Returns the headers that contain credentials and idempotency keys. */
function reservedHeaders({ authentication, endpoints }: Model): ReadonlySet<string> {
  const { repeats } = endpoints;
  return new Set([
    "authorization",
    ...Object.values(authentication.credentials).flatMap(({ sent = [] }) =>
      sent.flatMap((one) => headerOf(one)?.toLowerCase() ?? []),
    ),
    ...(repeats === undefined || repeats === "none" ? [] : [repeats.header.toLowerCase()]),
  ]);
}

export const checks: readonly Check[] = [selectedTwice, reservedHeader];
