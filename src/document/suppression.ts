/** `# ok rule, rule: reason` in a block: collected with the line that it covers. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Node, Suppression } from "./document.ts";
import { type Source, spanAt } from "./source.ts";

export interface Suppressions {
  readonly suppressions: readonly Suppression[];
  readonly diagnostics: readonly Diagnostic[];
}

const comment = /(^|[ \t])(# ?ok\b[^\n]*)/gm;
const form = /^# ?ok\s+([\w./-]+(?:\s*,\s*[\w./-]+)*)\s*:\s*(\S[^\n]*)$/;
const rulesOnly = /^# ?ok\s+[\w./-]+(?:\s*,\s*[\w./-]+)*\s*:?$/;

/** The suppressions in `source`; `node` is what was read from it: a `#` inside a quoted value is no comment. */
export function readSuppressions(source: Source, node: Node | undefined): Suppressions {
  const suppressions: Suppression[] = [];
  const diagnostics: Diagnostic[] = [];
  const found = [...source.text.matchAll(comment)];
  if (found.length === 0) return { suppressions, diagnostics };
  const texts = node ? textRanges(node) : [];
  for (const match of found) {
    const at = match.index + (match[1]?.length ?? 0);
    const written = (match[2] ?? "").trimEnd();
    const span = spanAt(source, at, at + written.length);
    if (texts.some(([start, end]) => start <= span.start.offset && span.start.offset < end)) continue;
    const parts = form.exec(written);
    if (parts) {
      const rules = (parts[1] ?? "").split(",").map((rule) => rule.trim());
      suppressions.push({ rules, reason: parts[2] ?? "", span, covers: coveredLine(source, at) });
    } else if (rulesOnly.test(written)) {
      diagnostics.push({
        code: "document/suppression-without-reason",
        severity: "warning",
        message: `\`${written}\` says nothing about why, so it silences nothing.`,
        span,
        why: "Whoever reads it next has to know whether the reason still holds.",
        help: `Write \`${written.replace(/\s*:$/, "")}: the reason\`.`,
      });
    } else if (/^# ?ok\s*:/.test(written)) {
      diagnostics.push({
        code: "document/suppression-without-rule",
        severity: "warning",
        message: `\`${written}\` does not say which finding is meant, so it silences nothing.`,
        span,
        help: "Write the finding's name after `ok`: `# ok finding: the reason`.",
      });
    }
  }
  return { suppressions, diagnostics };
}

/** The comment's own line if something stands before it, else the next line that holds more than a comment. */
function coveredLine(source: Source, at: number): number {
  const { text } = source;
  const before = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  if (before.trim() !== "") return source.position(at).line;
  const content = /\n[ \t]*(?=[^\s#])/g;
  content.lastIndex = at;
  const next = content.exec(text);
  return source.position(next ? next.index + next[0].length : at).line;
}

function textRanges(node: Node): (readonly [start: number, end: number])[] {
  if (node.kind === "text") return [[node.span.start.offset, node.span.end.offset]];
  if (node.kind === "list") return node.items.flatMap(textRanges);
  return node.entries.flatMap((entry) => [...textRanges(entry.key), ...textRanges(entry.value)]);
}
