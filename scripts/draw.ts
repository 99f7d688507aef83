/**
 * `node scripts/draw.ts SEED`: draws 40 comments, 20 sentences of the docs and 20 diagnostics at random, to test whether a new
 * reader understands them.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { readSources, root } from "../test/house/sources.ts";
import { check } from "../src/language/check.ts";
import { findings } from "../test/corpus/documents.ts";
import { seeded } from "../test/random.ts";

const random = seeded(Number(process.argv[2] ?? 1));

function drawn<Item>(items: readonly Item[], count: number): readonly Item[] {
  return items
    .map((item) => [random(), item] as const)
    .toSorted(([one], [other]) => one - other)
    .slice(0, count)
    .map(([, item]) => item);
}

function show(title: string, items: readonly (readonly [where: string, text: string])[], count: number): void {
  process.stdout.write(`\n${title}\n`);
  for (const [index, [where, text]] of drawn(items, count).entries())
    process.stdout.write(`${index + 1}. [${where}] ${text}\n`);
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Each comment with the line of code below it. */
const comments = readSources().flatMap(({ path, text }) =>
  [...text.matchAll(/(\/\*\*[\s\S]*?\*\/|(?:^[ \t]*\/\/ .*\n)+)\s*([^\n]*)/gm)]
    .map(([, comment = "", line = ""]): readonly [string, string] => [
      path,
      `${oneLine(comment.replaceAll(/^\s*(?:\/\*\*|\*\/|\*|\/\/)|\*\/\s*$/gm, " "))}  ⟶  ${line.trim()}`,
    ])
    .filter(([, comment]) => !/biome-ignore|^──/.test(comment)),
);

const sentences = globSync("{README,ARCHITECTURE,SECURITY,docs/**/*}.md", { cwd: root }).flatMap((path) =>
  readFileSync(join(root, path), "utf8")
    .replaceAll(/^(`{3,})[\s\S]*?^\1$|^\|.*$|^#.*$|<!--[\s\S]*?-->/gm, "\n\n")
    .split(/\n\s*\n|\n(?=\s*(?:-|\d+\.) )/)
    .flatMap((paragraph) => oneLine(paragraph).split(/(?<=[.?!])\s+(?=[A-Z`[])/))
    .filter((sentence) => sentence.split(" ").length >= 5)
    .map((sentence): readonly [string, string] => [path, sentence]),
);

/** The diagnostics of the pages' examples, without those of comparisons. */
const diagnostics = findings
  .flatMap(({ language, name, text }) =>
    check(language === "markdown" ? "example.md" : "example.yaml", text).diagnostics.map((one) => ({ ...one, name })),
  )
  .map(({ help, message, name, why }): readonly [string, string] => [
    name,
    [message, why, help && `help: ${help}`].filter(Boolean).join(" | "),
  ]);

show("Comments, each with the line below it", comments, 40);
show("Sentences of the docs", sentences, 20);
show("Diagnostics", [...new Map(diagnostics.map((one) => [one[1], one])).values()], 20);
