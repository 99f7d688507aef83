/** `nonet guide`: prints the language on one page, for a person or for a model. */
import { written } from "../server/document.ts";
import { type Terminal, releaseVersion } from "../server/terminal.ts";
import { readPackaged } from "./manual.ts";
import { printPage } from "./pages.ts";

export interface GuideOptions {
  /** `page`: the page alone. `llms`: the form of llmstxt.org. `skill`: a skill of a coding agent. */
  readonly format: "page" | "llms" | "skill";
  /** The file to write; default: standard output. */
  readonly out: string | undefined;
}

export async function guide({ format, out }: GuideOptions, terminal: Terminal): Promise<number> {
  // The comments delimit the lists that are generated.
  const page = readPackaged("docs/reference/guide.md").replaceAll(/^<!-- .* -->\n/gm, "");
  const text = forms[format](page);
  if (out === undefined && format === "page") await printPage(text, terminal);
  else await written(out, text, terminal);
  return 0;
}

const summary = "Write, check, serve and test HTTP APIs that one Markdown document with nine parts describes.";

const forms: Readonly<Record<GuideOptions["format"], (page: string) => string>> = {
  page: (page) => page,
  // The form of https://llmstxt.org: a title and a summary in a quote; the page follows.
  llms: (page) => page.replace(/^# .*\n/, () => `# Nonet\n\n> ${summary} This is version ${releaseVersion()}.\n`),
  skill: (page) =>
    `---\nname: nonet\ndescription: ${summary} Use it for files with these nine headings, and when somebody asks for an API with Nonet.\n---\n\n${page}`,
};
