/** Renders content as GitHub Markdown: diagrams are Mermaid, and links use the anchors that GitHub generates. */
import { fenced } from "../mermaid/mermaid.ts";
import { stateDiagram } from "../mermaid/states.ts";
import type { Block, Blocks, Row, Words } from "./content.ts";

export function blocksMarkdown(blocks: Blocks): string {
  return paragraphs(...blocks.map((block) => (block === undefined ? "" : blockMarkdown(block))));
}

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case "heading":
      return `${"#".repeat(block.level)} ${escaped(block.name)}`;
    case "paragraph":
      return wordsMarkdown(block.words);
    case "list":
      return block.items.map((item) => `- ${wordsMarkdown(item)}`).join("\n");
    case "table":
      return tableMarkdown(block.head, block.rows);
    case "descriptions":
      return tableMarkdown(["", ""], block.entries);
    case "code":
      return fence(block.language, block.text);
    case "details":
      return paragraphs(titleOf(block), blocksMarkdown(block.blocks));
    case "states":
      return fenced({ text: stateDiagram(block.lifecycle) });
    case "diagram":
      return fenced(block);
    case "operation": {
      const { name, method, path, sentence, blocks } = block;
      return paragraphs(
        `### ${name}`,
        `${codeSpan(`${method} ${path}`)}: ${escaped(sentence)}`,
        blocksMarkdown(blocks),
      );
    }
  }
}

/** Returns the title of a folded section if its content is a table; a sentence needs no title. */
function titleOf({ title, to, blocks: [first] }: Extract<Block, { readonly kind: "details" }>): string {
  if (to !== undefined) return `### ${escaped(title)}`;
  return first?.kind === "table" ? `${title}:` : "";
}

/** Joins the paragraphs with empty lines. */
function paragraphs(...all: readonly string[]): string {
  return all
    .filter((one) => one.trim() !== "")
    .map((one) => one.replace(/\n*$/, "\n"))
    .join("\n");
}

function tableMarkdown(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row): string => `| ${cells.map(cell).join(" | ")} |\n`;
  return `${line(head)}|${" --- |".repeat(head.length)}\n${rows.map(line).join("")}`;
}

function cell(words: Words): string {
  return wordsMarkdown(words)
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|")
    .trim();
}

function wordsMarkdown(words: Words): string {
  if (words === undefined) return "";
  if (typeof words !== "object") return escaped(String(words));
  if (!("kind" in words)) return words.map(wordsMarkdown).join("");
  switch (words.kind) {
    case "code":
      return codeSpan(words.text);
    case "strong":
      return `**${escaped(words.text)}**`;
    case "mark":
    case "quiet":
      return escaped(words.text);
    case "link":
      return words.to === "error" ? codeSpan(words.name) : `[${escaped(words.name)}](#${anchor(words.name)})`;
    case "address":
      return `[${escaped(words.text)}](${words.url})`;
    case "lines":
      return words.lines.map(wordsMarkdown).join("; ");
  }
}

/** Returns a code span, with more backticks than the longest run in the text. */
function codeSpan(text: string): string {
  const ticks = "`".repeat(longestRun(text) + 1);
  const space = text.includes("`") ? " " : "";
  return `${ticks}${space}${text.replaceAll("\n", " ")}${space}${ticks}`;
}

export function fence(language: string, text: string): string {
  const ticks = "`".repeat(Math.max(2, longestRun(text)) + 1);
  return `${ticks}${language}\n${text.replace(/\n?$/, "\n")}${ticks}\n`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
}

/** Escapes all markup except code in backticks. */
function escaped(text: string): string {
  return text
    .split(/(`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[\\`*_[\]<>#]/g, "\\$&")))
    .join("");
}

/** Returns the anchor that GitHub generates for a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}
