/**
 * The interface of a grammar, which is the declaration of one construct of the language: how to read it, how to print it, and
 * its schema for editors. Constructs consist of other constructs (`form.ts`, `collections.ts`) and, at the leaves, of values
 * of a few words (`words.ts`).
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

/** An entry of a map, or an item of a list; an item has no key. */
export interface Statement {
  readonly key?: TextNode;
  readonly value: Node;
}

/** Whether the statement at a path of keys contains `not shown`: such a statement has to be printed as a map. */
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
  /** Reads a statement whose path ends in its own key; reports an invalid statement and returns undefined. */
  readonly read: (reader: Reader, path: Path, statement: Statement, label?: Label) => Value | undefined;
  /** Prints the shortest form that reads back as the same value. */
  readonly print: (value: Value, below: Below) => Tree;
  readonly schema: JsonObject;
  /** Reads words of a one-line form; only for constructs that fit into a line. */
  readonly readWords?: (reader: Reader, path: Path, words: SourceText) => Value | undefined;
  /** Prints the words of a one-line form, if they differ from the map form. */
  readonly printWords?: (value: Value) => string;
  /** The regular expression for the construct's part of a line. Absent: one word. */
  readonly pattern?: string;
  /** Maps the names in a value. Absent: the construct has no names. */
  readonly mapNames?: MapNames<Value>;
}

/** The grammar of a whole part of the document. */
export interface PartGrammar<Value> extends Grammar<Value> {
  readonly readPart: (reader: Reader, body: MapNode) => Value;
  readonly print: (value: Value, below?: Below) => Tree;
}

/** A problem of some words: the second half of the finding's code, its message, the reason, and what to write instead. */
export type Complaint = readonly [
  slug: string,
  message: (text: string) => string,
  advice?: {
    readonly why?: string;
    readonly help?: string | ((text: string) => string);
    /** Returns the replacement text of the fix; empty: no fix. */
    readonly write?: (text: string) => string;
    /** The valid words; the finding suggests the most similar of them. */
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
    ...(known === undefined ? {} : { known }),
  });
}

/** Reports a text that cannot be a name, and returns whether it can. */
export type NameCheck = (reader: Reader, path: Path, name: SourceText) => boolean;

export function soundName(pattern: RegExp, complaint: Complaint): NameCheck {
  return (reader, path, name) => {
    const isSound = pattern.test(name.text);
    if (!isSound) complain(reader, path, name, complaint);
    return isSound;
  };
}

/** Returns the text of a statement; reports a value that is no text, and an entry without a value, and returns undefined. */
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
