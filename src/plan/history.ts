/**
 * What part 9 says that stored data has to follow: names that were other ones, and what is taken where the version before
 * had nothing, or something of another type. The same entries serve old callers; here they serve old data.
 */
import type { Json } from "../base/json.ts";
import { checkExpression } from "../expression/check.ts";
import { parseExpression } from "../expression/parse.ts";
import type { NamedType, TypeEnvironment, ValueType } from "../expression/types.ts";
import { loosePhrase } from "../parts/phrase.ts";
import { createReader } from "../parts/reader.ts";
import { literalValue } from "../parts/resources/default-value.ts";
import { bareType, fieldsOf, isNullable, own } from "../parts/resources/fields.ts";
import { readType } from "../parts/resources/field-type.ts";
import type { FieldType } from "../parts/resources/model.ts";
import { recordMembers, valueTypeOf } from "../parts/resources/value-type.ts";
import type { Change, Place, Version } from "../parts/versioning/model.ts";
import type { DataChange, TakenPlan, VersionStep } from "./plan.ts";
import type { Sources } from "./sources.ts";

/** Newest first, as the document lists them. */
export function buildHistory({ model }: Pick<Sources, "model">): readonly VersionStep[] {
  const names = new Names();
  return (model.versioning.versions ?? []).map(({ name, changes }) => {
    const step = { version: name, changes: changes.flatMap((change) => dataChange(model, names, change)) };
    names.before(changes);
    return step;
  });
}

/** From a version's names to those of the document, while the versions are gone through from the newest down. */
class Names {
  readonly #resources = new Map<string, string>();
  readonly #fields = new Map<string, string>();

  now({ of, field }: Place): { readonly resource: string; readonly field?: string } {
    const resource = this.#resources.get(of) ?? of;
    return field === undefined ? { resource } : { resource, field: this.#fields.get(`${resource}.${field}`) ?? field };
  }

  /** What the version before called them; fields first, because their places are said in the names of this version. */
  before(changes: Version["changes"]): void {
    const renames = changes.flatMap((change) => (change.kind === "rename" ? [change] : []));
    const fields = renames.map(({ from, to }) => [this.now(from), this.now({ of: from.of, field: to })] as const);
    const resources = renames.map(({ from, to }) => [from, this.now({ of: to }).resource] as const);
    for (const [old, now] of fields) {
      if (old.field !== undefined && now.field !== undefined)
        this.#fields.set(`${now.resource}.${old.field}`, now.field);
    }
    for (const [{ of, field }, now] of resources) if (field === undefined) this.#resources.set(of, now);
  }
}

type Model = Sources["model"];

function dataChange(model: Model, names: Names, change: Change): readonly DataChange[] {
  switch (change.kind) {
    case "rename": {
      const { from, to } = change;
      if (from.field !== undefined) return [{ kind: "rename-field", resource: from.of, from: from.field, to }];
      return /^[A-Z]/.test(from.of) ? [{ kind: "rename-resource", from: from.of, to }] : [];
    }
    case "add":
    case "require":
    case "retype": {
      if (change.taken === undefined) return [];
      const { resource, field } = names.now(change.place);
      const value = change.kind === "retype" ? formerType(model, change.was) : undefined;
      const taken = field === undefined ? undefined : takenPlan(model, resource, field, change.taken, value);
      if (field === undefined || taken === undefined) return [];
      return [{ kind: change.kind === "retype" ? "convert" : "fill", resource, field, taken }];
    }
    default:
      return [];
  }
}

function formerType(model: Model, was: string): ValueType {
  const type = readType(createReader(), "versioning", loosePhrase(was));
  return type === undefined ? { kind: "any" } : valueTypeOf(model, type);
}

/**
 * A value, or an expression over the record as it is now and `value`, what the field held. Quoted text is an expression and
 * bare text a value, so of a text the expression is tried first; of all else the value, which `2026-01-01` is.
 */
function takenPlan(
  model: Model,
  resource: string,
  name: string,
  text: string,
  former: ValueType | undefined,
): TakenPlan | undefined {
  const field = own(fieldsOf(model, resource), name);
  if (field === undefined) return undefined;
  const literal = literalValue(model, field.type, text);
  const made = (value: Json | undefined): TakenPlan | undefined =>
    value === undefined ? undefined : { kind: "literal", value };
  if (!isFreeText(field.type)) return made(literal) ?? expressionPlan();
  return expressionPlan() ?? made(literal);

  function expressionPlan(): TakenPlan | undefined {
    const { [name]: itself, ...others } = recordMembers(model, resource);
    const resources: TypeEnvironment["resources"] = {};
    const names: Record<string, NamedType> = Object.fromEntries(
      Object.entries(others).map(([other, type]) => [other, { ...type, from: "record" } as const]),
    );
    if (former !== undefined) names["value"] = { type: former, nullable: false, from: "variables" };
    const { expression } = parseExpression(text);
    const typed = expression && checkExpression(expression, { names, resources }, itself?.type).typed;
    if (typed === undefined || (typed.nullable && field !== undefined && !isNullable(field))) return undefined;
    return typed.kind === "constant" ? made(typed.value) : { kind: "expression", expression: typed };
  }
}

/** Whether any text is a value of it. */
function isFreeText(type: FieldType): boolean {
  const bare = bareType(type);
  if (bare.kind === "one-of") return bare.open;
  if (bare.kind === "named" || bare.kind === "id") return true;
  const others = ["integer", "number", "decimal", "money", "boolean", "datetime", "json"];
  return bare.kind === "scalar" && !others.includes(bare.name);
}
