/**
 * The content of a service's documentation as data: headings, tables, lists and code. `to-html.ts` renders it as HTML,
 * `to-markdown.ts` as Markdown.
 */
import type { Lifecycle } from "../../language/states/model.ts";

/** Text of the documentation. In a string, backticks mark names; there is no other markup. */
export type Words = string | number | undefined | Piece | readonly Words[];

export type Piece =
  | { readonly kind: "code" | "strong" | "mark" | "quiet"; readonly text: string }
  | { readonly kind: "link"; readonly to: Target; readonly name: string }
  /** A link. `url`: an absolute URL, or `#part`. */
  | { readonly kind: "address"; readonly url: string; readonly text: string }
  /** Text of several lines: `<br>` in HTML, semicolons in Markdown. */
  | { readonly kind: "lines"; readonly lines: readonly Words[] };

export type Target = "operation" | "resource" | "schema" | "event" | "error";

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly name: string; readonly to?: Target }
  | { readonly kind: "paragraph"; readonly words: Words }
  | { readonly kind: "list"; readonly items: readonly Words[] }
  | Table
  /** A list of terms with their descriptions. */
  | { readonly kind: "descriptions"; readonly entries: readonly DescriptionEntry[] }
  | { readonly kind: "code"; readonly title: string; readonly language: string; readonly text: string }
  /** A section that a page folds until a reader opens it. `to` makes it the target of links. */
  | { readonly kind: "details"; readonly title: string; readonly to?: Target; readonly blocks: Blocks }
  | { readonly kind: "states"; readonly resource: string; readonly lifecycle: Lifecycle }
  /** A diagram in Mermaid; pages leave it out. */
  | { readonly kind: "diagram"; readonly text: string }
  | OperationBlock;

/** A table. The first cell of a row is its heading. */
export interface Table {
  readonly kind: "table";
  readonly caption: string;
  /** Set if the heading above the table replaces the caption. */
  readonly named?: true;
  readonly head: readonly string[];
  readonly rows: readonly Row[];
}

export interface OperationBlock {
  readonly kind: "operation";
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly sentence: string;
  readonly blocks: Blocks;
}

export type Row = readonly Words[];
export type DescriptionEntry = readonly [label: string, words: Words];
/** A list of blocks; renderers skip undefined ones. */
export type Blocks = readonly (Block | undefined)[];

export function code(text: string): Words {
  return text === "" ? undefined : { kind: "code", text };
}

export function link(to: Target, name: string): Piece {
  return { kind: "link", to, name };
}

export function lines(all: readonly Words[]): Words {
  return all.length < 2 ? all[0] : { kind: "lines", lines: all };
}

/** Joins the words of the items with `between`. */
export function joined<Item>(all: readonly Item[], between: string, wordsOf: (item: Item) => Words): Words {
  if (all.length === 0) return undefined;
  return all.flatMap((item, index) => (index === 0 ? [wordsOf(item)] : [between, wordsOf(item)]));
}

/** Builds a table; undefined if there are no rows. */
export function table(caption: string, head: readonly string[], rows: readonly Row[]): Table | undefined {
  return rows.length === 0 ? undefined : { kind: "table", caption, head, rows };
}

/** Marks a table as one whose heading replaces its caption. */
export function named(block: Table | undefined): Table | undefined {
  return block && { ...block, named: true };
}

/** Builds a list of descriptions, without entries that have none. */
export function descriptionList(entries: readonly DescriptionEntry[]): Block | undefined {
  const some = entries.filter(([, words]) => words !== undefined && words !== "");
  return some.length === 0 ? undefined : { kind: "descriptions", entries: some };
}

/** Builds a folded section; undefined if all blocks are undefined. */
export function details(title: string, blocks: Blocks, to?: Target): Block | undefined {
  if (blocks.every((block) => block === undefined)) return undefined;
  return { kind: "details", title, blocks, ...(to === undefined ? {} : { to }) };
}

/** Returns an anchor of letters, digits and hyphens. */
export function anchor(...words: readonly string[]): string {
  return words.join("-").replace(/[^A-Za-z0-9-]+/g, "-");
}

/** Returns a duration in words, such as `10 minutes` or `90 seconds`. */
export function duration(milliseconds: number): string {
  const units = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1000]] as const; // biome-ignore format: a table
  const [unit, size] = units.find(([, one]) => milliseconds >= one && milliseconds % one === 0) ?? ["millisecond", 1];
  return `${milliseconds / size} ${unit}${milliseconds === size ? "" : "s"}`;
}
