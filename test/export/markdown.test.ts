/** The exported Markdown as GitHub parses it: headings, tables and links are correct, and nothing is missing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { markdown } from "../../src/export/markdown/markdown.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { everyOperation } from "../../src/plan/events/events.ts";
import { baseUrl } from "./documents.ts";
import { everyDocument } from "./every-document.ts";

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly url?: string;
  readonly depth?: number;
  readonly children?: readonly Node[];
}

function walk(node: Node): readonly Node[] {
  return [node, ...(node.children ?? []).flatMap(walk)];
}

function wordsOf(node: Node): string {
  return node.value ?? (node.children ?? []).map(wordsOf).join("");
}

/** As GitHub makes them. */
function anchorsOf(nodes: readonly Node[]): readonly string[] {
  const seen = new Map<string, number>();
  return nodes
    .filter(({ type }) => type === "heading")
    .map((heading) => {
      const anchor = wordsOf(heading)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(/\s/g, "-");
      const count = seen.get(anchor) ?? 0;
      seen.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    });
}

for (const { name, plans, result } of everyDocument) {
  const plan = [...plans.values()][0] as Plan;
  const nodes = walk(
    fromMarkdown(markdown(plan, result.model, baseUrl), {
      extensions: [gfm()],
      mdastExtensions: [gfmFromMarkdown()],
    }) as Node,
  );

  test(`${name}: every operation has a heading, and every link leads to one`, () => {
    const headings = nodes.filter(({ type, depth }) => type === "heading" && depth === 3).map(wordsOf);
    for (const operation of everyOperation(plan)) assert.ok(headings.includes(operation.name), operation.name);
    const anchors = anchorsOf(nodes);
    const links = nodes.filter(({ type, url }) => type === "link" && url?.startsWith("#") === true);
    assert.ok(links.length > 0);
    assert.deepEqual(
      links.map(({ url = "" }) => url.slice(1)).filter((anchor) => !anchors.includes(anchor)),
      [],
    );
  });

  test(`${name}: tables are whole, and nothing of the document became markup`, () => {
    const tables = nodes.filter(({ type }) => type === "table");
    for (const table of tables) {
      const widths = new Set((table.children ?? []).map((row) => row.children?.length));
      assert.equal(widths.size, 1, wordsOf(table));
    }
    assert.deepEqual(
      nodes.filter(({ type, value = "" }) => type === "html" && !value.startsWith("<!--")).map(({ value }) => value),
      [],
    );
    // A table that was broken off leaves a line of bars in a paragraph.
    const paragraphs = nodes.filter(({ type }) => type === "paragraph").map(wordsOf);
    assert.deepEqual(
      paragraphs.filter((words) => words.startsWith("|")),
      [],
    );
  });
}
