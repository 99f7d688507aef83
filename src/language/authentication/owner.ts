/** What an ownership expression is about. */
import { parts, type TypedExpression } from "../../expression/typed.ts";

/** The fields of the record that are compared with the caller's id. */
export function ownerFields(typed: TypedExpression): readonly string[] {
  if (typed.kind === "compare" && typed.operator === "==") {
    const { left, right } = typed;
    if (isCaller(left) && right.kind === "field") return [right.name];
    return isCaller(right) && left.kind === "field" ? [left.name] : [];
  }
  return parts(typed).flatMap(ownerFields);
}

function isCaller(typed: TypedExpression): boolean {
  return typed.kind === "variable" && typed.path.join(".") === "caller.id";
}
