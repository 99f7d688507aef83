/** Applies suppressions, `# ok rule: reason`: removes the findings that they suppress, and reports unused suppressions. */
import { didYouMean } from "../base/suggest.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Suppression } from "../document/document.ts";
import { checks } from "./checks.ts";
import { comparisonCodes, contractCodes, isComparisonCode } from "./analysis/comparison.ts";

/** With more unused suppressions than this, similar codes are not computed, since that compares each rule with every code. */
const mostAdvised = 100;

/** Removes suppressed findings. `skipped`: the codes that this check could not find, whose suppressions are not unused. */
export function suppress(
  found: readonly Diagnostic[],
  suppressions: readonly Suppression[],
  skipped: readonly string[],
): readonly Diagnostic[] {
  if (suppressions.length === 0) return found;
  const silenced = new Set<Diagnostic>();
  const byLine = Map.groupBy(found, ({ span }) => span.start.line);
  let advised = 0;
  const near = (rule: string): string | undefined => {
    advised += 1;
    return advised > mostAdvised || codes().some((code) => isNamed(code, rule)) ? undefined : didYouMean(rule, names());
  };
  const unused = suppressions.flatMap((suppression) =>
    suppression.rules.flatMap((rule) => {
      const meant = (byLine.get(suppression.covers) ?? []).filter(({ code }) => isNamed(code, rule));
      const mild = meant.filter(({ severity, code }) => severity !== "error" || isComparisonCode(code));
      for (const one of mild) silenced.add(one);
      const unknown = skipped.some((code) => isNamed(code, rule));
      return mild.length > 0 || unknown ? [] : [unusedSuppression(suppression, rule, meant.length > 0, near)];
    }),
  );
  return [...found.filter((one) => !silenced.has(one)), ...unused];
}

/** Whether a suppression's rule names a code: by the whole code, or by its slug. */
function isNamed(code: string, rule: string): boolean {
  return code === rule || code.endsWith(`/${rule}`);
}

function unusedSuppression(
  { span, covers }: Suppression,
  rule: string,
  isError: boolean,
  nearOf: (rule: string) => string | undefined,
): Diagnostic {
  const near = nearOf(rule);
  return {
    code: "document/unused-suppression",
    severity: "warning",
    message: isError
      ? `\`${rule}\` is an error, and errors cannot be suppressed`
      : `There is no \`${rule}\` at line ${covers}`,
    span,
    why: "A suppression without a finding would hide the next one.",
    help: near === undefined ? "remove the comment" : `did you mean \`${near}\`?`,
  };
}

function codes(): readonly string[] {
  return [...checks.map(({ code }) => code), ...comparisonCodes, ...contractCodes];
}

function names(): readonly string[] {
  return codes().flatMap((code) => [code.slice(code.indexOf("/") + 1), code]);
}
