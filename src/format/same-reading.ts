/** Compares two forms of a block: whether they have the same values, and whether the same suppressions cover each value. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Node, Suppression } from "../document/document.ts";

/** What the reader returns for a block. */
export interface Reading {
  readonly node: Node | undefined;
  readonly suppressions: readonly Suppression[];
  readonly diagnostics: readonly Diagnostic[];
}

export function isSameReading(before: Reading, after: Reading): boolean {
  return JSON.stringify(withoutLocations(before)) === JSON.stringify(withoutLocations(after));
}

function withoutLocations({ node, suppressions, diagnostics }: Reading): unknown {
  // The numbers of the suppressions that cover each line.
  const covering = new Map<number, number[]>();
  for (const [index, { covers }] of suppressions.entries())
    covering.set(covers, [...(covering.get(covers) ?? []), index]);
  return [
    node && valueOf(node, covering),
    suppressions.map(({ rules, reason }) => [rules, reason]),
    diagnostics.map(({ code }) => code),
  ];
}

function valueOf(node: Node, covering: ReadonlyMap<number, readonly number[]>): unknown {
  const covers = covering.get(node.span.start.line) ?? [];
  switch (node.kind) {
    case "text":
      return [node.value, node.quoted, covers];
    case "list":
      return { items: node.items.map((item) => valueOf(item, covering)), covers };
    case "map":
      return {
        entries: node.entries.map(({ key, value }) => [valueOf(key, covering), valueOf(value, covering)]),
        covers,
      };
  }
}
