/** Converts the columns of a table to the fields of a resource, and its constraints to modifiers and rules. */
import type { Field, FieldType, Modifier, Rule } from "../../language/resources/model.ts";
import { below } from "../report.ts";
import type { CatalogueColumn } from "./catalogue.ts";
import { addDefault, isRandomUuid } from "./defaults.ts";
import { columnsOf, type Context, type Draft, kindOf, type NamedTable, withPlainValues } from "./draft.ts";
import { addCheck } from "./field-checks.ts";
import { addReferences } from "./references.ts";
import { parseSql } from "./sql-expression.ts";
import type { Dialect } from "./sql-tokens.ts";
import { valueText } from "./sql-to-expression.ts";
import { typeOfColumn } from "./types.ts";
import { addIndexes, addKey, addUniques } from "./uniqueness.ts";

export interface Converted {
  readonly fields: Readonly<Record<string, Field>>;
  readonly rules: readonly Rule[];
}

export function convertTable(named: NamedTable, context: Context): Converted {
  const { table } = named;
  const drafts = new Map<string, Draft>();
  for (const column of table.columns) {
    const draft = draftOf(column, named, context);
    if (draft !== undefined) drafts.set(column.name, draft);
  }
  addReferences(drafts, named, context);
  addGenerated(drafts, named, context);
  const rules: Rule[] = [...addUniques(drafts, named, context)];
  for (const check of table.checks) rules.push(...addCheck(drafts, named, check, context));
  for (const draft of drafts.values()) addDefault(draft, named, context);
  addIndexes(drafts, named, context);
  addKey(drafts, named, rules);
  const present = [...drafts.values()];
  const id = present.find(({ name }) => name === "id");
  const made: Field = { type: { kind: "id", made: "server" }, optional: false, marks: [] };
  const rest = present.filter((one) => one !== id).map((one): [string, Field] => [one.name, fieldOf(one)]);
  return { fields: Object.fromEntries([["id", id === undefined ? made : fieldOf(id)], ...rest]), rules };
}

function fieldOf({ column, computed, default: value, marks, optional, type }: Draft): Field {
  return {
    type,
    optional,
    ...(value === undefined ? {} : { default: value }),
    ...(computed === undefined ? {} : { computed }),
    marks: [...marks],
    ...(column.comment === undefined ? {} : { note: oneLine(column.comment) }),
  };
}

function oneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, 500);
}

function draftOf(column: CatalogueColumn, named: NamedTable, { dialect, notices }: Context): Draft | undefined {
  const pointer = below("", named.table.name, column.name);
  const name = named.fields.get(column.name);
  if (name === undefined) return undefined;
  if (name !== column.name && name !== "id")
    notices.renamed(pointer, "a column by a name that a field cannot have", `${column.name} is ${name}`);
  const found = typeOfColumn(column, dialect);
  const named_ = column.type === "" ? "no type" : column.type;
  if (found.lost !== undefined) notices.lost(pointer, found.lost, named_);
  if (found.guessed !== undefined) notices.guessed(pointer, found.guessed, named_);
  const isId = column.name === named.identity;
  const type = isId ? idType(column, found.type, dialect) : withPlainValues(found.type);
  const marks = new Set<Modifier>();
  if (!isId && isSecretName(column.name) && ["text", "bytes"].includes(kindOf(found.type))) {
    marks.add("write-only");
    notices.guessed(pointer, "that a column is a secret, by its name, so that no response has it");
  }
  return { column, name, type, optional: !column.required && !isId, marks, pointer };
}

function isSecretName(name: string): boolean {
  return /passw(?:or)?d|passphrase|secret|api_?key|private_?key|(?:^|_)(?:salt|pwd)$/i.test(name);
}

/** Whether clients can send a value of the type in a path. */
export function canBeKey(type: FieldType): boolean {
  return (
    type.kind === "one-of" ||
    (type.kind === "scalar" && ["string", "text", "integer", "uuid", "date"].includes(type.name))
  );
}

function idType(column: CatalogueColumn, type: FieldType, dialect: Dialect): FieldType {
  if (column.counted === true && type.kind === "scalar" && type.name === "integer")
    return { kind: "id", made: "counter" };
  const isMade = type.kind === "scalar" && type.name === "uuid" && isRandomUuid(column, dialect);
  return { kind: "id", made: isMade ? "server" : "client", of: type };
}

/** A generated column becomes a computed field; without an equal expression the resource does not have it. */
function addGenerated(
  drafts: Map<string, Draft>,
  { resource, table }: NamedTable,
  { dialect, notices }: Context,
): void {
  for (const column of table.columns) {
    const draft = drafts.get(column.name);
    if (column.generated === undefined || draft === undefined) continue;
    const parsed = parseSql(column.generated, dialect);
    const text = parsed && valueText(parsed, columnsOf(drafts, resource), kindOf(draft.type));
    if (text === undefined || draft.name === "id") {
      notices.lost(draft.pointer, "a generated column, whose expression the language does not have", column.generated);
      drafts.delete(column.name);
    } else {
      draft.computed = text;
      // The bounds and the length of the type are those of the expression's operands.
      if (draft.type.kind === "scalar") draft.type = { kind: "scalar", name: draft.type.name };
      draft.optional = false;
    }
  }
}
