/**
 * The effect that a changed statement has on callers who do not change: options of the constructs of the grammar. One walk
 * (`src/diff/walk.ts`) compares two models by these options.
 */
import type { Measure } from "./amounts.ts";
import type { FormMember } from "./form.ts";

/**
 * `breaking`: a request that worked may fail, or a response may contain something unknown to the client (R9.4). `additive`: a
 * client can do or read more. `neutral`: no client notices.
 */
export type Effect = "breaking" | "additive" | "neutral";

/**
 * What a breaking difference takes from clients: `right` is a permission (guard, rule, grant), `limit` a rate, an amount or a
 * duration, `support` the time that a version is served, `shape` everything else.
 */
export type DifferenceCategory = "right" | "limit" | "support" | "shape";

/** How a changed member is reported; for a map, each changed entry. In texts, `{}` is the name of the nearest entry. */
export interface ChangeReport {
  /**
   * The effect of a change, or a function that returns it; the function gets undefined for an omitted value. Default:
   * breaking; for an amount, a decrease is breaking and an increase additive.
   */
  readonly effect?: Effect | ((old: unknown, now: unknown) => Effect);
  /**
   * The start of the difference's sentence: `The envelope of events`. `{member}` stands for the key. Default: `{member}` of
   * the subject.
   */
  readonly what?: string;
  /**
   * The kind of the difference without `-changed`. Default: the kind of the enclosing construct; for a part or a construct,
   * its key.
   */
  readonly kind?: string;
  /** What the difference is about, fixed or derived from the name. */
  readonly subject?: string;
  readonly category?: DifferenceCategory;
  /** Set if an omitted amount means the smallest amount. Default: the largest one. */
  readonly omitted?: "least";
}

/** The reports by member; `*` has defaults for all members. */
export type ChangeReports<Value> = {
  readonly [Name in keyof Value | `...${string}` | "*"]?: ChangeReport;
};

/**
 * How to report a construct that only one of two documents has. In the texts, `{name}` stands for the value of the construct's
 * member `name`.
 */
export interface Presence {
  readonly added: readonly [Effect, string];
  readonly removed: readonly [Effect, string];
  readonly category?: DifferenceCategory;
}

/** How two values of a construct are compared: by members, by entries, as amounts, or else as a whole. */
export interface Comparable {
  readonly members?: readonly FormMember[] | undefined;
  readonly presence?: Presence | undefined;
  readonly item?: Comparable | undefined;
  readonly measure?: Measure | undefined;
}

export function comparableOf({ item, measure, members, presence }: Comparable): Comparable {
  return { item, measure, members, presence };
}

export function additiveIfNew(old: unknown): Effect {
  return old === undefined ? "additive" : "breaking";
}

export function neutralIfNew(old: unknown): Effect {
  return old === undefined ? "neutral" : "breaking";
}
