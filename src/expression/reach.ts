/**
 * Finds the records that a condition over one record reads, and for which records to evaluate the condition again after a
 * write to one of the records that it reads. A superset is enough: a record whose condition has not changed still satisfies
 * the condition.
 */
import { isRecordList, mentions, parts, type Records, type TypedExpression } from "./typed.ts";
import type { ValueType } from "./types.ts";

/** The records and fields on which a condition depends. */
export interface Reach {
  /**
   * Whether the condition reads a variable of a request (`caller`, `now`, `old`): then it is about a write, not about stored
   * records.
   */
  readonly aboutWrite: boolean;
  /** Fields of the condition's own record, including those that it reads of `old`. */
  readonly local: readonly string[];
  readonly others: readonly Dependency[];
  /**
   * The field of the condition's own record through which it reaches all other records: two writes with different values of
   * this field do not affect the same record. Absent: there is no such field.
   */
  readonly key?: string;
  /** The columns by which the records are found, each of which needs an index. */
  readonly columns: readonly ColumnOf[];
}

export interface ColumnOf {
  readonly resource: string;
  readonly column: string;
}

/** The condition's dependency on the records of one resource. */
export interface Dependency {
  readonly resource: string;
  /** `walk`: single records, through references. `records`: all records for which the condition's filters are true. */
  readonly kind: "walk" | "records";
  readonly columns: readonly string[];
  /** The records affected by a write of such a record. Absent: a write may affect every record. */
  readonly affected?: Affected;
  readonly at: TypedExpression["at"];
}

/**
 * The records that a write affects: those for which `where` is true, with the written record's `column`, before and after the
 * write, as the variable `reach.value`. If that is null, `absent` applies; without `absent`, none.
 */
export interface Affected {
  readonly column: string;
  readonly where: TypedExpression;
  readonly absent?: TypedExpression;
  /** The field of the condition's own record, if `where` only compares this field with the value. */
  readonly field?: string;
}

export const reachVariable = "reach";

/** The records that a macro iterates over, and how its condition selects them. */
interface Frame {
  readonly resource: string;
  readonly slot: number;
  readonly columns: Set<string>;
  /** Equalities between a field of these records and an expression outside the macro. */
  readonly joins: { readonly local: Node; readonly outer: TypedExpression }[];
  /** Set if they are the ancestors of a record: the list. */
  readonly ancestors?: Records;
  readonly around: Frames;
  readonly at: TypedExpression["at"];
}

type Frames = ReadonlyMap<number, Frame>;
type Node = Extract<TypedExpression, { kind: "item-field" }>;
type WalkNode = Extract<TypedExpression, { kind: "walk" }>;

export function reachOf(condition: TypedExpression): Reach {
  const local = new Set<string>();
  const frames: Frame[] = [];
  const walks: { readonly walk: WalkNode; readonly around: Frames }[] = [];
  let aboutWrite = false;

  /** Returns the frame of a list of records, with the conditions of its filters. */
  const frameOf = (list: TypedExpression, slot: number, around: Frames): Frame => {
    if (list.kind === "records") {
      const { ancestors, resource, at } = list;
      const columns = new Set(ancestors === undefined ? [] : [ancestors.field]);
      const frame = {
        resource,
        slot,
        columns,
        joins: [],
        around,
        at,
        ...(ancestors === undefined ? {} : { ancestors: list }),
      };
      frames.push(frame);
      if (ancestors !== undefined) visit(ancestors.from, around);
      return frame;
    }
    const [inner] = list.kind === "macro" ? [list.list] : parts(list);
    if (inner === undefined) throw new Error("a list of records starts with no resource");
    const frame = frameOf(inner, slot, around);
    if (list.kind === "macro") visitBody(list, frame, around);
    return frame;
  };

  const visitBody = (macro: Extract<TypedExpression, { kind: "macro" }>, frame: Frame, around: Frames): void => {
    const holds = { filter: true, exists: true, all: false, map: undefined, sortBy: undefined }[macro.macro];
    // An equality does not limit which ancestors are read: the path to them also passes through others.
    if (holds !== undefined && frame.ancestors === undefined)
      frame.joins.push(...equalities(macro.body, holds, frame.slot));
    visit(macro.body, new Map([...around, [frame.slot, frame]]));
  };

  const visit = (node: TypedExpression, around: Frames): void => {
    switch (node.kind) {
      case "field":
        local.add(node.name);
        return;
      case "variable": {
        aboutWrite = true;
        const [variable, name] = node.path;
        if (variable === "old" && name !== undefined) local.add(name);
        return;
      }
      case "item-field":
        around.get(node.slot)?.columns.add(node.name);
        return;
      case "walk":
        walks.push({ walk: node, around });
        visit(node.reference, around);
        return;
      case "macro":
        if (node.records) visitBody(node, frameOf(node.list, node.slot, around), around);
        else {
          visit(node.list, around);
          visit(node.body, around);
        }
        return;
      default:
        if (isRecordList(node)) frameOf(node, slotAfter(around), around);
        else for (const part of parts(node)) visit(part, around);
    }
  };

  visit(condition, new Map());
  const key = aboutWrite ? undefined : commonField(frames, walks);
  const columns: ColumnOf[] = [];
  const others = [
    ...frames.map((frame): Dependency => {
      const { resource, at } = frame;
      const affected = affectedByFrame(frame, key, columns);
      return {
        resource,
        kind: "records",
        columns: [...frame.columns],
        ...(affected === undefined ? {} : { affected }),
        at,
      };
    }),
    ...walks.map(({ walk: { reference, resource, name, at }, around }): Dependency => {
      const affected = affectedBy(reference, around, { column: "id", nullable: false }, columns);
      return { resource, kind: "walk", columns: [name], ...(affected === undefined ? {} : { affected }), at };
    }),
  ];
  return { aboutWrite, local: [...local], others, columns, ...(key === undefined ? {} : { key }) };
}

function slotAfter(around: Frames): number {
  return Math.max(-1, ...around.keys()) + 1;
}

/**
 * Returns the field of the condition's own record through which all of the other records are reached; undefined if there is no
 * single such field.
 */
function commonField(frames: readonly Frame[], walks: readonly { readonly walk: WalkNode }[]): string | undefined {
  const each = [
    ...frames.map(({ joins }) => joins.flatMap(({ outer }) => (outer.kind === "field" ? [outer.name] : []))),
    ...walks.map(({ walk: { reference } }) => (reference.kind === "field" ? [reference.name] : [])),
  ];
  const [first = [], ...rest] = each;
  return first.find((name) => rest.every((names) => names.includes(name)));
}

/**
 * Returns the equalities `field == outer` that hold whenever the condition is true (or, without `holds`, is not true).
 * Comparisons with a field of an inner item do not count.
 */
function equalities(condition: TypedExpression, holds: boolean, slot: number): Frame["joins"] {
  if (condition.kind === "not") return equalities(condition.operand, !holds, slot);
  if (condition.kind === "logical") {
    if ((condition.operator === "&&") !== holds) return [];
    return [...equalities(condition.left, holds, slot), ...equalities(condition.right, holds, slot)];
  }
  if (condition.kind !== "compare" || condition.operator !== (holds ? "==" : "!=")) return [];
  const { left, right } = condition;
  return [
    [left, right],
    [right, left],
  ].flatMap(([local, outer]) => {
    const isJoin = local?.kind === "item-field" && local.slot === slot && outer !== undefined && isOutside(outer, slot);
    return isJoin ? [{ local, outer }] : [];
  });
}

/** Whether the expression depends only on variables outside the macro. */
function isOutside(expression: TypedExpression, slot: number): boolean {
  if (expression.kind === "item-field") return expression.slot < slot;
  if (expression.kind === "walk") return isOutside(expression.reference, slot);
  return expression.kind === "field";
}

function affectedByFrame(frame: Frame, key: string | undefined, columns: ColumnOf[]): Affected | undefined {
  if (frame.ancestors !== undefined) {
    const { of: type } = frame.ancestors.type as { readonly of: ValueType };
    const where = belowAncestor(frame.ancestors, { name: "id", type, nullable: false }, (id) =>
      equals(id, valueOf(type)),
    );
    return where && { column: "id", where };
  }
  const rank = ({ outer }: Frame["joins"][number]): number => {
    if (outer.kind !== "field") return 2;
    return outer.name === key ? 0 : 1;
  };
  for (const { local, outer } of frame.joins.toSorted((a, b) => rank(a) - rank(b))) {
    const written = { column: local.name, nullable: local.nullable };
    const affected = affectedBy(outer, frame.around, written, columns);
    if (affected === undefined) continue;
    columns.push({ resource: frame.resource, column: local.name });
    return affected;
  }
  return undefined;
}

function affectedBy(
  outer: TypedExpression,
  around: Frames,
  written: { readonly column: string; readonly nullable: boolean },
  columns: ColumnOf[],
): Affected | undefined {
  const found: ColumnOf[] = [];
  const where = recordsWhere(outer, around, found, {
    test: (value) => equals(value, valueOf(value.type)),
    ofNull: false,
  });
  if (where === undefined) return undefined;
  columns.push(...found);
  const isAbsent: Test = { test: (value) => equals(value, nothing), ofNull: true };
  const absent = written.nullable && mayBeNull(outer) ? recordsWhere(outer, around, [], isAbsent) : undefined;
  return {
    column: written.column,
    where,
    ...(absent === undefined ? {} : { absent }),
    ...(outer.kind === "field" ? { field: outer.name } : {}),
  };
}

interface Test {
  readonly test: (value: TypedExpression, slot: number) => TypedExpression;
  /** Whether the test may be true for null. */
  readonly ofNull: boolean;
}

/** Whether a value may be null: a path through an absent reference is null. */
function mayBeNull({ kind, nullable }: TypedExpression): boolean {
  return nullable || kind === "walk";
}

/** Builds a condition over a record: true if a value that the record reaches passes a test. */
function recordsWhere(
  outer: TypedExpression,
  around: Frames,
  columns: ColumnOf[],
  { ofNull, test }: Test,
): TypedExpression | undefined {
  if (outer.kind === "field") {
    columns.push({ resource: "", column: outer.name });
    return test(outer, 0);
  }
  if (outer.kind === "walk") {
    const { reference, resource, name, type, nullable } = outer;
    columns.push({ resource, column: name });
    const through = (value: TypedExpression, slot: number): TypedExpression => {
      const read = itemField(resource, slot, name, type, nullable);
      const id = itemField(resource, slot, "id", value.type, false);
      const among = isAmong(value, resource, slot, test(read, slot + 1), id);
      return ofNull ? orNull(value, among) : among;
    };
    return recordsWhere(reference, around, columns, { test: through, ofNull });
  }
  const frame = outer.kind === "item-field" ? around.get(outer.slot) : undefined;
  if (outer.kind !== "item-field" || frame === undefined) return undefined;
  if (frame.ancestors !== undefined) return belowAncestor(frame.ancestors, outer, test);
  for (const join of frame.joins) {
    const { local } = join;
    const found: ColumnOf[] = [{ resource: frame.resource, column: outer.name }];
    const isSame = local.name === outer.name;
    // Two nulls are equal, so records with null on both sides match too.
    const tiesNulls = local.nullable && mayBeNull(join.outer);
    const through = (value: TypedExpression, slot: number): TypedExpression => {
      const read = itemField(frame.resource, slot, outer.name, outer.type, outer.nullable);
      const tied = itemField(frame.resource, slot, local.name, local.type, local.nullable);
      const among = isAmong(value, frame.resource, slot, test(read, slot + 1), tied);
      return tiesNulls ? orNull(value, among) : among;
    };
    const inner = isSame ? { ofNull, test } : { ofNull: tiesNulls, test: through };
    const where = recordsWhere(join.outer, frame.around, found, inner);
    if (where === undefined) continue;
    columns.push(...found);
    return where;
  }
  return undefined;
}

/** Builds a condition over a record: a field of one of its ancestors passes a test. */
function belowAncestor(
  list: Records,
  { name, nullable, type }: Pick<Node, "name" | "nullable" | "type">,
  test: Test["test"],
): TypedExpression | undefined {
  if (list.ancestors === undefined || mentions(list.ancestors.from, "item-field", "item", "macro")) return undefined;
  const body = test(itemField(list.resource, 0, name, type, nullable), 1);
  return {
    kind: "macro",
    macro: "exists",
    records: true,
    slot: 0,
    list,
    body,
    at: nowhere,
    type: bool,
    nullable: false,
  };
}

const bool = { kind: "bool" } as const;
const nowhere = { start: 0, end: 0 };

const nothing: TypedExpression = { kind: "constant", value: null, at: nowhere, type: { kind: "null" }, nullable: true };

function valueOf(type: ValueType): TypedExpression {
  return { kind: "variable", path: [reachVariable, "value"], at: nowhere, type, nullable: false };
}

function itemField(resource: string, slot: number, name: string, type: ValueType, nullable: boolean): TypedExpression {
  return { kind: "item-field", slot, resource, name, at: nowhere, type, nullable };
}

function equals(left: TypedExpression, right: TypedExpression): TypedExpression {
  return { kind: "compare", operator: "==", left, right, at: nowhere, type: bool, nullable: false };
}

function orNull(value: TypedExpression, condition: TypedExpression): TypedExpression {
  const left = equals(value, nothing);
  return { kind: "logical", operator: "||", left, right: condition, at: nowhere, type: bool, nullable: false };
}

/** Builds `value in Resource.filter(…, condition).map(…, value of the item)`. */
function isAmong(
  value: TypedExpression,
  resource: string,
  slot: number,
  condition: TypedExpression,
  tied: TypedExpression,
): TypedExpression {
  const records: ValueType = { kind: "list", of: { kind: "record", resource } };
  const all: TypedExpression = { kind: "records", resource, at: nowhere, type: records, nullable: false };
  const macro = { kind: "macro", records: true, slot, at: nowhere, nullable: false } as const;
  const some: TypedExpression = { ...macro, macro: "filter", type: records, list: all, body: condition };
  const list: TypedExpression = {
    ...macro,
    macro: "map",
    type: { kind: "list", of: tied.type },
    list: some,
    body: tied,
  };
  return { kind: "within", value, list, at: nowhere, type: bool, nullable: false };
}

/** Builds an expression that is true if the condition is not true. */
export function negation(operand: TypedExpression): TypedExpression {
  return { kind: "not", operand, at: nowhere, type: bool, nullable: false };
}

/** Builds the condition that the record's id is `reach.value`. */
export function isItself(type: ValueType): TypedExpression {
  const id: TypedExpression = { kind: "field", name: "id", at: nowhere, type, nullable: false };
  return equals(id, valueOf(type));
}
