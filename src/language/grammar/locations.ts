/**
 * Stores the location of each statement. A large document has a hundred thousand statements, each with three spans
 * (`SourceLocations`). To save memory, a location is the document's own entry, and a second name of a statement is one alias
 * for it and all statements below.
 */
import { plainSpan, type Span } from "../../base/span.ts";
import type { SourceLocations } from "../model.ts";

/** A statement with a key and a value, such as an entry of a map. */
export interface KeyedStatement {
  readonly key: { readonly span: Span };
  readonly value: { readonly span: Span };
}

export interface Locations extends SourceLocations {
  set(path: string, at: KeyedStatement | Span): void;
  /**
   * Makes `other` a second name of `path` and of all paths below it, including later ones. A location that `other` already has
   * stays.
   */
  alias(other: string, path: string): void;
}

export function createLocations(): Locations {
  const known = new Map<string, KeyedStatement | Span>();
  const aliases = new Map<string, string>();
  const find = (path: string): KeyedStatement | Span | undefined => {
    const exact = known.get(path);
    if (exact !== undefined || aliases.size === 0) return exact;
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      const original = aliases.get(path.slice(0, end));
      if (original !== undefined) return known.get(original + path.slice(end));
    }
    return undefined;
  };
  const get = (path: string): Span | undefined => {
    const member = path.endsWith("#key") ? "key" : path.endsWith("#value") ? "value" : undefined;
    const at = find(member === undefined ? path : path.slice(0, -member.length - 1));
    if (at === undefined) return undefined;
    // The value of a statement without a key is the statement itself.
    if (!("key" in at)) return member === "key" ? undefined : plainSpan(at);
    return member === undefined ? { start: at.key.span.start, end: at.value.span.end } : plainSpan(at[member].span);
  };
  return {
    get,
    has: (path) => get(path) !== undefined,
    keys: () => known.keys(),
    set: (path, at) => known.set(path, at),
    alias: (other, path) => {
      const at = known.get(path);
      if (at !== undefined && !known.has(other)) known.set(other, at);
      aliases.set(other, path);
    },
  };
}
