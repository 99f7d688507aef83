/** Selects the cases of a part, a line of the document, or an operation. */
import { type PartName, partNames } from "../language/model.ts";
import type { Case } from "./case.ts";
import type { Contract } from "./contract.ts";
import type { Statement } from "./statement.ts";

/** What `--only` names. */
export type Selection =
  | { readonly kind: "part"; readonly part: PartName }
  | { readonly kind: "line"; readonly line: number }
  | { readonly kind: "operation"; readonly operation: string };

/** Returns what a text selects; undefined if the document has no such part, line or operation. */
export function selectionOf(
  text: string,
  { operations }: Contract,
  statements: readonly Statement[],
): Selection | undefined {
  const part = partNames.find((name) => name === text);
  if (part !== undefined) return { kind: "part", part };
  if (/^[0-9]+$/.test(text)) {
    const line = Number(text);
    return statements.some((one) => isOnLine(one, line)) ? { kind: "line", line } : undefined;
  }
  return operations.has(text) ? { kind: "operation", operation: text } : undefined;
}

/** Whether one of the selections, if there are any, contains the case. */
export function isSelected(
  { aspects, operation }: Pick<Case, "aspects" | "operation">,
  selections: readonly Selection[],
  statementOf: (path: string) => Statement | undefined,
): boolean {
  if (selections.length === 0) return true;
  const statements = aspects.flatMap(({ path }) => statementOf(path) ?? []);
  return selections.some((selection) => {
    switch (selection.kind) {
      case "part":
        return aspects.some(({ path }) => path.startsWith(`${selection.part}/`));
      case "line":
        return statements.some((one) => isOnLine(one, selection.line));
      case "operation":
        return (
          operation === selection.operation || aspects.some(({ path }) => path.split("/").includes(selection.operation))
        );
    }
  });
}

function isOnLine({ span: { start, end } }: Statement, line: number): boolean {
  return start.line <= line && line <= end.line;
}
