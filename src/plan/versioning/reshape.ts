/**
 * Plans the conversion of stored embedded values: applies the entries of part 9 about embedded types to every field that
 * contains such a value at any depth.
 */
import type { Model } from "../../language/model.ts";
import { literalValue } from "../../language/resources/default-value.ts";
import { innermost, lookup } from "../../language/resources/fields.ts";
import type { Field, Fields, FieldType } from "../../language/resources/model.ts";
import { type Conversion, olderOf } from "../../language/versioning/conversions.ts";
import type { Version } from "../../language/versioning/model.ts";
import type { HeldType, ReshapePlan, TypeStep } from "./data-change-types.ts";

/** A field with the names of its version, and the conversion of its value. */
interface Reshaped {
  readonly resource: string;
  readonly field: string;
  readonly reshape: ReshapePlan;
}

/** Returns the conversions of embedded values. `model`: the model at `version`. `found`: the conversions of its entries. */
export function reshapesOf(
  model: Model,
  version: Version,
  found: ReadonlyMap<string, Conversion>,
): readonly Reshaped[] {
  const types = Object.entries(model.resources.types).map(
    ([name, fields]) => [name, typeStep(model, version, found, name, fields)] as const,
  );
  const changed = new Set(
    types.filter(([, { renames, taken }]) => renames.length + taken.length > 0).map(([name]) => name),
  );
  if (changed.size === 0) return [];
  const steps = new Map(types);
  return Object.entries(model.resources.resources).flatMap(([resource, { fields }]) =>
    Object.entries(fields).flatMap(([field, { type }]): readonly Reshaped[] => {
      const held = heldType(model, type);
      const reached = held === undefined ? [] : reachedFrom(steps, held.type);
      if (held === undefined || !reached.some((name) => changed.has(name))) return [];
      const needed = types.filter(([name]) => reached.includes(name));
      return [{ resource, field, reshape: { kind: "reshape", ...held, types: Object.fromEntries(needed) } }];
    }),
  );
}

function typeStep(
  model: Model,
  { changes, name: version }: Version,
  found: ReadonlyMap<string, Conversion>,
  of: string,
  fields: Fields,
): TypeStep {
  const renames = changes.flatMap((change) =>
    change.kind === "rename" && change.from.of === of && change.from.field !== undefined
      ? [[change.from.field, change.to] as const]
      : [],
  );
  const taken = changes.flatMap((change, index): TypeStep["taken"] => {
    if (change.kind !== "add" && change.kind !== "require" && change.kind !== "retype") return [];
    const { field: member } = change.target;
    const field = change.target.of === of && member !== undefined ? lookup(fields, member) : undefined;
    if (member === undefined || field === undefined) return [];
    const conversion = found.get(`versioning/versions/${version}/${index}/taken`) ?? defaultOf(model, field);
    if (conversion === undefined) return [];
    if (change.kind !== "retype") return [{ member, taken: conversion }];
    return [{ member, was: olderOf(changes, change.target).field ?? member, taken: conversion }];
  });
  const holds = Object.entries(fields).flatMap(([member, { type }]) => {
    const held = heldType(model, type);
    return held === undefined ? [] : [[member, held] as const];
  });
  return { renames, taken, holds: Object.fromEntries(holds) };
}

function defaultOf(model: Model, { default: made, type }: Field): Conversion | undefined {
  const value = made?.kind === "literal" ? literalValue(model, type, made.text) : undefined;
  return value === undefined ? undefined : { kind: "value", value };
}

/** Returns the embedded type inside a type, and the lists and maps around it, outermost first. */
export function heldType(model: Model, type: FieldType): HeldType | undefined {
  const { of, enclosing } = innermost(type);
  const isHeld = of.kind === "named" && lookup(model.resources.types, of.name) !== undefined;
  return isHeld ? { type: of.name, enclosing } : undefined;
}

/** Returns all types reachable from a type, which may contain itself. */
function reachedFrom(steps: ReadonlyMap<string, TypeStep>, start: string): readonly string[] {
  const reached = new Set([start]);
  // The loop also visits types that it adds to the Set.
  for (const name of reached) for (const { type } of Object.values(steps.get(name)?.holds ?? {})) reached.add(type);
  return [...reached];
}
