/** Turns a comparison into findings like those of `nonet check`, each at a line of the new document. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { ComparisonCode } from "../language/analysis/comparison.ts";
import { locationOf } from "../language/analysis/document-index.ts";
import type { DifferenceCategory } from "../language/grammar/changes.ts";
import type { SourceLocations } from "../language/model.ts";
import { changeText } from "../language/versioning/change.ts";
import type { Comparison, AssessedDifference } from "./compare.ts";
import type { Difference } from "./difference.ts";

/** Returns each finding with its difference; undefined for the finding of an idle entry. */
export function findingsOf(
  comparison: Comparison,
  places: SourceLocations,
): ReadonlyMap<Diagnostic, AssessedDifference | undefined> {
  const found = new Map<Diagnostic, AssessedDifference | undefined>();
  for (const assessed of comparison.differences)
    if (!assessed.declared) found.set(undeclared(comparison, assessed.difference, places), assessed);
  for (const { version, index, change } of comparison.idle) {
    const finding = {
      code: "versioning/entry-without-difference" satisfies ComparisonCode,
      severity: "warning",
      message: `\`${changeText(change)}\` matches no change`,
      span: locationOf(places, `versioning/versions/${version}/${index}`),
      why: "Old callers would be served differently than before.",
      help: `remove the entry, or name a change since \`${comparison.since}\``,
    } as const;
    found.set(finding, undefined);
  }
  return found;
}

function undeclared(comparison: Comparison, one: Difference, places: SourceLocations): Diagnostic {
  const { entry, at, message } = one;
  const span = locationOf(places, at);
  const callers = comparison.since === undefined ? "Existing callers" : `Callers of \`${comparison.since}\``;
  if (entry !== undefined) {
    return {
      code: "versioning/undeclared-change" satisfies ComparisonCode,
      severity: "error",
      message: `${message}, and no version declares it`,
      span,
      why: `${callers} would not be served as before.`,
      help: `write \`- ${changeText(entry)}\` ${below(comparison)}`,
    };
  }
  const { code, why } = matters[one.category];
  return { code, severity: "error", message, span, why, help: advice(comparison, one, code) };
}

/** Returns where the author has to write the entry, in words. */
function below({ heading: { version, isNew }, versioning }: Comparison): string {
  if (versioning.scheme === "none" || versioning.scheme === undefined)
    return `below a first new version \`${version}:\`, which needs \`scheme: dated\``;
  return isNew ? `below a new version \`${version}:\`` : `below \`${version}:\``;
}

const matters: Readonly<Record<DifferenceCategory, { readonly code: ComparisonCode; readonly why: string }>> = {
  shape: {
    code: "versioning/breaking-change",
    why: "Clients that worked stop working, and no version entry can prevent it.",
  },
  right: { code: "versioning/right-narrowed", why: "Callers lose a permission, and get errors without notice." },
  limit: { code: "versioning/limit-lowered", why: "Clients that stayed within the limit get errors without notice." },
  support: { code: "versioning/removed-before-sunset", why: "Callers rely on what was promised." },
};

function advice({ versioning: { policy } }: Comparison, one: Difference, code: ComparisonCode): string {
  const slug = code.slice(code.indexOf("/") + 1);
  const anyway = `accept it with a reason: \`# ok ${slug}: reason\``;
  if (one.kind === "version-removed")
    return `serve it until ${one.sunset ?? "a sunset that is announced below `deprecated`"}, or ${anyway}`;
  if (one.kind === "notice-too-short") return `write \`sunset ${one.sunset}\` or later, or ${anyway}`;
  const notice = policy?.notice === undefined ? "" : `, announce it \`${policy.notice}\` before,`;
  const promise = policy?.breaking === "never" ? "the policy says that nothing is ever broken: " : "";
  return `${promise}keep it as it was${notice} or ${anyway}`;
}
