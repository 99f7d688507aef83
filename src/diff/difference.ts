/** What a difference between two documents is: one thing that a client of the service can see, or that only readers can. */
import type { Json } from "../base/json.ts";
import type { Change } from "../language/versioning/model.ts";

/**
 * `breaking`: what a client did may fail, or it may be told what it does not know (R9.4). `additive`: a client can do or
 * know more. `neutral`: no client notices.
 */
export type Effect = "breaking" | "additive" | "neutral";

/**
 * What a breaking difference does to clients: `right` takes away what they may do (a guard, a rule, a permission),
 * `limit` how often, how much or how long, `support` for how long a version is served, `shape` everything else.
 */
export type DifferenceCategory = "right" | "limit" | "support" | "shape";

export interface Difference {
  /** `field-removed`: what it is, for programs. */
  readonly kind: string;
  /** What it is about, as a version entry would name it: `Parcel.note`, `collect`, `error wrong-code`. */
  readonly subject: string;
  /** The new name of what was renamed. */
  readonly also?: string;
  readonly effect: Effect;
  readonly category: DifferenceCategory;
  /** One sentence without a full stop. */
  readonly message: string;
  /** Where it stands in the old and in the new document, as in `Places`; where it is gone, where it would stand. */
  readonly at: string;
  /** Where that is another path in the old document, as for what has a new name. */
  readonly oldAt?: string;
  /** The version entry that keeps old callers as they were, where one can. */
  readonly entry?: Change;
  /** For a version that is no longer served: until when OLD promised to serve it. */
  readonly sunset?: string;
}

export type DifferenceDetails = Omit<Difference, "kind" | "subject" | "effect" | "category" | "message" | "at"> & {
  readonly category?: DifferenceCategory;
};

export function difference(
  effect: Effect,
  kind: string,
  subject: string,
  at: string,
  message: string,
  { category = "shape", ...details }: DifferenceDetails = {},
): Difference {
  return { kind, subject, effect, category, message, at, ...details };
}

/** A member of two maps by its name; it is in at least one of them. */
export interface Pair<Value> {
  readonly name: string;
  readonly old: Value | undefined;
  readonly now: Value | undefined;
}

/** The members of both maps, those of the new one first. */
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

/** Whether two values of a model say the same; the order of members does not matter. */
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

/** `a`, and `nothing` where it is not said. */
export function quoted(value: Json | undefined): string {
  return value === undefined ? "nothing" : `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

/** One statement with another value. */
export interface Statement {
  readonly kind: string;
  readonly subject: string;
  readonly at: string;
  /** What it is, as the start of a sentence: `The envelope`. */
  readonly what: string;
}

/** A statement that says something else, or is there only in one of the two. */
export function* restated(
  { kind, subject, at, what }: Statement,
  old: unknown,
  now: unknown,
  effect: Effect,
  details: DifferenceDetails = {},
): Iterable<Difference> {
  if (same(old, now)) return;
  const message = `${what} is ${quoted(now as Json | undefined)}, and was ${quoted(old as Json | undefined)}`;
  yield difference(effect, kind, subject, at, message, details);
}

/** What having less of an amount, and having more of it, does to a client. */
export interface Weights extends DifferenceDetails {
  readonly less: Effect;
  readonly more: Effect;
  /** What saying nothing is; `most` unless told. */
  readonly none?: "least" | "most";
}

/** A statement whose values can be compared; where one of them says nothing, that is `none`. */
export function* measured(
  statement: Statement,
  old: string | number | undefined,
  now: string | number | undefined,
  measure: (value: string | number) => number | undefined,
  { less, more, none = "most", ...details }: Weights,
): Iterable<Difference> {
  const absent = none === "most" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  const before = old === undefined ? absent : measure(old);
  const after = now === undefined ? absent : measure(now);
  // What cannot be compared may be less.
  const effect = before === undefined || after === undefined || after < before ? less : more;
  if (before === undefined || before !== after)
    yield* restated(statement, old, now, effect, { category: "limit", ...details });
}

/** What a language newer than these rules adds to a statement: seen, and taken for breaking until it is known better. */
export function* unhandledKeys<Value extends object>(
  statement: Pick<Statement, "subject" | "at">,
  old: Value,
  now: Value,
  handledKeys: readonly (keyof Value)[],
  effect: Effect = "breaking",
): Iterable<Difference> {
  const rest = (value: object): Record<string, unknown> =>
    Object.fromEntries(Object.entries(value).filter(([name]) => !handledKeys.includes(name as keyof Value)));
  for (const { name, old: before, now: after } of pairs(rest(old), rest(now))) {
    const { subject, at } = statement;
    const spoken = { kind: "statement-changed", subject, at: `${at}/${name}`, what: `\`${name}\` of \`${subject}\`` };
    yield* restated(spoken, before, after, effect);
  }
}
