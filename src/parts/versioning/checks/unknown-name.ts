/** A version entry about something that neither is there now nor was there before. */
import { givenMembers } from "../../endpoints/shape.ts";
import type { Facts } from "../../facts.ts";
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { type Change, placeName } from "../model.ts";

export const check: Check = {
  code: "versioning/unknown-name",
  severity: "error",
  why: "Older callers would not be served as they were before.",
  *run(facts) {
    if (!says(facts, "resources", "endpoints", "events", "errors", "states")) return;
    const { versions = [] } = facts.model.versioning;
    if (versions.every(({ changes }) => changes.length === 0)) return;
    const known = new Set(namesOf(facts));
    for (const version of versions) {
      const former: string[] = [];
      for (const [index, change] of version.changes.entries()) {
        const at = `versioning/versions/${version.name}/${index}`;
        const name = subjectOf(change);
        if (name !== undefined && !known.has(name)) {
          yield { at, message: `There is no \`${name}\` in this version`, unknown: { name, known: near(known, name) } };
        }
        former.push(...formerNames(change));
      }
      // What a version removed or renamed is there in the versions before it.
      for (const name of former) known.add(name);
    }
  },
};

/** What an entry says of the version it belongs to: it has to be there. */
function subjectOf(change: Change): string | undefined {
  switch (change.kind) {
    case "rename":
      return placeName({
        ...change.from,
        ...(change.from.field === undefined ? { of: change.to } : { field: change.to }),
      });
    case "remove":
      return undefined;
    case "path":
      return change.operation;
    case "error":
      return `error ${change.code}`;
    case "event":
      return `event ${change.name}`;
    case "state":
      return `${change.resource} ${change.name}`;
    default:
      return placeName(change.place);
  }
}

function formerNames(change: Change): readonly string[] {
  if (change.kind === "rename") return [placeName(change.from)];
  if (change.kind === "remove") return [placeName(change.place)];
  if (change.kind === "error") return [`error ${change.was}`];
  return change.kind === "event" && change.was !== undefined ? [`event ${change.was}`] : [];
}

function namesOf({ model, operations, lives, errorNames, outEvents, endpoints }: Facts): readonly string[] {
  const { resources, types, views = {} } = model.resources;
  const definitions = [
    ...Object.entries(types),
    ...Object.entries(views).map(([name, { members = {} }]) => [name, members] as const),
    ...Object.entries(resources).map(([name, { fields }]) => [name, fields] as const),
  ];
  return [
    ...operations,
    ...definitions.flatMap(([name, fields]) => [name, ...Object.keys(fields).map((field) => `${name}.${field}`)]),
    ...[...endpoints].flatMap(([name, { endpoint }]) =>
      [endpoint.takes, givenMembers(endpoint.gives), endpoint.shape].flatMap((members) =>
        Object.keys(members ?? {}).map((member) => `${name}.${member}`),
      ),
    ),
    ...lives.flatMap(({ resource, states }) => [`${resource}.state`, ...states.map((state) => `${resource} ${state}`)]),
    ...[...errorNames].map((code) => `error ${code}`),
    ...[...outEvents.keys(), ...Object.keys(model.events.in ?? {})].map((event) => `event ${event}`),
  ];
}

/** Only names of the same sort are near. */
function near(known: ReadonlySet<string>, name: string): readonly string[] {
  const sort = /^.*[ .]/.exec(name)?.[0] ?? "";
  return [...known].filter(
    (other) => other.startsWith(sort) && other.length - name.length < 4 && name.length - other.length < 4,
  );
}
