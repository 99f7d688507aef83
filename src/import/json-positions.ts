/** Finds the positions of values in a JSON text by their pointers, in one pass, without building a tree. */
import { below } from "./report.ts";

/**
 * Returns the offsets of keys and list items by their pointers. The text must be JSON; for a truncated text some are missing.
 */
export function jsonPositions(text: string, wanted: ReadonlySet<string>): ReadonlyMap<string, number> {
  const found = new Map<string, number>([["", 0]]);
  const prefixSet = prefixes(wanted);
  const end = /[\s,\]}]/g;
  let at = 0;
  const blanks = (): void => {
    // The white space of JSON (RFC 8259): no other character up to U+0020 is outside of a text.
    while (text.charCodeAt(at) <= 0x20) at++;
  };
  const word = (): string => {
    const start = at;
    do at = text.indexOf('"', at + 1);
    while (at >= 0 && isEscaped(text, at));
    at = at < 0 ? text.length + 1 : at + 1;
    return text.slice(start, at);
  };
  /** Skips a value; looks inside only on the path to a wanted pointer. */
  const value = (pointer: string | undefined): void => {
    blanks();
    const opening = text[at];
    if (opening === '"') word();
    else if (opening === "{") members(pointer);
    else if (opening === "[") items(pointer);
    else {
      end.lastIndex = at;
      at = end.exec(text)?.index ?? text.length;
    }
  };
  const members = (pointer: string | undefined): void => {
    for (at++, blanks(); at < text.length && text[at] !== "}"; blanks()) {
      if (text[at] === ",") at++;
      blanks();
      const start = at;
      const written = word();
      const inner = pointer === undefined ? undefined : stepped(pointer, keyOf(written), start);
      blanks();
      at++;
      value(inner);
    }
    at++;
  };
  const items = (pointer: string | undefined): void => {
    let index = 0;
    for (at++, blanks(); at < text.length && text[at] !== "]"; blanks(), index++) {
      if (text[at] === ",") at++;
      blanks();
      value(pointer === undefined ? undefined : stepped(pointer, index, at));
    }
    at++;
  };
  const stepped = (pointer: string, key: string | number, start: number): string | undefined => {
    const inner = below(pointer, key);
    if (wanted.has(inner)) found.set(inner, start);
    return prefixSet.has(inner) ? inner : undefined;
  };
  value("");
  return found;
}

/** Whether an odd number of backslashes is before the quote. */
function isEscaped(text: string, quote: number): boolean {
  let start = quote;
  while (text[start - 1] === "\\") start -= 1;
  return (quote - start) % 2 === 1;
}

function keyOf(written: string): string {
  return written.includes("\\") ? (JSON.parse(written) as string) : written.slice(1, -1);
}

/** Returns all prefixes of the wanted pointers. */
function prefixes(wanted: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set<string>([""]);
  for (const pointer of wanted) {
    for (let end = pointer.indexOf("/", 1); end > 0; end = pointer.indexOf("/", end + 1))
      all.add(pointer.slice(0, end));
  }
  return all;
}
