/** Part 9, printed: the shortest form that reads back as the same. */
import { startOfText } from "../../base/span.ts";
import type { Tree } from "../../document/print.ts";
import { createReader } from "../reader.ts";
import { type Below, nothingBelow } from "../grammar/grammar.ts";
import { readChange } from "./change-read.ts";
import {
  type Change,
  type Deprecation,
  placeName,
  type Version,
  type Versioning,
  type VersionPlace,
  type VersionPolicy,
} from "./model.ts";

export function printVersioning(
  { scheme, sent, absent, policy, versions, deprecated }: Versioning,
  below: Below = nothingBelow,
): Tree {
  return {
    ...(scheme === undefined ? {} : { scheme }),
    ...(sent === undefined ? {} : { sent: printSent(sent) }),
    ...(absent === undefined ? {} : { absent }),
    ...(policy === undefined ? {} : { policy: printPolicy(policy, below("policy")) }),
    ...(versions === undefined ? {} : { versions: printVersions(versions) }),
    ...(deprecated === undefined ? {} : { deprecated: printDeprecated(deprecated, below) }),
  };
}

function printSent(sent: VersionPlace): Tree {
  if (sent.kind === "media-type") return sent.kind;
  return sent.kind === "path" ? `path ${sent.template}` : `${sent.kind} ${sent.name}`;
}

function printPolicy({ afterSunset, unknown, ...policy }: VersionPolicy, open: boolean): Tree {
  const answers = {
    ...(afterSunset === undefined ? {} : { "after sunset": `${afterSunset.status} ${afterSunset.error}` }),
    ...(unknown === undefined ? {} : { unknown: `${unknown.status} ${unknown.error}` }),
  };
  return noneIfEmpty(Object.entries({ ...policy, ...answers }), open);
}

/** `none` where there is nothing, unless something is `open`. */
function noneIfEmpty(entries: readonly (readonly [key: string, value: Tree])[], open = false): Tree {
  return entries.length === 0 && !open ? "none" : new Map(entries);
}

function printVersions(versions: readonly Version[]): Tree {
  const oldest = versions.at(-1);
  return noneIfEmpty(
    versions.map((version) => {
      if (version.changes.length > 0) return [version.name, version.changes.map(printChange)];
      return [version.name, version === oldest ? "first" : "none"];
    }),
  );
}

/** On one line where reading it there gives the same change back, else as a map. */
function printChange(change: Change): Tree {
  const line = lineOf(change);
  return readsBack(line, change) ? line : mapOf(change);
}

/** An entry as YAML on one line, as it stands behind `- `: the line form where YAML leaves it as it is, else a map. */
export function changeText(change: Change): string {
  const line = lineOf(change);
  const plain = !/^[^a-z]|\s#|:$/.test(line) && (change.kind === "remove" || !line.includes(": "));
  return readsBack(line, change) ? (plain ? line : JSON.stringify(line)) : JSON.stringify(mapOf(change));
}

function readsBack(line: string, change: Change): boolean {
  const reader = createReader();
  const read = readChange(reader, ["versioning"], { kind: "text", value: line, quoted: false, span: startOfText });
  return reader.diagnostics.length === 0 && same(read, change);
}

/** The order of members does not matter. */
function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

function sorted(_name: string, value: unknown): unknown {
  const isMap = value !== null && typeof value === "object" && !Array.isArray(value);
  return isMap ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}

function lineOf(change: Change): string {
  const before = (clause: string, value: string | undefined) =>
    value === undefined ? "" : `, ${clause} as ${value} before`;
  const was = (value: string | undefined) => (value === undefined ? "" : `, was ${value}`);
  switch (change.kind) {
    case "rename":
      return `rename ${placeName(change.from)} -> ${change.to}`;
    case "add":
      return `add ${placeName(change.place)}${before("taken", change.taken)}`;
    case "remove": {
      const type = change.type === undefined ? "" : `: ${change.type}`;
      return `remove ${placeName(change.place)}${type}${before("seen", change.seen)}`;
    }
    case "require":
      return `require ${placeName(change.place)}${before("taken", change.taken)}`;
    case "relax":
      return `relax ${placeName(change.place)}${was(change.was)}${before("seen", change.seen)}`;
    case "retype":
      return `retype ${placeName(change.place)}${was(change.was)}${before("seen", change.seen)}${before("taken", change.taken)}`;
    case "path":
      return `path ${change.operation}${was(`${change.method} ${change.path}`)}`;
    case "error":
      return `error ${change.code}${was(`${change.status} ${change.was}`)}`;
    case "event":
      return `event ${change.name}${was(change.was)}`;
    case "state":
      return `state ${change.resource}.${change.name}${before("seen", change.seen)}`;
    case "add-value":
      return `add value ${placeName(change.place)} ${change.value}${before("seen", change.seen)}`;
  }
}

function mapOf(change: Change): Tree {
  switch (change.kind) {
    case "rename":
      return { rename: placeName(change.from), to: change.to };
    case "path":
      return { path: change.operation, was: `${change.method} ${change.path}` };
    case "error":
      return { error: change.code, was: `${change.status} ${change.was}` };
    case "event":
      return { event: change.name, ...(change.was === undefined ? {} : { was: change.was }) };
    case "state":
      return { state: `${change.resource}.${change.name}`, seen: change.seen };
    case "add-value":
      return { "add value": placeName(change.place), value: change.value, seen: change.seen };
    default: {
      const { kind, place, ...clauses } = change;
      return { [kind]: placeName(place), ...clauses };
    }
  }
}

function printDeprecated(deprecated: Readonly<Record<string, Deprecation>>, below: Below): Tree {
  return noneIfEmpty(
    Object.entries(deprecated).map(([name, moments]) => [name, printDeprecation(moments, below("deprecated", name))]),
    below("deprecated"),
  );
}

/** On one line; an address with a comma, or nothing at all, needs the map; with `map` always so. */
function printDeprecation(moments: Deprecation, map: boolean): Tree {
  const { since, sunset, guide } = moments;
  const pieces = [
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(sunset === undefined ? [] : [`sunset ${sunset}`]),
    ...(guide === undefined ? [] : [`guide ${guide}`]),
  ];
  return map || pieces.length === 0 || /[,'"([{]/.test(guide ?? "") ? { ...moments } : pieces.join(", ");
}
