/** What an editor knows about a document: its check, its lines and, computed on demand, the locations of its expressions. */
import { onceFor } from "../base/once.ts";
import type { Span } from "../base/span.ts";
import { type Lines, linesOf, spanIn } from "../document/source.ts";
import { type CheckResult, conclude, type Examined, examine } from "../language/check.ts";
import { type DocumentIndex, locationOf } from "../language/analysis/document-index.ts";

export interface Analysis {
  readonly name: string;
  readonly text: string;
  readonly lines: Lines;
  readonly index: DocumentIndex;
  readonly result: CheckResult;
}

export function analyse(name: string, text: string): Analysis {
  const examined = examine(name, text);
  return analysisOf(examined, conclude(examined));
}

export function analysisOf({ documentIndex }: Examined, result: CheckResult): Analysis {
  const { name, text } = result;
  return { name, text, lines: linesOf(text), index: documentIndex, result };
}

/** An expression of the document, with its span; the text of the document at the span is the expression's text, if `isExact`. */
export interface LocatedExpression {
  readonly path: string;
  readonly text: string;
  readonly span: Span;
  readonly isExact: boolean;
}

/** The expressions that have a type, in the order of the document. */
export const expressionsIn: (analysis: Analysis) => readonly LocatedExpression[] = onceFor(({ index, lines, text }) =>
  [...index.texts]
    .map(([path, expression]) => {
      const around = locationOf(index.places, `${path}#value`);
      const at = text.slice(around.start.offset, around.end.offset).indexOf(expression);
      const start = around.start.offset + at;
      const span = at < 0 ? around : spanIn(lines, start, start + expression.length);
      return { path, text: expression, span, isExact: at >= 0 };
    })
    .toSorted((a, b) => a.span.start.offset - b.span.start.offset),
);

export function isInside({ start, end }: Span, offset: number): boolean {
  return start.offset <= offset && offset <= end.offset;
}
