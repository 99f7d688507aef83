/** Maps stored tables and columns to their present names, by the version entries of part 9. */
import { isNewerVersion } from "../../base/version.ts";
import type { Column, Table } from "../../plan/resources/types.ts";
import type { DataChange, VersionStep } from "../../plan/versioning/data-change-types.ts";
import { withoutKnown } from "./reshape.ts";

/** A stored table with its columns, which have their current names. */
export interface Origin {
  readonly table: Table;
  readonly columns: ReadonlyMap<string, Column>;
}

/**
 * Returns the version steps that the data has not followed yet, oldest first. `stored` is the newest step at the last
 * migration; entries added to that version since then are included, because a version grows while its author writes it. Data
 * without a known version has followed no step.
 */
export function stepsSince(history: readonly VersionStep[], stored: VersionStep | undefined): readonly VersionStep[] {
  if (stored === undefined) return history.toReversed();
  const position = history.findIndex(({ version }) => version === stored.version);
  const newer = history.filter(({ version }, index) =>
    position < 0 ? isNewerVersion(version, stored.version) : index < position,
  );
  const same = history[position];
  const known = new Set(stored.changes.map((change) => JSON.stringify(change)));
  const added =
    same?.changes.filter((change) => !known.has(JSON.stringify(change))).map((change) => grown(change, stored)) ?? [];
  return [...(same === undefined ? [] : [{ ...same, changes: added }]), ...newer.toReversed()];
}

function grown(change: DataChange, { changes }: VersionStep): DataChange {
  if (change.kind !== "reshape") return change;
  const before = changes.find(
    (one) => one.kind === "reshape" && one.resource === change.resource && one.field === change.field,
  );
  if (before?.kind !== "reshape") return change;
  return { ...change, reshape: withoutKnown(change.reshape, before.reshape) };
}

/** Returns the stored tables by current resource name. A rename from a missing name, or to an existing one, has no effect. */
export function follow(stored: readonly Table[], steps: readonly VersionStep[]): ReadonlyMap<string, Origin> {
  let origins: ReadonlyMap<string, Origin> = new Map(
    stored.map((table) => [
      table.resource,
      { table, columns: new Map(table.columns.map((column) => [column.name, column])) },
    ]),
  );
  for (const { changes } of steps) {
    const resources = changes.filter((change) => change.kind === "rename-resource");
    const named = renamed(origins, resources);
    origins = new Map(
      [...named].map(([resource, { table, columns }]) => {
        // An entry may name a field by the former name of a resource that the same version renames.
        const names = [resource, ...resources.filter(({ to }) => to === resource).map(({ from }) => from)];
        const fields = changes.filter((change) => change.kind === "rename-field" && names.includes(change.resource));
        return [resource, { table, columns: renamed(columns, fields as readonly Renaming[]) }];
      }),
    );
  }
  return origins;
}

type Renaming = Extract<DataChange, { from: string }>;

/** Applies all renames of a version at once, so that two names can be exchanged. */
function renamed<T>(entries: ReadonlyMap<string, T>, renamings: readonly Renaming[]): ReadonlyMap<string, T> {
  const leaving = new Set(renamings.map(({ from }) => from));
  const names = new Map<string, string>();
  for (const { from, to } of renamings) {
    if (entries.has(from) && (!entries.has(to) || leaving.has(to)) && from !== to) names.set(from, to);
  }
  return new Map([...entries].map(([name, entry]) => [names.get(name) ?? name, entry]));
}
