/**
 * Parses a description, JSON or YAML 1.2, to one JSON value with source positions. Never throws: unreadable input returns one
 * error with its line. Reads nothing outside the text.
 */
import * as yaml from "yaml";
import type { Json } from "../base/json.ts";
import type { Position } from "../base/span.ts";
import { linesOf, positionIn } from "../document/source.ts";
import { jsonPositions } from "./json-positions.ts";
import { keysOf } from "./report.ts";

export interface ImportSource {
  readonly name: string;
  readonly text: string;
  readonly root: Json;
  /** Returns the positions of the values at these pointers; computed on request, in one pass. */
  positionsOf(pointers: ReadonlySet<string>): ReadonlyMap<string, Position>;
}

export interface SourceError {
  readonly message: string;
  readonly position: Position;
}

/** The largest text, in bytes: ten times the largest published descriptions. */
export const mostBytes: number = 128 * 1024 * 1024;
/** The deepest nesting; deeper values are rejected before a recursive parser reads them. */
const deepest = 500;
/** The most uses of a YAML anchor, nested uses multiplied. Prevents small files from expanding until they fill the memory. */
const mostAliases = 10_000;

export function readSource(name: string, input: Uint8Array | string): ImportSource | SourceError {
  const text = typeof input === "string" ? input : new TextDecoder().decode(input);
  const lines = linesOf(text);
  const error = (message: string, offset = 0): SourceError => ({ message, position: positionIn(lines, offset) });
  if (text.length > mostBytes) return error(`It has more than ${mostBytes / 1024 / 1024} MB, and is not read`);
  const deep = tooDeep(text);
  if (deep !== undefined) return error(`Values are nested more than ${deepest} deep here`, deep);
  const isJson = /^\s*[{[]/.test(text);
  const position = (offset: number): Position => positionIn(lines, offset);
  if (isJson) {
    try {
      const root = JSON.parse(text) as Json;
      return { name, text, root, positionsOf: (pointers) => mapped(jsonPositions(text, pointers), position) };
    } catch (thrown) {
      // The text is parsed as YAML, since a YAML map in braces looks like JSON at its start.
      const read = readYaml(name, text, position);
      return "root" in read ? read : jsonError(thrown, text, position);
    }
  }
  return readYaml(name, text, position);
}

function jsonError(thrown: unknown, text: string, position: (offset: number) => Position): SourceError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const offset = /position (\d+)/.exec(message)?.[1];
  const words = message.replace(/,? (?:(?:in JSON )?at position |\.{3}|").*$/s, "");
  return {
    message: `This is no JSON: ${words}`,
    position: position(offset === undefined ? text.length : Number(offset)),
  };
}

function readYaml(name: string, text: string, position: (offset: number) => Position): ImportSource | SourceError {
  try {
    const document = yaml.parseDocument(text, {
      uniqueKeys: false,
      stringKeys: true,
      prettyErrors: false,
      logLevel: "silent",
      merge: true,
    });
    const [error] = document.errors;
    if (error !== undefined) return { message: `This is no YAML: ${error.message}`, position: position(error.pos[0]) };
    const root = document.toJS({ maxAliasCount: mostAliases }) as Json | undefined;
    const offsets = (pointers: ReadonlySet<string>): ReadonlyMap<string, number> =>
      new Map([...pointers].map((pointer) => [pointer, offsetIn(document, keysOf(pointer))]));
    return { name, text, root: root ?? null, positionsOf: (pointers) => mapped(offsets(pointers), position) };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { message: `This YAML cannot be read: ${message}`, position: position(0) };
  }
}

/** Returns the offset of the innermost key that is in the text: an alias continues at a node elsewhere. */
function offsetIn(document: yaml.Document.Parsed, keys: readonly string[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of keys) {
    if (yaml.isAlias(node)) node = node.resolve(document);
    if (yaml.isMap(node)) {
      const pair = node.items.find((item) => yaml.isScalar(item.key) && String(item.key.value) === key);
      if (pair === undefined) return offset;
      offset = yaml.isNode(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair.value;
    } else if (yaml.isSeq(node)) {
      node = node.items[Number(key)];
      if (!yaml.isNode(node)) return offset;
      offset = node.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

function mapped(
  offsets: ReadonlyMap<string, number>,
  position: (offset: number) => Position,
): ReadonlyMap<string, Position> {
  return new Map([...offsets].map(([pointer, offset]) => [pointer, position(offset)]));
}

/**
 * Returns the offset at which the nesting of brackets or indentation is too deep; undefined if it is nowhere. Skips quoted
 * texts.
 */
function tooDeep(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      const end = endOfText(text, at);
      // If no quote on its line closes this quote, the quote is inside an unquoted YAML scalar and starts no quoted text.
      if (end !== undefined) at = end;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > deepest) return at;
    } else if ((code === 0x7d || code === 0x5d) && depth > 0) depth--;
  }
  // The search for so many dashes or spaces is fast, unlike that of lines that start with them.
  if (!text.includes("- ".repeat(500)) && !text.includes(" ".repeat(4000))) return undefined;
  return /^(?:[ ]*(?:- ){500,}|[ ]{4000,})/m.exec(text)?.index;
}

function endOfText(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at;
    else if (code === 0x0a) return undefined;
  }
  return undefined;
}
