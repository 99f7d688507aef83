/**
 * Prints a tree as valid YAML in many forms: any indentation, blocks and brackets, line breaks, quotes, blanks, empty lines and
 * comments, as authors write it before it is formatted.
 */
import type { Tree } from "../../src/document/print.ts";

/** A text that needs no quotes in a block or in brackets. */
const plain = /^[A-Za-z][\w ().>=|/-]*[\w)]$/;
const comments = [
  "# a remark",
  "#no blank",
  "# ok unbounded: it is a test",
  "# ok unbounded, no-example: as above",
  "#",
];

/** Prints a map or list of texts. `random`: returns numbers from 0 to 1, which decide the form. */
export function scruffy(tree: Tree, random: () => number): string {
  const chance = (probability: number): boolean => random() < probability;
  const blanks = (least: number): string => " ".repeat(least + (chance(0.3) ? Math.floor(random() * 4) : 0));

  const text = (value: string): string => {
    if (value.includes("\n") || !plain.test(value) || chance(0.1))
      return /^[\w .,:{}[\]#-]*$/.test(value) && chance(0.5) ? `'${value}'` : JSON.stringify(value);
    return value.includes(" ") && chance(0.05) ? value.replace(" ", "\0") : value;
  };
  const oneLine = (value: string): string => value.replaceAll("\0", " ");

  const flow = (value: Tree, breaks: string | undefined): string => {
    if (typeof value === "string") return oneLine(text(value));
    const items: readonly string[] = Array.isArray(value)
      ? value.map((item: Tree) => flow(item, breaks))
      : entriesOf(value).map(
          ([key, item]) =>
            `${oneLine(text(key))}${blanks(0)}:${chance(0.1) ? blanks(4) : blanks(1)}${flow(item, breaks)}`,
        );
    const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
    const between = (): string => {
      if (breaks === undefined || chance(0.8)) return blanks(0);
      return `${chance(0.2) ? ` ${comment()}` : ""}\n${chance(0.1) ? "\n" : ""}${breaks}${blanks(0)}`;
    };
    const body = items.map((item, index) => `${between()}${item}${index < items.length - 1 ? `${blanks(0)},` : ""}`);
    return `${open}${body.join("")}${chance(0.1) && items.length > 0 ? "," : ""}${between()}${close}`;
  };

  const comment = (): string => comments[Math.floor(random() * comments.length)] ?? "#";
  const trailing = (): string => (chance(0.1) ? `${blanks(1)}${comment()}` : blanks(0));
  const above = (margin: string): string => {
    const empty = chance(0.1) ? `\n${chance(0.3) ? "\n" : ""}` : "";
    return `${empty}${chance(0.1) ? `${chance(0.8) ? margin : blanks(0)}${comment()}\n` : ""}${chance(0.05) ? "\n" : ""}`;
  };

  /** Prints a value below its key or dash, with its line end; `indent` is that of the key. */
  const below = (value: Tree, indent: number, isItem: boolean): string => {
    const step = chance(0.6) ? 2 : 1 + Math.floor(random() * 6);
    const margin = " ".repeat(indent + step);
    if (typeof value === "string") {
      if (chance(0.05))
        return `${trailing()}\n${margin}${text(value).replaceAll("\0", `\n${margin}  `)}${trailing()}\n`;
      return `${blanks(1)}${text(value).replaceAll("\0", `\n${margin}`)}${trailing()}\n`;
    }
    const isEmpty = (Array.isArray(value) ? value : entriesOf(value)).length === 0;
    if (isEmpty || chance(0.3)) {
      const inside = chance(0.5) ? " ".repeat(indent + step) : undefined;
      const start = chance(0.2) ? `${trailing()}\n${margin}` : blanks(1);
      return `${start}${flow(value, inside)}${trailing()}\n`;
    }
    if (isItem && chance(0.8)) return ` ${block(value, indent + 2).trimStart()}`;
    // A list may be as far to the left as its key.
    const inside = Array.isArray(value) && !isItem && chance(0.3) ? indent : indent + step;
    return `${trailing()}\n${block(value, inside)}`;
  };

  const block = (value: Tree, indent: number): string => {
    const margin = " ".repeat(indent);
    const lines = Array.isArray(value)
      ? value.map((item: Tree) => `${margin}-${below(item, indent, true)}`)
      : entriesOf(value).map(([key, item]) => `${margin}${oneLine(text(key))}:${below(item, indent, false)}`);
    return lines.map((line, index) => (index > 0 ? above(margin) : "") + line).join("");
  };

  return typeof tree === "string" ? `${oneLine(text(tree))}\n` : block(tree, 0);
}

function entriesOf(tree: Tree): readonly (readonly [string, Tree])[] {
  return tree instanceof Map ? [...tree] : Object.entries(tree as Readonly<Record<string, Tree>>);
}
