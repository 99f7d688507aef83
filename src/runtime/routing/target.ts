/** Parses the request target: a decoded path and a query (R4.3, R4.13). */
import { canonicalInstant } from "../../base/clock.ts";
import { getOrMake } from "../../base/once.ts";
import { malformed, ApiError } from "../errors/api-error.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Column } from "../../plan/resources/types.ts";
import { maximumTargetBytes } from "../../http/message.ts";

export interface Target {
  /** The path as sent, without scheme and authority. */
  readonly path: string;
  /** The decoded segments; an escaped slash stays inside its segment. */
  readonly segments: readonly string[];
  /** The query as sent, not decoded, without the question mark. */
  readonly query: string;
}

/** Splits a target; throws 414 if it is too long, 400 for bad escapes. */
export function splitTarget(target: string): Target {
  if (target.length > maximumTargetBytes) throw new ApiError("uri-too-long", { close: true });
  const origin = target.startsWith("/") ? target : originForm(target);
  const queryStart = origin.indexOf("?");
  const path = queryStart === -1 ? origin : origin.slice(0, queryStart);
  return { path, segments: decodePath(path), query: queryStart === -1 ? "" : origin.slice(queryStart + 1) };
}

/**
 * Returns a target without its authority: proxies may send an absolute URL, which servers have to accept (RFC 9112 section
 * 3.2.2).
 */
function originForm(target: string): string {
  const authority = /^https?:\/\/[^/?#]+/i.exec(target)?.[0];
  if (authority === undefined) throw malformed({ code: "bad-target", detail: "The request target is not a path" });
  const rest = target.slice(authority.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function decodePath(path: string): readonly string[] {
  let segments: readonly string[] = path.slice(1).split("/");
  const isEscaped = path.includes("%");
  if (isEscaped) {
    try {
      segments = segments.map(decodeURIComponent);
    } catch {
      throw malformed({ code: "bad-path", detail: "The path contains an invalid percent escape" });
    }
  }
  if (isEscaped ? segments.some((text) => control.test(text)) : control.test(path))
    throw malformed({ code: "bad-path", detail: "The path contains a control character" });
  return segments;
}

/**
 * Whether a path segment can have this text: not if it has control characters or is empty, `.` or `..`, which clients
 * normalise even if encoded (WHATWG URL).
 */
export function isSegment(text: string): boolean {
  return text !== "" && text !== "." && text !== ".." && !control.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const control = /[\0-\x1f\x7f-\x9f]/;

const noPairs: ReadonlyMap<string, string> = new Map();

/** Parses a query like a form (`+` is a space). Throws 400 for bad escapes and repeated names (R4.13). */
export function parseQuery(query: string): ReadonlyMap<string, string> {
  return parseRepeatedQuery(query, () => false).query;
}

export interface RepeatedQuery {
  /** The first value of each parameter. */
  readonly query: ReadonlyMap<string, string>;
  /** All values of the parameters that are sent more than once, if there are any. */
  readonly repeated?: ReadonlyMap<string, readonly string[]>;
}

/** Parses a query in which some parameters may be sent more than once. */
export function parseRepeatedQuery(query: string, isRepeatable: (name: string) => boolean): RepeatedQuery {
  if (query === "") return { query: noPairs };
  const pairs = new Map<string, string>();
  let repeated: Map<string, string[]> | undefined;
  for (const part of query.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const written = equals === -1 ? part : part.slice(0, equals);
    const name = decode(written) ?? badEscape(written, inQuery);
    const value = equals === -1 ? "" : (decode(part.slice(equals + 1)) ?? badEscape(name, inQuery));
    const first = pairs.get(name);
    if (first !== undefined && isRepeatable(name)) {
      repeated ??= new Map();
      getOrMake(repeated, name, () => [first]).push(value);
      continue;
    }
    if (first !== undefined) {
      throw malformed({
        parameter: name,
        code: "repeated-parameter",
        detail: `The parameter \`${name}\` is sent more than once`,
      });
    }
    pairs.set(name, value);
  }
  return repeated === undefined ? { query: pairs } : { query: pairs, repeated };
}

/** The values of each name, in order. */
export type Pairs = ReadonlyMap<string, readonly string[]>;

/** Decodes a query, a form or cookies. `where`: the location of a name with a bad escape. */
export function pairsOf(text: string, separator: string, where: (name: string) => Location): Pairs {
  const pairs = new Map<string, string[]>();
  for (const part of text.split(separator)) {
    const written = part.trim();
    if (written === "") continue;
    const equals = written.indexOf("=");
    const sent = equals === -1 ? written : written.slice(0, equals);
    const name = decode(sent) ?? badEscape(sent, where);
    const value = equals === -1 ? "" : (decode(written.slice(equals + 1)) ?? badEscape(name, where));
    // Appends instead of copying: copying would take quadratic time for a body that repeats one name.
    getOrMake(pairs, name, () => []).push(value);
  }
  return pairs;
}

/** Decodes a text like a form; undefined for a bad escape or U+0000. */
export function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll("+", " "));
    return decoded.includes("\0") ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** Shortens a name for an error message. */
export function shortened(name: string): string {
  return name.slice(0, 100);
}

type Location = { readonly parameter: string } | { readonly header: string } | { readonly pointer: string };

const inQuery = (parameter: string): Location => ({ parameter });

function badEscape(name: string, where: (name: string) => Location): never {
  const what = shortened(name);
  throw malformed({ ...where(what), code: "bad-escape", detail: `\`${what}\` contains an invalid percent escape` });
}

/** Parses a key in a path; undefined if it is no value of the column's type. */
export function decodeKey(text: string, column: Pick<Column, "type">): Value | undefined {
  // A number has a single spelling in a path, which is the one in `Location`.
  if (column.type === "number")
    return Number.isFinite(Number(text)) && String(Number(text)) === text ? Number(text) : undefined;
  if (column.type === "boolean") return text === "true" || text === "false" ? text === "true" : undefined;
  if (column.type === "timestamp") return canonicalInstant(text);
  if (column.type !== "integer") return text;
  return /^(?:0|-?[1-9][0-9]{0,15})$/.test(text) ? Number(text) : undefined;
}
