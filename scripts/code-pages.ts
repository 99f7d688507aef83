/**
 * Generates two files from the checks and their pages: the list of checks, `src/language/checks.ts`, and the index of codes,
 * `docs/reference/checks.md`. `node scripts/code-pages.ts` writes both; a test fails if they are out of date.
 *
 * A page is in the folder of the code that reports it: `src/language/<part>/checks/<slug>.md` for a check (a file there exports one
 * `check`, or several as `checks`; those of `src/language/analysis/name-checks.ts` are rows of one table), `…/codes/<slug>.md` for
 * what a reader reports, `src/language/codes/<slug>.md` for what the readers of several parts report, each under its own
 * part's name.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const root = dirname(import.meta.dirname);

const parts = [
  "document", "expression", "part", "purpose", "resources", "states", "endpoints", "authentication", "events",
  "errors", "limits", "versioning",
]; // biome-ignore format: a table

export interface CodePage {
  /** `part/slug`; the part is `part` if the readers of several parts report the code. */
  readonly code: string;
  /** Relative to the repository's root. */
  readonly path: string;
  readonly title: string;
  readonly severity: string;
  readonly examples: readonly Example[];
}

export interface Example {
  readonly language: string;
  readonly kind: "wrong" | "right";
  readonly text: string;
  /** The lines of `text` with the finding, counted from 1. */
  readonly lines: readonly number[];
  /** The older document to compare with, for codes of comparisons. */
  readonly old?: string;
}

/** All pages, sorted by part, then by code. */
export function codePages(): readonly CodePage[] {
  return globSync("src/**/{checks,codes}/*.md", { cwd: root })
    .map((path) => readPage(path.replaceAll("\\", "/")))
    .sort((a, b) => placeOf(a) - placeOf(b) || (a.code < b.code ? -1 : 1));
}

function placeOf({ code }: CodePage): number {
  return parts.indexOf(code.slice(0, code.indexOf("/")));
}

function readPage(path: string): CodePage {
  const text = readFileSync(join(root, path), "utf8");
  const [, title = "", code = "", severity = ""] = /^# (.+)\n\n`([^`]+)` · (\w+)\n\n/.exec(text) ?? [];
  const folder = path.split("/").at(-3) ?? "";
  const expected = `${folder === "language" ? "part" : folder}/${basename(path, ".md")}`;
  if (code !== expected) throw new Error(`${path} has to start with a title and \`${expected}\` · severity`);
  return { code, path, title, severity, examples: examplesIn(text) };
}

/**
 * The examples of a page: fences with `wrong` or `right` in their info string. After `wrong` come the lines of the finding, or
 * the lines contain `# <- here`. A fence with `old` is compared with the next one.
 */
function examplesIn(text: string): readonly Example[] {
  const fences = text.matchAll(/^(`{3,})(\w+) (old|wrong|right)((?: \d+)*)\n([\s\S]*?)^\1$/gm);
  const examples: Example[] = [];
  let old: string | undefined;
  for (const [, , language = "", kind, numbers = "", body = ""] of fences) {
    if (kind === "old") old = body;
    else {
      const marked = body.split("\n").flatMap((line, index) => (line.endsWith("# <- here") ? [index + 1] : []));
      const lines = numbers.trim() === "" ? marked : numbers.trim().split(" ").map(Number);
      const compared = old === undefined ? {} : { old };
      examples.push({ language, kind: kind === "wrong" ? "wrong" : "right", text: body, lines, ...compared });
    }
  }
  return examples;
}

/** The text of `src/language/checks.ts`. */
export function checkList(): string {
  const files = parts.flatMap((part) => globSync(`src/language/${part}/checks/*.ts`, { cwd: root }).sort());
  const entries = files.map((file) => {
    const path = file.replaceAll("\\", "/").replace("src/language/", "./");
    const name = path.replace("/checks", "").replace(/^\.\/|\.ts$/g, "");
    const isGroup = /^export const checks\b/m.test(readFileSync(join(root, file), "utf8"));
    return { path, isGroup, name: name.replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase()) };
  });
  return `/** All checks, in the order of the parts. Written by \`node scripts/code-pages.ts\` from the files in the \`checks\` folders. */
${entries.map(({ path, name, isGroup }) => `import { ${isGroup ? "checks" : "check"} as ${name} } from "${path}";`).join("\n")}
import { documentChecks } from "./analysis/document-checks.ts";
import { nameChecks } from "./analysis/name-checks.ts";
import type { Check } from "./analysis/finding.ts";

export const checks: readonly Check[] = [
  ...documentChecks,
  ...nameChecks,
${entries.map(({ name, isGroup }) => `  ${isGroup ? "..." : ""}${name},`).join("\n")}
];
`;
}

/** The text of `docs/reference/checks.md`. */
export function codeIndex(): string {
  const pages = codePages();
  const tables = parts.flatMap((part) => {
    const rows = pages.filter(({ code }) => code.startsWith(`${part}/`));
    return rows.length === 0 ? [] : [tableOf(part, rows)];
  });
  return `<!-- Written by \`node scripts/code-pages.ts\` from the pages beside the checks. -->
# What nonet check finds

\`nonet check\` reports findings. Each has a permanent code and a page with a wrong and a right example. An *error* means that the
service could not be served correctly, or that the document contradicts itself; a *warning* that somebody may be harmed; a
*hint* that others write it differently, for a reason.

To suppress a warning or a hint, write a comment on its line, or on the line above it:

\`\`\`yaml example
parcel.stored: # ok hidden-field-leaves: the mailer has to send the code
\`\`\`

Errors cannot be suppressed, except those that \`--against\` finds: the document is valid then, and the comment says that callers
will notice an intended change. \`part/…\` stands for the part whose block has the finding: \`states/unknown-key\`.

${tables.join("\n")}`;
}

function tableOf(part: string, rows: readonly CodePage[]): string {
  const heading = part === "part" ? "In every part" : part.charAt(0).toUpperCase() + part.slice(1);
  const lines = rows.map(
    ({ code, path, severity, title }) => `| [\`${code}\`](../../${path}) | ${severity} | ${title} |`,
  );
  return `## ${heading}\n\n| code | severity | what it is |\n| --- | --- | --- |\n${lines.join("\n")}\n`;
}

export const listPath: string = join(root, "src/language/checks.ts");
export const indexPath: string = join(root, "docs/reference/checks.md");

export function writeCodeFiles(): void {
  writeFileSync(listPath, checkList());
  writeFileSync(indexPath, codeIndex());
}

if (import.meta.main) writeCodeFiles();
