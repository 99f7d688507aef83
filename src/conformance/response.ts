/** What the document says of the successful responses of an operation: their status and the shape of their body. */
import { camelCase, plural } from "../base/case.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { creates } from "../language/endpoints/input.ts";
import type { ListNames } from "../language/endpoints/model.ts";
import { responseExpressions, responseShape, type Shape, shapeOf } from "../language/endpoints/shape.ts";
import { fieldsIn, mentions, type TypedExpression } from "../expression/typed.ts";
import { fieldsOf, lifecycleOf, lookup, nestedView } from "../language/resources/fields.ts";
import type { Field } from "../language/resources/model.ts";
import type { Caller } from "./caller.ts";
import { type Around, fieldVisibility } from "./permissions.ts";
import { type Contract, isConverted, type Operation, wrapOf } from "./contract.ts";
import { problemOf } from "./values/fits.ts";

/** Something in a response that is not as the document says. */
export interface Deviation {
  /** The path of the statement. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
}

/** Returns the statuses of a successful response, the usual one first; undefined if the document writes none. */
export function statedStatuses({ model }: Contract, operation: Operation): readonly number[] | undefined {
  const { action, endpoint } = operation;
  const { created, same, accepted } = endpoint.statuses ?? {};
  if ([endpoint.status, created, same, accepted].every((one) => one === undefined)) return undefined;
  const usual =
    (action === "create" ? created : undefined) ??
    endpoint.status ??
    (action === "create" ? 201 : isBodiless({ model }, operation) ? 204 : 200);
  const upsert = operation.kind === "resource" && creates(model, operation) ? [created ?? 201] : [];
  return [
    ...new Set([
      usual,
      ...upsert,
      ...((created ?? false) ? [created as number] : []),
      ...(same === undefined ? [] : [same]),
      ...(accepted === undefined ? [] : [accepted.status]),
    ]),
  ];
}

/** Whether a successful response of the operation has no body. */
export function isBodiless({ model }: Pick<Contract, "model">, operation: Operation): boolean {
  const { action, endpoint } = operation;
  if (endpoint.gives === "none") return true;
  if (action === "logout") return endpoint.gives === undefined;
  if (operation.kind === "free" && action === "handler")
    return endpoint.shape === undefined && endpoint.gives === undefined && operation.resource === undefined;
  const { item } = responseShape(model, operation);
  return (action === "delete" || action === "clear") && item === undefined;
}

/** Whether a successful response is the bytes of a file. */
export function returnsBytes(operation: Operation): boolean {
  return operation.kind === "resource" && operation.file !== undefined && operation.action === "read";
}

/** Whether a successful response may lack a body: that of a write whose response the document does not write. */
export function mayBeEmpty({ endpoint }: Operation): boolean {
  return endpoint.method !== "GET" && endpoint.gives === undefined && endpoint.shape === undefined;
}

/** The names of a list's parameters and members. */
export function listNames(
  { model }: Contract,
  { endpoint, resource }: Operation,
): Required<Omit<ListNames, "count">> & Pick<ListNames, "count"> {
  const many =
    resource === undefined
      ? undefined
      : model.endpoints.wrap?.many?.replace("{resources}", camelCase(plural(resource)));
  return {
    ...{ limit: "limit", cursor: "cursor", offset: "offset", page: "page", sort: "sort", search: "search" },
    ...{ items: many ?? "items", next: "next" },
    ...model.endpoints.lists?.names,
    ...endpoint.lists?.names,
    ...(many === undefined ? {} : { items: many }),
  };
}

/** The parts of a page: its records, its total number and the position of the next page. */
export interface Page {
  readonly items: readonly Json[];
  readonly next?: Json | undefined;
  readonly count?: Json | undefined;
}

/** Returns the page in the response of a list; undefined if the response has no page where the document puts it. */
export function pageIn(contract: Contract, operation: Operation, body: Json | undefined): Page | undefined {
  const { page } = responseShape(contract.model, operation);
  const style = operation.endpoint.lists ?? contract.model.endpoints.lists;
  if (page !== undefined) return pageAt(page, body);
  if (style?.bare === true) return Array.isArray(body) ? { items: body } : undefined;
  const names = listNames(contract, operation);
  if (!isObject(body)) return undefined;
  const items = lookup(body, names.items);
  if (!Array.isArray(items)) return undefined;
  return {
    items,
    next: lookup(body, names.next),
    ...(names.count === undefined ? {} : { count: lookup(body, names.count) }),
  };
}

function pageAt(shape: Shape, body: Json | undefined): Page | undefined {
  if (shape.kind === "items") return Array.isArray(body) ? { items: body } : undefined;
  if (shape.kind === "next") return { items: [], next: body };
  if (shape.kind === "count") return { items: [], count: body };
  if (shape.kind !== "object" || !isObject(body)) return undefined;
  const found = Object.entries(shape.members).flatMap(([name, inner]) => {
    const one = pageAt(inner, lookup(body, name));
    return one === undefined ? [] : [one];
  });
  const items =
    found.find((one) => one.items.length > 0) ?? found.find((one) => one.next === undefined && one.count === undefined);
  const next = found.find((one) => "next" in one)?.next;
  const count = found.find((one) => "count" in one)?.count;
  if (items === undefined && found.length === 0) return undefined;
  return {
    items: items?.items ?? [],
    ...(next === undefined ? {} : { next }),
    ...(count === undefined ? {} : { count }),
  };
}

/** A record in a response; `view`: the view as which the response shows it. */
export interface ObservedRecord {
  readonly record: JsonObject;
  readonly view?: string;
}

/** Returns the part of a successful response, or of an item of a list, that is the operation's record or one of its views. */
export function recordIn(contract: Contract, operation: Operation, body: Json | undefined): ObservedRecord | undefined {
  // The result of a handler has members of its own.
  if (operation.endpoint.shape !== undefined || returnsBytes(operation)) return undefined;
  const { item } = responseShape(contract.model, operation);
  if (item === undefined || item.kind === "record" || item.kind === "view") {
    const wrap = wrapOf(contract, operation);
    const record = wrap === undefined || !isObject(body) ? body : lookup(body, wrap);
    if (!isObject(record)) return undefined;
    return { record, ...(item?.kind === "view" ? { view: item.view } : {}) };
  }
  return recordAt(item, body);
}

function recordAt(shape: Shape, body: Json | undefined): ObservedRecord | undefined {
  if (!isObject(body)) return undefined;
  if (shape.kind === "record") return { record: body };
  if (shape.kind === "view") return { record: body, view: shape.view };
  if (shape.kind !== "object") return undefined;
  for (const [name, inner] of Object.entries(shape.members)) {
    const found = recordAt(inner, lookup(body, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the fields of the record that members of another name show, as `gives: { door: number }` does. */
export function renamedFields(
  { model, typed }: Contract,
  operation: Operation,
  body: Json | undefined,
): ReadonlyMap<string, Json> {
  const { item } = responseShape(model, operation);
  const found = new Map<string, Json>();
  for (const { path } of item === undefined ? [] : responseExpressions(item)) {
    const expression = typed.get(`endpoints/endpoints/${operation.operation}/gives/${path.join("/")}`);
    const value = path.reduce<Json | undefined>((at, name) => (isObject(at) ? lookup(at, name) : undefined), body);
    if (expression?.kind === "field" && value !== undefined) found.set(expression.name, value);
  }
  return found;
}

/** Returns the names of the resource's fields that a representation can show: all of them, or those of a view. */
export function observableFields(contract: Contract, resource: string, view?: string): readonly string[] {
  const { model } = contract;
  if (view === undefined) {
    const states = lifecycleOf(model, resource) === undefined ? [] : ["state"];
    return [...states, ...Object.keys(fieldsOf(model, resource))];
  }
  const { fields = [], members = {} } = lookup(model.resources.views ?? {}, view) ?? {};
  return fields.filter((name) => lookup(members, name) === undefined);
}

/** Who sees a record, and what the test knows then. */
export interface Seeing {
  readonly contract: Contract;
  readonly caller: Caller;
  readonly around: Around;
}

/** Returns the member of a representation that shows a field: that of its name, or one of a view that is computed as the field alone. */
export function memberOf({ model, typed }: Contract, field: string, view?: string): string {
  const { members = {} } = view === undefined ? {} : (lookup(model.resources.views ?? {}, view) ?? {});
  const found = Object.keys(members).find((name) => {
    const computed = typed.get(`resources/views/${view}/${name}/computed`);
    return computed?.kind === "field" && computed.name === field;
  });
  return found ?? field;
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
  const at = `endpoints/endpoints/${operation.operation}`;
  if (isBodiless(contract, operation) || returnsBytes(operation)) return [];
  if (action === "list") {
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
  if (responseShape(model, operation).page !== undefined) return `${at}/gives`;
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
  const { contract, operation } = viewing;
  const resource = operation.resource as string;
  if (shape === undefined) return recordDeviations(viewing, resource, value, at);
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
          if (member === undefined && inner.kind !== "expression")
            return [{ path: at, expected: `the member \`${name}\``, got: "no such member" }];
          return member === null ? [] : shapeDeviations(viewing, inner, member, `${at}`);
        }),
      ];
    }
    default:
      return contract === undefined ? [] : [];
  }
}

/** Returns what is wrong with a record as this caller sees it. */
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
    ...(lifecycle === undefined
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
  const { contract, caller, around } = viewing;
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
    if (visible === undefined || field.optional || mayBeHidden(contract, resource, name)) return [];
    return [{ path, expected: `the member \`${name}\``, got: "no such member" }];
  }
  const problem = isConverted(contract, resource, name, field.type)
    ? undefined
    : problemOf(contract, field.type, found, "output");
  return problem === undefined
    ? []
    : [{ path, expected: `\`${name}\` as declared`, got: `${shortText(found)}: ${problem}` }];
}

/** Whether a computed field reads a field that not every caller sees, so that it may be hidden too. */
function mayBeHidden(contract: Contract, resource: string, name: string): boolean {
  const computed = contract.typed.get(`resources/${resource}/${name}/computed`);
  return computed !== undefined && readsHidden(contract, resource, computed);
}

/** Whether an expression over a record reads a field that not every caller sees. */
export function readsHidden({ model }: Contract, resource: string, computed: TypedExpression): boolean {
  if (Object.keys(model.authentication.show).length === 0) return false;
  if (mentions(computed, "walk", "records", "macro")) return true;
  return fieldsIn(computed).some((field) => lookup(model.authentication.show, `${resource}.${field}`) !== undefined);
}

function viewDeviations(viewing: Viewing, view: string, value: Json | undefined, at: string): readonly Deviation[] {
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
      // A computed member may be hidden with the fields that it reads.
      if (found === undefined || found === null) return [];
      const nested = nestedView(model, field.type);
      const path = `resources/views/${view}/${name}`;
      if (nested === undefined) {
        const problem = isConverted(contract, view, name, field.type)
          ? undefined
          : problemOf(contract, field.type, found, "output");
        return problem === undefined
          ? []
          : [{ path, expected: `\`${name}\` as declared`, got: `${shortText(found)}: ${problem}` }];
      }
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

export function shortText(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}

/** Returns the shape of a record in the responses of the operation, for what follows from it. */
export function itemShape({ model }: Contract, operation: Operation): Shape | undefined {
  const { gives } = operation.endpoint;
  return gives === undefined || gives === "none" ? undefined : shapeOf(model, gives, operation.action === "list");
}
