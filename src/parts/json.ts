/**
 * Below `schema:` and `example:` a block holds JSON, so there the core schema of YAML 1.2 (section 10.3) says what an
 * unquoted word is. Everywhere else a scalar is text.
 */
import type { Json } from "../base/json.ts";
import type { Node } from "../document/document.ts";

/** The JSON value of a node. Of two equal keys the last counts; the document has reported them. */
export function jsonOf(node: Node): Json {
  if (node.kind === "list") return node.items.map(jsonOf);
  if (node.kind === "map")
    return Object.fromEntries(node.entries.map((entry) => [entry.key.value, jsonOf(entry.value)]));
  return node.quoted ? node.value : scalarOf(node.value);
}

/** What the core schema makes of a plain scalar. Numbers that JSON does not have (`.inf`, `.nan`) stay text. */
export function scalarOf(text: string): Json {
  if (/^(?:|~|null|Null|NULL)$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  if (/^[-+]?[0-9]+$/.test(text)) return Number(text);
  if (/^0o[0-7]+$/.test(text) || /^0x[0-9a-fA-F]+$/.test(text)) return Number(text);
  if (/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) return Number(text);
  return text;
}
