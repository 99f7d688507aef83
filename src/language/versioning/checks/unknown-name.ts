/** Reports a version entry about a name that neither exists now nor existed before. */
import { responseMembers } from "../../endpoints/shape.ts";
import type { DocumentIndex } from "../../analysis/document-index.ts";
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { type Change, targetName } from "../model.ts";

export const check: Check = {
  code: "versioning/unknown-name",
  severity: "error",
  why: "The service could not serve older callers as before.",
  *run(documentIndex) {
    if (!declares(documentIndex, "resources", "endpoints", "events", "errors", "states")) return;
    const { versions = [] } = documentIndex.model.versioning;
    if (versions.every(({ changes }) => changes.length === 0)) return;
    const known = new Set(namesOf(documentIndex));
    for (const version of versions) {
      const former: string[] = [];
      for (const [index, change] of version.changes.entries()) {
        const at = `versioning/versions/${version.name}/${index}`;
        const name = subjectOf(change);
        if (name !== undefined && !known.has(name)) {
          yield { at, message: `There is no \`${name}\` in this version`, unknown: { name, known: near(known, name) } };
        }
        former.push(...formerNames(change), ...formerMembers(change, known));
      }
      // A name that a version removed or renamed exists in the versions before that version.
      for (const name of former) known.add(name);
    }
  },
};

/** Returns the name that must exist in the version of the entry. */
function subjectOf(change: Change): string | undefined {
  switch (change.kind) {
    case "rename":
      return targetName({
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
      return targetName(change.target);
  }
}

function formerNames(change: Change): readonly string[] {
  if (change.kind === "rename") return [targetName(change.from)];
  if (change.kind === "remove") return [targetName(change.target)];
  if (change.kind === "error") return [`error ${change.was}`];
  return change.kind === "event" && change.was !== undefined ? [`event ${change.was}`] : [];
}

/** Returns the members and states of a renamed resource or operation under its former name. */
function formerMembers(change: Change, known: ReadonlySet<string>): readonly string[] {
  if (change.kind !== "rename" || change.from.field !== undefined) return [];
  const { from, to } = change;
  return [...known].flatMap((name) =>
    /^[. ]/.test(name.slice(to.length)) && name.startsWith(to) ? [from.of + name.slice(to.length)] : [],
  );
}

function namesOf({ model, operations, lives, errorNames, outEvents, endpoints }: DocumentIndex): readonly string[] {
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
      [endpoint.takes, responseMembers(endpoint.gives), endpoint.shape].flatMap((members) =>
        Object.keys(members ?? {}).map((member) => `${name}.${member}`),
      ),
    ),
    ...lives.flatMap(({ resource, states }) => [`${resource}.state`, ...states.map((state) => `${resource} ${state}`)]),
    ...[...errorNames].map((code) => `error ${code}`),
    ...[...outEvents.keys(), ...Object.keys(model.events.in ?? {})].map((event) => `event ${event}`),
  ];
}

/** Returns the known names of the same kind and owner and of a similar length: the only ones that a finding suggests. */
function near(known: ReadonlySet<string>, name: string): readonly string[] {
  const sort = /^.*[ .]/.exec(name)?.[0] ?? "";
  return [...known].filter(
    (other) => other.startsWith(sort) && other.length - name.length < 4 && name.length - other.length < 4,
  );
}
