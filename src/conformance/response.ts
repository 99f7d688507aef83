/** What the document says of the successful responses of an operation: their status, and where in the body records and pages are. */
import { camelCase, plural } from "../base/case.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { creates } from "../language/endpoints/input.ts";
import type { ListNames } from "../language/endpoints/model.ts";
import { batchOf, responseExpressions, responseShape, type Shape, shapeOf } from "../language/endpoints/shape.ts";
import {
  fieldsOf,
  isAroundItself,
  isExpandable,
  isOnRequest,
  lifecycleOf,
  lookup,
  nestedView,
  unexpandedType,
} from "../language/resources/fields.ts";
import type { Field } from "../language/resources/model.ts";
import { type Contract, type Operation, wrapOf } from "./contract.ts";

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

/** What a list has only if the document names it. */
type OptionalName = "count" | "after" | "before" | "end" | "direction";

/** The names of a list's parameters and members. */
export function listNames(
  { model }: Contract,
  { endpoint, resource }: Operation,
): Required<Omit<ListNames, OptionalName>> & Pick<ListNames, OptionalName> {
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

/** Returns the parameters that sort a list by a field, in each direction; `sign` is -1 for descending. */
export function sortedBy(
  contract: Contract,
  operation: Operation,
  field: string,
): readonly { readonly query: Readonly<Record<string, string>>; readonly sign: number }[] {
  const { direction, sort } = listNames(contract, operation);
  const [ascending, descending] =
    direction === undefined
      ? [{ [sort]: field }, { [sort]: `-${field}` }]
      : [
          { [sort]: field, [direction]: "asc" },
          { [sort]: field, [direction]: "DESC" },
        ];
  return [
    { query: ascending, sign: 1 },
    { query: descending, sign: -1 },
  ];
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
  const batch = batchOf(contract.model, operation);
  if (batch !== undefined && page === undefined) {
    const items = batch.member === undefined ? body : isObject(body) ? lookup(body, batch.member) : undefined;
    return Array.isArray(items) ? { items } : undefined;
  }
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
  if (batchOf(contract.model, operation) !== undefined) {
    const first = pageIn(contract, operation, body)?.items[0];
    return item === undefined ? (isObject(first) ? { record: first } : undefined) : recordAt(item, first);
  }
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

/** Returns the ids in the objects that a view shows for references of the record. */
export function nestedIds(contract: Contract, { record, view = "" }: ObservedRecord): ReadonlyMap<string, Json> {
  const { model } = contract;
  const { members = {} } = lookup(model.resources.views ?? {}, view) ?? {};
  const found = new Map<string, Json>();
  for (const [name, member] of Object.entries(members)) {
    const nested = member.computed === undefined ? nestedView(model, unexpandedType(model, member)) : undefined;
    const inner = lookup(record, name);
    if (nested === undefined || nested.list || isAroundItself(model, view, name) || !isObject(inner)) continue;
    const id = lookup(inner, memberOf(contract, "id", nested.view));
    if (id !== undefined && id !== null) found.set(name, id as Json);
  }
  return found;
}

/** Returns the objects in a representation that are other views of the same record. */
export function viewsAround({ model }: Contract, record: JsonObject, view = ""): readonly ObservedRecord[] {
  const { members = {} } = lookup(model.resources.views ?? {}, view) ?? {};
  return Object.entries(members).flatMap(([name, { type }]): readonly ObservedRecord[] => {
    const inner = isAroundItself(model, view, name) ? lookup(record, name) : undefined;
    const nested = nestedView(model, type);
    return nested === undefined || !isObject(inner) ? [] : [{ record: inner, view: nested.view }];
  });
}

/** Returns the names of the resource's fields that a representation can show: all of them, or those of a view. */
export function observableFields(contract: Contract, resource: string, view?: string): readonly string[] {
  const { model } = contract;
  if (view === undefined) {
    const states = lifecycleOf(model, resource) === undefined ? [] : ["state"];
    return [...states, ...Object.keys(fieldsOf(model, resource))];
  }
  const { fields = [], members = {} } = lookup(model.resources.views ?? {}, view) ?? {};
  // Of the record to which the field refers, a response has the id unless the request asks for more.
  const isReference = (name: string, member: Field): boolean =>
    isExpandable(member) && !isOnRequest(member) && lookup(fieldsOf(model, resource), name) !== undefined;
  return [
    ...fields.filter((name) => lookup(members, name) === undefined),
    ...Object.keys(members).filter((name) => isReference(name, members[name] as Field)),
  ];
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

/** Returns the value of a field in a representation; undefined if the representation does not show the field. */
export function visibleValue(
  contract: Contract,
  resource: string | undefined,
  observed: ObservedRecord,
  field: string,
): Json | undefined {
  const { record, view } = observed;
  const member = memberOf(contract, field, view);
  const isVisible = member !== field || observableFields(contract, resource ?? "", view).includes(field);
  return nestedIds(contract, observed).get(field) ?? (isVisible ? lookup(record, member) : undefined);
}

/** Returns the shape of a record in the responses of the operation, for what follows from it. */
export function itemShape({ model }: Contract, operation: Operation): Shape | undefined {
  const { gives } = operation.endpoint;
  return gives === undefined || gives === "none" ? undefined : shapeOf(model, gives, operation.action === "list");
}
