/** Every page of the repository: its links and files exist, and its lists are complete. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { fencesOf, firstColumn, readPage, root, tableRows } from "./fences.ts";

const skipped = /(?:^|[\\/])(?:node_modules|\.git|\.nonet|dist|coverage)(?:[\\/]|$)/;
const pages = globSync("**/*.md", { cwd: root, exclude: (path) => skipped.test(path) })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !path.startsWith("examples/") && !path.startsWith("test/"))
  .toSorted();

/** A page without its code blocks. */
function proseOf(path: string): string {
  return readPage(path).replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, "");
}

test("every relative link leads to a file, and its fragment to a heading", () => {
  const broken = pages.flatMap((page) =>
    [
      ...proseOf(page)
        .replaceAll(/`[^`\n]*`/g, "code")
        .matchAll(/\]\(([^)\s]+)\)/g),
    ]
      .map(([, link = ""]) => link)
      .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link))
      .map((link) => `${page}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", fragment] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path).replaceAll("\\", "/");
  if (!existsSync(join(root, target))) return false;
  return fragment === undefined || anchorsOf(target).includes(fragment);
}

/** As GitHub makes them of headings. */
function anchorsOf(page: string): readonly string[] {
  const headings = [...proseOf(page).matchAll(/^#{1,6} +(.+)$/gm)];
  return headings.map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

const folders = "src|test|docs|examples|bench|scripts|schema|types|\\.ci";

test("every symbol that a page names in a file is there", () => {
  const named = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/`(\w+)` in `(src\/[\w./-]+\.ts)`/g)].map(([, symbol = "", path = ""]) => ({
      symbol,
      path,
    })),
  );
  assert.ok(named.length >= 18, "ARCHITECTURE.md names two of each part");
  const missing = named.filter(({ symbol, path }) => !new RegExp(`\\b${symbol}\\b`).test(readPage(path)));
  assert.deepEqual(missing, []);
});

test("every file that a page names is there", () => {
  const named = new RegExp(`\`((?:${folders})/[\\w./*{}-]*)`, "g");
  const missing = pages.flatMap((page) =>
    [...proseOf(page).matchAll(named)]
      .map(([, path = ""]) => path)
      .filter((path) => globSync(path, { cwd: root }).length === 0 && !existsSync(join(root, path)))
      .map((path) => `${page}: ${path}`),
  );
  assert.deepEqual(missing, []);
});

test("ARCHITECTURE.md names every folder of the code, and every file of a request", () => {
  const text = readPage("ARCHITECTURE.md");
  const inSrc = globSync("src/*", { cwd: root }).filter((path) => statSync(join(root, path)).isDirectory());
  const missing = inSrc.map((path) => `\`${path.replaceAll("\\", "/")}\``).filter((path) => !text.includes(path));
  assert.deepEqual(missing, []);
});

test("every rule that is quoted has a row, and rows are in order", () => {
  const rows = tableRows("docs/reference/rules.md", "Rules by number").map(([rule = ""]) => rule);
  const files = globSync("{src,test,examples,bench,docs}/**/*.{ts,md}", {
    cwd: root,
    exclude: (path) => skipped.test(path),
  });
  const quoted = new Set(
    files.flatMap((path) => readFileSync(join(root, path), "utf8").match(/\bR[0-9]\.[0-9]{1,2}\b/g) ?? []),
  );
  assert.deepEqual(
    [...quoted].filter((rule) => !rows.includes(rule)),
    [],
  );
  const number = (rule: string): number => Number(rule[1]) * 100 + Number(rule.slice(3));
  assert.deepEqual(
    rows,
    rows.toSorted((a, b) => number(a) - number(b)),
  );
});

test("every dependency has a line", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, object>;
  for (const [heading, ...kinds] of [
    ["Run time", "dependencies", "optionalDependencies"],
    ["Development", "devDependencies"],
  ] as const) {
    const rows = tableRows("docs/decisions/dependencies.md", heading).map(([name = ""]) => name.slice(1, -1));
    assert.deepEqual(rows, kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {})).toSorted());
  }
});

test("decisions are numbered without a gap", () => {
  const numbers = globSync("docs/decisions/0*.md", { cwd: root }).map((path) => Number(/(\d{4})-/.exec(path)?.[1]));
  assert.deepEqual(
    numbers.toSorted((a, b) => a - b),
    numbers.map((_, at) => at + 1),
  );
});

test("excerpts are from the flagship, and code that a page shows from the file that it names", () => {
  const flagship = readPage("examples/parcel-lockers.md");
  const shown = firstColumn("README.md", "Nonet");
  assert(shown.length >= 8);
  for (const line of shown) assert(flagship.includes(line), line);
  for (const page of pages) {
    for (const { at, meta, text } of fencesOf(page)) {
      if (meta["excerpt"] !== undefined) assert(flagship.includes(text), at);
      if (meta["in"] !== undefined) assert(readPage(meta["in"]).includes(text), at);
    }
  }
});

test("the README shows its two commands first, and stays short", () => {
  const text = readPage("README.md");
  assert(text.split("\n").length <= 150);
  const [first, second] = fencesOf("README.md");
  assert.deepEqual([first?.text.split("\n")[0], second?.text.split("\n")[0]], ["$ npm start", "$ npm test"]);
});
