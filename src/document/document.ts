/**
 * The types of a document before its parts are interpreted: sections with prose and fences, and the YAML of each fence as
 * nodes with spans. This folder does not know the nine parts.
 */
import type { Position, Span } from "../base/span.ts";

/**
 * A scalar: always text, as written (YAML 1.2 failsafe schema). `quoted`: it was written in quotes or as a block (`|`, `>`),
 * so that it is text even if it looks like a keyword.
 */
export interface TextNode {
  readonly kind: "text";
  readonly value: string;
  readonly quoted: boolean;
  /** The span in the file, including quotes. */
  readonly span: Span;
  /** Present only if the characters of `value` are not contiguous in the file; see `spanInside`. */
  readonly pieces?: readonly TextPiece[];
}

/** A contiguous piece of a value: its characters from index `at` to the next piece are in the file from `start` on. */
export interface TextPiece {
  readonly at: number;
  readonly start: Position;
}

export interface ListNode {
  readonly kind: "list";
  readonly items: readonly Node[];
  readonly span: Span;
}

export interface MapNode {
  readonly kind: "map";
  readonly entries: readonly Entry[];
  readonly span: Span;
}

export type Node = TextNode | ListNode | MapNode;

/** An entry `key: value`. A key without a value has an empty, unquoted text node as its value. */
export interface Entry {
  readonly key: TextNode;
  readonly value: Node;
}

/**
 * A fenced block. `language` is the first word after the opening delimiter, `meta` the rest (`example` in ```` ```yaml example
 * ````).
 */
export interface Fence {
  readonly language: string;
  readonly meta: string;
  readonly text: string;
  /** The span of the whole block, including the fence lines. */
  readonly span: Span;
  /** The parsed content of a `yaml` fence without `meta`; absent for any other fence, and if nothing could be parsed. */
  readonly body?: Node;
}

/** A paragraph, list, table or heading of prose, as plain text. */
export interface Prose {
  readonly text: string;
  readonly span: Span;
}

/** The content under an H2 heading, up to the next H1 or H2. */
export interface Section {
  readonly heading: string;
  readonly span: Span;
  readonly prose: readonly Prose[];
  readonly fences: readonly Fence[];
}

/**
 * A comment `# ok rule, rule: reason` in a YAML block; it suppresses findings on the line `covers` (its own line, or the next
 * one with content).
 */
export interface Suppression {
  readonly rules: readonly string[];
  readonly reason: string;
  readonly span: Span;
  readonly covers: number;
}

export interface Document {
  /** The file name that the caller passed, for messages. */
  readonly name: string;
  readonly text: string;
  /** The H1 heading, if there is one. */
  readonly title?: { readonly text: string; readonly span: Span };
  /** The form of the document. `markdown`: `sections` has the content. `data`: `root` has it, one YAML or JSON value. */
  readonly form: "markdown" | "data";
  readonly sections: readonly Section[];
  readonly root?: Node;
  readonly suppressions: readonly Suppression[];
}
