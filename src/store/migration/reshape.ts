/** Converts embedded values by the entries of one version about their types. */
import { editInside, isObject, type Json, type JsonObject, mapMembers } from "../../base/json.ts";
import { compileFunction } from "../../expression/evaluate.ts";
import type { HeldType, ReshapePlan, TypeStep } from "../../plan/versioning/data-change-types.ts";

export function compileReshape({ type, types, enclosing }: ReshapePlan): (value: Json) => Json {
  const edits = new Map(Object.entries(types).map(([name, step]) => [name, compileStep(step)]));
  const held = (value: Json, { type: name, enclosing: around }: HeldType): Json => {
    const edit = edits.get(name);
    return editInside(value, around, (one) => {
      if (edit === undefined || !isObject(one)) return one;
      const edited = edit(one);
      const holds = types[name]?.holds ?? {};
      return mapMembers(edited, (inner, member) => {
        const holding = Object.hasOwn(holds, member) ? holds[member] : undefined;
        return holding === undefined ? inner : held(inner, holding);
      });
    });
  };
  return (value) => held(value, { type, enclosing });
}

/** Returns the entries without those that a former migration to the same version has already applied. */
export function withoutKnown(reshape: ReshapePlan, known: ReshapePlan): ReshapePlan {
  const types = Object.entries(reshape.types).map(([name, step]) => {
    const before = Object.hasOwn(known.types, name) ? known.types[name] : undefined;
    if (before === undefined) return [name, step] as const;
    const [renames, taken] = [fresh(step.renames, before.renames), fresh(step.taken, before.taken)];
    return [name, { ...step, renames, taken }] as const;
  });
  return { ...reshape, types: Object.fromEntries(types) };
}

function fresh<Item>(items: readonly Item[], known: readonly Item[]): readonly Item[] {
  const texts = new Set(known.map((item) => JSON.stringify(item)));
  return items.filter((item) => !texts.has(JSON.stringify(item)));
}

/**
 * Compiles the entries of a version. All apply at once to the former value, so that names can be exchanged and expressions
 * read former names.
 */
function compileStep({ renames, taken }: TypeStep): (value: JsonObject) => JsonObject {
  const names = new Map(renames);
  const fallbacks = taken.map(({ member, was, taken: plan }) => {
    if (plan.kind === "value") return { member, was, make: () => plan.value };
    const run = compileFunction(plan.expression);
    return {
      member,
      was,
      make: (record: JsonObject) => run({ record, variables: {}, steps: Number.POSITIVE_INFINITY }) as Json,
    };
  });
  return (value) => {
    const now = new Map(Object.entries(value).map(([name, one]) => [names.get(name) ?? name, one]));
    for (const { member, was, make } of fallbacks) {
      const present = was === undefined ? now.get(member) : value[was];
      const isThere = present !== undefined && present !== null;
      if (isThere === (was !== undefined)) now.set(member, make(value));
    }
    return Object.fromEntries(now);
  };
}
