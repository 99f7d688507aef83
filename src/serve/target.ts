/** The request target taken apart: a decoded path, and the query as a list of pairs (R4.3, R4.13). */
import { malformed, Refusal } from "./refusal.ts";

export const maximumTargetBytes = 8192;

/** Splits a target; refuses one that is too long (414) or badly escaped (400). */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  if (target.length > maximumTargetBytes) throw new Refusal("uri-too-long", { close: true });
  const mark = target.indexOf("?");
  const raw = mark === -1 ? target : target.slice(0, mark);
  return { path: decodePath(raw), query: mark === -1 ? "" : target.slice(mark + 1) };
}

/**
 * Decodes a path segment by segment: an escaped slash stays inside its segment, which then matches no literal and no key.
 */
function decodePath(raw: string): string {
  if (!raw.startsWith("/")) throw malformed({ code: "bad-target", detail: "The request target is not a path" });
  if (!raw.includes("%")) {
    if (hasControls(raw)) throw malformed({ code: "bad-path", detail: "The path holds a control character" });
    return raw;
  }
  let path: string;
  try {
    path = raw
      .split("/")
      .map((segment) => decodeURIComponent(segment).replaceAll("/", "%2F"))
      .join("/");
  } catch {
    throw malformed({ code: "bad-path", detail: "The path holds an invalid percent escape" });
  }
  if (hasControls(path)) throw malformed({ code: "bad-path", detail: "The path holds a control character" });
  return path;
}

function hasControls(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** A query's names and values, decoded as forms are (`+` is a space). Refuses bad escapes and repeated names (R4.13). */
export function parseQuery(query: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  if (query === "") return pairs;
  for (const part of query.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const value = equals === -1 ? "" : decode(part.slice(equals + 1));
    if (pairs.has(name)) {
      throw malformed({
        parameter: name,
        code: "repeated-parameter",
        detail: `The parameter \`${name}\` is sent more than once`,
      });
    }
    pairs.set(name, value);
  }
  return pairs;
}

function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text.replaceAll("+", " "));
    if (!decoded.includes("\0")) return decoded;
  } catch {
    // Falls through to the same refusal as a NUL.
  }
  throw malformed({
    parameter: text.slice(0, 100),
    code: "bad-escape",
    detail: "The query holds an invalid percent escape",
  });
}
