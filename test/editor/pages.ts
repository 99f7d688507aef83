/** The pages of the reference, for tests of the editor. */
import { readFileSync } from "node:fs";
import { type ReferencePages, referencePages } from "../../src/editor/reference-pages.ts";

export function installedPages(): ReferencePages {
  const page = (name: string): string => readFileSync(new URL(`../../docs/reference/${name}`, import.meta.url), "utf8");
  return referencePages(page("language.md"), page("expressions.md"));
}
