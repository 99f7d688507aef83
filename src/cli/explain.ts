/** `nonet explain CODE`: prints the page of a finding, or a rule that every service follows. */
import { didYouMean } from "../base/suggest.ts";
import { partNames } from "../language/model.ts";
import { UsageError } from "../server/errors.ts";
import type { Terminal } from "../server/terminal.ts";
import { type FindingPage, findingPages, readPackaged, rules } from "./manual.ts";
import { printPage } from "./pages.ts";

/** `typed`: a code such as `states/dead-end`, its last half as in a suppression, or the number of a rule. */
export async function explain(typed: string | undefined, terminal: Terminal): Promise<number> {
  if (typed === undefined) throw new UsageError("name the code of a finding, such as states/dead-end");
  const rule = rules().get(typed.toUpperCase());
  await printPage(rule === undefined ? pagesText(typed) : `# ${typed.toUpperCase()}\n\n${rule}\n`, terminal);
  return 0;
}

function pagesText(typed: string): string {
  const all = findingPages();
  const found = pagesOf(typed, all);
  if (found.length > 0) return found.map(({ path }) => readPackaged(path)).join("\n");
  const names = all.map(({ code }) => code);
  const near = didYouMean(typed, names) ?? didYouMean(typed, names.map(slugOf));
  const help = near === undefined ? "nonet docs checks lists all" : `did you mean ${near}?`;
  throw new UsageError(`there is no finding ${typed}; ${help}`);
}

/** A code of the readers of several parts, such as `states/unknown-key`, has its page as `part/unknown-key`. */
function pagesOf(typed: string, all: readonly FindingPage[]): readonly FindingPage[] {
  const exact = all.filter(({ code }) => code === typed);
  if (exact.length > 0) return exact;
  const slug = slugOf(typed);
  return typed.includes("/")
    ? all.filter(({ code }) => code === `part/${slug}` && isPart(typed))
    : all.filter(({ code }) => slugOf(code) === slug);
}

function isPart(code: string): boolean {
  return ["document", ...partNames].includes(code.split("/")[0] ?? "");
}

function slugOf(code: string): string {
  return code.slice(code.indexOf("/") + 1);
}
