/** Examines guards that read the request. */
import { parts, type TypedExpression } from "../../expression/typed.ts";

/** Whether an expression reads a value that the caller sent. */
export function readsInput(typed: TypedExpression): boolean {
  return (typed.kind === "variable" && typed.path[0] === "input") || parts(typed).some(readsInput);
}

/** Returns the fields that a guard compares with a value that the caller sent: proofs such as a code. */
export function provedFields(typed: TypedExpression): readonly string[] {
  if (typed.kind === "compare" && typed.operator === "==") {
    const { left, right } = typed;
    const [sent, stored] = readsInput(left) ? [left, right] : [right, left];
    return readsInput(sent) && stored.kind === "field" ? [stored.name] : [];
  }
  return parts(typed).flatMap(provedFields);
}
