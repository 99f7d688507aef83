/**
 * Finds the names in a model: those that statements declare, and those that statements refer to. A grammar marks its texts
 * that are names (`references`, `declares`) with their kind, so that one walk over grammar and model finds every name and can
 * rename it.
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
  /** A field of a resource. */
  | "field"
  | "state"
  /** A member of a type or a view, or of an operation's input or response. */
  | "member";

export interface Reference {
  /** The kinds that the name may have; several if only its declaration decides. */
  readonly kinds: readonly ReferenceKind[];
  readonly name: string;
  /**
   * The owner of the name: the resource of a field or state; the type, view or operation of a member. Undefined if unknown.
   */
  readonly of: string | undefined;
  /** The path of the name, as in `SourceLocations`. */
  readonly at: string;
  readonly form: "key" | "item" | "value" | "expression";
  readonly declares: boolean;
  /** The offset of a name in the text of its expression. */
  readonly start?: number;
}

/** The current path of a walk through the model, and the owners of the names there. */
export interface Scope {
  readonly path: string;
  /** The resource to which names of fields and states belong. */
  readonly record?: string | undefined;
  /** The resource of the record that `this` and, in `also`, `old` mean, if it is not `record`. */
  readonly around?: string | undefined;
  /** The type, view or operation to which names of members belong. */
  readonly owner?: string | undefined;
  /** The operation or event whose input an expression reads. */
  readonly operation?: string | undefined;
  readonly event?: string | undefined;
  readonly walk: Walk;
}

export interface Walk {
  /** Returns the name to write instead; undefined removes the statement that has the name. */
  readonly name: (reference: Reference) => string | undefined;
  /** Whether texts that are names of states (`state == 'open'`) are names too. */
  readonly values?: boolean;
  /** Returns the text to write instead of an expression; undefined removes the statement that has the expression. */
  readonly expression: (text: string, scope: Scope) => string | undefined;
  /** Returns the resource that an operation or an event is about. */
  readonly resourceOf: (kind: "operation" | "event", name: string) => string | undefined;
}

/** Returns a statement with other names: the same object if no name changes, undefined if the statement is removed. */
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

/** Maps the name at `scope.path`. */
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

/** Returns the scope for paths below a name: they belong to the declaration with this name. */
function below(scope: Scope, { declares, references = declares ?? [] }: Naming, name: string): Scope {
  const { walk } = scope;
  if (references === "field" || references === "state" || references === "error" || references === "member")
    return scope;
  if (references === "resource") return { ...scope, record: name };
  if (references === "event") return { ...scope, record: walk.resourceOf("event", name) };
  if (references === "type" || references === "view") return { ...scope, owner: name };
  // The name of a quota is an operation or a resource.
  const record = walk.resourceOf("operation", name) ?? (references === "operation" ? undefined : name);
  return { ...scope, record, owner: name, operation: name };
}

/** Maps the names in the keys of a map; `item` maps its values. */
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

/** Maps the names in the items of a list. `key` returns the path segment of an item. Default: its index. */
export function mapItems<Value>(
  items: readonly Value[],
  scope: Scope,
  item: MapNames<Value>,
  key: (value: Value, index: number) => string | number = (_, index) => index,
): readonly Value[] {
  const mapped = items.map((value, index) => item(value, inside(scope, key(value, index))));
  return mapped.every((value, index) => value === items[index]) ? items : mapped.filter((value) => value !== undefined);
}

/** Maps a name, or each name of a list. */
export function mapNames<Value>(value: Value, scope: Scope, naming: Naming): Value | undefined {
  const one: MapNames<string> = (name, at) => mapName(name, at, naming, "item");
  if (typeof value === "string") return mapName(value, scope, naming) as Value | undefined;
  return Array.isArray(value) ? (mapItems(value as string[], scope, one, String) as Value) : value;
}

/** Maps the names in some members of an object; returns a copy only if a name changes. */
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

/** Returns a copy of an object with other members; omits members that are undefined. */
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
