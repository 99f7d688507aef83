/** Reads the document's prose, section by section. */
import { fromMarkdown } from "mdast-util-from-markdown";

/** The Markdown below an H2 heading, or before the first one. */
export interface Section {
  readonly heading: string | undefined;
  /** The prose, with the link definitions of the whole document. */
  readonly words: string;
  /** The YAML blocks that define the service. */
  readonly blocks: string;
}

export function readSections(text: string): readonly Section[] {
  const tree = fromMarkdown(text);
  const sections: { heading: string | undefined; words: string; blocks: string }[] = [
    { heading: undefined, words: "", blocks: "" },
  ];
  let definitions = "";
  for (const node of tree.children) {
    if (node.position === undefined) continue;
    const { start, end } = node.position;
    const written = `${text.slice((start.offset ?? 0) - start.column + 1, end.offset)}\n\n`;
    const section = sections.at(-1) as (typeof sections)[number];
    if (node.type === "heading" && node.depth === 2) sections.push({ heading: plain(node), words: "", blocks: "" });
    else if (node.type === "definition") definitions += written;
    else if (node.type === "code" && node.lang === "yaml" && (node.meta ?? "") === "") section.blocks += written;
    else if (node.type !== "heading" || node.depth !== 1) section.words += written;
  }
  return sections.map((section) => ({ ...section, words: section.words && section.words + definitions }));
}

function plain(node: object): string {
  const { value, children = [] } = node as { readonly value?: string; readonly children?: readonly object[] };
  return value ?? children.map(plain).join("");
}
