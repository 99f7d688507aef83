/** What a comparison finds fault with, as findings of `nonet check`: each at its line in the newer document. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { ComparisonCode } from "../parts/comparison.ts";
import { placeOf } from "../parts/facts.ts";
import type { Places } from "../parts/model.ts";
import { changeText } from "../parts/versioning/change.ts";
import type { Comparison, Judged } from "./compare.ts";
import type { Difference, Matter } from "./difference.ts";

/** By the differences that they are about. */
export function findingsOf(comparison: Comparison, places: Places): ReadonlyMap<Diagnostic, Judged | undefined> {
  const found = new Map<Diagnostic, Judged | undefined>();
  for (const judged of comparison.differences)
    if (!judged.declared) found.set(undeclared(comparison, judged.difference, places), judged);
  for (const { version, index, change } of comparison.idle) {
    const finding = {
      code: "versioning/entry-without-difference" satisfies ComparisonCode,
      severity: "warning",
      message: `\`${changeText(change)}\` is about what has not changed`,
      span: placeOf(places, `versioning/versions/${version}/${index}`),
      why: "Old callers would be served otherwise than they were.",
      help: `remove the entry, or name what changed since \`${comparison.since}\``,
    } as const;
    found.set(finding, undefined);
  }
  return found;
}

function undeclared(comparison: Comparison, one: Difference, places: Places): Diagnostic {
  const { entry, at, message } = one;
  const span = placeOf(places, at);
  const callers = comparison.since === undefined ? "who call it already" : `of \`${comparison.since}\``;
  if (entry !== undefined) {
    return {
      code: "versioning/undeclared-change" satisfies ComparisonCode,
      severity: "error",
      message: `${message}, and no version says so`,
      span,
      why: `Callers ${callers} would not be served as they were.`,
      help: `write \`- ${changeText(entry)}\` ${below(comparison)}`,
    };
  }
  const { code, why } = matters[one.matter];
  return { code, severity: "error", message, span, why, help: advice(comparison, one, code) };
}

/** Where an entry goes. */
function below({ heading: { version, isNew }, versioning }: Comparison): string {
  if (versioning.scheme === "none" || versioning.scheme === undefined)
    return `below a first new version \`${version}:\`, which needs \`scheme: dated\``;
  return isNew ? `below a new version \`${version}:\`` : `below \`${version}:\``;
}

const matters: Readonly<Record<Matter, { readonly code: ComparisonCode; readonly why: string }>> = {
  shape: {
    code: "versioning/breaking-change",
    why: "Clients that worked stop working, and no version entry can prevent it.",
  },
  right: { code: "versioning/right-narrowed", why: "Callers who were let through are refused, and find out by that." },
  limit: { code: "versioning/limit-lowered", why: "Clients that kept to the limit run into it, and find out by that." },
  support: { code: "versioning/removed-before-sunset", why: "Callers have planned with what was promised." },
};

function advice({ versioning: { policy } }: Comparison, one: Difference, code: ComparisonCode): string {
  const slug = code.slice(code.indexOf("/") + 1);
  const anyway = `say why it may be all the same: \`# ok ${slug}: reason\``;
  if (one.kind === "version-removed")
    return `serve it until ${one.sunset ?? "a sunset that is announced below `deprecated`"}, or ${anyway}`;
  if (one.kind === "notice-too-short") return `write \`sunset ${one.sunset}\` or later, or ${anyway}`;
  const notice = policy?.notice === undefined ? "" : `, announce it \`${policy.notice}\` before,`;
  const promise = policy?.breaking === "never" ? "the policy says that nothing is ever broken: " : "";
  return `${promise}keep it as it was${notice} or ${anyway}`;
}
