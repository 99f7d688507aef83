/** Reads the document's prose, section by section. */
import { fromMarkdown } from "mdast-util-from-markdown";

/** The Markdown below an H2 heading, or before the first one. */
export interface Section {
  readonly heading: string | undefined;
  /**
   * The prose in pieces, one for each heading in it: the time to render one grows with the square of its length. Each has the
   * definitions of links and footnotes of the document.
   */
  readonly words: readonly string[];
  /** The YAML blocks that define the service. */
  readonly blocks: string;
}

export function readSections(document: string): readonly Section[] {
  const { text, restored } = withoutFences(document);
  const sections: { heading: string | undefined; words: string[]; blocks: string }[] = [
    { heading: undefined, words: [], blocks: "" },
  ];
  let definitions = "";
  for (const piece of piecesOf(text))
    for (const node of fromMarkdown(piece).children) {
      if (node.position === undefined) continue;
      const { start, end } = node.position;
      const written = `${restored(piece.slice((start.offset ?? 0) - start.column + 1, end.offset))}\n\n`;
      const section = sections.at(-1) as (typeof sections)[number];
      if (node.type === "heading" && node.depth === 2) sections.push({ heading: plain(node), words: [], blocks: "" });
      else if (node.type === "definition" || written.startsWith("[^")) definitions += written;
      else if (node.type === "code" && node.lang === "yaml" && (node.meta ?? "") === "") section.blocks += written;
      else if (node.type === "heading" && node.depth > 1) section.words.push(written);
      else if (node.type !== "heading") section.words.push(`${section.words.pop() ?? ""}${written}`);
    }
  return sections.map((section) => ({ ...section, words: section.words.map((piece) => piece + definitions) }));
}

/**
 * Splits Markdown before its headings that start a line, since the time to parse a piece grows with the square of its length.
 * Such a heading ends every block except a fence and some HTML (CommonMark 4.5 and 4.6). From a block on of which only the
 * parser knows the end, there is one piece.
 */
function piecesOf(text: string): readonly string[] {
  const starts = [0];
  let fence: string | undefined;
  for (const { 0: line, index } of text.matchAll(/^(?:#{1,6}[ \t\n]| {0,3}(?:`{3}|~{3}|<)).*/gm)) {
    const delimiter = /^(?:`+|~+)/.exec(line.trimStart())?.[0];
    if (fence !== undefined) {
      if (delimiter?.startsWith(fence) && line.trim() === delimiter) fence = undefined;
    } else if (line.startsWith("#")) starts.push(index);
    else if (delimiter === undefined || !line.startsWith(delimiter)) break;
    else if (delimiter.startsWith("~") || !line.slice(delimiter.length).includes("`")) fence = delimiter;
  }
  return starts.map((start, index) => text.slice(start, starts[index + 1]));
}

/** Puts a number in place of the content of each YAML fence, since the parser takes seconds for 6 MB of them. */
function withoutFences(document: string): { readonly text: string; readonly restored: (part: string) => string } {
  const contents: string[] = [];
  const text = document.replaceAll(/^```yaml\n(?!```)([^]*?)\n```$/gm, (_, content: string) => {
    return `\`\`\`yaml\n${contents.push(content) - 1}\n\`\`\``;
  });
  const restored = (part: string): string =>
    part.replaceAll(/^```yaml\n(\d+)\n```$/gm, (_, index: string) => `\`\`\`yaml\n${contents[Number(index)]}\n\`\`\``);
  return { text, restored };
}

function plain(node: object): string {
  const { value, children = [] } = node as { readonly value?: string; readonly children?: readonly object[] };
  return value ?? children.map(plain).join("");
}
