/** The parser of Markdown is not given the lines inside of fences: it finds the same blocks as if it were. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readMarkdown } from "./markdown.ts";
import { linesOf } from "./source.ts";

/** All that is read, with where each character of each fence stands. */
function everything(text: string): unknown {
  const { sections, loose, ...rest } = readMarkdown(linesOf(text));
  const fences = [...loose, ...sections.flatMap((section) => section.fences)].map(({ fence, source }) => {
    return { fence, text: source.text, at: [...source.text, ""].map((_, offset) => source.position(offset)) };
  });
  return { ...rest, sections: sections.map((section) => ({ ...section, fences: section.fences.length })), fences };
}

/** Behind what may be HTML nothing is left out. */
function sameWithAllLines(text: string): void {
  assert.deepEqual(everything(`(br)\n\n${text}`), everything(`<br>\n\n${text}`), JSON.stringify(text));
}

const deep = `${" ".repeat(101)}- x`;

for (const text of [
  "```yaml\na: 1\n```\n## H\n```yaml\nb: 2\n\nc: 3\n```\nwords",
  "````\n```\n````\n## H",
  "~~~ yaml\n```\n~~~\n## H",
  "```\n```\n## H",
  "```\n\n```\n## H",
  "```yaml\na: 1",
  "```yaml\n## H\n~~~\n```",
  "words\n```\n## H\n```",
  "- words\n```\n## H\n```\n  ```\n## H",
  "- ```\n  a\n```\n## H\n```\n",
  " ```\n```\n## H\n```\n",
  "> ```\n> a\n```\n## H\n```",
  "<!--\n```\n-->\n## H\n```\n## I\n```",
  "``` `\n## H\n```\n## I\n```",
  `\`\`\`\n${deep}\n\`\`\`\n## H`,
  "```\r\n## H\r\n```\r## I\n```\n\0\n``` \t\n## J",
]) {
  test(JSON.stringify(text), () => sameWithAllLines(text));
}

const line = fc.constantFrom(
  ..."```|```yaml|````|~~~|~~~ a|  ```|    ```|> ```|- ```|- a|  b|> c|## H|# T|words|<div>|<!--|-->|===|---|``` `x`|``` ||\t|\0".split(
    "|",
  ),
  deep,
);
const lines = fc.tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\r\n", "\r"));

test("any lines", () => {
  fc.assert(
    fc.property(lines, ([each, between]) => sameWithAllLines(each.join(between))),
    { numRuns: 2000 },
  );
});
