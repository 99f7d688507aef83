/** Collects the suppressions `# ok rule, rule: reason` in a block, each with the line that it covers. */
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

/** Whether a comment is meant as a suppression. */
export function isSuppression(written: string): boolean {
  return /^# ?ok\b/.test(written);
}

/**
 * Returns the suppressions in `source`. `node` is its parsed content, which shows whether a `#` is inside a quoted value and
 * so no comment.
 */
export function readSuppressions(source: Source, node: Node | undefined): Suppressions {
  const suppressions: Suppression[] = [];
  const diagnostics: Diagnostic[] = [];
  const found = [...source.text.matchAll(comment)];
  if (found.length === 0) return { suppressions, diagnostics };
  const inText = textTest(node);
  const covered = coveredLines(source);
  for (const match of found) {
    const at = match.index + (match[1]?.length ?? 0);
    const written = (match[2] ?? "").trimEnd();
    const span = spanAt(source, at, at + written.length);
    if (inText(span.start.offset)) continue;
    const parts = form.exec(written);
    if (parts) {
      const rules = (parts[1] ?? "").split(",").map((rule) => rule.trim());
      suppressions.push({ rules, reason: parts[2] ?? "", span, covers: covered(at) });
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

/**
 * Returns a function from the offset of a comment to the line that the comment covers: its own line if text precedes it, else
 * the next line with content. Callers must pass offsets in ascending order.
 */
function coveredLines(source: Source): (at: number) => number {
  const { text } = source;
  const content = /\n[ \t]*(?=[^\s#])/g;
  // The index of the next line with content, which is the same for consecutive comments.
  let next = -1;
  return (at) => {
    const before = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
    if (before.trim() !== "") return source.position(at).line;
    if (next < at) {
      content.lastIndex = at;
      const found = content.exec(text);
      next = found ? found.index + found[0].length : text.length;
    }
    return source.position(next < text.length ? next : at).line;
  };
}

/**
 * Returns a function that tests whether an offset of the file is inside a scalar. Callers must pass offsets in ascending
 * order.
 */
function textTest(node: Node | undefined): (offset: number) => boolean {
  const ranges = (node ? textRanges(node) : []).toSorted((a, b) => a[0] - b[0]);
  let index = 0;
  return (offset) => {
    while ((ranges[index]?.[1] ?? Number.POSITIVE_INFINITY) <= offset) index += 1;
    return (ranges[index]?.[0] ?? Number.POSITIVE_INFINITY) <= offset;
  };
}

function textRanges(node: Node): (readonly [start: number, end: number])[] {
  // A block scalar's text starts below its header (`|`), after which a comment may follow.
  if (node.kind === "text") return [[(node.pieces?.[0]?.start ?? node.span.start).offset, node.span.end.offset]];
  if (node.kind === "list") return node.items.flatMap(textRanges);
  return node.entries.flatMap((entry) => [...textRanges(entry.key), ...textRanges(entry.value)]);
}
