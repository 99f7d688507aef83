/**
 * The interface of a construct of the language: how to read it, how to print it, and its schema for editors. Constructs consist
 * of other constructs (`form.ts`, `collections.ts`) and, at the leaves, of values in some words (`words.ts`).
 */
import { didYouMean } from "../../base/suggest.ts";
import type { JsonObject } from "../../base/json.ts";
import type { MapNode, Node, TextNode } from "../../document/document.ts";
import type { Tree } from "../../document/print.ts";
import type { Comparable } from "./changes.ts";
import { type SourceText, sourceTextOf, spanOf } from "./source-text.ts";
import { expectText, type Path, type Reader, report } from "./reader.ts";
import type { MapNames } from "./references.ts";
import { readText } from "./values.ts";

/** An entry of a map, or an item of a list, which has no key. */
export interface Statement {
  readonly key?: TextNode;
  readonly value: Node;
}

/** Whether `not shown` is somewhere below a path of keys: such a statement needs its map form. */
export type Below = (...path: readonly string[]) => boolean;

export const nothingBelow: Below = () => false;

export function belowOf(below: Below, ...start: readonly string[]): Below {
  return (...path) => below(...start, ...path);
}

/** The name of a statement in findings, fixed or derived from its path. */
export type Label = string | ((path: Path) => string);

export function labelOf(label: Label, path: Path): string {
  return typeof label === "string" ? label : label(path);
}

export interface Grammar<Value> extends Comparable {
  /** Undefined where the statement cannot be understood, which is reported. Its path ends in its own key. */
  readonly read: (reader: Reader, path: Path, statement: Statement, label?: Label) => Value | undefined;
  /** The shortest form that reads back as the same. */
  readonly print: (value: Value, below: Below) => Tree;
  readonly schema: JsonObject;
  /** Only of what fits into a line. */
  readonly readWords?: (reader: Reader, path: Path, words: SourceText) => Value | undefined;
  /** In a line, where that is not as in a map. */
  readonly printWords?: (value: Value) => string;
  /** The regular expression for its part of a line. Absent: one word. */
  readonly pattern?: string;
  /** Absent: it has no names. */
  readonly mapNames?: MapNames<Value>;
}

/** A construct that is a whole part of the document. */
export interface PartGrammar<Value> extends Grammar<Value> {
  readonly readPart: (reader: Reader, body: MapNode) => Value;
  readonly print: (value: Value, below?: Below) => Tree;
}

/** A problem of some words: the second half of a code, a message, the reason, and what to write. */
export type Complaint = readonly [
  slug: string,
  message: (text: string) => string,
  advice?: {
    readonly why?: string;
    readonly help?: string | ((text: string) => string);
    /** The replacement that a fix writes; empty: no fix. */
    readonly write?: (text: string) => string;
    /** The valid words; a finding suggests a similar one. */
    readonly known?: readonly string[];
  },
];

export function complain(reader: Reader, path: Path, words: SourceText, [slug, message, advice]: Complaint): undefined {
  const { text } = words;
  const span = text === "" ? words.node.span : spanOf(words);
  const { help, known, why, write } = advice ?? {};
  const near = known && didYouMean(text, known);
  const better = near ?? write?.(text) ?? "";
  const hint = near === undefined ? help : `did you mean \`${near}\`?`;
  report(reader, `${path[0]}/${slug}`, span, message(text), {
    ...(why === undefined ? {} : { why }),
    ...(hint === undefined ? {} : { help: typeof hint === "string" ? hint : hint(text) }),
    ...(better === "" ? {} : { fix: { title: `write \`${better}\``, span, text: better } }),
  });
}

/** Whether the text can be a name; reports it otherwise. */
export type NameCheck = (reader: Reader, path: Path, name: SourceText) => boolean;

export function soundName(pattern: RegExp, complaint: Complaint): NameCheck {
  return (reader, path, name) => {
    const isSound = pattern.test(name.text);
    if (!isSound) complain(reader, path, name, complaint);
    return isSound;
  };
}

/** The text of a statement, or undefined with a diagnostic where it is no text, or an entry without one. */
export function textOf(
  reader: Reader,
  path: Path,
  { key, value }: Statement,
  label: Label | undefined,
): SourceText | undefined {
  const what = labelOf(label ?? (key === undefined ? "This" : `\`${key.value}\``), path);
  if (key !== undefined) return readText(reader, path, { key, value }, what);
  const text = expectText(reader, path, value, what);
  return text && sourceTextOf(text);
}
