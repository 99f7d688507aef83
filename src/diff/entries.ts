/** Matches version entries with differences. */
import { type Change, type ChangeTarget, targetName, type Version } from "../language/versioning/model.ts";
import type { Difference } from "./difference.ts";

type Subject = Pick<Difference, "subject" | "also">;

/** Whether the entry names the subject of the difference, or the resource or operation that the subject belongs to. */
export function isAbout(change: Change, { subject, also }: Subject): boolean {
  return namesIn(change).some(
    (name) => name === subject || name === also || (!name.includes(".") && subject.startsWith(`${name}.`)),
  );
}

/** Returns the names in an entry: its subject first, then what the subject is or was called otherwise. */
export function namesIn(change: Change): readonly string[] {
  switch (change.kind) {
    case "rename": {
      const { of, field } = change.from;
      return field === undefined ? [of, change.to] : [`${of}.${field}`, `${of}.${change.to}`];
    }
    case "path":
      return [change.operation];
    case "error":
      return [`error ${change.code}`, `error ${change.was}`];
    case "event":
      return [`event ${change.name}`, ...(change.was === undefined ? [] : [`event ${change.was}`])];
    case "state":
      return [`${change.resource}.${change.name}`];
    default:
      return [targetName(change.target)];
  }
}

/** The kinds of differences that each kind of entry declares; any entry also covers an added, removed or renamed subject. */
const kinds: Readonly<Record<Change["kind"], RegExp>> = {
  rename: /-(renamed|removed|added)$/,
  add: /-(added|taken|given)$|^field-required$/,
  remove: /-(removed|not-given|not-taken)$/,
  require: /^(field-required|field-taken)$/,
  relax: /^(field-(may-be-absent|not-required|changed)|(null|type|range|pattern|value)-(wider|other))$/,
  retype: /^((range|pattern|value|null|type|media)-|default-changed|answer-changed|measure-changed)/,
  path: /^(route-changed|operation-)/,
  error: /^(error|refusal|standard-error)-/,
  event: /^(event|payload)-/,
  state: /^state/,
  "add-value": /^value-wider$/,
};

export function isAboutKind(change: Change, one: Difference): boolean {
  const wholly = /-(renamed|removed|added)$/.test(one.kind) && !/^(null|unique|filter|sort|search)-/.test(one.kind);
  return isAbout(change, one) && (wholly || kinds[change.kind].test(one.kind));
}

/** Translates a path of the document before some versions to the current document, by the renames of these versions. */
export function currentPath(path: string, newer: readonly Version[]): string {
  const renamed = (change: Change, before: string): string =>
    renamedPaths(change).reduce(
      (at, [from, to]) => (at === from || at.startsWith(`${from}/`) ? to + at.slice(from.length) : at),
      before,
    );
  return applyInOrder(newer, path, renamed);
}

/**
 * Applies the entries of some versions to a value, those of the oldest version first. Names may change places in a version, so
 * one of its entries at most renames the member of the value.
 */
function applyInOrder<Value>(
  newer: readonly Version[],
  value: Value,
  apply: (change: Change, value: Value) => Value,
): Value {
  let now = value;
  for (const { changes } of newer.toReversed()) {
    let isRenamed = false;
    for (const change of changes.toReversed()) {
      const isMember = change.kind === "rename" && change.from.field !== undefined;
      if (isMember && isRenamed) continue;
      const next = apply(change, now);
      isRenamed ||= isMember && next !== now;
      now = next;
    }
  }
  return now;
}

function renamedPaths(change: Change): readonly (readonly [from: string, to: string])[] {
  if (change.kind === "error") return [[`errors/errors/${change.was}`, `errors/errors/${change.code}`]];
  if (change.kind === "event")
    return change.was === undefined ? [] : [[`events/out/${change.was}`, `events/out/${change.name}`]];
  if (change.kind !== "rename") return [];
  const { of, field } = change.from;
  const fields = ["resources", "resources/types"].map((part) => `${part}/${of}`);
  const members = ["takes", "gives"].map((list) => `endpoints/endpoints/${of}/${list}`);
  if (field !== undefined)
    return [...fields, ...members].map((at) => [`${at}/${field}`, `${at}/${change.to}`] as const);
  const fullPaths = [
    "resources",
    "resources/types",
    "resources/rules",
    "states",
    "endpoints/endpoints",
    "authentication/allow",
    "authentication/own",
  ];
  return fullPaths.map((at) => [`${at}/${of}`, `${at}/${change.to}`] as const);
}

/** Translates an entry about the document before some versions to the current names. */
export function renamedEntry(change: Change, newer: readonly Version[]): Change {
  return applyInOrder(newer, change, (entry, now) => renamedBy(now, entry));
}

function renamedBy(change: Change, entry: Change): Change {
  if (entry.kind === "error")
    return change.kind === "error" && change.code === entry.was ? { ...change, code: entry.code } : change;
  if (entry.kind === "event")
    return change.kind === "event" && change.name === entry.was ? { ...change, name: entry.name } : change;
  if (entry.kind !== "rename") return change;
  const { from, to } = entry;
  if (change.kind === "path" && from.field === undefined && change.operation === from.of)
    return { ...change, operation: to };
  if (change.kind === "state" && from.field === undefined && change.resource === from.of)
    return { ...change, resource: to };
  if (
    change.kind === "rename" &&
    from.field === undefined &&
    change.from.field !== undefined &&
    change.from.of === from.of
  )
    return { ...change, from: { ...change.from, of: to } };
  if (!("target" in change)) return change;
  const target = renamedTarget(change.target, from, to);
  return target === change.target ? change : { ...change, target };
}

function renamedTarget(target: ChangeTarget, from: ChangeTarget, to: string): ChangeTarget {
  if (target.of !== from.of) return target;
  if (from.field === undefined) return { ...target, of: to };
  return target.field === from.field ? { ...target, field: to } : target;
}
