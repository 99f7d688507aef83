/**
 * The shared functions of the readers of the nine parts: reporting, locations and gaps. A reader never throws and does not
 * stop at the first error; it reports an invalid statement and omits it.
 */
import type { Span } from "../../base/span.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { Diagnostic, Fix, Severity } from "../../diagnostics/diagnostic.ts";
import type { Entry, MapNode, Node, TextNode } from "../../document/document.ts";
import { createLocations, type KeyedStatement, type Locations } from "./locations.ts";
import { type SourceText, spanOf } from "./source-text.ts";

/** Keys as the document writes them, beginning with the part's name; see `SourceLocations`. */
export type Path = readonly string[];

export interface Reader {
  readonly diagnostics: Diagnostic[];
  readonly places: Locations;
  readonly gaps: string[];
}

export interface Advice {
  readonly severity?: Severity;
  readonly why?: string;
  readonly help?: string;
  readonly fix?: Fix;
  readonly known?: readonly string[];
}

export function createReader(): Reader {
  return { diagnostics: [], places: createLocations(), gaps: [] };
}

export function report(reader: Reader, code: string, span: Span, message: string, advice: Advice = {}): void {
  const { severity = "error", ...rest } = advice;
  reader.diagnostics.push({ code, severity, message, span, ...rest });
}

/** Stores the spans of the statement at `path`: of the whole statement, of its key and of its value. */
export function recordLocation(reader: Reader, path: Path, entry: KeyedStatement): void {
  reader.places.set(path.join("/"), entry);
}

/** Stores the location of a statement without a key: an item of a list, a word of a line. */
export function locateAt(reader: Reader, path: Path, at: SourceText | Node): void {
  reader.places.set(path.join("/"), "from" in at ? spanOf(at) : at.span);
}

/** Records the locations in a node that is read as JSON: keys of maps, and items of lists by their number. */
export function locateAll(reader: Reader, path: Path, node: Node): void {
  if (node.kind === "map") {
    for (const entry of node.entries) {
      recordLocation(reader, [...path, entry.key.value], entry);
      locateAll(reader, [...path, entry.key.value], entry.value);
    }
  }
  if (node.kind !== "list") return;
  for (const [index, item] of node.items.entries()) {
    locateAt(reader, [...path, String(index)], item);
    locateAll(reader, [...path, String(index)], item);
  }
}

/**
 * Stores one location under two paths for a key that can be written in several ways (`note?`, `note`), and for all statements
 * below it.
 */
export function locateBoth(reader: Reader, written: Path, named: Path): void {
  const path = written.join("/");
  const other = named.join("/");
  if (path !== other) reader.places.alias(other, path);
}

export function isText(node: Node): node is TextNode {
  return node.kind === "text";
}

/** Whether the node is an unquoted `none`. */
export function isNone(node: Node): boolean {
  return node.kind === "text" && !node.quoted && node.value === "none";
}

/** Whether the value is `not shown`; if so, records the gap. */
export function isGap(reader: Reader, path: Path, node: Node): boolean {
  const gap = node.kind === "text" && !node.quoted && node.value === "not shown";
  if (gap) reader.gaps.push(path.join("/"));
  return gap;
}

/** Returns the node as text; reports any other node as `part/not-a-text` and returns undefined. */
export function expectText(reader: Reader, path: Path, node: Node, what: string): TextNode | undefined {
  if (node.kind === "text") return node;
  report(reader, `${path[0]}/not-a-text`, node.span, `${what} is one line of text, not a ${node.kind}`);
  return undefined;
}

export function expectMap(reader: Reader, path: Path, node: Node, what: string, example: string): MapNode | undefined {
  if (node.kind === "map") return node;
  report(reader, `${path[0]}/not-a-map`, node.span, `${what} is a map of names and values, not a ${node.kind}`, {
    help: `write it as \`${example}\``,
  });
  return undefined;
}

/**
 * Returns the entries of `map` by key, and stores their locations under `path`. Reports a key outside `known` as
 * `part/unknown-key` with a similar known key. Records entries that are `not shown` as gaps and omits them.
 */
export function knownEntries<Key extends string>(
  reader: Reader,
  path: Path,
  map: MapNode,
  known: readonly Key[],
  what: string,
): Partial<Record<Key, Entry>> {
  const found: Partial<Record<Key, Entry>> = {};
  for (const entry of openEntries(reader, path, map)) {
    const key = known.find((name) => name === entry.key.value);
    if (key !== undefined) found[key] = entry;
    else {
      const near = didYouMean(entry.key.value, known);
      report(reader, `${path[0]}/unknown-key`, entry.key.span, `${what} has no \`${entry.key.value}\``, {
        why: "The service enforces every line of a block, so it accepts no unknown line.",
        help: laterKeys.includes(entry.key.value)
          ? later
          : near === undefined
            ? `known here: ${known.join(", ")}`
            : `did you mean \`${near}\`?`,
        known,
        ...(near === undefined ? {} : { fix: { title: `write \`${near}\``, span: entry.key.span, text: near } }),
      });
    }
  }
  return found;
}

/** Keys that the language defines but this release does not read. */
const laterKeys: readonly string[] = ["views"];
export const later = "the language describes it, but this release does not support it yet";

/**
 * Returns the entries of a map with the author's own names as keys, and stores their locations. Records `not shown` entries as
 * gaps and omits them.
 */
export function openEntries(reader: Reader, path: Path, map: MapNode): Entry[] {
  return map.entries.filter((entry) => {
    const at = [...path, entry.key.value];
    recordLocation(reader, at, entry);
    return !isGap(reader, at, entry.value);
  });
}
