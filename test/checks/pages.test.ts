/**
 * The pages of the codes: every code that the source can report has a page; `check` reports each `wrong` example at the given
 * lines and nowhere else, and reports nothing for the `right` ones.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import {
  type CodePage,
  checkList,
  codeIndex,
  codePages,
  type Example,
  indexPath,
  listPath,
} from "../../scripts/code-pages.ts";
import { strictly } from "../../src/cli/gaps-as-errors.ts";
import { compare } from "../../src/diff/compare.ts";
import { findingsOf } from "../../src/diff/findings.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { concluded } from "../../src/contracts/check.ts";
import { check, examine } from "../../src/language/check.ts";
import { checks } from "../../src/language/checks.ts";
import { partNames } from "../../src/language/model.ts";

const root = dirname(dirname(import.meta.dirname));
const pages = codePages();

/** What no page can show: bytes, characters that cannot be seen, what is wrong by its size, and what only `--strict` reports. */
const unprintable: Readonly<Record<string, string | Uint8Array>> = {
  "document/control-character": "# Sites\u0007\n",
  "document/gap": "purpose: not shown\n",
  "document/not-utf-8": new Uint8Array([0x23, 0x20, 0xc3, 0x28, 0x0a]),
  "document/too-deep": `purpose: ${"[".repeat(500)}${"]".repeat(500)}\n`,
  "document/too-large": "\n".repeat(600_000),
  "versioning/too-many-versions": `versioning:\n  scheme: numbered\n  versions:\n${Array.from({ length: 300 }, (_, index) => `    ${301 - index}: none\n`).join("")}    1: first\n`,
};

for (const page of pages) {
  test(page.code, () => {
    const input = unprintable[page.code];
    if (input !== undefined) {
      const found = strictly(check("example", input)).diagnostics.filter(({ code }) => code === page.code);
      assert.deepEqual([...new Set(found.map(({ severity }) => severity))], [page.severity]);
      return;
    }
    const kinds = page.examples.map(({ kind }) => kind);
    assert.ok(kinds.includes("wrong") && kinds.includes("right"), "a page has a wrong and a right example");
    for (const example of page.examples) {
      const found = findingsIn(example);
      if (example.kind === "wrong") assertWrong(page, example, found);
      else assertRight(page, example, found);
    }
  });
}

test("every code that the source can report has a page", () => {
  const documented = new Set(pages.map(({ code }) => code));
  assert.deepEqual(
    codesInSource().filter((code) => !documented.has(code) && !documented.has(code.replace(/^[a-z]+\//, "part/"))),
    [],
  );
});

test("every check has the code and the severity of its page", () => {
  const severities = new Map(pages.map(({ code, severity }) => [code, severity]));
  assert.deepEqual(
    checks.filter(({ code, severity }) => severities.get(code) !== severity).map(({ code }) => code),
    [],
  );
  assert.equal(new Set(checks.map(({ code }) => code)).size, checks.length, "a code stands for one check");
});

test("the list of checks and the index of codes are what the files say", () => {
  assert.equal(readFileSync(listPath, "utf8"), checkList(), "run `node scripts/code-pages.ts`");
  assert.equal(readFileSync(indexPath, "utf8"), codeIndex(), "run `node scripts/code-pages.ts`");
});

/** A day that stands still, for what depends on it. */
const today = "2026-11-22";

function findingsIn({ language, text, old }: Example): readonly Diagnostic[] {
  const inputOf = (said: string): string => (language === "yaml" ? completed(said) : said);
  const name = language === "markdown" ? "example.md" : "example.yaml";
  const examined = examine(name, inputOf(text));
  if (old === undefined) return concluded(examined).diagnostics;
  const older = check("old.yaml", inputOf(old));
  assert.equal(
    shown(older.diagnostics.filter(({ severity }) => severity === "error")),
    "",
    `errors in the old one:\n${old}`,
  );
  const { model, places } = examined.documentIndex;
  const comparison = [...findingsOf(compare(older.model, model, today), places).keys()];
  return concluded(examined, { comparison }).diagnostics;
}

/** A fragment as a whole document: what it leaves out is not shown. */
function completed(text: string): string {
  const left = partNames.filter((part) => !new RegExp(`^"?${part}"?:`, "m").test(text));
  return text + left.map((part) => `${part}: not shown\n`).join("");
}

function assertWrong(page: CodePage, { lines, text }: Example, found: readonly Diagnostic[]): void {
  const meant = found.filter((one) => isOf(one, page));
  assert.deepEqual(
    [...new Set(meant.map(({ span }) => span.start.line))],
    lines,
    `lines of the finding in:\n${text}\nfound: ${shown(found)}`,
  );
  assert.deepEqual([...new Set(meant.map(({ severity }) => severity))], [page.severity]);
  const others = found.filter((one) => one.severity === "error" && !isOf(one, page));
  assert.equal(shown(others), "", `other errors in:\n${text}`);
}

function assertRight(page: CodePage, { text }: Example, found: readonly Diagnostic[]): void {
  const wrong = found.filter((one) => one.severity === "error" || isOf(one, page));
  assert.equal(shown(wrong), "", `what is wrong in:\n${text}`);
}

function isOf({ code }: Diagnostic, page: CodePage): boolean {
  return code === page.code || (page.code.startsWith("part/") && code.endsWith(page.code.slice("part".length)));
}

function shown(found: readonly Diagnostic[]): string {
  return found
    .map(({ code, severity, span, message }) => `${span.start.line}: ${severity} ${code}: ${message}`)
    .join("\n");
}

/**
 * Codes as the source writes them: `part/slug` in quotes; the slug of a reader's complaint, or `${path[0]}/slug`, which is of the
 * part in whose folder it is, and of several parts elsewhere; and the slugs of the expression checker, which are reported below
 * `expression/`.
 */
function codesInSource(): readonly string[] {
  const codes = new Set<string>();
  const parts = ["document", "expression", ...partNames].join("|");
  for (const path of globSync("src/{document,language,expression,diff,contracts,cli}/**/*.ts", { cwd: root })) {
    if (/\.test(?:-support)?\.ts$/.test(path)) continue;
    const text = readFileSync(join(root, path), "utf8");
    const [, folder = "", below = ""] = path.replaceAll("\\", "/").split("/");
    const part = partNames.find((name) => name === below) ?? "part";
    const calls = text.matchAll(
      new RegExp(
        `(?:report\\w*\\([^"\`;]*|code: |complain\\((?!.*notInLanguage)[^"\`;]*|fault\\w*\\([^"\`;]*)"((?:(?:${parts})/)?[a-z0-9-]+)"`,
        "g",
      ),
    );
    for (const [, code = ""] of calls) {
      if (code.includes("/")) codes.add(code);
      else if (folder === "expression" || path.endsWith("expressions.ts")) codes.add(`expression/${code}`);
    }
    for (const [, code = ""] of text.matchAll(new RegExp(`"((?:${parts})/[a-z0-9]+(?:-[a-z0-9]+)+)"`, "g")))
      codes.add(code);
    for (const [, slug = ""] of text.matchAll(/`\$\{(?:path\[0\]|part)\}\/([a-z0-9-]+)`/g))
      codes.add(`${part}/${slug}`);
    for (const [, slug = ""] of folder === "language" ? text.matchAll(/"([a-z]+(?:-[a-z0-9]+)+)",\s*\(\w*\) =>/g) : [])
      codes.add(`${part}/${slug}`);
  }
  return [...codes].sort();
}
