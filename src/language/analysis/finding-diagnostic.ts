/** Makes a diagnostic of a check's finding: adds its span in the text, the most similar known name, and the edit, if any. */
import type { Span } from "../../base/span.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { type DocumentIndex, locationOf } from "./document-index.ts";
import type { Check, Finding } from "./finding.ts";

/**
 * With more findings of one check than this, similar names are not computed, since that compares each name with every known
 * name.
 */
const mostAdvised = 100;

/** `index`: the number of earlier findings of the same check. */
export function diagnosticOf(
  { code, severity, why }: Check,
  finding: Finding,
  documentIndex: DocumentIndex,
  index: number,
): Diagnostic {
  const { at, message } = finding;
  const unknown = index < mostAdvised ? finding.unknown : undefined;
  const span = typeof at === "string" ? locationOf(documentIndex.places, at) : at;
  const advice = unknown === undefined ? {} : adviceFor(unknown, span, documentIndex.document.text);
  const help = advice.help ?? finding.help;
  return {
    code,
    severity,
    message,
    span: advice.span ?? span,
    ...(why === undefined ? {} : { why }),
    ...(help === undefined ? {} : { help }),
    ...(advice.fix === undefined ? {} : { fix: advice.fix }),
    ...(unknown === undefined ? {} : { known: [...unknown.known] }),
  };
}

interface Advice extends Partial<Pick<Diagnostic, "help" | "fix">> {
  /** The span of the unknown name itself, if it can be located. */
  readonly span?: Span;
}

/** The maximum number of names that a help text lists. */
const mostListed = 12;

function adviceFor({ name, known }: NonNullable<Finding["unknown"]>, span: Span, text: string): Advice {
  const names = [...known];
  const near = didYouMean(name, names);
  const word = wordIn(span, name, text);
  const where = word === undefined ? {} : { span: word };
  if (near !== undefined) {
    const title = `write \`${near}\``;
    return {
      ...where,
      help: `did you mean \`${near}\`?`,
      ...(word === undefined ? {} : { fix: { title, span: word, text: near } }),
    };
  }
  if (names.length === 0 || names.length > mostListed) return where;
  return { ...where, help: `known here: ${names.map((other) => `\`${other}\``).join(", ")}` };
}

/** Returns the span of `name` inside `span`, if `name` occurs there exactly once and on the first line. */
function wordIn(span: Span, name: string, text: string): Span | undefined {
  const line = text.slice(span.start.offset, span.end.offset).split(/[\r\n]/, 1)[0] ?? "";
  const found = [...line.matchAll(new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`, "g"))];
  const [only] = found;
  if (only === undefined || found.length > 1) return undefined;
  return subSpan(span, only.index, only.index + name.length);
}

/** Returns a part of a span's first line. */
export function subSpan({ start }: Span, from: number, to: number): Span {
  const { line, column, offset } = start;
  return {
    start: { line, column: column + from, offset: offset + from },
    end: { line, column: column + to, offset: offset + to },
  };
}
