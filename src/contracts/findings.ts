/** Finds where an operation that Nonet performs breaks callers who rely on its `wire`. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { contractCodes } from "../language/analysis/comparison.ts";
import { locationOf } from "../language/analysis/document-index.ts";
import { type CheckResult, soundModel, unservable } from "../language/check.ts";
import { knownContracts } from "../language/endpoints/contract-types.ts";
import { buildPlan } from "../plan/build.ts";
import { type Noticed, noticed } from "./compare.ts";
import { derivedContracts } from "./derived.ts";

/** Returns the findings of a checked document; undefined if the document cannot be served, so that no contract can be derived. */
export function contractFindings(result: CheckResult): readonly Diagnostic[] | undefined {
  const { model, places, expressions } = result;
  const known = knownContracts(model.endpoints);
  if (known.size === 0) return [];
  const sound = soundModel(result);
  if (sound === undefined || unservable(result).length > 0) return undefined;
  const derived = derivedContracts(buildPlan(sound, places, expressions), known);
  return noticed(model, known, derived).flatMap((one): Diagnostic[] => {
    const { at, effect, message } = one.difference;
    if (effect !== "breaking") return [];
    return [
      {
        code: "endpoints/contract-not-kept" satisfies (typeof contractCodes)[number],
        severity: "warning",
        message,
        span: locationOf(places, at),
        why: "For callers who rely on this contract, the operation has changed.",
        help: `${adviceOf(one)}; or correct \`wire\` if no caller relies on it`,
      },
    ];
  });
}

/** Returns what to write so that the operation keeps its contract. */
function adviceOf({ difference: { kind, message }, use }: Noticed): string {
  const [, status] = /respond with (\d{3})/.exec(message) ?? [];
  if (status !== undefined) return `write \`status: ${status}\``;
  switch (kind) {
    case "media-removed":
      return "add the media type to `requests: { media: … }`";
    case "parameter-removed":
      return "take the parameter: in `filters` or `query`, or by a name in `lists: { names: … }`";
    case "header-removed":
      return "return the header field with `headers`";
    case "body-removed":
      return use === "request" ? "take the body with `takes`" : "return a body with `gives`";
    case "body-added":
    case "body-required":
    case "member-required":
    case "parameter-added":
    case "parameter-required":
      return use === "request"
        ? "make it optional (`name?`), or give it a default"
        : "let responses always have it: write the field without `?`";
    case "member-optional":
      return "let responses always have it: write the field without `?`";
    case "member-removed":
      return use === "request"
        ? "add it to the resource, or as a member of `takes`"
        : "add it to the resource, or as a member of `gives` or of the errors\u2019 body";
    default:
      return use === "request"
        ? "let the operation accept the same values"
        : "let the operation return the same values";
  }
}
