/** The documents of the corpus: examples, documents of the tests, invalid ones, and generated ones. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { codePages } from "../../scripts/code-pages.ts";
import { libraryText } from "../export/documents.ts";
import { documentText } from "../simulation/document.ts";
import { worldOf } from "../simulation/world.ts";

export interface CorpusDocument {
  readonly name: string;
  readonly text: string;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const places = ["examples/**/*.md", "test/serve/documents/*.md", "test/faults/*.md", "bench/peers/*.md"];
const worlds = 24;

/** Without errors: each can be served. */
export const documents: readonly CorpusDocument[] = [
  ...globSync(places, { cwd: root })
    .sort()
    .map((path) => ({ name: path.replace(/\.md$/, ""), text: readFileSync(join(root, path), "utf8") }))
    .filter(({ text }) => /^service:/m.test(text)),
  { name: "library", text: libraryText },
  ...Array.from({ length: worlds }, (_, number) => ({ name: `world-${number}`, text: documentText(worldOf(number)) })),
];

/** What the pages of the checks call wrong or right, with the document that each is compared with. */
export const findings: readonly (CorpusDocument & { readonly language: string; readonly old: string | undefined })[] =
  codePages().flatMap(({ code, examples }) =>
    examples.map(({ language, old, text }, index) => ({ name: `${code} ${index + 1}`, language, text, old })),
  );
