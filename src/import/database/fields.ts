/** Converts the columns of a table to the fields of a resource, and its constraints to modifiers and rules. */
import type { Model } from "../../language/model.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import type { Default, Field, FieldType, Modifier, Rule } from "../../language/resources/model.ts";
import { below, type ImportNotices } from "../report.ts";
import { kebabCase, uniqueName } from "../../base/case.ts";
import type { CatalogueColumn, CatalogueReference, CatalogueTable } from "./catalogue.ts";
import { type ColumnCheck, readCheck } from "./checks.ts";
import { parseSql, type SqlExpression } from "./sql-expression.ts";
import type { Dialect } from "./sql-tokens.ts";
import { type ColumnKind, type NamedColumn, type NamedColumns, valueText } from "./sql-to-expression.ts";
import { typeOfColumn } from "./types.ts";

/** A table that becomes a resource. */
export interface NamedTable {
  readonly table: CatalogueTable;
  readonly resource: string;
  /** The field of each column. */
  readonly fields: ReadonlyMap<string, string>;
  /** The column that is the id; absent if the key of the table cannot be one, so that the resource gets an id beside it. */
  readonly identity?: string;
  /** The columns of the key if the resource has an id beside it. */
  readonly key: readonly string[];
}

export interface Context {
  readonly dialect: Dialect;
  readonly tables: ReadonlyMap<string, NamedTable>;
  readonly notices: ImportNotices;
  /** The codes of errors, with their sentences, which the rules add. */
  readonly errors: Map<string, string>;
}

export interface Converted {
  readonly fields: Readonly<Record<string, Field>>;
  readonly rules: readonly Rule[];
}

/** A field while the constraints of its table are added to it. */
interface Draft {
  readonly column: CatalogueColumn;
  readonly name: string;
  type: FieldType;
  optional: boolean;
  default?: Default;
  computed?: string;
  readonly marks: Set<Modifier>;
  readonly pointer: string;
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
    optional: optional && computed === undefined ? true : optional,
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

/** A closed list of values that the one-line form cannot have is a schema. */
function withPlainValues(type: FieldType): FieldType {
  if (type.kind === "list") return { ...type, of: withPlainValues(type.of) };
  if (type.kind !== "one-of" || type.values.every((one) => /^[^\p{Cc}]+$/u.test(one))) return type;
  return { kind: "schema", schema: { type: "string", enum: type.values } };
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

function isRandomUuid({ default: sql }: CatalogueColumn, dialect: Dialect): boolean {
  const parsed = sql === undefined ? undefined : parseSql(sql, dialect);
  return parsed?.kind === "call" && /^(?:gen_random_uuid|uuid_generate_v[14]|uuidv[47])$/.test(parsed.name);
}

// ── References ─────────────────────────────────────────────────────────────────────────────────────────────────────

function addReferences(drafts: ReadonlyMap<string, Draft>, { table }: NamedTable, context: Context): void {
  const { notices } = context;
  for (const reference of table.references) {
    const [column = "", ...more] = reference.columns;
    const pointer = below("", table.name, column);
    const detail = `${reference.columns.join(", ")} to ${reference.table}(${reference.to.join(", ")})`;
    const draft = drafts.get(column);
    if (more.length > 0) {
      notices.lost(pointer, "a reference of several columns", detail);
      continue;
    }
    if (draft === undefined) continue;
    const target = targetOf(reference, context);
    if (draft.type.kind === "id") notices.lost(pointer, "that an id is a reference", detail);
    else if (target === undefined)
      notices.lost(pointer, "a reference to something else than the id of a resource", detail);
    else if (draft.type.kind === "named") notices.lost(pointer, "a second reference of one column", detail);
    else {
      draft.type = { kind: "named", name: target.resource };
      draft.marks.delete("write-only");
      addDeletion(draft, reference, notices, detail);
    }
  }
}

/** Returns the resource whose id the reference has. */
function targetOf({ table, to }: CatalogueReference, { tables }: Context): NamedTable | undefined {
  const target =
    tables.get(table) ?? [...tables.values()].find((one) => one.table.name.toLowerCase() === table.toLowerCase());
  const [column] = to;
  return target?.identity !== undefined && target.identity.toLowerCase() === column?.toLowerCase() ? target : undefined;
}

function addDeletion(
  draft: Draft,
  { onDelete, onUpdate }: CatalogueReference,
  notices: ImportNotices,
  detail: string,
): void {
  if (onDelete === "CASCADE") draft.marks.add("delete with");
  if (onDelete === "SET NULL" && draft.optional) draft.marks.add("clear");
  if (onDelete === "SET DEFAULT" || (onDelete === "SET NULL" && !draft.optional))
    notices.lost(draft.pointer, `what a deletion does to a reference: ${onDelete}`, detail);
  if (onUpdate !== "NO ACTION" && onUpdate !== "RESTRICT")
    notices.lost(draft.pointer, "what a changed key does to its references: an id never changes", detail);
}

// ── Generated columns, uniqueness, indexes ─────────────────────────────────────────────────────────────────────────

function columnsOf(drafts: ReadonlyMap<string, Draft>, resource: string): NamedColumns {
  const columns = [...drafts].map(([column, { name, optional, type }]): [string, NamedColumn] => [
    column,
    { field: name, kind: name === "id" ? `record ${resource}` : kindOf(type), optional },
  ]);
  // SQLite ignores the case of names.
  return new Map(columns.flatMap(([column, one]) => [[column.toLowerCase(), one] as const, [column, one] as const]));
}

function kindOf(type: FieldType): ColumnKind {
  if (type.kind === "one-of") return "text";
  if (type.kind === "named") return `record ${type.name}`;
  if (type.kind !== "scalar") return "other";
  switch (type.name) {
    case "string":
    case "text":
    case "uuid":
      return "text";
    case "integer":
    case "boolean":
    case "datetime":
    case "date":
      return type.name;
    case "number":
    case "decimal":
      return "number";
    default:
      return "other";
  }
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

function addUniques(
  drafts: ReadonlyMap<string, Draft>,
  { table, ...named }: NamedTable,
  context: Context,
): readonly Rule[] {
  const rules: Rule[] = [];
  const keyOf = (set: readonly (string | undefined)[]): string =>
    JSON.stringify(set.map(String).toSorted((a, b) => (a < b ? -1 : 1)));
  const sets = new Set([keyOf(named.key)]);
  for (const { columns, name, nullsEqual, where } of table.uniques) {
    const found = columns.map((column) => (column === undefined ? undefined : drafts.get(column)));
    const pointer = below("", table.name, ...columns.filter((one) => one !== undefined).slice(0, 1));
    if (where !== undefined || found.some((one) => one === undefined || one.computed !== undefined)) {
      const what = where === undefined ? "uniqueness of an expression" : "uniqueness of only some rows";
      context.notices.lost(pointer, what, where === undefined ? name : `${name}: ${where}`);
      continue;
    }
    const [first, ...more] = found as readonly Draft[];
    const set = keyOf(columns);
    if (first === undefined || first.name === "id" || sets.has(set)) continue;
    sets.add(set);
    if (more.length === 0 && !(nullsEqual && first.optional)) {
      if (kindOf(first.type) === "other") context.notices.lost(pointer, "uniqueness of a structure", name);
      else first.marks.add("unique");
    } else rules.push(uniqueRule([first, ...more], nullsEqual));
  }
  return rules;
}

function uniqueRule(drafts: readonly Draft[], nullsEqual: boolean): Rule {
  const isOptional = drafts.some(({ optional }) => optional);
  return {
    kind: "unique",
    fields: drafts.map(({ name }) => name),
    ...(isOptional ? { absent: nullsEqual ? ("equal" as const) : ("distinct" as const) } : {}),
  };
}

/** The key of a table whose resource has an id beside it: its columns never change, and together they are unique. */
function addKey(drafts: ReadonlyMap<string, Draft>, { key }: NamedTable, rules: Rule[]): void {
  const found = key.map((column) => drafts.get(column)).filter((one) => one !== undefined);
  if (found.length === 0 || found.length < key.length) return;
  for (const draft of found) {
    draft.optional = false;
    if (!draft.marks.has("read-only")) draft.marks.add("create-only");
  }
  const [first, ...more] = found;
  if (more.length === 0) first?.marks.add("unique");
  else rules.unshift(uniqueRule(found, false));
}

/** An index is there for queries: lists filter by its first column, and sort by a number or a time. */
function addIndexes(drafts: ReadonlyMap<string, Draft>, { table }: NamedTable, { notices }: Context): void {
  const firsts = new Set(table.indexes.flatMap(([first]) => (first === undefined ? [] : [first])));
  for (const draft of drafts.values()) {
    const isReference = draft.type.kind === "named";
    if (draft.name === "id" || draft.computed !== undefined || draft.marks.has("write-only")) continue;
    const kind = kindOf(draft.type);
    if ((!isReference && !firsts.has(draft.column.name)) || kind === "other") continue;
    draft.marks.add("filter");
    if (["integer", "number", "datetime", "date"].includes(kind)) draft.marks.add("sort");
    notices.guessed(draft.pointer, "filters and orders of lists, from references and indexes");
  }
}

// ── Checks and defaults ────────────────────────────────────────────────────────────────────────────────────────────

function addCheck(
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
  const rule = ruleText(name, check);
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
  if (isText && values.every((one) => typeof one === "string"))
    return withPlainValues({ kind: "one-of", values: [...new Set(values)], open: false });
  const numbers = [...new Set(values)].filter((one) => typeof one === "number").toSorted((a, b) => a - b);
  if (type.name !== "integer" || numbers.length < new Set(values).size) return undefined;
  if (numbers.join() === "0,1") return { kind: "scalar", name: "boolean" };
  const [min = 0] = numbers;
  const isRun = numbers.every((one, index) => one === min + index);
  return isRun ? { ...type, min, max: min + numbers.length - 1 } : undefined;
}

function ruleText(name: string, check: ColumnCheck): string | undefined {
  switch (check.kind) {
    case "least":
    case "most": {
      const subject = check.of === "length" ? `size(${name})` : name;
      return `${subject} ${check.kind === "least" ? ">=" : "<="} ${check.value}`;
    }
    case "values": {
      const items = check.values.map((one) => (typeof one === "number" ? String(one) : `'${one}'`));
      return items.every((one) => /^(?:'[^'"\\\p{Cc}]*'|-?\d+)$/u.test(one))
        ? `${name} in [${items.join(", ")}]`
        : undefined;
    }
    default:
      return undefined;
  }
}

/** An empty model is enough for the literals of defaults, since their types contain no names. */
const empty = { resources: { resources: {}, types: {}, rules: {} } } as unknown as Model;

function addDefault(draft: Draft, { table }: NamedTable, { dialect, notices }: Context): void {
  const { column, pointer, type } = draft;
  if (draft.name === "id" && type.kind === "id" && type.made === "server") draft.default = { kind: "uuid" };
  if (draft.name === "id" ? type.kind === "id" && type.made !== "client" : draft.computed !== undefined) return;
  if (column.counted === true) {
    if (type.kind !== "scalar" || draft.name === "id") return;
    draft.type = { kind: "scalar", name: type.name };
    draft.default = { kind: "counter" };
    draft.marks.add("read-only");
    return;
  }
  if (column.default === undefined) return;
  const parsed = parseSql(column.default, dialect);
  if (parsed?.kind === "literal" && parsed.value === null) return;
  const made = parsed && defaultOf(draft, parsed);
  if (made === undefined) {
    notices.lost(pointer, "a default that the language does not have", column.default);
    return;
  }
  draft.default = made;
  if (made.kind === "now") addTime(draft, table, notices);
}

/** A time that the database sets at the creation; by its name and a trigger also at each change. */
function addTime(draft: Draft, { triggers }: CatalogueTable, notices: ImportNotices): void {
  const isOfChange = /^(?:last_?)?(?:updated|modified|changed|update|modification)(?:_?(?:at|on|date|time))?$/i.test(
    draft.column.name,
  );
  if (isOfChange) {
    draft.default = { kind: "now-on-change" };
    const why = triggers.length > 0 ? "by its name and the triggers of the table" : "by its name";
    notices.guessed(draft.pointer, `that a time is the time of the last change, ${why}`);
  }
  draft.marks.add("read-only");
  notices.guessed(draft.pointer, "that callers do not set a time for which the database has a default");
}

function defaultOf({ column, marks, type }: Draft, parsed: SqlExpression): Default | undefined {
  const inner = type.kind === "id" ? type.of : type;
  if (isNow(parsed) && inner?.kind === "scalar" && inner.name === "datetime") return { kind: "now" };
  if (parsed.kind === "call" && inner?.kind === "scalar" && inner.name === "uuid")
    return /^(?:gen_random_uuid|uuid_generate_v[14]|uuidv[47])$/.test(parsed.name) ? { kind: "uuid" } : undefined;
  if (parsed.kind !== "literal" || inner === undefined) return undefined;
  const text = literalText(parsed, inner);
  const field: Field = {
    type: inner,
    optional: !column.required,
    default: { kind: "literal", text },
    marks: [...marks],
  };
  const value = defaultValue(empty, field);
  return value === undefined || !isValidDefault(value, inner) ? undefined : { kind: "literal", text };
}

function literalText({ text, value }: SqlExpression & { readonly kind: "literal" }, type: FieldType): string {
  const isBoolean = type.kind === "scalar" && type.name === "boolean";
  if (isBoolean && (value === 0 || value === 1)) return String(value === 1);
  if (isBoolean && typeof value === "string") return /^(?:t|true|1|yes|on)$/i.test(value) ? "true" : "false";
  return typeof value === "boolean" ? String(value) : text;
}

/** Whether a default is within the type, as far as the type has bounds; `check` would reject another one. */
function isValidDefault(value: unknown, type: FieldType): boolean {
  if (type.kind === "one-of") return typeof value === "string" && type.values.includes(value);
  if (type.kind !== "scalar") return type.kind === "schema";
  const { max = Number.POSITIVE_INFINITY, min = Number.NEGATIVE_INFINITY, name, pattern } = type;
  if (typeof value === "number") return value >= min && value <= max;
  if (typeof value === "boolean") return name === "boolean";
  if (typeof value !== "string") return name === "json";
  switch (name) {
    case "string":
    case "text":
      return (
        [...value].length >= min &&
        [...value].length <= max &&
        (pattern === undefined || new RegExp(pattern, "u").test(value))
      );
    case "uuid":
      return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
    case "date":
      return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
    case "time":
      return /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/.test(value);
    case "datetime":
      return true;
    default:
      return name === "json";
  }
}

/** `now()`, CURRENT_TIMESTAMP, `timezone('utc', now())`, SQLite's `datetime('now')` and `strftime('…', 'now')`. */
function isNow(expression: SqlExpression): boolean {
  if (expression.kind !== "call") return false;
  const { name, of } = expression;
  if (/^(?:now|current_timestamp|localtimestamp|statement_timestamp|transaction_timestamp|clock_timestamp)$/.test(name))
    return true;
  if (name === "timezone") return of.some((one) => isNow(one));
  if (!/^(?:datetime|strftime)$/.test(name)) return false;
  return of.some((one) => one.kind === "literal" && one.value === "now");
}
