/**
 * Derives the type of a filter's value: the declared type, else the type that the condition compares the value with. So
 * `author: author.handle == value` takes a handle, and the server rejects an invalid handle before any query.
 */
import { checkExpression } from "../../expression/check.ts";
import { parseExpression } from "../../expression/parse.ts";
import { parts, type TypedExpression } from "../../expression/typed.ts";
import type { NamedType, ValueType } from "../../expression/types.ts";
import type { Model } from "../model.ts";
import { bareType, fieldsOf, lifecycleOf, lookup } from "../resources/fields.ts";
import type { FieldType } from "../resources/model.ts";
import { namesOfRecords } from "../resources/value-type.ts";
import type { ResolvedEndpoint } from "./resolve.ts";
import type { Filter } from "./model.ts";

type Names = Readonly<Record<string, NamedType>>;

/**
 * Returns the names that mean the filter's value in its condition: `value`, and the parameter's name unless `around` already
 * has it.
 */
export function filterNames<Value>(parameter: string, value: Value, around: Names): Readonly<Record<string, Value>> {
  return { value, ...(lookup(around, parameter) === undefined ? { [parameter]: value } : {}) };
}

/**
 * Returns the type of a filter's value; undefined if the filter declares none and its condition compares the value with
 * nothing of a known type.
 */
export function filterType(
  model: Model,
  resolved: ResolvedEndpoint | undefined,
  parameter: string,
  { type, if: text }: Filter,
  around: Names,
): FieldType | undefined {
  if (type !== undefined) return bareType(type);
  const compared = comparedIn(model, parameter, text, around);
  if (resolved === undefined || resolved.kind === "unclear") return undefined;
  const of = (one: Compared): FieldType | undefined => fieldTypeOf(model, resolved.resource, one);
  return compared.map(of).find((one) => one !== undefined) ?? compared.map((one) => plain(one.type)).find(Boolean);
}

/**
 * Returns the field that the condition compares the value with: the server converts the value for older versions like the
 * field.
 */
export function filterField(
  model: Model,
  resource: string,
  parameter: string,
  { if: text }: Filter,
  around: Names,
): { readonly resource: string; readonly name: string } | undefined {
  for (const { other } of comparedIn(model, parameter, text, around)) {
    if (other === undefined || !("name" in other)) continue;
    const of = other.kind === "field" ? resource : "resource" in other ? other.resource : undefined;
    if (of !== undefined) return { resource: of, name: other.name };
  }
  return undefined;
}

/** Returns the expressions that the condition compares the value with. */
function comparedIn(model: Model, parameter: string, text: string, around: Names): readonly Compared[] {
  const { expression } = parseExpression(text);
  if (expression === undefined) return [];
  const value: NamedType = { type: { kind: "any" }, nullable: false, from: "variables" };
  const names = { ...around, ...filterNames(parameter, value, around) };
  const { typed } = checkExpression(expression, { names, resources: namesOfRecords(model) }, { kind: "bool" });
  return typed === undefined ? [] : comparedWith(typed);
}

interface Compared {
  /** The expression on the other side of the comparison. */
  readonly other?: TypedExpression;
  /** Whether the condition looks for the value among the items of `other`. */
  readonly isMembership?: boolean;
  readonly type: ValueType;
}

function comparedWith(typed: TypedExpression): readonly Compared[] {
  const below = parts(typed).flatMap(comparedWith);
  if (typed.kind === "compare") {
    const { left, right } = typed;
    if (isValue(left)) return [{ other: right, type: right.type }, ...below];
    if (isValue(right)) return [{ other: left, type: left.type }, ...below];
  }
  if (typed.kind === "within" && isValue(typed.value)) {
    const { type } = typed.list;
    const item: ValueType = type.kind === "list" ? type.of : { kind: "string" };
    return [{ other: typed.list, isMembership: true, type: item }, ...below];
  }
  if (typed.kind === "as" && isValue(typed.operand)) return [{ type: typed.type }, ...below];
  return below;
}

function isValue(typed: TypedExpression): boolean {
  if (typed.kind === "as") return isValue(typed.operand);
  // The value is the only variable of unknown type without members.
  return typed.kind === "variable" && typed.path.length === 1 && typed.type.kind === "any";
}

function fieldTypeOf(
  model: Model,
  record: string | undefined,
  { other, isMembership }: Compared,
): FieldType | undefined {
  if (other === undefined) return undefined;
  const resource = other.kind === "field" ? record : "resource" in other ? other.resource : undefined;
  if (resource === undefined || !("name" in other)) return undefined;
  if (other.name === "state") return statesOf(model, resource);
  const field = lookup(fieldsOf(model, resource), other.name);
  const type = field && bareType(field.type);
  const found = isMembership === true && type?.kind === "list" ? bareType(type.of) : type;
  return found !== undefined && isOneValue(model, found) ? found : undefined;
}

function statesOf(model: Model, resource: string): FieldType {
  const states = Object.keys(lifecycleOf(model, resource)?.states ?? {});
  return states.length === 0 ? { kind: "scalar", name: "string" } : { kind: "one-of", values: states, open: false };
}

/** Whether a filter can have values of the type: one, or a list of them, which a request sends with commas. */
export function isFilterValue(model: Model, type: FieldType): boolean {
  const bare = bareType(type);
  return isOneValue(model, bare.kind === "list" ? bare.of : bare);
}

/** Whether a request can send a value of the type in its query: one value, a list of them, or an object with such members. */
export function isParameterValue(model: Model, type: FieldType): boolean {
  const bare = bareType(type);
  if (bare.kind === "map") return isParameterValue(model, bare.of);
  const members = bare.kind === "named" ? lookup(model.resources.types, bare.name) : undefined;
  if (members !== undefined) return Object.values(members).every((member) => isParameterValue(model, member.type));
  return isFilterValue(model, bare);
}

/** Whether a query parameter can express a value of the type as one text. */
export function isOneValue(model: Model, type: FieldType): boolean {
  const bare = bareType(type);
  if (bare.kind === "named") return lookup(model.resources.resources, bare.name) !== undefined;
  if (bare.kind === "scalar") return bare.name !== "json" && bare.name !== "money";
  return bare.kind === "id" || bare.kind === "one-of";
}

function plain(type: ValueType): FieldType | undefined {
  switch (type.kind) {
    case "bool":
      return { kind: "scalar", name: "boolean" };
    case "int":
      return { kind: "scalar", name: "integer" };
    case "double":
      return { kind: "scalar", name: "number" };
    case "timestamp":
      return { kind: "scalar", name: "datetime" };
    case "string":
      return type.values === undefined
        ? { kind: "scalar", name: "string" }
        : { kind: "one-of", values: type.values, open: false };
    case "record":
      return { kind: "named", name: type.resource };
    default:
      return undefined;
  }
}
