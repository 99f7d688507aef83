/** The document's words as HTML: nothing that stands in them is obeyed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proseHtml } from "../../base/prose-html.ts";
import { readSections } from "./prose.ts";

function rendered(markdown: string): string {
  return readSections(markdown)
    .flatMap(({ words }) => words.map((piece) => proseHtml(piece).html))
    .join("")
    .replaceAll(/\n(?=<|$)/g, "");
}

test("Markdown to HTML", () => {
  const rows = [
    ["a *b* **c** `d` ~~e~~", "<p>a <em>b</em> <strong>c</strong> <code>d</code> <del>e</del></p>"],
    ["- a\n- b", "<ul><li>a</li><li>b</li></ul>"],
    ["- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"],
    ["3. a", '<ol start="3"><li>a</li></ol>'],
    ["### a\n\n#### b", "<h3>a</h3><h4>b</h4>"],
    ["- [x] a", "<ul><li>☑ a</li></ul>"],
    [
      "|a|\n|-|\n|b|",
      '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table><thead><tr><th scope="col">a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table></div>',
    ],
    ["> a", "<blockquote><p>a</p></blockquote>"],
    ["[a](https://a.example/?b&c)", '<p><a href="https://a.example/?b&amp;c" rel="noreferrer">a</a></p>'],
    [
      "[a][b]\n\n### c\n\n[b]: https://b.example",
      '<p><a href="https://b.example" rel="noreferrer">a</a></p><h3>c</h3>',
    ],
    ["[a][b]\n\n[b]: https://b.example", '<p><a href="https://b.example" rel="noreferrer">a</a></p>'],
    ["```js\na < b\n```", '<pre tabindex="0"><code>a &lt; b</code></pre>'],
  ] as const;
  for (const [markdown, expected] of rows) assert.equal(rendered(markdown), expected, markdown);
});

test("what would run, or fetch something, does not", () => {
  const rows = [
    ["<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    ["a <img src=x onerror=y> b", "<p>a &lt;img src=x onerror=y&gt; b</p>"],
    ["[a](javascript:alert(1))", "<p>a</p>"],
    ["[a](data:text/html,x)", "<p>a</p>"],
    ["[a][b]\n\n[b]: vbscript:x", "<p>a</p>"],
    ["![a](https://a.example/a.png)", '<p><a href="https://a.example/a.png" rel="noreferrer">a</a></p>'],
    [
      '[a](<https://a.example/"onclick="b>)',
      '<p><a href="https://a.example/%22onclick=%22b" rel="noreferrer">a</a></p>',
    ],
  ] as const;
  for (const [markdown, expected] of rows) assert.equal(rendered(markdown), expected, markdown);
});

test("parts are told apart by their H2", () => {
  const block = "```yaml\na: b\n```";
  assert.deepEqual(readSections(`# T\n\nopening\n\n## A *b*\n\none\n\n${block}\n\n### deeper\n\n## C\n\n[d]: /e\n`), [
    { heading: undefined, words: ["opening\n\n[d]: /e\n\n"], blocks: "" },
    { heading: "A b", words: ["one\n\n[d]: /e\n\n", "### deeper\n\n[d]: /e\n\n"], blocks: `${block}\n\n` },
    { heading: "C", words: [], blocks: "" },
  ]);
});

test("what looks like a heading inside of another block starts no part", () => {
  const rows = [
    ["```js\n## B\n```", ["A", "C"]],
    ["````\n```\n## B\n````", ["A", "C"]],
    ["~~~ `a`\n## B\n```\n## B\n   ~~~", ["A", "C"]],
    ["```a`\n## B", ["A", "B", "C"]],
    ["- a\n  ```\n## B\n```\n## D\n```", ["A", "B", "C"]],
    ["<!--\n## B\n-->", ["A", "C"]],
    ["<pre>\n\n## B\n\n</pre>", ["A", "C"]],
    ["> ```\n## B", ["A", "B", "C"]],
    ["#B\n\n##\tD\n\nE\n---", ["A", "D", "E", "C"]],
    ["[d]:\n## B", ["A", "B", "C"]],
  ] as const;
  for (const [text, expected] of rows)
    assert.deepEqual(
      readSections(`## A\n${text}\n\n## C\n`).flatMap(({ heading }) => heading ?? []),
      expected,
      text,
    );
});

test("keys and comments of YAML are set apart, and every character is kept", () => {
  const rows = [
    ["a: b # c", '<span class="key">a</span>: b<span class="comment"> # c</span>'],
    ["  - a: 'x # y'", `  - <span class="key">a</span>: 'x<span class="comment"> # y'</span>`],
    ["held -> free: when x", '<span class="key">held -&gt; free</span>: when x'],
    ['"a b": { c: d }', '<span class="key">&quot;a b&quot;</span>: { c: d }'],
    ["# all", '<span class="comment"># all</span>'],
    ["https://a.example", "https://a.example"],
  ] as const;
  for (const [yaml, expected] of rows)
    assert.equal(
      proseHtml(`\`\`\`yaml\n${yaml}\n\`\`\``).html,
      `<pre tabindex="0"><code>${expected}\n</code></pre>`,
      yaml,
    );
});
