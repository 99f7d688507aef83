/** Examines guards that read the request. */
import { parts, readsVariable, type TypedExpression } from "../../expression/typed.ts";

/** Returns the fields that a guard compares with a value that the caller sent: proofs such as a code. */
export function provedFields(typed: TypedExpression): readonly string[] {
  if (typed.kind === "compare" && typed.operator === "==") {
    const { left, right } = typed;
    const [sent, stored] = readsVariable(left, "input") ? [left, right] : [right, left];
    return readsVariable(sent, "input") && stored.kind === "field" ? [stored.name] : [];
  }
  return parts(typed).flatMap(provedFields);
}
