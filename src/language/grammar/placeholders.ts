/** Checks the names in braces of texts, at any depth of a value that is otherwise the author's own. */
import type { Node, TextNode } from "../../document/document.ts";
import { type Complaint, complain } from "./grammar.ts";
import type { Path, Reader } from "./reader.ts";

/** Reports each name in braces that is not in `known`, in texts and in keys. `missing` is the message about such a name. */
export function checkPlaceholders(
  reader: Reader,
  path: Path,
  node: Node,
  known: readonly string[],
  missing: Complaint,
): void {
  for (const { text } of textsIn(node)) checkText(reader, path, text, known, missing);
}

/** Yields the texts of a value at any depth, the keys too, in the document's order. */
export function* textsIn(node: Node): Iterable<{ readonly text: TextNode; readonly isKey: boolean }> {
  if (node.kind === "text") yield { text: node, isKey: false };
  else if (node.kind === "list") for (const item of node.items) yield* textsIn(item);
  else
    for (const { key, value } of node.entries) {
      yield { text: key, isKey: true };
      yield* textsIn(value);
    }
}

function checkText(
  reader: Reader,
  path: Path,
  node: TextNode,
  known: readonly string[],
  [slug, message]: Complaint,
): void {
  const inBraces = known.map((variable) => `{${variable}}`);
  for (const match of node.value.matchAll(/\{[^{}]*\}/g)) {
    if (inBraces.includes(match[0])) continue;
    complain(reader, path, { text: match[0], node, from: match.index }, [
      slug,
      message,
      { known: inBraces, help: `known here: ${inBraces.map((variable) => `\`${variable}\``).join(", ")}` },
    ]);
  }
}
