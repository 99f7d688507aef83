/**
 * Expresses the record of an older version as a view of the stored record, so that the store writes it directly, without a
 * conversion in JavaScript. If a step cannot be a view, the result is undefined and the record is converted, with the same
 * response.
 */
import type { Json } from "../../base/json.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { ValueType } from "../../expression/types.ts";
import type { ConversionPlan, MemberStep, ShapeStep } from "../../plan/versioning/conversion-types.ts";
import type { ViewMember } from "../../store/port/store.ts";

/** Returns the members of a record in the previous version. */
export function membersToOlder(step: ShapeStep, newer: readonly ViewMember[]): readonly ViewMember[] | undefined {
  const older: ViewMember[] = [];
  for (const member of step.members) {
    const converted = memberToOlder(member, newer);
    if (converted === undefined) return undefined;
    if (converted !== "left out") older.push(converted);
  }
  return older;
}

function memberToOlder(step: MemberStep, newer: readonly ViewMember[]): ViewMember | "left out" | undefined {
  const { absent, filled, newer: name, nulls, older, seen, shape, values, rounded, enclosing } = step;
  if (name === undefined) return seen === undefined ? "left out" : fixedMember(older, seen);
  if (shape !== undefined || seen !== undefined || filled !== undefined || rounded === true) return undefined;
  const source = newer.find((one) => one.name === name);
  // The member is hidden from this caller, but the older version may have to show null.
  if (nulls === true && (source === undefined || source.when !== undefined)) return undefined;
  if (source === undefined) return "left out";
  const converted = source.absent === "null" ? absent : nulls === true ? "null" : "left out";
  const member: ViewMember = { ...source, name: older, absent: converted };
  if (values === undefined) return member;
  return enclosing === undefined ? withValues(member, values) : undefined;
}

/** Returns a constant member that the newer version does not have. */
function fixedMember(name: string, seen: ConversionPlan): ViewMember | undefined {
  if (seen.kind !== "value" || typeof seen.value !== "string") return undefined;
  return { name, source: { kind: "expression", expression: textOf(seen.value) }, type: "text", absent: "null" };
}

/** Maps some values of the member to others. */
function withValues(member: ViewMember, values: Readonly<Record<string, ConversionPlan>>): ViewMember | undefined {
  const { source, type } = member;
  if (source.kind !== "column" || type !== "text") return undefined;
  const field: TypedExpression = { kind: "field", name: source.column, at, type: text, nullable: true };
  let expression: TypedExpression = field;
  for (const [value, seen] of Object.entries(values)) {
    if (seen.kind !== "value" || !isText(seen.value)) return undefined;
    const test: TypedExpression = {
      kind: "compare",
      operator: "==",
      left: field,
      right: textOf(value),
      at,
      type: { kind: "bool" },
      nullable: false,
    };
    expression = {
      kind: "choose",
      test,
      whenTrue: textOf(seen.value),
      whenFalse: expression,
      at,
      type: text,
      nullable: true,
    };
  }
  return { ...member, source: { kind: "expression", expression } };
}

const at = { start: 0, end: 0 };
const text: ValueType = { kind: "string" };

function textOf(value: string): TypedExpression {
  return { kind: "constant", value, at, type: text, nullable: false };
}

function isText(value: Json): value is string {
  return typeof value === "string";
}
