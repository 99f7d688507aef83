/** Guards that read the request. */
import { parts, type TypedExpression } from "../../expression/typed.ts";

/** Whether an expression reads something that the caller has sent. */
export function readsInput(typed: TypedExpression): boolean {
  return (typed.kind === "variable" && typed.path[0] === "input") || parts(typed).some(readsInput);
}

/** The fields that a guard compares with something that the caller has sent: proofs such as a code. */
export function provedFields(typed: TypedExpression): readonly string[] {
  if (typed.kind === "compare" && typed.operator === "==") {
    const { left, right } = typed;
    const [sent, stored] = readsInput(left) ? [left, right] : [right, left];
    return readsInput(sent) && stored.kind === "field" ? [stored.name] : [];
  }
  return parts(typed).flatMap(provedFields);
}
