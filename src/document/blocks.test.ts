/** The blocks of any lines are those that a full CommonMark parser finds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { blocksOf } from "./blocks.ts";
import { lineText, linesOf } from "./source.ts";

/** Kind, offset, depth or info, and the words without line ends. */
type ServiceSnapshot = readonly (string | number | boolean)[];

function seen(text: string): readonly ServiceSnapshot[] {
  const lines = linesOf(text);
  const all = lines.starts.map((offset, index) => ({ offset, text: lineText(lines, index) }));
  return blocksOf(all).map((block): ServiceSnapshot => {
    const words = block.lines.map((line) => line.text);
    if (block.kind === "fence")
      return ["fence", block.start, block.info.replace(/[ \t]+/g, " "), trimmed(words.join("\n"))];
    if (block.kind === "heading") return ["heading", block.start, block.depth, block.atMargin, words.join("")];
    return ["paragraph", block.start, words.join("")];
  });
}

interface Node {
  readonly type: string;
  readonly depth?: number | undefined;
  readonly value?: string | undefined;
  readonly lang?: string | null | undefined;
  readonly meta?: string | null | undefined;
  readonly children?: readonly Node[] | undefined;
  readonly position?: { readonly start: { readonly offset?: number | undefined } } | undefined;
}

/** What `blocksOf` does not read is switched off. */
const inlineConstructs = [
  ..."attention autolink characterEscape characterReference codeText definition hardBreakEscape".split(" "),
  ..."htmlText labelEnd labelStartImage labelStartLink".split(" "),
];

function expected(text: string): readonly ServiceSnapshot[] {
  const found: ServiceSnapshot[] = [];
  const visit = (node: Node, atMargin: boolean): void => {
    const start = node.position?.start.offset ?? 0;
    if (node.type === "code") {
      const info = `${node.lang ?? ""} ${node.meta ?? ""}`.trim().replace(/[ \t]+/g, " ");
      if (/^(?:```|~~~)/.test(text.slice(start)))
        found.push(["fence", start, info, trimmed((node.value ?? "").replace(/\r\n?/g, "\n"))]);
    } else if (node.type === "heading") found.push(["heading", start, node.depth ?? 0, atMargin, wordsOf(node)]);
    else if (node.type === "paragraph") found.push(["paragraph", start, wordsOf(node)]);
    else for (const child of node.children ?? []) visit(child, node.type === "root");
  };
  visit(fromMarkdown(text, { extensions: [{ disable: { null: inlineConstructs } }] }), false);
  return found;
}

function wordsOf(node: Node): string {
  return (node.value ?? (node.children ?? []).map(wordsOf).join("")).replace(/[\r\n]/g, "");
}

/** Empty lines at the end of a fence that nobody closed say nothing. */
function trimmed(text: string): string {
  return text.replace(/\s+$/, "");
}

/** Where the parser is not CommonMark's reference: empty items, and whole tags, behind a paragraph. */
function isDisputed(text: string): boolean {
  return /[-*+.)][ \t]*$|^\s*<[a-z/]/m.test(text);
}

for (const text of [
  "```yaml\na: 1\n```\n## H\n```yaml\nb: 2\n\nc: 3\n```\nwords",
  "````\n```\n````\n## H",
  "~~~ yaml\n```\n~~~\n## H",
  "```\n\n```\n## H",
  "```yaml\n## H\n~~~\n```",
  "words\n```\n## H\n```",
  "- words\n```\n## H\n```\n  ```\n## H",
  "- ```\n  a\n```\n## H\n```\n",
  " ```\n```\n## H\n```\n",
  "> ```\n> a\n```\n## H\n```",
  "<!--\n```\n-->\n## H\n```\n## I\n```",
  "<div>\n```\n\n## H",
  "``` `\n## H\n```\n## I\n```",
  "```\r\n## H\r\n```\r## I\n```\n``` \t\n## J",
  "> a\nb\n===\n> c\n---\nd\n---",
  "1. a\n\n   b\n2. c\n   ## H ##\n\n       code\n\n\nd",
  "a\n2. b\n1. c\n10) d",
  "#\n# \n#x\n####### x\n## x #\n## x#\n##\t#",
  "\t- a\n- b\n\t- c\n\t\td\n-\t\te",
]) {
  test(JSON.stringify(text), () => assert.deepEqual(seen(text), expected(text)));
}

const piece = fc.constantFrom(
  ..."```|```yaml|````|~~~|~~~ a|  ```|    ```|> |>|>> |- |-   |-|1. |1) |* |a|b c|## H|# T #|###|<!--|-->|===|---|* * *".split(
    "|",
  ),
  ..."``` `x`|| |  |    |     |\t".split("|"),
);
const line = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(""));
const lines = fc.tuple(fc.array(line, { maxLength: 7 }), fc.constantFrom("\n", "\r\n", "\r"));

test("any lines", () => {
  fc.assert(
    fc.property(lines, ([each, between]) => {
      const text = each.join(between);
      if (!isDisputed(each.join("\n"))) assert.deepEqual(seen(text), expected(text), JSON.stringify(text));
    }),
    { numRuns: 1500 },
  );
});
