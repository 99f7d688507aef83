/**
 * Interprets the clauses `seen as` and `taken as` of entries in part 9.
 *
 *     seen as    evaluated over the record of the entry's version      the value that older callers receive
 *     taken as   evaluated over the body that older callers sent       the value that the newer version uses
 *
 * A text that is one of the values of a closed or open list is that value; if a type has no literals in expressions (money,
 * embedded values, maps, times), the text is read like a default of the type. Any other text is an expression over the other
 * fields of the same object and reads nothing else: conversions are pure.
 */
import type { Json } from "../../base/json.ts";
import type { UnixUnit } from "../../base/unix-time.ts";
import { nodesOf, type TypedExpression } from "../../expression/typed.ts";
import type { FieldType as ExpressionField, NamedType } from "../../expression/types.ts";
import { resolveEndpoint } from "../endpoints/resolve.ts";
import { type MisplacedExpression, typeText } from "../analysis/expressions.ts";
import type { Model } from "../model.ts";
import { onceForModel } from "../analysis/per-model.ts";
import { literalValue } from "../resources/default-value.ts";
import { bareType, fieldsOf, lookup, unixUnitOf } from "../resources/fields.ts";
import type { Field, Fields, FieldType } from "../resources/model.ts";
import { recordMembers, valueOf } from "../resources/value-type.ts";
import { modelAt, removedField } from "./model-at-version.ts";
import type { Change, ChangeTarget, Version } from "./model.ts";

export type Conversion =
  | { readonly kind: "value"; readonly value: Json }
  /** An expression over the other members of the same object, by their names. */
  | ({
      readonly kind: "expression";
      readonly expression: TypedExpression;
      /** Set if the member is left out where the result is null. */
      readonly leftOut?: true;
    } & UnixTimes);

/** The moments that JSON has as Unix time, while expressions have them as text: the members that are read, and the result. */
export interface UnixTimes {
  readonly reads?: Readonly<Record<string, UnixUnit>>;
  readonly gives?: UnixUnit;
}

export interface Conversions {
  /** The conversions by path of the clause, such as `versioning/versions/2026-09-01/2/seen`. */
  readonly found: ReadonlyMap<string, Conversion>;
  readonly problems: readonly MisplacedExpression[];
}

export const conversionsOf: (model: Model) => Conversions = onceForModel((model) => {
  const found = new Map<string, Conversion>();
  const problems: MisplacedExpression[] = [];
  const { versions = [] } = model.versioning;
  for (const [index, version] of versions.entries()) {
    const before = versions[index + 1];
    if (before === undefined || version.changes.length === 0) continue;
    const around = { newer: modelAt(model, version.name), older: modelAt(model, before.name) };
    for (const clause of clausesOf(around, version)) {
      const one = understood(clause);
      if (one.conversion !== undefined) found.set(clause.path, one.conversion);
      problems.push(...one.problems);
    }
  }
  return { found, problems };
});

interface Around {
  readonly newer: Model;
  readonly older: Model;
}

interface Clause {
  readonly path: string;
  readonly text: string;
  /** The model whose names the text may use, and the names. */
  readonly model: Model;
  readonly members: Readonly<Record<string, ExpressionField>>;
  /** The types of those members that have one in the document. */
  readonly fields: Fields;
  /** The field of this model whose type the value must have; absent for a computed response member, whose type is unknown. */
  readonly result?: { readonly field: Field; readonly model: Model };
}

function clausesOf(around: Around, { name, changes }: Version): readonly Clause[] {
  return changes.flatMap((change, index) => {
    const path = `versioning/versions/${name}/${index}`;
    const target = targetOf(change);
    if (target?.field === undefined) return [];
    const { newer, older } = around;
    const olderTarget = olderOf(changes, target);
    const toOlder = { model: newer, members: membersOf(newer, target.of), fields: fieldsRead(newer, target.of) };
    const isBefore = fieldAt(older, olderTarget);
    // In an entry `retype`, the conversion can read the former value as `value`.
    const value = change.kind === "retype" && isBefore !== undefined ? { value: valueOf(older, isBefore) } : {};
    const former: Fields = change.kind === "retype" && isBefore !== undefined ? { value: isBefore } : {};
    const toNewer = {
      model: older,
      members: { ...value, ...membersOf(older, olderTarget.of) },
      fields: { ...former, ...fieldsRead(older, olderTarget.of) },
    };
    const isNow = fieldAt(newer, target);
    const seen = "seen" in change && change.seen !== undefined ? change.seen : undefined;
    const taken = "taken" in change && change.taken !== undefined ? change.taken : undefined;
    const removed = change.kind === "remove" && change.type !== undefined ? removedField(change.type, seen) : undefined;
    const olderField = removed ?? isBefore;
    // Another check reports unknown names. For a computed member of a response, only the expression is known.
    if (olderField === undefined && isNow === undefined && lookup(newer.endpoints.endpoints, target.of) === undefined)
      return [];
    return [
      ...(seen === undefined
        ? []
        : [
            {
              path: `${path}/seen`,
              text: seen,
              ...toOlder,
              ...resultOf(olderField && valued(olderField, change), older),
            },
          ]),
      ...(taken === undefined ? [] : [{ path: `${path}/taken`, text: taken, ...toNewer, ...resultOf(isNow, newer) }]),
    ];
  });
}

/** Returns the field that an entry's replacement value must fit: for `add value` to a list, one item of the list. */
function valued(field: Field, change: Change): Field {
  return change.kind === "add-value" ? { ...field, type: itemOf(field.type) } : field;
}

function itemOf(type: FieldType): FieldType {
  const bare = bareType(type);
  return bare.kind === "list" || bare.kind === "map" ? itemOf(bare.of) : bare;
}

function resultOf(field: Field | undefined, model: Model): Pick<Clause, "result"> {
  return field === undefined ? {} : { result: { field, model } };
}

function targetOf(change: Change): ChangeTarget | undefined {
  return "target" in change ? change.target : undefined;
}

/** Returns the place of an entry under the names of the version before. */
export function olderOf(changes: readonly Change[], { of, field }: ChangeTarget): ChangeTarget {
  const named = changes.find((change) => {
    return change.kind === "rename" && change.from.of === of && change.to === field && change.from.field !== undefined;
  });
  const renamed = changes.find(
    (change) => change.kind === "rename" && change.from.field === undefined && change.to === of,
  );
  const name = named?.kind === "rename" ? named.from.field : field;
  return { of: renamed?.kind === "rename" ? renamed.from.of : of, ...(name === undefined ? {} : { field: name }) };
}

/** Returns the field at a place: of a resource or type, or a member of an operation's input or a handler's response. */
export function fieldAt(model: Model, { of, field }: ChangeTarget): Field | undefined {
  if (field === undefined) return undefined;
  return lookup(fieldsAt(model, of) ?? {}, field) ?? lookup(lookup(model.endpoints.endpoints, of)?.shape ?? {}, field);
}

function fieldsAt(model: Model, of: string): Fields | undefined {
  const { resources, types, views = {} } = model.resources;
  return (
    lookup(resources, of)?.fields ??
    lookup(types, of) ??
    lookup(views, of)?.members ??
    lookup(model.endpoints.endpoints, of)?.takes
  );
}

/** Returns the names that a conversion can use: for an operation without its own body, the fields of its resource. */
function membersOf(model: Model, of: string): Readonly<Record<string, ExpressionField>> {
  if (lookup(model.resources.resources, of) !== undefined) return recordMembers(model, of);
  const view = lookup(model.resources.views ?? {}, of);
  if (view !== undefined) return recordMembers(model, view.of);
  const resource = resourceAt(model, of);
  const record = resource === undefined ? {} : recordMembers(model, resource);
  const members = Object.entries(fieldsRead(model, of)).map(([name, field]) => [name, valueOf(model, field)] as const);
  return { ...record, ...Object.fromEntries(members) };
}

/** Returns the fields that a conversion can read, by name. */
function fieldsRead(model: Model, of: string): Fields {
  const view = lookup(model.resources.views ?? {}, of);
  const resource = view?.of ?? resourceAt(model, of);
  return fieldsAt(model, of) ?? (resource === undefined ? {} : fieldsOf(model, resource));
}

function resourceAt(model: Model, operation: string): string | undefined {
  const resolved = resolveEndpoint(model, operation);
  return resolved === undefined || resolved.kind === "unclear" ? undefined : resolved.resource;
}

function unixTimes(fields: Fields, result: Field | undefined): UnixTimes {
  const reads = Object.entries(fields).flatMap(([name, { type }]) => {
    const unit = unixUnitOf(type);
    return unit === undefined ? [] : [[name, unit] as const];
  });
  const gives = result && unixUnitOf(result.type);
  return {
    ...(reads.length === 0 ? {} : { reads: Object.fromEntries(reads) }),
    ...(gives === undefined ? {} : { gives }),
  };
}

function understood({ path, text, model, members, fields, result }: Clause): {
  readonly conversion?: Conversion;
  readonly problems: readonly MisplacedExpression[];
} {
  const value = result === undefined || Object.hasOwn(members, text) ? undefined : literalOf(result, text);
  if (value !== undefined) return { conversion: { kind: "value", value }, problems: [] };
  const names = Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, { ...member, from: "record" } satisfies NamedType]),
  );
  const expected: { readonly expected?: ExpressionField } =
    result === undefined ? {} : { expected: { ...valueOf(result.model, result.field), nullable: true } };
  const typedText = typeText(model, { path, text, names, ...expected });
  // If callers expect an integer and the expression is not one, it may be a fraction, which the conversion rounds.
  const renamed = result !== undefined && expected.expected?.type.kind === "int" && typedText.typed === undefined;
  const { typed, problems } = renamed
    ? typeText(model, { path, text, names, expected: { type: { kind: "double" }, nullable: true } })
    : typedText;
  if (typed === undefined) return { problems };
  const stray = nodesOf(typed).find(({ kind }) => kind === "walk" || kind === "records");
  if (stray === undefined) {
    const leftOut = typed.nullable && result?.field.optional === true && result.field.type.kind !== "nullable";
    const times = unixTimes(fields, result?.field);
    return {
      conversion: { kind: "expression", expression: typed, ...(leftOut ? { leftOut } : {}), ...times },
      problems,
    };
  }
  const message = "a conversion can read only the same record, and this reads another one";
  const problem = { code: "reads-another-record", message, start: stray.at.start, end: stray.at.end };
  return { problems: [{ path, text, problem }] };
}

const word = /^[A-Za-z_][\w-]*$/;

/** Scalars that are strings in expressions: the text of a clause without quotes is a literal of the type. */
const written = new Set(["date", "time", "datetime", "money", "json"]);

function literalOf({ model, field }: Required<Clause>["result"], text: string): Json | undefined {
  const bare = bareType(field.type);
  if (text === "null") return undefined;
  // Another check reports a word that is not one of the values.
  if (bare.kind === "one-of") return bare.values.includes(text) || word.test(text) ? text : undefined;
  if (bare.kind === "scalar" && !written.has(bare.name)) return undefined;
  if (bare.kind === "named" && lookup(model.resources.types, bare.name) === undefined) return undefined;
  if (bare.kind === "id") return undefined;
  if (bare.kind === "scalar" && bare.name === "json") return structured(text);
  if (bare.kind === "scalar" && bare.name !== "money" && !/^[0-9]/.test(text)) return undefined;
  if (bare.kind === "list") return structured(text);
  return literalValue(model, bare, text);
}

function structured(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
