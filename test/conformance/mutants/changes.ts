/**
 * Changes of a model at one place: each optional member dropped, each entry and item dropped, each number one more and one less,
 * each word of a closed list another one, each text another text of its kind. The types of the nine models (`model.ts`), as
 * test/enforced/declarations.ts reads them, say what a value is, so that a construct that is added to the language is altered
 * without a new line here; `texts.ts` and `additions.ts` say what the types do not.
 */
import { readFileSync } from "node:fs";
import type { Json } from "../../../src/base/json.ts";
import { type Model, partNames } from "../../../src/language/model.ts";
import { readDeclarations, type Member, type Type } from "../../enforced/declarations.ts";
import { additions } from "./additions.ts";
import { otherTexts } from "./texts.ts";

/** The keys and indexes of a value in the model. */
export type At = readonly (string | number)[];

export interface Change {
  readonly at: At;
  /** What the served document does otherwise: `without`, `81 for 80`. */
  readonly what: string;
  /** The other value; undefined removes the value. */
  readonly to: unknown;
}

const declarations = partNames.map((part) =>
  readDeclarations(readFileSync(new URL(`../../../src/language/${part}/model.ts`, import.meta.url), "utf8")),
);
const types: ReadonlyMap<string, Type> = new Map(declarations.flatMap((one) => [...one.types]));
const words: ReadonlyMap<string, readonly string[]> = new Map(declarations.flatMap((one) => [...one.words]));

/** Types whose words `additions.ts` replaces, by what fits the field. */
const addedElsewhere: ReadonlySet<string> = new Set(["Modifier", "ScalarName", "Method"]);

/** The words that replace another one: the next two of its list. */
const otherWords = 2;

/** Lists whose order decides something; the order of the others (roles, carried fields, grants) decides nothing. */
const ordered: ReadonlySet<string> = new Set(["Transition", "Trigger", "Webhook.retry", "Change", "Rule"]);

export function* changesOf(model: Model): Iterable<Change> {
  const walk: Walk = { model, at: [], within: "" };
  for (const part of partNames) {
    const name = part.charAt(0).toUpperCase() + part.slice(1);
    yield* changes({ ...walk, at: [part] }, { kind: "named", name }, model[part]);
  }
}

/** Returns the model with another value; without the value if it is undefined. */
export function changed(model: Model, { at, to }: Pick<Change, "at" | "to">): Model {
  return replaced(model, at, to) as Model;
}

function replaced(value: unknown, [key, ...rest]: At, to: unknown): unknown {
  if (key === undefined) return to;
  if (Array.isArray(value)) {
    const next = replaced(value[Number(key)], rest, to);
    return next === undefined ? value.toSpliced(Number(key), 1) : value.with(Number(key), next);
  }
  const record = (value ?? {}) as Readonly<Record<string, unknown>>;
  const next = replaced(record[key], rest, to);
  if (next === undefined) return Object.fromEntries(Object.entries(record).filter(([name]) => name !== String(key)));
  return { ...record, [key]: next };
}

// ── By type ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Walk {
  readonly model: Model;
  readonly at: At;
  /** The declared type around a value and its member: `Trigger.set`. */
  readonly within: string;
}

function* changes(walk: Walk, type: Type, value: unknown): Iterable<Change> {
  switch (type.kind) {
    case "word":
      return;
    case "object":
      return yield* membersChanged(walk, type.members, value as Readonly<Record<string, unknown>>);
    case "record":
      return yield* entriesChanged(walk, type.of, value as Readonly<Record<string, unknown>>);
    case "list":
      return yield* itemsChanged(walk, type.of, value as readonly unknown[]);
    case "items":
      return yield* anotherWord(walk, words.get(type.of) ?? [], value);
    case "union":
      return yield* unionChanged(walk, type.of, value);
    case "named":
      return yield* namedChanged(walk, type, value);
  }
}

function inside(walk: Walk, ...keys: At): Walk {
  return { ...walk, at: [...walk.at, ...keys] };
}

function* membersChanged(
  walk: Walk,
  members: readonly Member[],
  value: Readonly<Record<string, unknown>>,
): Iterable<Change> {
  const [owner = ""] = walk.within.split(".");
  for (const { name, optional, type } of members) {
    const one = value[name];
    const next: Walk = { ...inside(walk, name), within: name === "kind" ? walk.within : `${owner}.${name}` };
    if (one === undefined) {
      if (isTrue(type)) yield { at: next.at, what: "with it", to: true };
      continue;
    }
    if (optional) yield { at: next.at, what: "without", to: undefined };
    // The kind decides which members there are: `additions.ts` has other kinds.
    if (name !== "kind") yield* changes(next, type, one);
  }
}

function isTrue(type: Type): boolean {
  return type.kind === "named" && type.name === "true";
}

function* entriesChanged(walk: Walk, of: Type, value: Readonly<Record<string, unknown>>): Iterable<Change> {
  for (const [key, one] of Object.entries(value)) {
    const next = inside(walk, key);
    yield { at: next.at, what: "without", to: undefined };
    yield* changes(next, of, one);
  }
}

function* itemsChanged(walk: Walk, of: Type, value: readonly unknown[]): Iterable<Change> {
  const name = of.kind === "named" ? of.name : "";
  yield* addedTo(walk, `${name}[]`, value);
  for (const [index, one] of value.entries()) {
    const next = inside(walk, index);
    yield { at: next.at, what: `without ${observed(one)}`, to: undefined };
    const after = value[index + 1];
    if (after !== undefined && (ordered.has(name) || ordered.has(walk.within)))
      yield {
        at: walk.at,
        what: `${observed(after)} before ${observed(one)}`,
        to: value.with(index, after).with(index + 1, one),
      };
    yield* changes(next, of, one);
  }
}

function* anotherWord(walk: Walk, all: readonly string[], value: unknown): Iterable<Change> {
  const start = all.indexOf(String(value)) + 1;
  for (const word of [...all.slice(start), ...all.slice(0, start - 1)].slice(0, otherWords))
    yield { at: walk.at, what: `${word} for ${String(value)}`, to: typeof value === "number" ? Number(word) : word };
}

function* unionChanged(walk: Walk, of: readonly Type[], value: unknown): Iterable<Change> {
  const fixed = of.flatMap((one) => (one.kind === "word" ? [one.word] : []));
  if (fixed.includes(String(value))) yield* anotherWord(walk, fixed, value);
  else {
    const alternative = of.find((one) => fits(one, value));
    if (alternative !== undefined) yield* changes(walk, alternative, value);
  }
}

/** Whether a value is of a type, by its form and, for an object, by its `kind` and its other required members. */
function fits(type: Type, value: unknown): boolean {
  switch (type.kind) {
    case "word":
      return type.word === String(value);
    case "items":
      return words.get(type.of)?.includes(String(value)) ?? false;
    case "list":
      return Array.isArray(value);
    case "union":
      return type.of.some((one) => fits(one, value));
    case "record":
      return typeof value === "object" && !Array.isArray(value);
    case "object":
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      return type.members.every(({ name, optional, type: of }) => {
        const one = (value as Readonly<Record<string, unknown>>)[name];
        return one === undefined ? optional : name !== "kind" || fits(of, one);
      });
    case "named": {
      const declared = types.get(type.name);
      return declared === undefined ? typeof value === type.name : fits(declared, value);
    }
  }
}

function* namedChanged(walk: Walk, { name, member }: Type & { kind: "named" }, value: unknown): Iterable<Change> {
  const { at } = walk;
  switch (name) {
    case "string":
      for (const to of otherTexts(walk.model, walk.within, value as string))
        yield { at, what: `${to} for ${value as string}`, to };
      return;
    case "number":
      for (const to of [(value as number) + stepOf(value as number), (value as number) - stepOf(value as number)])
        yield { at, what: `${to} for ${value as number}`, to };
      return;
    case "boolean":
      yield { at, what: `${String(value !== true)} for ${String(value)}`, to: value !== true };
      return;
    case "Json":
      return yield* jsonChanged(walk, value as Json);
    default: {
      const declared = types.get(name);
      if (declared === undefined || addedElsewhere.has(name)) return;
      yield* addedTo(walk, name, value);
      const found = member === undefined ? declared : memberOf(declared, member);
      yield* changes({ ...walk, within: `${name}.` }, found, value);
    }
  }
}

function memberOf(type: Type, name: string): Type {
  const found = type.kind === "object" ? type.members.find((one) => one.name === name) : undefined;
  if (found === undefined) throw new Error(`no declared type has the member ${name}`);
  return found.type;
}

function* addedTo(walk: Walk, name: string, value: unknown): Iterable<Change> {
  for (const [what, to, ...below] of additions(walk.model, name, value, walk.at))
    yield { at: [...walk.at, ...below], what, to };
}

/** A tenth for a number that has a fraction: 0.1 to 0.2. */
function stepOf(value: number): number {
  return Number.isInteger(value) ? 1 : 0.1;
}

// ── JSON ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function* jsonChanged(walk: Walk, value: Json): Iterable<Change> {
  if (typeof value === "string") yield* anotherText(walk, value);
  if (typeof value === "number")
    for (const to of [value + stepOf(value), value - stepOf(value)])
      yield { at: walk.at, what: `${to} for ${value}`, to };
  if (typeof value === "boolean") yield { at: walk.at, what: `${!value} for ${value}`, to: !value };
  if (typeof value !== "object" || value === null) return;
  for (const [key, one] of Object.entries(value as Readonly<Record<string, Json>>)) {
    const next = inside(walk, Array.isArray(value) ? Number(key) : key);
    yield { at: next.at, what: "without", to: undefined };
    if (!Array.isArray(value)) {
      const to = Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name === key ? `${name}x` : name, each]),
      );
      yield { at: walk.at, what: `${key}x for ${key}`, to };
    }
    yield* jsonChanged(next, one);
  }
}

/** A text that contains a placeholder of error bodies gets another one; other texts get another end. */
function* anotherText({ at }: Walk, value: string): Iterable<Change> {
  const to = value.includes("{code}") ? value.replace("{code}", "{title}") : value.replace(/\{(?!code)\w+\}/, "{code}");
  const other = to === value ? `${value}x` : to;
  yield { at, what: `${other} for ${value}`, to: other };
}

function observed(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
