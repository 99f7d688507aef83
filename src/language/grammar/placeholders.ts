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
  [slug, missing]: Complaint,
): void {
  const check = (one: Node): void => {
    if (one.kind === "text") checkText(reader, path, one, known, [slug, missing]);
    else if (one.kind === "list") for (const item of one.items) check(item);
    else
      for (const { key, value } of one.entries) {
        checkText(reader, path, key, known, [slug, missing]);
        check(value);
      }
  };
  check(node);
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
