/**
 * The names in a model: those that statements declare, and those that statements refer to. A grammar marks its texts that are
 * names (`references`, `declares`) with their kind, so that one walk over grammar and model finds every name and can rename it.
 */
export type ReferenceKind =
  | "resource"
  | "type"
  | "view"
  | "schema"
  | "operation"
  | "event"
  | "error"
  | "role"
  | "credential"
  /** Of a resource. */
  | "field"
  | "state"
  /** A member of a type or a view, or of an operation's input or response. */
  | "member";

export interface Reference {
  /** Several where the name may be one of either. */
  readonly kinds: readonly ReferenceKind[];
  readonly name: string;
  /** Of a field or a state the resource; of a member the type, view or operation. Undefined where that is not known. */
  readonly of: string | undefined;
  /** A path as in `SourceLocations`. */
  readonly at: string;
  readonly form: "key" | "item" | "value" | "expression";
  readonly declares: boolean;
}

/** The current path of a walk in the model, and the owners of the names there. */
export interface Scope {
  readonly path: string;
  /** The resource whose fields and states are named. */
  readonly record?: string | undefined;
  /** The owner of the named members: a type, a view, an operation. */
  readonly owner?: string | undefined;
  /** Whose input an expression reads: the operation's, or the event's. */
  readonly operation?: string | undefined;
  readonly event?: string | undefined;
  readonly walk: Walk;
}

export interface Walk {
  /** The name to write instead; undefined removes the statement that has it. */
  readonly name: (reference: Reference) => string | undefined;
  /** The same for the text of an expression. */
  readonly expression: (text: string, scope: Scope) => string | undefined;
  /** The resource that an operation or an event is about. */
  readonly resourceOf: (kind: "operation" | "event", name: string) => string | undefined;
}

/** A statement with other names, itself where they are the same; undefined where it is removed. */
export type MapNames<Value> = (value: Value, scope: Scope) => Value | undefined;

export interface Naming {
  readonly references?: ReferenceKind | readonly ReferenceKind[];
  readonly declares?: ReferenceKind;
}

export function inside(scope: Scope, ...keys: readonly (string | number)[]): Scope {
  return { ...scope, path: [scope.path, ...keys].join("/") };
}

function kindsOf({ declares, references = [] }: Naming): readonly ReferenceKind[] {
  return declares !== undefined ? [declares] : typeof references === "string" ? [references] : references;
}

/** The name at `scope.path`. */
export function mapName(
  name: string,
  scope: Scope,
  naming: Naming,
  form: Reference["form"] = "value",
): string | undefined {
  const kinds = kindsOf(naming);
  const of = kinds.includes("member")
    ? scope.owner
    : kinds.some((kind) => kind === "field" || kind === "state")
      ? scope.record
      : undefined;
  return scope.walk.name({ kinds, name, of, at: scope.path, form, declares: naming.declares !== undefined });
}

/** Paths below a name belong to the named declaration. */
function below(scope: Scope, { declares, references = declares ?? [] }: Naming, name: string): Scope {
  const { walk } = scope;
  if (references === "field" || references === "state" || references === "error" || references === "member")
    return scope;
  if (references === "resource") return { ...scope, record: name };
  if (references === "event") return { ...scope, record: walk.resourceOf("event", name) };
  if (references === "type" || references === "view") return { ...scope, owner: name };
  // A quota is one of an operation, or of a resource.
  const record = walk.resourceOf("operation", name) ?? (references === "operation" ? undefined : name);
  return { ...scope, record, owner: name, operation: name };
}

/** Entries by name; `item` maps their values. */
export function mapEntries<Value>(
  entries: Readonly<Record<string, Value>>,
  scope: Scope,
  naming: Naming | undefined,
  item?: MapNames<Value>,
): Readonly<Record<string, Value>> {
  let isSame = true;
  const mapped: [string, Value][] = [];
  for (const [key, value] of Object.entries(entries)) {
    const at = inside(scope, key);
    const name = naming === undefined ? key : mapName(key, at, naming, "key");
    const next =
      name === undefined || item === undefined
        ? value
        : item(value, naming === undefined ? at : below(at, naming, key));
    isSame &&= name === key && next === value;
    if (name !== undefined && next !== undefined) mapped.push([name, next]);
  }
  return isSame ? entries : Object.fromEntries(mapped);
}

/** `key` returns the path segment of an item. Default: its index. */
export function mapItems<Value>(
  items: readonly Value[],
  scope: Scope,
  item: MapNames<Value>,
  key: (value: Value, index: number) => string | number = (_, index) => index,
): readonly Value[] {
  const mapped = items.map((value, index) => item(value, inside(scope, key(value, index))));
  return mapped.every((value, index) => value === items[index]) ? items : mapped.filter((value) => value !== undefined);
}

/** A name, or a list of names, each with its place. */
export function mapNames<Value>(value: Value, scope: Scope, naming: Naming): Value | undefined {
  const one: MapNames<string> = (name, at) => mapName(name, at, naming, "item");
  if (typeof value === "string") return mapName(value, scope, naming) as Value | undefined;
  return Array.isArray(value) ? (mapItems(value as string[], scope, one, String) as Value) : value;
}

/** What some of the members map, in a copy where that changes anything. */
export function mapMembers<Value extends object>(
  value: Value,
  scope: Scope,
  members: { readonly [Name in keyof Value]?: MapNames<Exclude<Value[Name], undefined>> },
): Value {
  const changed = Object.entries(members as Record<string, MapNames<unknown>>).flatMap(([name, map]) => {
    const one = value[name as keyof Value];
    const next = one === undefined ? one : map(one, inside(scope, name));
    return next === one ? [] : [[name, next] as const];
  });
  return changed.length === 0 ? value : withMembers(value, changed);
}

/** Members that are undefined are left out. */
export function withMembers<Value extends object>(
  value: Value,
  members: readonly (readonly [string, unknown])[],
): Value {
  const changed = new Map(members);
  const entries = Object.entries(value).map(
    ([name, one]) => [name, changed.has(name) ? changed.get(name) : one] as const,
  );
  return Object.fromEntries(entries.filter(([, one]) => one !== undefined)) as Value;
}
