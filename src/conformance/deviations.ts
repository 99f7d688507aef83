/** What is wrong with the body of a successful response, as one caller sees it. */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { fieldsIn, mentions, type TypedExpression } from "../expression/typed.ts";
import { batchOf, responseShape, type Shape } from "../language/endpoints/shape.ts";
import {
  fieldsOf,
  isOnRequest,
  lifecycleOf,
  lookup,
  nestedView,
  unexpandedType,
} from "../language/resources/fields.ts";
import type { Field, FieldType } from "../language/resources/model.ts";
import type { Caller } from "./caller.ts";
import { shortText } from "./case.ts";
import { type Contract, isConverted, type Operation, wrapOf } from "./contract.ts";
import { type Around, fieldVisibility } from "./permissions.ts";
import { isTokenText } from "./credentials.ts";
import { isBodiless, mayBeEmpty, pageIn, returnsBytes } from "./response.ts";
import { problemOf } from "./values/fits.ts";

/** Something in a response that is not as the document says. */
export interface Deviation {
  /** The path of the statement. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
}

/** Who sees a record, and what the test knows then. */
export interface Seeing {
  readonly contract: Contract;
  readonly caller: Caller;
  readonly around: Around;
  /** Whether the document leaves open which members there are: then some of the record's are enough. */
  readonly isPart?: boolean;
}

/** What a response is compared with. */
export interface Viewing extends Seeing {
  readonly operation: Operation;
}

/** Returns what is wrong with the body of a successful response of the operation. */
export function bodyDeviations(viewing: Viewing, body: Json | undefined): readonly Deviation[] {
  const { contract, operation } = viewing;
  const { action, endpoint, resource } = operation;
  if (endpoint.wire !== undefined || action === "handler" || action === "history" || resource === undefined) return [];
  // `summaries.ts` has the cases of summaries.
  if (action === "summary") return [];
  const at = `endpoints/endpoints/${operation.operation}`;
  if (isBodiless(contract, operation) || returnsBytes(operation)) return [];
  if (action === "list" || batchOf(contract.model, operation) !== undefined) {
    const page = pageIn(contract, operation, body);
    if (page === undefined)
      return [{ path: pagePath(contract, operation), expected: "a page of records", got: shortText(body) }];
    const { item } = responseShape(contract.model, operation);
    return page.items.flatMap((one) => shapeDeviations(viewing, item, one, at));
  }
  const { item } = responseShape(contract.model, operation);
  const wrap =
    item === undefined || item.kind === "record" || item.kind === "view" ? wrapOf(contract, operation) : undefined;
  if (wrap === undefined) return shapeDeviations(viewing, item, body, at);
  if (!isObject(body) || lookup(body, wrap) === undefined)
    return [{ path: "endpoints/wrap", expected: `an object with the member \`${wrap}\``, got: shortText(body) }];
  return [...undeclared(body, [wrap], at), ...shapeDeviations(viewing, item, lookup(body, wrap), at)];
}

/** Returns the path of the statement about where a page has its records. */
function pagePath(contract: Contract, operation: Operation): string {
  const { model, places } = contract;
  const { lists } = operation.endpoint;
  const at = `endpoints/endpoints/${operation.operation}`;
  const { pageAt } = responseShape(model, operation);
  if (pageAt !== undefined) return pageAt;
  if (lists?.bare === true || lists?.names?.items !== undefined) return `${at}/lists`;
  const general = model.endpoints.lists;
  if (general?.bare !== true && general?.names?.items === undefined)
    return model.endpoints.wrap?.many === undefined || !places.has("endpoints/wrap") ? at : "endpoints/wrap";
  return lists === undefined ? "endpoints/lists" : at;
}

function shapeDeviations(
  viewing: Viewing,
  shape: Shape | undefined,
  value: Json | undefined,
  at: string,
): readonly Deviation[] {
  const resource = viewing.operation.resource as string;
  if (shape === undefined)
    return recordDeviations({ ...viewing, isPart: mayBeEmpty(viewing.operation) }, resource, value, at);
  switch (shape.kind) {
    case "record":
      return recordDeviations(viewing, shape.resource, value, at);
    case "view":
      return viewDeviations(viewing, shape.view, value, at);
    case "object": {
      if (!isObject(value)) return [{ path: at, expected: "an object", got: shortText(value) }];
      return [
        ...undeclared(value, Object.keys(shape.members), at),
        ...Object.entries(shape.members).flatMap(([name, inner]) => {
          const member = lookup(value, name);
          // Other expressions may have no value, or read what the caller does not see.
          if (member === undefined && (inner.kind !== "expression" || isTokenText(inner.text)))
            return [{ path: at, expected: `the member \`${name}\``, got: "no such member" }];
          return member === null ? [] : shapeDeviations(viewing, inner, member, at);
        }),
      ];
    }
    default:
      return [];
  }
}

/** Returns the deviations of a record in a response to this caller from the contract. */
export function recordDeviations(
  viewing: Seeing,
  resource: string,
  value: Json | undefined,
  at: string,
): readonly Deviation[] {
  const { contract } = viewing;
  if (!isObject(value)) return [{ path: at, expected: `a record of ${resource}`, got: shortText(value) }];
  const { model } = contract;
  const fields = fieldsOf(model, resource);
  const lifecycle = lifecycleOf(model, resource);
  const record = knownOf(value);
  return [
    ...undeclared(value, [...Object.keys(fields), ...(lifecycle === undefined ? [] : ["state"])], at),
    ...(lifecycle === undefined || (viewing.isPart === true && lookup(value, "state") === undefined)
      ? []
      : stateDeviations(resource, Object.keys(lifecycle.states), lookup(value, "state"))),
    ...Object.entries(fields).flatMap(([name, field]) =>
      fieldDeviations(viewing, { resource, name, field, record }, value),
    ),
  ];
}

function stateDeviations(resource: string, states: readonly string[], state: Json | undefined): readonly Deviation[] {
  if (typeof state === "string" && states.includes(state)) return [];
  return [{ path: `states/${resource}`, expected: `a state, one of ${states.join(", ")}`, got: shortText(state) }];
}

interface FieldOf {
  readonly resource: string;
  readonly name: string;
  readonly field: Field;
  readonly record: ReadonlyMap<string, Json>;
}

function fieldDeviations(
  viewing: Seeing,
  { resource, name, field, record }: FieldOf,
  value: JsonObject,
): readonly Deviation[] {
  const { contract, caller, around, isPart } = viewing;
  const found = lookup(value, name);
  const visible = fieldVisibility(contract, resource, name, caller, { ...around, resource, record });
  const path = `resources/${resource}/${name}`;
  if (visible === false) {
    if (found === undefined) return [];
    const observed = lookup(contract.model.authentication.show, `${resource}.${name}`) !== undefined;
    return [
      {
        path: observed ? `authentication/show/${resource}.${name}` : path,
        expected: `no member \`${name}\` for ${caller.name}`,
        got: shortText(found),
      },
    ];
  }
  if (found === undefined) {
    if (visible === undefined || field.optional || isPart === true || mayBeHidden(contract, resource, name)) return [];
    return [{ path, expected: `the member \`${name}\``, got: "no such member" }];
  }
  return valueDeviations(contract, { of: resource, name, type: field.type, path }, found);
}

/** `of`: the resource or the view with the member. */
interface MemberOf {
  readonly of: string;
  readonly name: string;
  readonly type: FieldType;
  readonly path: string;
}

function valueDeviations(contract: Contract, { of, name, type, path }: MemberOf, value: Json): readonly Deviation[] {
  const problem = isConverted(contract, of, name, type) ? undefined : problemOf(contract, type, value, "output");
  if (problem === undefined) return [];
  return [{ path, expected: `\`${name}\` as declared`, got: `${shortText(value)}: ${problem}` }];
}

/** Whether a computed field reads a field that not every caller sees, so that it may be hidden too. */
function mayBeHidden(contract: Contract, resource: string, name: string): boolean {
  const computed = contract.typed.get(`resources/${resource}/${name}/computed`);
  return computed !== undefined && readsHidden(contract, resource, computed);
}

/** Whether a member of a view may be hidden with the fields that it reads. */
function mayMemberBeHidden(contract: Contract, resource: string, path: string): boolean {
  const computed = contract.typed.get(`${path}/computed`);
  return computed === undefined || readsHidden(contract, resource, computed);
}

/** Whether an expression over a record reads a field that not every caller sees. */
export function readsHidden({ model }: Contract, resource: string, computed: TypedExpression): boolean {
  if (Object.keys(model.authentication.show).length === 0) return false;
  if (mentions(computed, "walk", "records", "macro")) return true;
  return fieldsIn(computed).some((field) => lookup(model.authentication.show, `${resource}.${field}`) !== undefined);
}

/** Returns how a value differs from the members of a view. */
export function viewDeviations(
  viewing: Seeing,
  view: string,
  value: Json | undefined,
  at: string,
): readonly Deviation[] {
  const { contract } = viewing;
  const { model } = contract;
  const definition = lookup(model.resources.views ?? {}, view);
  if (definition === undefined) return [];
  if (!isObject(value)) return [{ path: at, expected: `the view ${view}`, got: shortText(value) }];
  const { of, fields = [], members = {} } = definition;
  const record = knownOf(value);
  const own = fields.filter((name) => lookup(members, name) === undefined);
  return [
    ...undeclared(value, [...fields, ...Object.keys(members)], at),
    ...own.flatMap((name) => {
      const field = lookup(fieldsOf(model, of), name);
      if (field === undefined) return [];
      const isMissing = lookup(value, name) === undefined;
      return fieldDeviations(viewing, { resource: of, name, field, record }, value).map((deviation) =>
        isMissing ? { ...deviation, path: `resources/views/${view}/fields` } : deviation,
      );
    }),
    ...Object.entries(members).flatMap(([name, field]): readonly Deviation[] => {
      const found = lookup(value, name);
      const path = `resources/views/${view}/${name}`;
      if (isOnRequest(field))
        return found === undefined
          ? []
          : [{ path, expected: `no member \`${name}\` without a request for it`, got: shortText(found) }];
      if (found === undefined && !field.optional && !mayMemberBeHidden(contract, of, path))
        return [{ path, expected: `the member \`${name}\``, got: "no such member" }];
      if (found === undefined || found === null) return [];
      const type = unexpandedType(model, field);
      const nested = nestedView(model, type);
      if (nested === undefined) return valueDeviations(contract, { of: view, name, type, path }, found);
      if (!nested.list) return viewDeviations(viewing, nested.view, found, path);
      if (!Array.isArray(found)) return [{ path, expected: "a list", got: shortText(found) }];
      return found.flatMap((one: Json) => viewDeviations(viewing, nested.view, one, path));
    }),
  ];
}

function undeclared(value: JsonObject, declared: readonly string[], path: string): readonly Deviation[] {
  const others = Object.keys(value).filter((name) => !declared.includes(name));
  if (others.length === 0) return [];
  return [
    {
      path,
      expected: `only the members ${declared.join(", ")}`,
      got: `also ${others.map((name) => `\`${name}\``).join(", ")}`,
    },
  ];
}

/** Returns the values that a response itself shows, from which it follows who sees the record's fields. */
export function knownOf(value: JsonObject): ReadonlyMap<string, Json> {
  return new Map(Object.entries(value));
}
