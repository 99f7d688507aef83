/**
 * Plans the data changes of part 9: renames, and values that the data of the version before lacks or has in another type. The
 * same entries convert the requests of older callers.
 */
import { checkExpression } from "../../expression/check.ts";
import { parseExpression } from "../../expression/parse.ts";
import { syntaxNodes } from "../../expression/syntax.ts";
import type { NamedType, ValueType } from "../../expression/types.ts";
import { unlocatedText } from "../../language/grammar/source-text.ts";
import { createReader } from "../../language/grammar/reader.ts";
import { literalValue } from "../../language/resources/default-value.ts";
import { bareType, fieldsOf, lookup } from "../../language/resources/fields.ts";
import { readType } from "../../language/resources/field-type.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { recordMembers, valueTypeOf } from "../../language/resources/value-type.ts";
import { modelAt } from "../../language/versioning/model-at-version.ts";
import { conversionsOf } from "../../language/versioning/conversions.ts";
import type { Change, ChangeTarget, Version } from "../../language/versioning/model.ts";
import type { DataChange, FallbackPlan, VersionStep } from "./data-change-types.ts";
import { columnTypeOf } from "../resources/columns.ts";
import { reshapesOf } from "./reshape.ts";
import { assert, type PlanInput } from "../input.ts";

/** Returns the steps between versions, newest first, as the document lists them. */
export function buildHistory({ model }: Pick<PlanInput, "model">): readonly VersionStep[] {
  const names = new Names();
  const { found } = conversionsOf(model);
  return (model.versioning.versions ?? []).map((version) => {
    const { name, changes } = version;
    const reshapes = reshapesOf(modelAt(model, name), version, found).map(({ reshape, ...target }): DataChange => {
      const { resource, field = target.field } = names.now({ of: target.resource, field: target.field });
      return { kind: "reshape", resource, field, reshape };
    });
    const former = names.copy();
    former.before(changes);
    const data = changes.flatMap((change) => dataChange(model, names, former, change));
    names.before(changes);
    return { version: name, changes: [...data, ...reshapes] };
  });
}

/**
 * Maps names and types of a version to those of the document, while the planner iterates over versions from the newest to the
 * oldest.
 */
class Names {
  readonly #resources = new Map<string, string>();
  readonly #fields = new Map<string, string>();
  readonly #types = new Map<string, FieldType>();

  now({ of, field }: ChangeTarget): { readonly resource: string; readonly field?: string } {
    const resource = this.#resources.get(of) ?? of;
    return field === undefined ? { resource } : { resource, field: this.#fields.get(`${resource}.${field}`) ?? field };
  }

  copy(): Names {
    const same = new Names();
    for (const [from, to] of this.#resources) same.#resources.set(from, to);
    for (const [from, to] of this.#fields) same.#fields.set(from, to);
    for (const [field, type] of this.#types) same.#types.set(field, type);
    return same;
  }

  /** Returns the type of a field in the current version of the iteration; the field has the document's name. */
  typeOf(model: Model, resource: string, field: string): FieldType | undefined {
    return this.#types.get(`${resource}.${field}`) ?? lookup(fieldsOf(model, resource), field)?.type;
  }

  /**
   * Continues with the names of the version before: fields first, because entries use the resource names of their own version.
   */
  before(changes: Version["changes"]): void {
    for (const change of changes) {
      if (change.kind !== "retype") continue;
      const { resource, field } = this.now(change.target);
      if (field !== undefined) this.#types.set(`${resource}.${field}`, formerType(change.was));
    }
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

type Model = PlanInput["model"];

/**
 * Returns the data changes of an entry. `names`: those of its version; `former`: those of the version before, which `taken as`
 * expressions use.
 */
function dataChange(model: Model, names: Names, former: Names, change: Change): readonly DataChange[] {
  switch (change.kind) {
    case "rename": {
      const { from, to } = change;
      if (from.field !== undefined) return [{ kind: "rename-field", resource: from.of, from: from.field, to }];
      return /^[A-Z]/.test(from.of) ? [{ kind: "rename-resource", from: from.of, to }] : [];
    }
    case "add":
    case "require":
    case "retype": {
      const { resource, field } = names.now(change.target);
      if (change.taken === undefined || field === undefined) return [];
      const was = change.kind === "retype" ? formerType(change.was) : undefined;
      const type = names.typeOf(model, resource, field);
      const nameNow = (older: string): string => former.now({ of: resource, field: older }).field ?? older;
      const taken =
        type && fallbackPlan({ model, resource, field, type, nameNow }, change.taken, was && valueTypeOf(model, was));
      if (taken === undefined) return [];
      if (was === undefined) return [{ kind: "fill", resource, field, taken }];
      return [{ kind: "convert", resource, field, was: columnTypeOf(model, was), taken }];
    }
    default:
      return [];
  }
}

/** Returns the type in the entry, which the reader of the document has already checked. */
function formerType(was: string): FieldType {
  const type = readType(createReader(), "versioning", unlocatedText(was));
  assert(type !== undefined, `\`${was}\` is no type`);
  return type;
}

interface Subject {
  readonly model: Model;
  readonly resource: string;
  readonly field: string;
  /** The field's type in the version of the entry. */
  readonly type: FieldType;
  /** Returns the document's name of a field that has this name in the version before. */
  nameNow(older: string): string;
}

/**
 * Plans a value, or an expression over the record and `value`, the field's former value. In entries, quoted text is an
 * expression and bare text a value, such as `2026-01-01`. For a text field both are possible: the expression is tried first,
 * for other types the value.
 */
function fallbackPlan(subject: Subject, text: string, former: ValueType | undefined): FallbackPlan | undefined {
  const { model, type } = subject;
  const value = literalValue(model, type, text);
  const literal: FallbackPlan | undefined = value === undefined ? undefined : { kind: "literal", value };
  return isFreeText(type)
    ? (expressionPlan(subject, text, former) ?? literal)
    : (literal ?? expressionPlan(subject, text, former));
}

/** Plans an expression in which the field's own name means `value`, its former value. */
function expressionPlan(
  subject: Subject,
  expressionText: string,
  former: ValueType | undefined,
): FallbackPlan | undefined {
  const { model, resource, field, type } = subject;
  const { [field]: itself, ...others } = recordMembers(model, resource);
  const names: Record<string, NamedType> = Object.fromEntries(
    Object.entries(others).map(([other, member]) => [other, { ...member, from: "record" } as const]),
  );
  if (former !== undefined) names["value"] = { type: former, nullable: false, from: "variables" };
  const text = withNames(expressionText, (name) => {
    const now = subject.nameNow(name);
    return former !== undefined && now === field ? "value" : now;
  });
  const { expression } = parseExpression(text);
  const wanted = valueTypeOf(model, type);
  const typedAs = (as: ValueType) => expression && checkExpression(expression, { names, resources: {} }, as).typed;
  // The language cannot convert a double to an integer, so each resulting value is checked.
  const typed = typedAs(wanted) ?? (wanted.kind === "int" ? typedAs({ kind: "double" }) : undefined);
  if (typed === undefined || (typed.nullable && itself?.nullable !== true)) return undefined;
  return typed.kind === "constant"
    ? { kind: "literal", value: typed.value }
    : { kind: "expression", expression: typed };
}

/** Replaces names in an expression. */
function withNames(text: string, now: (name: string) => string): string {
  const { expression } = parseExpression(text);
  const names = (expression === undefined ? [] : syntaxNodes(expression)).filter((node) => node.kind === "name");
  return names
    .toSorted((one, other) => other.at.start - one.at.start)
    .reduce((all, { at, name }) => all.slice(0, at.start) + now(name) + all.slice(at.start + name.length), text);
}

/** Whether any text is a valid value. */
function isFreeText(type: FieldType): boolean {
  const bare = bareType(type);
  if (bare.kind === "one-of") return bare.open;
  if (bare.kind === "named" || bare.kind === "id") return true;
  const others = ["integer", "number", "decimal", "money", "boolean", "datetime", "json"];
  return bare.kind === "scalar" && !others.includes(bare.name);
}
