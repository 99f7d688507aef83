/** The reference of the installed version: its pages, and their sections. */
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { partNames } from "../language/model.ts";

const root = new URL("../../", import.meta.url);

/** Reads a file of the installed package. */
export function readPackaged(path: string): string {
  return readFileSync(new URL(path, root), "utf8");
}

/** A page, or a section of the language's page. */
export interface Topic {
  readonly name: string;
  readonly title: string;
  /** The Markdown of the topic. */
  readonly text: string;
}

/** The name of the page that `nonet docs` prints without a topic. */
export const mainTopic = "language";

/** Returns the pages by their file names, then the sections of the language by their headings. */
export function topics(): readonly Topic[] {
  const paths = globSync("docs/{reference,how-to}/*.md", { cwd: fileURLToPath(root) }).toSorted((a, b) =>
    a.includes("reference") === b.includes("reference") ? (a < b ? -1 : 1) : a.includes("reference") ? -1 : 1,
  );
  const pages = paths.map((path) => {
    const text = readPackaged(path.replaceAll("\\", "/"));
    return { name: basename(path, ".md"), title: titleOf(text), text };
  });
  const language = pages.find(({ name }) => name === mainTopic);
  return [...pages, ...(language ? sectionsOf(language.text) : [])];
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? "";
}

/** Splits a page into its sections; each contains its subsections. */
function sectionsOf(text: string): readonly Topic[] {
  const headings = [...withoutFences(text).matchAll(/^(##+) (.+)$/gm)];
  return headings.map(({ index: at, 1: level = "", 2: title = "" }, index) => {
    const next = headings.find((heading, other) => other > index && (heading[1] ?? "").length <= level.length);
    // The headings of the nine parts have their numbers.
    const part = partNames[Number(/^(\d)\. /.exec(title)?.[1] ?? 0) - 1];
    const name = part ?? title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
    return { name, title, text: `${text.slice(at, next?.index ?? text.length).trim()}\n` };
  });
}

/** Replaces the content of fences by blanks of the same length: a `#` in them is no heading. */
function withoutFences(text: string): string {
  return text.replaceAll(/^```[^\n]*\n[\s\S]*?^```$/gm, (fence) => fence.replaceAll(/[^\n]/g, " "));
}

/** The page of a finding. */
export interface FindingPage {
  readonly code: string;
  readonly path: string;
}

/** Returns the pages of all findings, from the table of findings. `part/slug`: the finding of several parts. */
export function findingPages(): readonly FindingPage[] {
  const rows = readPackaged("docs/reference/checks.md").matchAll(/^\| \[`([^`]+)`\]\((?:\.\.\/)+(src\/[^)]+)\)/gm);
  return [...rows].map(([, code = "", path = ""]) => ({ code, path }));
}

/** Returns the number and the text of each rule that every service follows. */
export function rules(): ReadonlyMap<string, string> {
  const rows = readPackaged("docs/reference/rules.md").matchAll(/^\| (R\d+\.\d+) \| (.+?) \| ?(.*?) ?\|$/gm);
  return new Map(
    [...rows].map(([, rule = "", text = "", source = ""]) => [rule, source === "" ? text : `${text} (${source})`]),
  );
}
