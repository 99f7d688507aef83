/**
 * The types of values and of the names in an expression. Callers of the checker describe the environment with these types, and
 * the checker types each part of the expression.
 */
import type { Expression } from "./syntax.ts";

/**
 * The type of a present value; `nullable` declares whether it can be absent.
 *
 * At run time: `int` and `double` are numbers (an int is a safe integer), `timestamp` is a text `YYYY-MM-DDTHH:MM:SS.sssZ`,
 * `duration` a number of milliseconds, `record` the id of a record of that resource. `any` is a JSON value of unknown type.
 */
export type ValueType =
  | { readonly kind: "bool" | "int" | "double" | "timestamp" | "duration" | "null" | "any" }
  /** A text. With `values`, a closed list: no other text can occur. With `form`, every value has this form. */
  | { readonly kind: "string"; readonly values?: readonly string[]; readonly form?: TextForm }
  /** A list. With `holes`, an item may be null: stored lists contain no nulls, but `[a, b]` can. */
  | { readonly kind: "list"; readonly of: ValueType; readonly holes?: true }
  | { readonly kind: "map"; readonly of: ValueType }
  /** With `money`, an amount of money: it has arithmetic and an order. */
  | { readonly kind: "object"; readonly members: Readonly<Record<string, FieldType>>; readonly money?: true }
  /** A reference. `number`: set if the resource's ids are numbers, so that the reference compares with numbers. */
  | { readonly kind: "record"; readonly resource: string; readonly number?: true };

/** The forms of texts: those of dates and times, base64 with padding for bytes, and the hash that is stored of a secret. */
export type TextForm = "date" | "time" | "timezone" | "bytes" | "secret";

export interface FieldType {
  readonly type: ValueType;
  readonly nullable: boolean;
  /** Whether the value refers to the parent of a record in a tree, so that no record is above itself. */
  readonly tree?: true;
  /** For a field that is computed when read: its expression, and the path of the expression in the document. */
  readonly definition?: { readonly path: string; readonly expression: Expression };
}

export interface NamedType extends FieldType {
  /**
   * Where the value of a bare name is read: in the current record, or from the variables. Default: `input`, `caller`, `now`,
   * `old` and `value` are variables and all other names are fields.
   */
  readonly from?: "record" | "variables";
}

export interface TypeEnvironment {
  /** The bare names that the expression can use. */
  readonly names: Readonly<Record<string, NamedType>>;
  /** The fields of each resource, including `id` and `state`. */
  readonly resources: Readonly<Record<string, Readonly<Record<string, FieldType>>>>;
  /**
   * The credentials whose tokens for the current record the expression may return. `renewed`: whether refresh tokens are
   * issued; `ends`: whether the tokens expire.
   */
  readonly tokens?: Readonly<Record<string, { readonly renewed: boolean; readonly ends: boolean }>>;
}

const variableNames: ReadonlySet<string> = new Set(["input", "caller", "now", "old", "value"]);

/** Whether a bare name is a variable rather than a field of the current record. */
export function isVariable(name: string, { from }: NamedType): boolean {
  return from === undefined ? variableNames.has(name) : from === "variables";
}

/** Whether the type is one value, not a structure. */
export function isScalar(type: ValueType): boolean {
  return !["list", "map", "object", "any", "null"].includes(type.kind);
}

export function isMoney(type: ValueType): boolean {
  return type.kind === "object" && type.money === true;
}

/** Whether the values of the type are hashes of secrets. */
export function isSecret(type: ValueType): boolean {
  return type.kind === "string" && type.form === "secret";
}

/** Whether the type is that of bytes, whose values are texts in base64. */
export function isBytes(type: ValueType): boolean {
  return type.kind === "string" && type.form === "bytes";
}

export const money: ValueType = {
  kind: "object",
  money: true,
  members: {
    amount: { type: { kind: "string" }, nullable: false },
    currency: { type: { kind: "string" }, nullable: false },
  },
};

export function isNumber({ kind }: ValueType): boolean {
  return kind === "int" || kind === "double";
}

/** Describes a type in words, with its article: `a string`, `a list of int`, `a reference to Locker`. */
export function describeType(type: ValueType): string {
  switch (type.kind) {
    case "int":
      return "an int";
    case "null":
      return "null";
    case "any":
      return "a value of unknown type";
    case "list":
      return `a list of ${bareName(type.of)}`;
    case "map":
      return `a map of ${bareName(type.of)}`;
    case "object":
      return type.money === true ? "money" : "an object";
    case "record":
      return `a reference to ${type.resource}`;
    default:
      return `a ${type.kind}`;
  }
}

function bareName(type: ValueType): string {
  switch (type.kind) {
    case "list":
    case "map":
      return `${type.kind} of ${bareName(type.of)}`;
    case "record":
      return type.resource;
    default:
      return type.kind;
  }
}

/** Whether `==` may compare the two types: same kind, numbers with numbers, ids with references. */
export function areComparable(a: ValueType, b: ValueType): boolean {
  if (a.kind === "any" || b.kind === "any" || a.kind === "null" || b.kind === "null") return true;
  if (isNumber(a) && isNumber(b)) return true;
  if (a.kind === "record" && b.kind === "record") return a.resource === b.resource;
  if (a.kind === "record" || b.kind === "record") return isIdOf(a, b) || isIdOf(b, a);
  if ((a.kind === "list" && b.kind === "list") || (a.kind === "map" && b.kind === "map")) {
    return areComparable(a.of, b.of);
  }
  return a.kind === b.kind;
}

/** Whether `id` is a text that may be the id of the reference `of`. */
function isIdOf(id: ValueType, of: ValueType): boolean {
  return id.kind === "string" && of.kind === "record" && of.number !== true;
}

/**
 * Returns the type that values of both types have; undefined if there is none. A number and null have one; an int and a double
 * do not.
 */
export function commonType(a: ValueType, b: ValueType): ValueType | undefined {
  if (a.kind === "null") return b;
  if (b.kind === "null") return a;
  if (a.kind === "any" || b.kind === "any") return { kind: "any" };
  if (a.kind === "string" && b.kind === "string") return commonText(a, b);
  if (a.kind === "record" && b.kind === "record") return a.resource === b.resource ? a : undefined;
  if (a.kind === "record" || b.kind === "record") {
    return isIdOf(a, b) || isIdOf(b, a) ? { kind: "string" } : undefined;
  }
  if (a.kind === "list" && b.kind === "list") {
    const of = commonType(a.of, b.of);
    return of && { kind: "list", of, ...(a.holes || b.holes ? { holes: true } : {}) };
  }
  if (a.kind === "map" && b.kind === "map") {
    const of = commonType(a.of, b.of);
    return of && { kind: "map", of };
  }
  if (isMoney(a) !== isMoney(b)) return undefined;
  return a.kind === b.kind ? a : undefined;
}

type TextType = ValueType & { readonly kind: "string" };

function commonText(a: TextType, b: TextType): ValueType {
  const form = a.form === undefined || a.form !== b.form ? {} : { form: a.form };
  const values = a.values && b.values && { values: [...new Set([...a.values, ...b.values])] };
  return { kind: "string", ...values, ...form };
}

/** Whether a value of `type` may be used where `wanted` is required; ignores absence. */
export function isAssignable(type: ValueType, wanted: ValueType): boolean {
  if (type.kind === "null" || wanted.kind === "any") return true;
  if (type.kind === "any") return false;
  if (wanted.kind === "double") return isNumber(type);
  if (wanted.kind === "string") return isIdOf(wanted, type) || (type.kind === "string" && isSubset(type, wanted));
  if (wanted.kind === "record") {
    if (type.kind === "record") return type.resource === wanted.resource;
    return type.kind === (wanted.number === true ? "int" : "string");
  }
  if (wanted.kind === "list" || wanted.kind === "map") {
    return type.kind === wanted.kind && (type.of.kind === "any" || isAssignable(type.of, wanted.of));
  }
  return type.kind === wanted.kind && (!isMoney(wanted) || isMoney(type));
}

/**
 * Whether a text of one type may be a value of the other. An open text may have any value, so only closed lists without a
 * common value are incompatible.
 */
function isSubset(
  type: { readonly values?: readonly string[] },
  wanted: { readonly values?: readonly string[] },
): boolean {
  const { values } = wanted;
  return values === undefined || type.values === undefined || type.values.every((value) => values.includes(value));
}
