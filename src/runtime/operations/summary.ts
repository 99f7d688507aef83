/** Reads the groups of a summary as a page of JSON texts. The query contains the permissions of records and fields. */
import { after } from "../../base/after.ts";
import { added, decimalOf, decimalText, divided, zero } from "../../base/decimal.ts";
import { minorDigits } from "../../base/formats.ts";
import type { Subject } from "../../language/authentication/decide.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import { isMoney } from "../../expression/types.ts";
import type { GroupPlan, MeasurePlan, SummaryPlan } from "../../plan/endpoints/types.ts";
import type { ListQuery, Store } from "../../store/port/store.ts";
import type { ForKind } from "../context/compiled.ts";
import { conditionFor } from "../records/views.ts";

/** The groups and measures that a kind of caller sees. */
interface Visible {
  readonly groups: readonly { readonly name: string; readonly expression: TypedExpression }[];
  readonly measures: readonly { readonly plan: MeasurePlan; readonly expression: TypedExpression | undefined }[];
}

/** Prepares a summary of the records of a list for a kind of caller. */
export function prepareSummary(
  plan: SummaryPlan,
  subject: Subject | undefined,
  store: Store,
  list: ListQuery,
): ReturnType<ForKind["list"]> {
  const { groups, measures } = visibleTo(plan, subject);
  const names = [...groups.map(({ name }) => name), ...measures.map((one) => one.plan.name)];
  const order = plan.order.flatMap(({ name, descending }) => {
    const index = names.indexOf(name);
    return index < 0 ? [] : [{ index, descending }];
  });
  const read = store.summary({
    list,
    groups: groups.map(({ expression }) => expression),
    measures: measures.map(({ plan: { function: name }, expression }) => ({
      function: name,
      ...(expression === undefined ? {} : { value: expression }),
    })),
    order,
  });
  const textOf = (row: readonly Value[]): string => {
    const values = groups.map(({ name }, index) => [name, row[index] ?? null] as const);
    const group = Object.fromEntries(values);
    const measured = measures.map((one, index) => {
      const at = groups.length + 2 * index;
      return [one.plan.name, measureValue(one.plan, row[at] ?? null, row[at + 1] as number, group)] as const;
    });
    return JSON.stringify(Object.fromEntries([...values, ...measured]));
  };
  return (page, variables) => {
    // The position of a cursor is the number of groups before the page.
    const [position] = page.after ?? [];
    const skip = typeof position === "number" ? position : (page.skip ?? 0);
    const { after: _, ...wanted } = page;
    return after(read({ ...wanted, skip }, variables), ({ rows, hasMore, total }) => ({
      text: rows.map(textOf).join(","),
      count: rows.length,
      ...(hasMore ? { next: [skip + rows.length] } : {}),
      ...(total === undefined ? {} : { total }),
    }));
  };
}

function visibleTo({ groups, measures }: SummaryPlan, subject: Subject | undefined): Visible {
  const visibleGroups = groups.flatMap(({ name, expression, visibleTo: seers }) => {
    const visible = restricted(expression, seers, subject);
    return visible === undefined ? [] : [{ name, expression: visible }];
  });
  return {
    groups: visibleGroups,
    measures: measures.flatMap((plan): Visible["measures"] => {
      const { currency, expression, visibleTo: seers } = plan;
      if (expression === undefined) return [{ plan, expression }];
      const visible = restricted(expression, seers, subject);
      const hasCurrency = currency === undefined || visibleGroups.some(({ name }) => name === currency);
      return visible === undefined || !hasCurrency ? [] : [{ plan, expression: visible }];
    }),
  };
}

/** Returns the expression with null for records of which the caller may not see its fields; undefined if there are no others. */
function restricted(
  expression: TypedExpression,
  seers: GroupPlan["visibleTo"],
  subject: Subject | undefined,
): TypedExpression | undefined {
  const test = conditionFor(seers, subject);
  if (test === "denied") return undefined;
  if (test === "allowed") return expression;
  const { at, type } = expression;
  const nothing: TypedExpression = { kind: "constant", at, type, nullable: true, value: null };
  return {
    kind: "choose",
    at,
    type,
    nullable: true,
    test,
    whenTrue: expression,
    whenFalse: nothing,
  };
}

/** The decimal places of averages before they become numbers: more than a number has. */
const averagePlaces = 30;

function measureValue(
  { function: name, expression, currency }: MeasurePlan,
  value: Value,
  count: number,
  group: Readonly<Record<string, Value>>,
): Value {
  if (expression === undefined || name === "count") return value;
  const found = typeof value === "string" ? decimalOf(value) : undefined;
  if (isMoney(expression.type)) {
    const code = group[currency ?? ""];
    if (found === undefined || typeof code !== "string") return null;
    const places = minorDigits(code);
    const exact = name === "average" ? divided(found, BigInt(count), places) : added(found, { ...zero, scale: places });
    return { amount: decimalText(exact), currency: code };
  }
  if (name !== "sum" && name !== "average") return value;
  if (found === undefined) return name === "sum" ? 0 : null;
  const number = Number(decimalText(name === "average" ? divided(found, BigInt(count), averagePlaces) : found));
  const isInt = name === "sum" && expression.type.kind === "int";
  return (isInt ? Number.isSafeInteger(number) : Number.isFinite(number)) ? number : null;
}
