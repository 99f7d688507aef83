/** Adds CHECK constraints to the fields that they are about: as bounds and closed lists of their types, else as rules. */
import { kebabCase, uniqueName } from "../../base/case.ts";
import type { FieldType, Rule } from "../../language/resources/model.ts";
import { below } from "../report.ts";
import type { CatalogueTable } from "./catalogue.ts";
import { type ColumnCheck, readCheck } from "./checks.ts";
import { isBareField } from "../../language/resources/value-type.ts";
import { variables } from "./sql-to-expression.ts";
import { columnsOf, type Context, type Draft, type NamedTable, withPlainValues } from "./draft.ts";

export function addCheck(
  drafts: ReadonlyMap<string, Draft>,
  { resource, table }: NamedTable,
  { column, name, sql }: CatalogueTable["checks"][number],
  { dialect, errors, notices }: Context,
): readonly Rule[] {
  const columns = columnsOf(drafts, resource);
  const read = readCheck(sql, dialect, columns, column);
  const lost = (): readonly Rule[] => {
    notices.lost(below("", table.name, ...(column === undefined ? [] : [column])), "a CHECK", sql);
    return [];
  };
  if (read.lost !== undefined) return lost();
  const more: string[] = [];
  for (const one of read.columns) {
    const draft = [...drafts.values()].find((each) => each.column.name.toLowerCase() === one.column.toLowerCase());
    if (draft === undefined) return lost();
    const rules = applyCheck(draft, one);
    if (rules === undefined) lost();
    else more.push(...rules.map((text) => (draft.optional ? `${draft.name} == null || ${text}` : text)));
  }
  const parts = [...more, ...(read.rule === undefined ? [] : [read.rule])];
  if (parts.length === 0) return [];
  const text = parts.length === 1 ? `${parts[0]}` : parts.map((part) => `(${part})`).join(" && ");
  if (text.length > 1_000) return lost();
  const code = codeOf(name ?? `${table.name} check`, resource, errors);
  errors.set(code, `The record has to fulfil ${text}`);
  return [{ kind: "holds", expression: text, else: code }];
}

/** Returns a new code of part 7, from the name of the constraint. */
function codeOf(name: string, resource: string, errors: ReadonlyMap<string, string>): string {
  const plain = kebabCase(name.normalize("NFKD").replaceAll(/[^A-Za-z0-9]+/g, " ")).replace(/^[^a-z]+/, "");
  return uniqueName(new Set(errors.keys()), `${plain === "" ? kebabCase(`${resource} check`) : plain}-broken`, "-");
}

/** Adds a condition to the type of a field. Returns the conditions for a rule that remain; undefined if it is lost. */
function applyCheck(draft: Draft, check: ColumnCheck): readonly string[] | undefined {
  const { computed, name, type } = draft;
  if (check.kind === "required") {
    draft.optional = false;
    return [];
  }
  // Counted ids begin at 1.
  if (type.kind === "id" && type.made === "counter") return check.kind === "least" && check.value <= 1 ? [] : undefined;
  if (check.kind === "json") {
    draft.type = { kind: "scalar", name: "json" };
    return [];
  }
  const inner = type.kind === "id" ? type.of : type;
  const narrowed = computed === undefined && inner !== undefined ? narrowedType(inner, check) : undefined;
  if (narrowed !== undefined) {
    draft.type = type.kind === "id" ? { ...type, of: narrowed } : narrowed;
    return [];
  }
  const rule = isBareField(name, variables) ? ruleText(name, inner, check) : undefined;
  return rule === undefined ? undefined : [rule];
}

function narrowedType(type: FieldType, check: ColumnCheck): FieldType | undefined {
  if (type.kind !== "scalar") return undefined;
  const isText = type.name === "string" || type.name === "text";
  const isNumber = ["integer", "number", "decimal"].includes(type.name);
  switch (check.kind) {
    case "least":
    case "most": {
      if (check.of === "length" ? !isText : !isNumber) return undefined;
      const { max: most, min: least } = type;
      const next = { ...type };
      if (check.kind === "least") next.min = Math.max(check.value, least ?? Number.NEGATIVE_INFINITY);
      else next.max = Math.min(check.value, most ?? Number.POSITIVE_INFINITY);
      if (check.of === "length" && (next.min ?? 0) < 0) next.min = 0;
      return (next.min ?? Number.NEGATIVE_INFINITY) <= (next.max ?? Number.POSITIVE_INFINITY) ? next : undefined;
    }
    case "values":
      return typeOfValues(type, check.values, isText);
    case "pattern":
      return isText && type.pattern === undefined ? { ...type, pattern: check.pattern } : undefined;
    default:
      return undefined;
  }
}

function typeOfValues(
  type: FieldType & { readonly kind: "scalar" },
  values: readonly (string | number)[],
  isText: boolean,
): FieldType | undefined {
  if (type.name === "boolean") return values.includes(0) && values.includes(1) ? type : undefined;
  if (isText && values.every((one) => typeof one === "string"))
    return withPlainValues({ kind: "one-of", values: [...new Set(values)], open: false });
  const numbers = [...new Set(values)].filter((one) => typeof one === "number").toSorted((a, b) => a - b);
  if (type.name !== "integer" || numbers.length < new Set(values).size) return undefined;
  if (numbers.join() === "0,1") return { kind: "scalar", name: "boolean" };
  const [min = 0] = numbers;
  const isRun = numbers.every((one, index) => one === min + index);
  return isRun ? { ...type, min, max: min + numbers.length - 1 } : undefined;
}

function ruleText(name: string, type: FieldType | undefined, check: ColumnCheck): string | undefined {
  switch (check.kind) {
    case "least":
    case "most": {
      const subject = check.of === "length" ? `size(${name})` : name;
      return `${subject} ${check.kind === "least" ? ">=" : "<="} ${check.value}`;
    }
    case "values": {
      const items = check.values.map((one) => valueText(type, one));
      return items.every((one) => /^(?:'[^'"\\\p{Cc}]*'|-?\d+|true|false)$/u.test(one))
        ? `${name} in [${items.join(", ")}]`
        : undefined;
    }
    default:
      return undefined;
  }
}

/** Returns a value as an expression writes it; an empty text for one that a field of the type cannot have in an expression. */
function valueText(type: FieldType | undefined, value: string | number): string {
  const name = type?.kind === "scalar" ? type.name : type?.kind;
  if (name === "boolean") return value === 0 || value === 1 ? String(value === 1) : "";
  if (typeof value === "number") return ["integer", "number", "decimal"].includes(name ?? "") ? String(value) : "";
  return ["string", "text", "one-of"].includes(name ?? "") ? `'${value}'` : "";
}
