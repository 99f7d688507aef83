/** `nonet docs [TOPIC]`: prints the reference of the installed version. */
import { columns } from "../base/layout.ts";
import { didYouMean } from "../base/suggest.ts";
import { UsageError } from "../server/errors.ts";
import { type Terminal, releaseVersion } from "../server/terminal.ts";
import { mainTopic, type Topic, topics } from "./manual.ts";
import { printPage } from "./pages.ts";

export interface DocsOptions {
  readonly list: boolean;
}

export async function docs(name: string | undefined, { list }: DocsOptions, terminal: Terminal): Promise<number> {
  const all = topics();
  if (list) {
    const rows = all.map(({ name: topic, title }) => [topic, title]);
    terminal.out(`Topics of nonet docs, ${releaseVersion()}\n\n${columns(rows).join("\n")}\n`);
    return 0;
  }
  await printPage(topicOf(name ?? mainTopic, all).text, terminal);
  return 0;
}

/** Finds a topic by its name, or by a part of its name or title that no other topic has. */
function topicOf(typed: string, all: readonly Topic[]): Topic {
  const wanted = typed.toLowerCase();
  const exact = all.find(({ name }) => name === wanted);
  if (exact) return exact;
  const similar = all.filter(({ name, title }) => name.includes(wanted) || title.toLowerCase().includes(wanted));
  const [only] = similar;
  if (only !== undefined && similar.length === 1) return only;
  const near = didYouMean(
    wanted,
    all.map(({ name }) => name),
  );
  const help =
    similar.length > 1
      ? `there are ${similar
          .map(({ name }) => name)
          .slice(0, 8)
          .join(", ")}`
      : near === undefined
        ? "nonet docs --list prints all"
        : `did you mean ${near}?`;
  throw new UsageError(`there is no topic ${typed}; ${help}`);
}
