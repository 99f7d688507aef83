/**
 * What the documentation of a service is made of, before it is HTML (`to-html.ts`) or Markdown (`to-markdown.ts`): headings,
 * tables, lists and code, with words in them. It is plain data, so nothing here knows how either looks.
 */
import type { Lifecycle } from "../../language/states/model.ts";

/** In a text, names are between backticks, as in the sentences of a document; nothing else in it is markup. */
export type Words = string | number | undefined | Piece | readonly Words[];

export type Piece =
  | { readonly kind: "code" | "strong" | "mark" | "quiet"; readonly text: string }
  | { readonly kind: "link"; readonly to: Target; readonly name: string }
  /** `url`: absolute, or `#part`. */
  | { readonly kind: "address"; readonly url: string; readonly text: string }
  /** One below the other where there is space for it. */
  | { readonly kind: "lines"; readonly lines: readonly Words[] };

export type Target = "operation" | "resource" | "event" | "error";

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly name: string; readonly to?: Target }
  | { readonly kind: "paragraph"; readonly words: Words }
  | { readonly kind: "list"; readonly items: readonly Words[] }
  | Table
  /** A list of pairs: a term and its description. */
  | { readonly kind: "descriptions"; readonly entries: readonly DescriptionEntry[] }
  | { readonly kind: "code"; readonly title: string; readonly language: string; readonly text: string }
  /** Details, which a page shows when a reader opens them. With `to`, others lead here. */
  | { readonly kind: "details"; readonly title: string; readonly to?: Target; readonly blocks: Blocks }
  | { readonly kind: "states"; readonly resource: string; readonly lifecycle: Lifecycle }
  /** In Mermaid; a page has no picture of it. */
  | { readonly kind: "diagram"; readonly text: string }
  | OperationBlock;

/** The first cell of a row names it. */
export interface Table {
  readonly kind: "table";
  readonly caption: string;
  /** What is above it says as much as the caption. */
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
/** What is undefined is left out. */
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

/** `all` with `between` between each two. */
export function joined(all: readonly Words[], between: string): Words {
  return all.length === 0 ? undefined : all.flatMap((words, index) => (index === 0 ? [words] : [between, words]));
}

/** Nothing where there are no rows. */
export function table(caption: string, head: readonly string[], rows: readonly Row[]): Table | undefined {
  return rows.length === 0 ? undefined : { kind: "table", caption, head, rows };
}

/** Below something that names it. */
export function named(block: Table | undefined): Table | undefined {
  return block && { ...block, named: true };
}

/** Those without words are left out. */
export function descriptionList(entries: readonly DescriptionEntry[]): Block | undefined {
  const some = entries.filter(([, words]) => words !== undefined && words !== "");
  return some.length === 0 ? undefined : { kind: "descriptions", entries: some };
}

/** Nothing where there is nothing in it. */
export function details(title: string, blocks: Blocks, to?: Target): Block | undefined {
  if (blocks.every((block) => block === undefined)) return undefined;
  return { kind: "details", title, blocks, ...(to === undefined ? {} : { to }) };
}

/** A name for an anchor: letters, digits and hyphens. */
export function anchor(...words: readonly string[]): string {
  return words.join("-").replace(/[^A-Za-z0-9-]+/g, "-");
}

/** `10 minutes`, `90 seconds`. */
export function duration(milliseconds: number): string {
  const units = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1000]] as const; // biome-ignore format: a table
  const [unit, size] = units.find(([, one]) => milliseconds >= one && milliseconds % one === 0) ?? ["millisecond", 1];
  return `${milliseconds / size} ${unit}${milliseconds === size ? "" : "s"}`;
}
