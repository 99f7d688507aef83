/** Differences of fields: those of a resource or an embedded type, and the input of an operation. */
import type { Effect } from "../language/grammar/changes.ts";
import { printFields, printFieldType } from "../language/resources/field-print.ts";
import type { Field, Fields, FieldType, Modifier } from "../language/resources/model.ts";
import type { Change, ChangeTarget } from "../language/versioning/model.ts";
import { below, type Difference, difference, pairs, type Site, restated, same, unhandledKeys } from "./difference.ts";
import { type Alike, isClosedList, type TypeDifference, typeDifferences } from "./types.ts";
import type { Need, Use } from "./uses.ts";

/** The owner of a group of fields in both documents. */
export interface Owner {
  /** The name of the resource, type or operation. */
  readonly of: string;
  /** The path of the fields in the model. */
  readonly at: string;
  /** Returns how clients use a field in the old or the new document. */
  readonly use: (when: "old" | "now", name: string, field: Field) => Use;
  readonly alike: Alike;
}

export function* fieldDifferences(owner: Owner, old: Fields, now: Fields): Iterable<Difference> {
  const renamed = renamedFields(old, now);
  const newNames = new Set(renamed.values());
  for (const { name, old: before, now: after } of pairs(old, now)) {
    if (before !== undefined && after !== undefined) yield* fieldChanges(owner, name, before, after);
    else if (after !== undefined && !newNames.has(name)) yield fieldAdded(owner, name, after);
    else if (before !== undefined) yield removedField(owner, name, before, renamed.get(name));
  }
}

/** Finds renamed fields: a removed field and a single new one with the same declaration. */
function renamedFields(old: Fields, now: Fields): ReadonlyMap<string, string> {
  const all = pairs(old, now);
  const removed = all.filter((pair) => pair.now === undefined);
  const added = all.filter((pair) => pair.old === undefined);
  return new Map(
    removed.flatMap(({ name, old: before }) => {
      const like = added.filter((pair) => same(pair.now, before));
      const alsoLike = removed.filter((pair) => same(pair.old, before));
      const [only] = like;
      return only !== undefined && like.length === 1 && alsoLike.length === 1 ? [[name, only.name] as const] : [];
    }),
  );
}

/** A field in both documents, or in one. */
interface FieldSite extends Site {
  readonly target: ChangeTarget & { readonly field: string };
}

function siteOf({ of, at }: Owner, field: string): FieldSite {
  return { subject: `${of}.${field}`, at: `${at}/${field}`, target: { of, field } };
}

function removedField(owner: Owner, name: string, field: Field, renamed: string | undefined): Difference {
  const site = siteOf(owner, name);
  const { subject, target } = site;
  const { creates, changes, returned, listed } = owner.use("old", name, field);
  const filtered = listed && field.marks.some((modifier) => modifier === "filter" || modifier === "sort");
  const effect = (creates ?? changes ?? (returned || filtered)) ? "breaking" : "neutral";
  if (renamed !== undefined) {
    const { at, subject: also } = siteOf(owner, renamed);
    const details = { entry: { kind: "rename", from: target, to: renamed }, oldAt: site.at, also } as const;
    return difference(effect, "field-renamed", { subject, at }, `\`${subject}\` is called \`${renamed}\``, details);
  }
  const sample = returned && !field.optional ? { seen: sampleOf(field.type) } : {};
  const entry: Change = { kind: "remove", target, type: fieldText(field), ...sample };
  return difference(effect, "field-removed", site, `\`${subject}\` is removed`, { entry });
}

/**
 * Returns the field's declaration as a version entry writes it; a computed field becomes read-only, since no request sets it.
 */
function fieldText({ type, default: made, computed, marks }: Field): string {
  const returned: readonly Modifier[] =
    computed === undefined || marks.includes("read-only") ? marks : [...marks, "read-only"];
  const field = { type, optional: false, marks: returned, ...(made === undefined ? {} : { default: made }) };
  const { field: text } = printFields({ field });
  return typeof text === "string" ? text : printFieldType(type);
}

function fieldAdded(owner: Owner, name: string, field: Field): Difference {
  const site = siteOf(owner, name);
  const { subject, target } = site;
  const { creates, changes, returned } = owner.use("now", name, field);
  if (creates === "required" || changes === "required") {
    const entry: Change = { kind: "add", target, taken: sampleOf(field.type) };
    return difference("breaking", "field-added", site, `\`${subject}\` is new, and requests need it`, { entry });
  }
  const isUsed = (creates ?? changes) !== undefined || returned;
  return difference(isUsed ? "additive" : "neutral", "field-added", site, `\`${subject}\` is new`);
}

function* fieldChanges(owner: Owner, name: string, old: Field, now: Field): Iterable<Difference> {
  const [before, after] = [owner.use("old", name, old), owner.use("now", name, now)];
  if (same(old, now) && sameNeeds(before, after)) return;
  const change: FieldChange = { ...siteOf(owner, name), old, now, before, after, alike: owner.alike };
  const found = [
    ...settingDifferences(change),
    ...requestDifferences(change),
    ...typeChanges(change),
    ...defaultDifferences(change),
    ...modifierDifferences(change),
  ];
  yield* found;
  if (found.length === 0 && (old.optional !== now.optional || !same(old.marks.toSorted(), now.marks.toSorted())))
    yield difference("neutral", "field-changed", change, `\`${change.subject}\` has other modifiers`);
  yield* plainDifferences(change);
}

interface FieldChange extends FieldSite {
  readonly old: Field;
  readonly now: Field;
  readonly before: Use;
  readonly after: Use;
  readonly alike: Owner["alike"];
}

function sameNeeds(one: Use, other: Use): boolean {
  return one.creates === other.creates && one.changes === other.changes && one.returned === other.returned;
}

/** Returns the differences in whether requests may or must set the field. */
function settingDifferences(change: FieldChange): readonly Difference[] {
  const { before, after, now } = change;
  const first = settingDifference(change, before.creates, after.creates, "creates");
  const second = settingDifference(change, before.changes, after.changes, "changes");
  // If requests that create and that change records differ alike, the difference is reported once, since one `require` entry
  // covers both.
  const all = first?.kind === second?.kind ? [first] : [first, second];
  return all.filter((one) => one !== undefined).map((one) => (now.computed === undefined ? one : withoutEntry(one)));
}

function withoutEntry({ entry: _entry, ...rest }: Difference): Difference {
  return rest;
}

function settingDifference(
  change: FieldChange,
  before: Need | undefined,
  after: Need | undefined,
  action: "creates" | "changes",
): Difference | undefined {
  if (before === after) return undefined;
  const name = `\`${change.subject}\``;
  const request = `a request that ${action} a record`;
  if (after === "required") {
    const entry: Change = { kind: "require", target: change.target, taken: sampleOf(change.now.type) };
    return difference("breaking", "field-required", change, `${name} has to be in ${request}`, { entry });
  }
  if (after === undefined)
    return difference("breaking", "field-not-taken", change, `${name} can no longer be in ${request}`);
  if (before === undefined) return difference("additive", "field-taken", change, `${name} can be in ${request}`);
  return difference("additive", "field-not-required", change, `${name} can be left out of ${request}`);
}

/** Returns the differences in whether responses contain the field, always or sometimes. */
function requestDifferences(change: FieldChange): readonly Difference[] {
  const { target, old, now, before, after } = change;
  const name = `\`${change.subject}\``;
  if (before.returned && !after.returned)
    return [difference("breaking", "field-not-given", change, `${name} is no longer in responses`)];
  if (!before.returned && after.returned)
    return [difference("additive", "field-given", change, `${name} is in responses`)];
  if (!after.returned || old.optional === now.optional) return [];
  if (old.optional) return [difference("additive", "field-always-given", change, `${name} is in every response`)];
  const entry: Change = { kind: "relax", target, seen: sampleOf(old.type) };
  return [difference("breaking", "field-may-be-absent", change, `${name} may be absent from responses`, { entry })];
}

function* typeChanges(change: FieldChange): Iterable<Difference> {
  for (const found of typeDifferences(change.old.type, change.now.type, change.alike)) {
    const effect = effectOfType(change, found);
    const entry = effect === "breaking" ? { entry: entryFor(change, found) } : {};
    const kind = `${found.what === "values" ? "value" : found.what}-${found.direction}`;
    yield difference(effect, kind, below(change, "type"), `\`${change.subject}\` ${found.wording}`, entry);
  }
}

/** Returns the worst effect of a type's difference on requests, responses and filters. */
function effectOfType({ before, after, old, now }: FieldChange, { direction, what }: TypeDifference): Effect {
  const isInput = (before.creates ?? before.changes) !== undefined && (after.creates ?? after.changes) !== undefined;
  const returned = before.returned && after.returned;
  const filtered = after.listed && now.marks.includes("filter");
  if (direction === "other") return isInput || returned || filtered ? "breaking" : "neutral";
  if (direction === "narrower" && (isInput || (filtered && what !== "range"))) return "breaking";
  // A client that reads a closed list has code for each value, but none for a new one. It can read a longer text, and it gets
  // the media type of a file along with its bytes.
  const surprising = what === "null" || what === "type" || (what === "values" && isClosedList(old.type));
  if (direction === "wider" && returned && surprising) return "breaking";
  return direction === "wider" && (isInput || returned || filtered) ? "additive" : "neutral";
}

function entryFor({ target, old, now, before }: FieldChange, { what, direction, value }: TypeDifference): Change {
  if (what === "values" && direction === "wider" && value !== undefined)
    return { kind: "add-value", target, value, seen: sampleOf(old.type) };
  const was = printFieldType(old.type);
  if (what === "null" && direction === "wider") return { kind: "relax", target, was, seen: sampleOf(old.type) };
  const isInput = (before.creates ?? before.changes) !== undefined && !["range", "pattern", "media"].includes(what);
  return {
    kind: "retype",
    target,
    was,
    ...(before.returned && direction !== "narrower" ? { seen: sampleOf(old.type) } : {}),
    ...(isInput && direction !== "wider" ? { taken: sampleOf(now.type) } : {}),
  };
}

function* defaultDifferences(change: FieldChange): Iterable<Difference> {
  const { old, now, before, after } = change;
  if (same(old.default, now.default)) return;
  const isInput = (before.creates ?? before.changes) !== undefined && (after.creates ?? after.changes) !== undefined;
  // `field-required` already reports that requests must send it.
  if (now.default === undefined && !now.optional && isInput) return;
  const effect = !isInput ? "neutral" : old.default === undefined ? "additive" : "breaking";
  const texts = [defaultText(old), defaultText(now)] as const;
  yield* restated(effect, "default-changed", below(change, "default"), `The default of \`${change.subject}\``, texts);
}

function defaultText(field: Field): string | undefined {
  const { default: value } = field;
  if (value === undefined) return undefined;
  if (value.kind === "literal") return value.text;
  if (value.kind === "counter-per") return `counter per ${value.per}`;
  return "length" in value ? `${value.kind}(${value.length})` : value.kind;
}

interface ModifierEffect {
  readonly added: Effect;
  readonly removed: Effect;
  /** The text after the field's name for a field with the modifier; the next member is for one without it. */
  readonly is: string;
  readonly isNot: string;
}

/**
 * Returns the effects of modifiers that change neither requests nor responses directly; `use` covers `read-only` and similar
 * ones.
 */
function modifierEffects({ before, after }: FieldChange): Partial<Record<Modifier, ModifierEffect>> {
  const isInput = (after.creates ?? after.changes) !== undefined;
  const listed = before.listed && after.listed;
  const listing = { added: listed ? "additive" : "neutral", removed: listed ? "breaking" : "neutral" } as const;
  return {
    unique: {
      added: isInput ? "breaking" : "neutral",
      removed: isInput ? "additive" : "neutral",
      is: "has to be unique",
      isNot: "no longer has to be unique",
    },
    filter: { ...listing, is: "can be filtered by", isNot: "can no longer be filtered by" },
    sort: { ...listing, is: "can be sorted by", isNot: "can no longer be sorted by" },
    search: { ...listing, is: "is searched", isNot: "is no longer searched" },
    personal: { added: "neutral", removed: "neutral", is: "is personal", isNot: "is no longer personal" },
    "delete with": {
      added: "breaking",
      removed: "breaking",
      is: "deletes its record together with the record that it refers to",
      isNot: "keeps its record when the record that it refers to is deleted",
    },
    tree: {
      added: after.changes === undefined ? "neutral" : "breaking",
      removed: after.changes === undefined ? "neutral" : "additive",
      is: "has to be a tree",
      isNot: "no longer has to be a tree",
    },
    expand: {
      added: "additive",
      removed: before.returned || after.returned ? "breaking" : "neutral",
      is: "can be expanded",
      isNot: "can no longer be expanded",
    },
    clear: {
      added: "breaking",
      removed: "breaking",
      is: "is cleared when the record that it refers to is deleted",
      isNot: "is no longer cleared when the record that it refers to is deleted",
    },
  };
}

function* modifierDifferences(change: FieldChange): Iterable<Difference> {
  for (const [name, { added, removed, is, isNot }] of Object.entries(modifierEffects(change))) {
    const modifier = name as Modifier;
    const hasModifier = change.now.marks.includes(modifier);
    if (change.old.marks.includes(modifier) === hasModifier) continue;
    const kind = `${modifier.replace(" ", "-")}-${hasModifier ? "added" : "removed"}`;
    const site = hasModifier ? below(change, `marks/${modifier}`) : change;
    const details = modifier === "unique" ? ({ category: "right" } as const) : {};
    const message = `\`${change.subject}\` ${hasModifier ? is : isNot}`;
    yield difference(hasModifier ? added : removed, kind, site, message, details);
  }
}

/** Yields differences of descriptions and of members that only determine a value. */
function* plainDifferences(change: FieldChange): Iterable<Difference> {
  const { subject, old, now } = change;
  const texts = [
    ["computed", `The expression of \`${subject}\``],
    ["note", `The note on \`${subject}\``],
    ["example", `The example of \`${subject}\``],
  ] as const;
  for (const [member, what] of texts)
    yield* restated("neutral", `${member}-changed`, below(change, member), what, [old[member], now[member]]);
  yield* unhandledKeys(change, old, now, ["type", "optional", "default", "marks", ...texts.map(([member]) => member)]);
}

/**
 * Returns a sample value of a type for a proposed entry, which the author reviews: the first of a list, the minimum of a
 * range.
 */
export function sampleOf(type: FieldType): string {
  switch (type.kind) {
    case "nullable":
      return "null";
    case "one-of":
      return type.values[0] ?? "''";
    case "list":
      return "[]";
    case "scalar":
      return sampleOfScalar(type);
    default:
      return "null";
  }
}

function sampleOfScalar({ name, min }: Extract<FieldType, { kind: "scalar" }>): string {
  if (["integer", "number", "decimal"].includes(name)) return String(min ?? 0);
  if (name === "boolean") return "false";
  if (name === "string" || name === "text")
    return min === undefined || min === 0 ? "''" : `'${"-".repeat(Math.min(min, 40))}'`;
  return "null";
}
