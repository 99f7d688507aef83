/**
 * Removes members marked `writeOnly` below a `schema:` from everything the service returns (R5.9): a store wrapper filters its
 * views, so responses, events, webhooks, streams and older versions omit them. Documents without such members use the store
 * directly.
 */
import { onceFor } from "../../base/once.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { parts, type TypedExpression } from "../../expression/typed.ts";
import type { ResourcesPart, Table } from "../../plan/resources/types.ts";
import { after } from "../../base/after.ts";
import type { Awaitable, Store, Transaction, View, ViewMember, Written } from "../../store/port/store.ts";
import type { Strip } from "../context/compiled.ts";

/** Removes the write-only members of a part of a value; undefined if the whole part is write-only. */
type PartStrip = (value: Json) => Json | undefined;

const retainAll: PartStrip = (value) => value;
const dropAll: PartStrip = () => undefined;

/** Filters the JSON text of a view's record, or of several separated by commas. */
export type ResponseFilter = (view: View, text: string) => string;

/** Creates the filter; undefined if the document has no write-only members. */
export function createResponseFilter({ schemas, tables }: ResourcesPart): ResponseFilter | undefined {
  const columns = new Map(
    tables.flatMap(({ resource, columns: all }) =>
      all.flatMap(({ name, schema }) => {
        const found = { schema, named: schemas };
        return holdsWriteOnly(found, new Set()) ? [[`${resource}.${name}`, found] as const] : [];
      }),
    ),
  );
  if (columns.size === 0) return undefined;
  const stripOf = onceFor((view: View) => viewStrip(columns, view));
  return (view, text) => {
    const strip = stripOf(view);
    const all = JSON.parse(`[${text}]`) as readonly Json[];
    return all.map((one) => JSON.stringify(strip(one) ?? {})).join();
  };
}

/** Returns the columns with write-only members inside their values; responses never contain their full value. */
export function partlyHiddenColumns({ columns }: Table, named: ResourcesPart["schemas"]): ReadonlySet<string> {
  return new Set(columns.flatMap(({ name, schema }) => (holdsWriteOnly({ schema, named }, new Set()) ? [name] : [])));
}

/** Returns a function that removes the members that the schema marks as write-only; undefined if it marks none. */
export function withoutWriteOnly(schema: JsonObject, named: ResourcesPart["schemas"]): Strip | undefined {
  const of = { schema, named };
  return holdsWriteOnly(of, new Set()) ? (value) => stripped(value, [of]) ?? {} : undefined;
}

// ── Schemas ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A schema, and the named schemas to which it refers. */
interface Schema {
  readonly schema: Json | undefined;
  readonly named: ResourcesPart["schemas"];
}

/** Returns the schemas that apply to the same value: the schema itself, references, and combinations (`allOf`, …). */
function facets({ schema, named }: Schema, around: ReadonlySet<Json> = new Set()): readonly JsonObject[] {
  if (!isObject(schema) || around.has(schema)) return [];
  const inside = new Set([...around, schema]);
  const { $ref, allOf, anyOf, oneOf, then, else: otherwise } = schema as Readonly<Record<string, Json>>;
  const referred = typeof $ref === "string" ? [named[$ref] as Json] : [];
  const all = [
    ...referred,
    ...[allOf, anyOf, oneOf].flatMap((one) => (Array.isArray(one) ? one : [])),
    then,
    otherwise,
  ];
  return [schema, ...all.flatMap((one) => facets({ schema: one as Json, named }, inside))];
}

/** Returns the schemas of a member or item of the value. */
function below(of: Schema, name: string | number): readonly Schema[] {
  const one = (schema: unknown): Schema => ({ schema: schema as Json, named: of.named });
  return facets(of).flatMap((facet): readonly Schema[] => {
    if (typeof name === "number") {
      const prefix = facet["prefixItems"];
      return [...(Array.isArray(prefix) ? [one(prefix[name])] : []), one(facet["items"]), one(facet["contains"])];
    }
    const { properties, patternProperties, additionalProperties, unevaluatedProperties } = facet as Readonly<
      Record<string, Json>
    >;
    const local = isObject(properties) && Object.hasOwn(properties, name) ? [one(properties[name])] : [];
    const patterns = isObject(patternProperties) ? Object.values(patternProperties).map(one) : [];
    return [...local, ...patterns, one(additionalProperties), one(unevaluatedProperties)];
  });
}

const isWriteOnly = (of: Schema): boolean => facets(of).some((facet) => facet["writeOnly"] === true);

function holdsWriteOnly(of: Schema, around: ReadonlySet<Json>): boolean {
  if (isWriteOnly(of)) return true;
  return facets(of).some((facet) => {
    if (around.has(facet)) return false;
    const inside = new Set([...around, facet]);
    const { properties, patternProperties, prefixItems, items, contains, additionalProperties, unevaluatedProperties } =
      facet as Readonly<Record<string, Json>>;
    const all = [
      ...(isObject(properties) ? Object.values(properties) : []),
      ...(isObject(patternProperties) ? Object.values(patternProperties) : []),
      ...(Array.isArray(prefixItems) ? prefixItems : []),
      items,
      contains,
      additionalProperties,
      unevaluatedProperties,
    ];
    return all.some((schema) => holdsWriteOnly({ schema: schema as Json, named: of.named }, inside));
  });
}

function stripped(value: Json, schemas: readonly Schema[]): Json | undefined {
  if (schemas.some(isWriteOnly)) return undefined;
  if (Array.isArray(value)) {
    return value.flatMap((item: Json, index) => {
      const left = stripped(
        item,
        schemas.flatMap((of) => below(of, index)),
      );
      return left === undefined ? [] : [left];
    });
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, Json][] => {
      const left = stripped(
        member as Json,
        schemas.flatMap((of) => below(of, name)),
      );
      return left === undefined ? [] : [[name, left]];
    }),
  );
}

// ── Views ──────────────────────────────────────────────────────────────────────────────────────────────────────────

type Columns = ReadonlyMap<string, Schema>;

function viewStrip(columns: Columns, { members, resource }: View): PartStrip {
  return membersStrip(columns, resource, members);
}

function membersStrip(columns: Columns, resource: string, members: readonly ViewMember[]): PartStrip {
  const strips = new Map(members.map((member) => [member.name, memberStrip(columns, resource, member)]));
  return (value) => {
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]): [string, Json][] => {
        const left = (strips.get(name) ?? retainAll)(member as Json);
        return left === undefined ? [] : [[name, left]];
      }),
    );
  };
}

function memberStrip(columns: Columns, resource: string, { source }: ViewMember): PartStrip {
  switch (source.kind) {
    case "column":
      return schemaStrip(columns.get(`${resource}.${source.column}`));
    case "expression":
      return expressionStrip(columns, resource, source.expression);
    case "object":
      return membersStrip(columns, resource, source.members);
    case "record":
      return viewStrip(columns, source.view);
    case "records": {
      const each = viewStrip(columns, source.view);
      return (value) => (Array.isArray(value) ? value.map((one: Json) => each(one) ?? null) : value);
    }
  }
}

function schemaStrip(of: Schema | undefined): PartStrip {
  return of === undefined ? retainAll : (value) => stripped(value, [of]);
}

/**
 * Returns a function for the value of an expression: a stored value loses its write-only parts; a value computed from them is
 * removed.
 */
function expressionStrip(columns: Columns, resource: string, expression: TypedExpression): PartStrip {
  const at = schemasOf(columns, resource, expression);
  if (at !== undefined) return (value) => stripped(value, at);
  return readsWriteOnly(columns, resource, expression) ? dropAll : retainAll;
}

/** Returns the schemas of a field or of a member of a field; undefined for other expressions. */
function schemasOf(columns: Columns, resource: string, expression: TypedExpression): readonly Schema[] | undefined {
  switch (expression.kind) {
    case "field":
      return listed(columns.get(`${resource}.${expression.name}`));
    case "walk":
    case "item-field":
      return listed(columns.get(`${expression.resource}.${expression.name}`));
    case "member": {
      const around = schemasOf(columns, resource, expression.object);
      if (around === undefined) return undefined;
      // All members of a write-only value are write-only too.
      return around.some(isWriteOnly) ? around : around.flatMap((of) => below(of, expression.name));
    }
    default:
      return undefined;
  }
}

function listed(of: Schema | undefined): readonly Schema[] | undefined {
  return of === undefined ? undefined : [of];
}

function readsWriteOnly(columns: Columns, resource: string, expression: TypedExpression): boolean {
  const at = schemasOf(columns, resource, expression);
  if (at !== undefined) return at.some((of) => holdsWriteOnly(of, new Set()));
  return parts(expression).some((part) => readsWriteOnly(columns, resource, part));
}

// ── The store ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Returns a store whose views omit write-only members. Webhook delivery uses the unfiltered store, so the renderer filters
 * too.
 */
export function filteringStore(store: Store, filter: ResponseFilter): Store {
  const inside = (tx: Transaction): Transaction => {
    const written = (view: View, result: Awaitable<Written>): Awaitable<Written> =>
      after(result, (one) => (one.kind === "written" ? { ...one, text: filter(view, one.text) } : one));
    return overlaid(tx, {
      list: (query, ...parameters) =>
        after(tx.list(query, ...parameters), (page) => ({ ...page, text: filter(query.view, page.text) })),
      insert: (resource, values, revision, view, variables) =>
        written(view, tx.insert(resource, values, revision, view, variables)),
      update: (resource, row, changes, view, variables) =>
        written(view, tx.update(resource, row, changes, view, variables)),
      view: (row, view, variables) => after(tx.view(row, view, variables), (text) => filter(view, text)),
    });
  };
  return overlaid(store, {
    read(query) {
      const read = store.read(query);
      return (key, variables) =>
        after(read(key, variables), (found) => found && { ...found, text: filter(query.view, found.text) });
    },
    list(query) {
      const list = store.list(query);
      return (page, variables) =>
        after(list(page, variables), (found) => ({ ...found, text: filter(query.view, found.text) }));
    },
    aggregate(query) {
      const aggregate = store.aggregate(query);
      const view: View = { resource: "", members: query.members };
      return (variables) =>
        after(aggregate(variables), (text) => (text === undefined ? undefined : filter(view, text)));
    },
    transaction: (task, isLate) => store.transaction((tx) => task(inside(tx)), isLate),
  });
}

/** Returns the same object with some methods replaced; the others are bound to it, because stores may be classes. */
function overlaid<Base extends object>(aggregate: Base, methods: Partial<Base>): Base {
  return new Proxy(aggregate, {
    get(target, name) {
      const local = Reflect.get(methods, name) as unknown;
      if (local !== undefined) return local;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
