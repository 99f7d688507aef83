/**
 * Expressions of generated rules: a tree, its text in the document, and its value. This module computes the value from the tree,
 * as `docs/reference/expressions.md` defines it, independently of the product's code.
 */
import type { Json } from "../../src/base/json.ts";

export interface Rec {
  readonly resource: string;
  readonly id: string;
  /** Fields by their names, with `id` and, where the resource has one, `state`; an absent field is null. */
  readonly values: Readonly<Record<string, Json>>;
  /** When it entered its state; epoch milliseconds. */
  readonly entered: number;
  /** When time is to look at it next. */
  readonly due: number | null;
  /** Whether time may have looked at it already. */
  readonly isDueUnsure?: true;
}

/** The fields of each resource that refer to another record, with the resource that they refer to. */
export type References = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** `self`, or the item of a macro around it. */
type Subject = string;

export type Expr =
  | { readonly is: "constant"; readonly value: Json }
  /** A field, behind any number of references: `team.lead.n`. */
  | { readonly is: "path"; readonly of: Subject; readonly resource: string; readonly steps: readonly string[] }
  | { readonly is: "old"; readonly name: string }
  | { readonly is: "new" }
  | { readonly is: "caller" }
  | { readonly is: "now" }
  | { readonly is: "calculate"; readonly by: "+" | "-" | "*"; readonly left: Expr; readonly right: Expr }
  | { readonly is: "compare"; readonly by: Comparison; readonly left: Expr; readonly right: Expr }
  | { readonly is: "&&" | "||"; readonly left: Expr; readonly right: Expr }
  | { readonly is: "not"; readonly of: Expr }
  | { readonly is: "choose"; readonly test: Expr; readonly yes: Expr; readonly no: Expr }
  | { readonly is: "size"; readonly of: Expr }
  | { readonly is: "exists" | "all"; readonly among: string; readonly item: string; readonly where: Expr }
  | { readonly is: "count"; readonly among: string; readonly item: string; readonly where?: Expr }
  | {
      readonly is: "sum";
      readonly among: string;
      readonly item: string;
      readonly where?: Expr;
      readonly of: Expr;
    };

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";

export function textOf(expr: Expr): string {
  switch (expr.is) {
    case "constant":
      return typeof expr.value === "string" ? `'${expr.value}'` : JSON.stringify(expr.value);
    case "path":
      return [...(expr.of === "self" ? [] : [expr.of]), ...expr.steps].join(".");
    case "old":
      return `old.${expr.name}`;
    case "new":
      return "old == null";
    case "caller":
      return "caller.id";
    case "now":
      return "now";
    case "calculate":
    case "compare":
      return `${inner(expr.left)} ${expr.by} ${inner(expr.right)}`;
    case "&&":
    case "||":
      return `${inner(expr.left)} ${expr.is} ${inner(expr.right)}`;
    case "not":
      return `!(${textOf(expr.of)})`;
    case "choose":
      return `${inner(expr.test)} ? ${inner(expr.yes)} : ${inner(expr.no)}`;
    case "size":
      return `${inner(expr.of)}.size()`;
    case "exists":
    case "all":
      return `${expr.among}.${expr.is}(${expr.item}, ${textOf(expr.where)})`;
    case "count":
      return `${filtered(expr)}.size()`;
    case "sum":
      return `${filtered(expr)}.map(${expr.item}, ${textOf(expr.of)}).sum()`;
  }
}

function filtered({ among, item, where }: Expr & { is: "count" | "sum" }): string {
  return where === undefined ? among : `${among}.filter(${item}, ${textOf(where)})`;
}

function inner(expr: Expr): string {
  const isPlain = ["constant", "path", "old", "caller", "now", "size", "exists", "all", "count", "sum", "not"];
  return isPlain.includes(expr.is) ? textOf(expr) : `(${textOf(expr)})`;
}

/** All records there are, by resource and id, in the order of creation. */
export type Records = ReadonlyMap<string, ReadonlyMap<string, Rec>>;

/** What a rule is asked about. */
export interface Asked {
  readonly records: Records;
  readonly references: References;
  readonly self: Rec;
  /** The record before the transaction; absent: it was made by it. */
  readonly old?: Rec | undefined;
  readonly caller: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Whether the expression says true; what is not decided is not true. */
export function isTrue(expr: Expr, asked: Asked): boolean {
  return valueOf(expr, asked, new Map()) === true;
}

type Items = ReadonlyMap<string, Rec>;

function valueOf(expr: Expr, asked: Asked, items: Items): Json {
  const value = (one: Expr): Json => valueOf(one, asked, items);
  switch (expr.is) {
    case "constant":
      return expr.value;
    case "path":
      return pathOf(expr, asked, items);
    case "old":
      return asked.old?.values[expr.name] ?? null;
    case "new":
      return asked.old === undefined;
    case "caller":
      return asked.caller;
    case "now":
      return new Date(asked.now).toISOString();
    case "calculate": {
      const [left, right] = [value(expr.left), value(expr.right)];
      if (typeof left !== "number" || typeof right !== "number") return null;
      return expr.by === "+" ? left + right : expr.by === "-" ? left - right : left * right;
    }
    case "compare":
      return compare(expr.by, value(expr.left), value(expr.right));
    case "&&":
      return value(expr.left) === true && value(expr.right) === true;
    case "||":
      return value(expr.left) === true || value(expr.right) === true;
    case "not":
      return value(expr.of) !== true;
    case "choose":
      return value(expr.test) === true ? value(expr.yes) : value(expr.no);
    case "size": {
      const list = value(expr.of);
      return Array.isArray(list) ? list.length : null;
    }
    case "exists":
      return among(expr, asked).some((rec) => holdsOf(expr, expr.where, rec, asked, items));
    case "all":
      return among(expr, asked).every((rec) => holdsOf(expr, expr.where, rec, asked, items));
    case "count":
      return among(expr, asked).filter((rec) => holdsOf(expr, expr.where, rec, asked, items)).length;
    case "sum": {
      const numbers = among(expr, asked)
        .filter((rec) => holdsOf(expr, expr.where, rec, asked, items))
        .map((rec) => valueOf(expr.of, asked, new Map([...items, [expr.item, rec]])));
      return numbers.reduce<number>((sum, one) => (typeof one === "number" ? sum + one : sum), 0);
    }
  }
}

function among({ among: resource }: { readonly among: string }, { records }: Asked): readonly Rec[] {
  return [...(records.get(resource)?.values() ?? [])];
}

function holdsOf(
  { item }: { readonly item: string },
  where: Expr | undefined,
  rec: Rec,
  asked: Asked,
  items: Items,
): boolean {
  // biome-ignore format: short
  return where === undefined || valueOf(where, asked, new Map([...items, [item, rec]])) === true;
}

function pathOf(
  { of, resource, steps }: Expr & { is: "path" },
  { records, references, self }: Asked,
  items: Items,
): Json {
  // biome-ignore format: short
  let rec = of === "self" ? self : items.get(of);
  let at = resource;
  for (const step of steps.slice(0, -1)) {
    const id = rec?.values[step];
    at = references[at]?.[step] ?? "";
    rec = typeof id === "string" ? records.get(at)?.get(id) : undefined;
  }
  return rec?.values[steps.at(-1) ?? ""] ?? null;
}

function compare(by: Comparison, left: Json, right: Json): boolean {
  if (by === "==") return left === right;
  if (by === "!=") return left !== right;
  if (left === null || right === null) return false;
  if (by === "<") return left < right;
  if (by === "<=") return left <= right;
  return by === ">" ? left > right : left >= right;
}

/** Whether it is about the write as well, and so asked of the records alone that are written. */
export function isOfTheWrite(expr: Expr): boolean {
  return some(expr, ({ is }) => is === "old" || is === "new" || is === "caller" || is === "now");
}

/** Whether it is about the fields of one record, and reads no other. */
export function isAlone(expr: Expr): boolean {
  return !some(expr, (one) => "among" in one || (one.is === "path" && one.steps.length > 1));
}

export function readsOld(expr: Expr): boolean {
  return some(expr, ({ is }) => is === "old" || is === "new");
}

function some(expr: Expr, test: (expr: Expr) => boolean): boolean {
  return test(expr) || partsOf(expr).some((part) => some(part, test));
}

function partsOf(expr: Expr): readonly Expr[] {
  return Object.values(expr).filter((part): part is Expr => typeof part === "object" && part !== null && "is" in part);
}
