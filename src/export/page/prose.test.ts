/** The document's words as HTML: nothing that stands in them is obeyed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { html } from "./html.ts";
import { highlighted, readParts, renderBlocks } from "./prose.ts";

function rendered(markdown: string): string {
  const parts = readParts(markdown);
  return renderBlocks(
    parts.flatMap(({ blocks }) => blocks),
    parts,
  )
    .map((one) => one.html)
    .join("");
}

test("Markdown to HTML", () => {
  const rows = [
    ["a *b* **c** `d` ~~e~~", "<p>a <em>b</em> <strong>c</strong> <code>d</code> <del>e</del></p>"],
    ["- a\n- b", "<ul><li>a</li><li>b</li></ul>"],
    ["- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"],
    ["3. a", '<ol start="3"><li>a</li></ol>'],
    ["### a\n\n#### b", "<h3>a</h3><h4>b</h4>"],
    ["> a", "<blockquote><p>a</p></blockquote>"],
    ["[a](https://a.example/?b&c)", '<p><a href="https://a.example/?b&#38;c" rel="noreferrer">a</a></p>'],
    ["[a][b]\n\n[b]: https://b.example", '<p><a href="https://b.example" rel="noreferrer">a</a></p>'],
    ["```js\na < b\n```", '<pre tabindex="0"><code>a &#60; b</code></pre>'],
  ] as const;
  for (const [markdown, expected] of rows) assert.equal(rendered(markdown), expected, markdown);
});

test("what would run, or fetch something, does not", () => {
  const rows = [
    ["<script>alert(1)</script>", "<code>&#60;script&#62;alert(1)&#60;/script&#62;</code>"],
    ["a <img src=x onerror=y> b", "<p>a <code>&#60;img src=x onerror=y&#62;</code> b</p>"],
    ["[a](javascript:alert(1))", "<p>a</p>"],
    ["[a](data:text/html,x)", "<p>a</p>"],
    ["[a][b]\n\n[b]: vbscript:x", "<p>a</p>"],
    ["![a](https://a.example/a.png)", '<p><a href="https://a.example/a.png" rel="noreferrer">a</a></p>'],
    [
      '[a](<https://a.example/"onclick="b>)',
      '<p><a href="https://a.example/&#34;onclick=&#34;b" rel="noreferrer">a</a></p>',
    ],
  ] as const;
  for (const [markdown, expected] of rows) assert.equal(rendered(markdown), expected, markdown);
});

test("parts are told apart by their H2", () => {
  const parts = readParts("# T\n\nopening\n\n## A *b*\n\none\n\n### deeper\n\n## C\n");
  assert.deepEqual(
    parts.map(({ heading, blocks }) => [heading, blocks.length]),
    [
      [undefined, 1],
      ["A b", 2],
      ["C", 0],
    ],
  );
});

test("keys and comments of YAML are set apart, and every character is kept", () => {
  const rows = [
    ["a: b # c", '<span class="key">a</span>: b<span class="comment"> # c</span>'],
    ["  - a: 'x # y'", '  - <span class="key">a</span>: &#39;x<span class="comment"> # y&#39;</span>'],
    ["held -> free: when x", '<span class="key">held -&#62; free</span>: when x'],
    ['"a b": { c: d }', '<span class="key">&#34;a b&#34;</span>: { c: d }'],
    ["# all", '<span class="comment"># all</span>'],
    ["https://a.example", "https://a.example"],
  ] as const;
  for (const [yaml, expected] of rows) assert.equal(html`${highlighted(yaml)}`.html, expected, yaml);
});
