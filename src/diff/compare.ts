/**
 * Compares two documents of one service: lists the differences, and which of them the version entries of the new document
 * declare. A breaking difference is declared if it disappears when the new entries are undone, since then old callers notice
 * nothing.
 */
import { deprecationOf } from "../language/versioning/deprecated.ts";
import { dateOf } from "../base/unix-time.ts";
import { addDuration, parseDuration } from "../base/duration.ts";
import type { Effect } from "../language/grammar/changes.ts";
import type { Model } from "../language/model.ts";
import { modelAt } from "../language/versioning/model-at-version.ts";
import type { Change, Version, Versioning } from "../language/versioning/model.ts";
import { type Difference, difference } from "./difference.ts";
import { differencesOf } from "./differences.ts";
import type { HandoverDifferences } from "./handovers.ts";
import { isAbout, isAboutKind, currentPath, namesIn, renamedEntry } from "./entries.ts";

export interface Comparison {
  /** The differences: breaking ones first, then additive and neutral ones. */
  readonly differences: readonly AssessedDifference[];
  /** The entries of the new versions that match no difference. */
  readonly idle: readonly Entry[];
  /** The version whose callers the service must serve as before; undefined if the documents have no versions. */
  readonly since: string | undefined;
  readonly heading: Heading;
  readonly versioning: Versioning;
}

export interface AssessedDifference {
  readonly difference: Difference;
  /** Whether version entries keep callers of the previous version unaffected; always true if the difference breaks nobody. */
  readonly declared: boolean;
  /** The entry that declares the difference, if an entry names its subject. */
  readonly by?: Entry;
}

export interface Entry {
  readonly version: string;
  /** The index of the entry in the version's list of changes. */
  readonly index: number;
  readonly change: Change;
}

/** The version in which the author has to add an entry. */
export interface Heading {
  readonly version: string;
  /** Whether the new document does not list this version yet. */
  readonly isNew: boolean;
}

/**
 * Compares two models. `today`: a date, `2026-11-22`. `handedOver`: the differences of the operations that a handler performs by
 * its contract in one document, and Nonet in the other; without them such operations are compared by what they declare.
 */
export function compare(old: Model, now: Model, today: string, handedOver?: HandoverDifferences): Comparison {
  const newerOnes = newerVersions(old.versioning, now.versioning);
  const { since, newer } = newerOnes;
  const all = newer.flatMap(({ name, changes }) => changes.map((change, index) => ({ version: name, index, change })));
  const differences = differencesOf(old, now, handedOver).map((one) => dated(one, old, now, today));
  const idle = all.filter((entry) => isIdle(entry, all, differences));
  const entries = all.filter((entry) => !idle.includes(entry));
  const left = leftOver(old, now, newerOnes, idle, handedOver)
    .map((one) => dated(one, old, now, today))
    .filter((one) => one.effect === "breaking" && !isDeclaredRemoved(one, entries) && !isOnlyUndone(one, entries));
  const open = new Set(left.map(keyOf));
  const assessed = differences.flatMap((one): AssessedDifference[] => {
    if (open.has(keyOf(one))) return [];
    const by = one.effect === "breaking" ? entryOf(one, entries) : undefined;
    return [{ difference: one, declared: true, ...(by === undefined ? {} : { by }) }];
  });
  const of = (effect: Effect): readonly AssessedDifference[] =>
    assessed.filter(({ difference: one }) => one.effect === effect);
  return {
    differences: [
      ...left.map((one) => ({ difference: asNow(one, newer), declared: false })),
      ...of("breaking"),
      ...of("additive"),
      ...of("neutral"),
    ],
    idle,
    since,
    heading: headingOf(newer, now.versioning, today),
    versioning: now.versioning,
  };
}

/** Returns the entry about this difference; an entry about this kind of difference comes first. */
function entryOf(one: Difference, entries: readonly Entry[]): Entry | undefined {
  return entries.find(({ change }) => isAboutKind(change, one)) ?? entries.find(({ change }) => isAbout(change, one));
}

/**
 * Returns the differences that remain after undoing the new entries, except idle ones: undoing those would add differences.
 */
function leftOver(
  old: Model,
  now: Model,
  { since, newer }: Newer,
  idle: readonly Entry[],
  handedOver?: HandoverDifferences,
): readonly Difference[] {
  if (since === undefined) return differencesOf(old, now, handedOver);
  const versions = (now.versioning.versions ?? []).map((version) => {
    if (!newer.includes(version)) return version;
    return { ...version, changes: version.changes.filter((change) => !idle.some((entry) => entry.change === change)) };
  });
  return differencesOf(old, modelAt({ ...now, versioning: { ...now.versioning, versions } }, since), handedOver);
}

/** Translates a difference of the document without its new versions to the paths and names of the document with them. */
function asNow({ entry, ...one }: Difference, newer: readonly Version[]): Difference {
  return {
    ...one,
    at: currentPath(one.at, newer),
    ...(entry === undefined ? {} : { entry: renamedEntry(entry, newer) }),
  };
}

function keyOf({ kind, subject, message }: Difference): string {
  return `${kind} ${subject} ${message}`;
}

interface Newer {
  readonly since: string | undefined;
  readonly newer: readonly Version[];
}

/**
 * Returns the versions that the old document does not have. An old document without versions is the first version of the new
 * one.
 */
function newerVersions(old: Versioning, now: Versioning): Newer {
  const versions = now.versions ?? [];
  const newest = old.versions?.[0]?.name;
  const found = versions.findIndex(({ name }) => name === newest);
  const index = found < 0 ? versions.length - 1 : found;
  return { since: versions[index]?.name, newer: versions.slice(0, Math.max(index, 0)) };
}

/**
 * Whether a `remove` entry declares the difference: no entry restores a removed resource, operation or type, so such an entry
 * is enough.
 */
function isDeclaredRemoved({ entry }: Difference, entries: readonly Entry[]): boolean {
  if (entry?.kind !== "remove" || entry.target.field !== undefined) return false;
  return entries.some(
    ({ change }) =>
      change.kind === "remove" && change.target.field === undefined && change.target.of === entry.target.of,
  );
}

/**
 * Whether the difference exists only because `require` was undone: the field is optional in that model, but responses always
 * contain it, so it is no break.
 */
function isOnlyUndone(one: Difference, entries: readonly Entry[]): boolean {
  if (one.kind !== "field-may-be-absent") return false;
  return entries.some(({ change }) => change.kind === "require" && isAbout(change, one));
}

const removals = [
  "operation-removed",
  "field-removed",
  "view-member-removed",
  "answer-removed",
  "measure-removed",
  "parameter-removed",
  "member-removed",
  "filter-removed",
  "move-removed",
  "timer-removed",
  "payload-removed",
];
const deprecations = ["version-deprecated", "operation-deprecated", "field-deprecated"];

/** Adjusts the effects that depend on today's date: of removals, which are neutral after a sunset, and of deprecations with a short notice. */
function dated(one: Difference, old: Model, now: Model, today: string): Difference {
  if (one.kind === "version-removed" && one.sunset !== undefined && one.sunset <= today)
    return { ...one, effect: "neutral" };
  if (removals.includes(one.kind)) return removed(one, old, today);
  if (!deprecations.includes(one.kind)) return one;
  const isVersion = one.kind === "version-deprecated";
  const name = isVersion ? one.subject.slice("version ".length) : one.subject;
  const sunset = deprecationOf(now, name)?.sunset;
  const notice = parseDuration(old.versioning.policy?.notice ?? "");
  if (sunset === undefined || notice === undefined) return one;
  const earliest = dateOf(addDuration(Date.parse(today), notice));
  if (sunset >= earliest) return one;
  const message = `${isVersion ? "The version " : ""}\`${name}\` ends on ${sunset}, before ${earliest}, when the notice of ${old.versioning.policy?.notice} ends`;
  const details = { category: "support", sunset: earliest } as const;
  return difference("breaking", "notice-too-short", one, message, details);
}

/**
 * A removal is neutral on and after the sunset that the old document announced: of the removed statement, or of one with which it
 * ends, such as the operation of a transition.
 */
function removed(one: Difference, old: Model, today: string): Difference {
  const announced = (one.endsWith ?? [one.subject]).flatMap((name) => {
    const sunset = deprecationOf(old, name)?.sunset;
    return sunset === undefined ? [] : [{ name, sunset }];
  });
  if (one.sunset !== undefined) announced.push({ name: one.subject, sunset: one.sunset });
  const [first] = announced.toSorted((earlier, later) => (earlier.sunset < later.sunset ? -1 : 1));
  if (first === undefined) return one;
  const { name, sunset } = first;
  if (sunset <= today) return { ...one, effect: "neutral" };
  const whose = name === one.subject ? "its sunset" : `the sunset of \`${name}\``;
  return { ...one, message: `${one.message} before ${whose} on ${sunset}` };
}

/** Whether the entry matches no difference and no entry of another new version names its subject. */
function isIdle(entry: Entry, entries: readonly Entry[], differences: readonly Difference[]): boolean {
  const { change, version } = entry;
  if (differences.some((one) => isAboutKind(change, one)) || changesPlaces(entry, entries)) return false;
  const [subject = "", also = subject] = namesIn(change);
  return !entries.some((other) => other.version !== version && isAbout(other.change, { subject, also }));
}

/**
 * Whether another entry of the version renames a field to the old name of this one, for example if two fields swap names.
 */
function changesPlaces({ change, version }: Entry, entries: readonly Entry[]): boolean {
  if (change.kind !== "rename" || change.from.field === undefined) return false;
  return entries.some(
    ({ change: other, version: at }) =>
      at === version && other.kind === "rename" && other.from.of === change.from.of && other.to === change.from.field,
  );
}

function headingOf(newer: readonly Version[], { scheme, versions = [] }: Versioning, today: string): Heading {
  const [newest] = newer;
  if (newest !== undefined) return { version: newest.name, isNew: false };
  const last = versions[0]?.name;
  if (scheme !== "numbered")
    return { version: last === undefined || last < today ? today : dayAfter(last), isNew: true };
  const number = last?.split(".").map(Number) ?? [0];
  return { version: number.with(-1, (number.at(-1) ?? 0) + 1).join("."), isNew: true };
}

function dayAfter(date: string): string {
  const time = Date.parse(date);
  return Number.isNaN(time) ? date : dateOf(time + 86_400_000);
}
