/** Explains what is at an offset: a name of the document, a part of an expression, a key or a word of the language. */
import type { Span } from "../base/span.ts";
import { spanIn } from "../document/source.ts";
import { parts, type TypedExpression } from "../expression/typed.ts";
import type { PartName } from "../language/model.ts";
import { type Analysis, expressionsIn, isInside } from "./analysis.ts";
import { partAt } from "./blocks.ts";
import { describe, formsOf, typeText } from "./describe.ts";
import { nameAt } from "./names.ts";
import type { Explanation, ReferencePages } from "./reference-pages.ts";

export interface Hover {
  readonly span: Span;
  /** Markdown. */
  readonly text: string;
  /** The page of the reference that explains it. */
  readonly page?: string;
}

export function hover(analysis: Analysis, offset: number, pages: ReferencePages): Hover | undefined {
  const { part, isBlock } = partAt(analysis.name, analysis.text, offset);
  if (part === undefined || !isBlock) return undefined;
  const name = nameAt(analysis, offset);
  if (name !== undefined) return { span: name.span, text: describe(analysis, name), page: pages.section(part) };
  return (
    hoverExpression(analysis, offset, pages) ??
    hoverKey(analysis, offset, part, pages) ??
    hoverWord(analysis, offset, part, pages)
  );
}

function hoverExpression(analysis: Analysis, offset: number, pages: ReferencePages): Hover | undefined {
  const found = expressionsIn(analysis).find(({ isExact, span }) => isExact && isInside(span, offset));
  const typed = found && analysis.index.typed.get(found.path);
  if (found === undefined || typed === undefined) return undefined;
  const start = found.span.start.offset;
  const node = innermost(typed, offset - start);
  const { at } = node;
  const name =
    /[\w]*$/.exec(found.text.slice(0, offset - start))?.[0] +
    (/^\w*/.exec(found.text.slice(offset - start))?.[0] ?? "");
  const forms = formsOf(name);
  const samples = forms === undefined ? [] : pages.samples(name).slice(0, 4);
  const type = typeText(node);
  return {
    span: spanIn(analysis.lines, start + at.start, start + at.end),
    text: [
      forms === undefined
        ? `\`${found.text.slice(at.start, at.end)}\`: ${type}`
        : `**function** \`${forms.join("`, `")}\`: ${type}`,
      ...(samples.length === 0 ? [] : [samples.map((sample) => `- \`${sample}\``).join("\n")]),
    ].join("\n\n"),
    page: "expressions.md",
  };
}

function innermost(node: TypedExpression, at: number): TypedExpression {
  const inner = parts(node).find((part) => part.at.start <= at && at <= part.at.end);
  return inner === undefined ? node : innermost(inner, at);
}

function hoverKey(
  { index: { places } }: Analysis,
  offset: number,
  part: PartName,
  pages: ReferencePages,
): Hover | undefined {
  for (const path of places.keys()) {
    if (!path.startsWith(part)) continue;
    const span = places.get(`${path}#key`);
    if (span === undefined || !isInside(span, offset)) continue;
    const keys = path.split("/").toReversed();
    const [key = "", ...around] = keys;
    const explanation = pages.explanation(part, key, around) ?? explanationAround(part, around, pages);
    return explanation && { span, text: `**${key}**: ${explanation.text}`, page: explanation.page };
  }
  return undefined;
}

/** Returns the explanation of the nearest key around a key that has none. */
function explanationAround(part: PartName, around: readonly string[], pages: ReferencePages): Explanation | undefined {
  for (const [index, key] of around.entries()) {
    const found = pages.explanation(part, key, around.slice(index + 1));
    if (found !== undefined) return { ...found, text: `in \`${key}\`: ${found.text}` };
  }
  return undefined;
}

function hoverWord(
  { lines, text }: Analysis,
  offset: number,
  part: PartName,
  pages: ReferencePages,
): Hover | undefined {
  const from = Math.max(0, offset - 60);
  const before = /[\w-]*$/.exec(text.slice(from, offset))?.[0] ?? "";
  const word = before + (/^[\w-]*/.exec(text.slice(offset, offset + 60))?.[0] ?? "");
  const explanation = word === "" ? undefined : pages.explanation(part, word);
  const start = offset - before.length;
  return (
    explanation && {
      span: spanIn(lines, start, start + word.length),
      text: `**${word}**: ${explanation.text}`,
      page: explanation.page,
    }
  );
}
