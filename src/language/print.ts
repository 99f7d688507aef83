/**
 * Prints a model as a document: Markdown with nine headings, or the nine parts in one YAML file. The result is the canonical
 * form: reading it gives the same model, and printing that gives the same text. A model contains no prose and no comments.
 */
import { printTree, type Tree } from "../document/print.ts";
import { type Model, type PartName, partNames } from "./model.ts";
import type { Below, PartGrammar } from "./grammar/grammar.ts";
import { grammars } from "./grammars.ts";
import { partHeadings } from "./grammar/sections.ts";

/** The prose around the block of each part: paragraphs in Markdown that need no block. */
export type Prose = Partial<
  Readonly<Record<PartName, { readonly before?: readonly string[]; readonly after?: readonly string[] }>>
>;

/** Prints the Markdown document. */
export function printModel(model: Model, prose: Prose = {}): string {
  const sections = partNames.map((part) => {
    const { before = [], after = [] } = prose[part] ?? {};
    const around = [
      ...before.map((text) => `${text}\n`),
      printSection(model, part),
      ...after.map((text) => `${text}\n`),
    ];
    return `## ${partHeadings[part][0]}\n${around.filter((text) => text !== "").join("\n")}`;
  });
  const title = model.title === undefined ? [] : [`# ${escaped(model.title)}\n`];
  return [...title, ...sections].join("\n");
}

/** Prints the one-file form in YAML. */
export function printData(model: Model): string {
  const parts = partNames.map((part): [string, Tree] => [part, partValue(model, part)]);
  return printTree(new Map([...(model.title === undefined ? [] : [["title", model.title] as const]), ...parts]));
}

/** Prints the content below the heading of a part. */
function printSection(model: Model, part: PartName): string {
  switch (model.status[part]) {
    case "shown":
      return block(printTree(partTree(model, part)));
    case "none":
      return block("none\n");
    case "not shown":
      return "This part is not shown.\n";
    case "silent":
      return "";
  }
}

function block(text: string): string {
  return `\`\`\`yaml\n${text}\`\`\`\n`;
}

/** Escapes characters that are markup in Markdown. */
function escaped(title: string): string {
  return title.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]<>&#~|!:@]/g, String.raw`\$&`);
}

function partValue(model: Model, part: PartName): Tree {
  const status = model.status[part];
  return status === "shown" ? partTree(model, part) : status === "silent" ? "" : status;
}

/** Returns the map of a part, with `not shown` at each gap of the model. */
function partTree(model: Model, part: PartName): Tree {
  const gaps = model.gaps.map((gap) => gap.split("/")).filter(([first]) => first === part);
  const below: Below = (...path) =>
    gaps.some((gap) => gap.length > path.length + 1 && path.every((key, index) => gap[index + 1] === key));
  let tree = printPart(model, part, below);
  for (const [, ...path] of gaps) tree = withGap(tree, path);
  return tree;
}

function printPart<Part extends PartName>(model: Model, part: Part, below: Below): Tree {
  const grammar: PartGrammar<Model[Part]> = grammars[part];
  return grammar.print(model[part], below);
}

/** Returns the tree with `not shown` at the path; unchanged if the path leads into a text or beyond the end of a list. */
function withGap(tree: Tree | undefined, path: readonly string[]): Tree {
  const [key, ...rest] = path;
  if (key === undefined) return "not shown";
  if (tree === undefined) return { [key]: withGap(undefined, rest) };
  if (typeof tree === "string") return tree;
  if (Array.isArray(tree)) return tree.map((item: Tree, index) => (String(index) === key ? withGap(item, rest) : item));
  if (tree instanceof Map) return new Map([...tree, [key, withGap(tree.get(key), rest)]]);
  const record = tree as Readonly<Record<string, Tree>>;
  return { ...record, [key]: withGap(record[key], rest) };
}
