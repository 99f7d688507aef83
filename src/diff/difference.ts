/** The type of a difference between two documents, and the helpers that build differences. */
import type { Json } from "../base/json.ts";
import type { Measure } from "../language/grammar/amounts.ts";
import type { DifferenceCategory, Effect } from "../language/grammar/changes.ts";
import type { Change } from "../language/versioning/model.ts";

export interface Difference {
  /** The kind of the difference for programs, such as `field-removed`. */
  readonly kind: string;
  /** What differs, named as in a version entry: `Parcel.note`, `collect`, `error wrong-code`. */
  readonly subject: string;
  /** The new name of the subject, if it was renamed. */
  readonly also?: string;
  readonly effect: Effect;
  readonly category: DifferenceCategory;
  /** The difference as one sentence without a full stop. */
  readonly message: string;
  /** The path in both documents, a key of `SourceLocations`; for a removed member, its path in the old document. */
  readonly at: string;
  /** The path in the old document if it differs, for example after a rename. */
  readonly oldAt?: string;
  /** The version entry that would serve old callers as before, if there is one. */
  readonly entry?: Change;
  /** For a removed version, parameter or member of a schema: the sunset date that the old document announced. */
  readonly sunset?: string;
  /** For a removed statement: the names in part 9 whose deprecation announces its end, if that is not its subject. */
  readonly endsWith?: readonly string[];
}

export type DifferenceDetails = Omit<Difference, "kind" | "subject" | "effect" | "category" | "message" | "at"> & {
  readonly category?: DifferenceCategory | undefined;
};

/** What a difference is about, and the path of that statement. */
export interface Site {
  readonly subject: string;
  readonly at: string;
}

export function below({ subject, at }: Site, member: string | number): Site {
  return { subject, at: `${at}/${member}` };
}

export function difference(
  effect: Effect,
  kind: string,
  { subject, at }: Site,
  message: string,
  { category = "shape", ...details }: DifferenceDetails = {},
): Difference {
  return { kind, subject, effect, category, message, at, ...details };
}

/** A name with its values in two maps, at least one of which has it. */
export interface Pair<Value> {
  readonly name: string;
  readonly old: Value | undefined;
  readonly now: Value | undefined;
}

/** Pairs the members of both maps by name: those of the new map first, then removed ones. */
export function pairs<Value>(
  old: Readonly<Record<string, Value>> = {},
  now: Readonly<Record<string, Value>> = {},
): readonly Pair<Value>[] {
  const removed = Object.keys(old).filter((name) => !Object.hasOwn(now, name));
  return [...Object.keys(now), ...removed].map((name) => ({
    name,
    old: Object.hasOwn(old, name) ? old[name] : undefined,
    now: Object.hasOwn(now, name) ? now[name] : undefined,
  }));
}

/** Whether two values of a model are equal, whatever the order of their members. */
export function same(old: unknown, now: unknown): boolean {
  return old === now || JSON.stringify(sorted(old)) === JSON.stringify(sorted(now));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

/** The longest text of a value in a message, in characters: a message is one short line. */
const longest = 200;

/** Returns the value in backticks, a long one cut; `nothing` for undefined. */
export function quoted(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `\`${text.length > longest ? `${text.slice(0, longest)}…` : text}\``;
}

/** Yields a difference if the values differ, or if only one document has one. `what` starts a sentence: `The envelope`. */
export function* restated(
  effect: Effect,
  kind: string,
  site: Site,
  what: string,
  [old, now]: readonly [unknown, unknown],
  details: DifferenceDetails = {},
): Iterable<Difference> {
  if (same(old, now)) return;
  const message = `${what} is ${quoted(now as Json | undefined)}, and was ${quoted(old as Json | undefined)}`;
  yield difference(effect, kind, site, message, details);
}

type Amount = string | number | undefined;

/**
 * Like `restated`, for amounts: a smaller amount is breaking, a larger one additive. `omitted` is the amount that an absent
 * statement means.
 */
export function* measured(
  kind: string,
  site: Site,
  what: string,
  [old, now]: readonly [Amount, Amount],
  measure: Measure,
  { omitted = "most", ...details }: DifferenceDetails & { readonly omitted?: "least" | "most" | undefined } = {},
): Iterable<Difference> {
  const absent = omitted === "most" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  const [before, after] = [old === undefined ? absent : measure(old), now === undefined ? absent : measure(now)];
  // A value that cannot be measured is assumed to have become smaller.
  const effect = after > before ? "additive" : "breaking";
  if (before !== after) yield* restated(effect, kind, site, what, [old, now], { category: "limit", ...details });
}

/** Reports changed keys that no rule handles, such as keys of a newer language; by default they count as breaking. */
export function* unhandledKeys<Value extends object>(
  site: Site,
  old: Value,
  now: Value,
  handledKeys: readonly (keyof Value)[],
  effect: Effect = "breaking",
): Iterable<Difference> {
  const rest = (value: object): Record<string, unknown> =>
    Object.fromEntries(Object.entries(value).filter(([name]) => !handledKeys.includes(name as keyof Value)));
  for (const { name, old: before, now: after } of pairs(rest(old), rest(now))) {
    const what = `\`${name}\` of \`${site.subject}\``;
    yield* restated(effect, "statement-changed", below(site, name), what, [before, after]);
  }
}
