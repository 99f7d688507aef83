/**
 * Converts nodes to JSON values and back: the values below `schema:` and `example:`, which follow the core schema of YAML 1.2.
 */
import type { Json, JsonObject } from "../base/json.ts";
import type { Span } from "../base/span.ts";
import type { Node, TextNode } from "./document.ts";

/** The attributes of a member that an assignment creates; to `__proto__`, an assignment would set the prototype. */
const owned = { configurable: true, enumerable: true, writable: true } as const;

/** Returns the JSON value of a node: unquoted scalars by the core schema (YAML 1.2.2, 10.3.2), all others as texts. */
export function toJson(node: Node): Json {
  if (node.kind === "text") return node.quoted ? node.value : coreValue(node.value);
  if (node.kind === "list") return node.items.map(toJson);
  const json: Record<string, Json> = {};
  for (const { key, value } of node.entries) {
    if (key.value !== "__proto__") json[key.value] = toJson(value);
    else Object.defineProperty(json, "__proto__", { ...owned, value: toJson(value) });
  }
  return json;
}

/** Returns the value of an unquoted scalar in YAML's core schema. JSON has no infinity and no NaN, so these stay texts. */
export function coreValue(text: string): Json {
  if (/^(?:null|Null|NULL|~|)$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  const number = coreNumber(text);
  return number !== undefined && Number.isFinite(number) ? number : text;
}

function coreNumber(text: string): number | undefined {
  if (/^0o[0-7]+$/.test(text) || /^0x[0-9a-fA-F]+$/.test(text)) return Number(text);
  return /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text) ? Number(text) : undefined;
}

/** Returns a node whose `toJson` is `json`; every part of the node has the span `span`. */
export function fromJson(json: Json, span: Span): Node {
  if (typeof json === "string") return textOf(json, true, span);
  if (json === null || typeof json !== "object") return textOf(String(json), false, span);
  if (isList(json)) return { kind: "list", items: json.map((item) => fromJson(item, span)), span };
  const entries = Object.entries(json).map(([key, value]) => ({
    key: textOf(key, true, span),
    value: fromJson(value, span),
  }));
  return { kind: "map", entries, span };
}

function textOf(value: string, quoted: boolean, span: Span): TextNode {
  return { kind: "text", value, quoted, span };
}

function isList(json: readonly Json[] | JsonObject): json is readonly Json[] {
  return Array.isArray(json);
}
