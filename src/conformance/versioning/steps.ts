/** The steps between two consecutive versions, and the names that things have on both sides. */
import { deprecationOf } from "../../language/versioning/deprecated.ts";
import type { Change, ChangeTarget } from "../../language/versioning/model.ts";
import { type Contract, sunsetOf } from "../contract.ts";
import { NotTried } from "../case.ts";
import type { Trial } from "../trial/trial.ts";
import { presentOf } from "../trial/world.ts";

export interface Step {
  /** The names of the versions. */
  readonly newer: string;
  readonly older: string;
  readonly changes: readonly Change[];
}

/** Returns the steps of a document, the newest first. */
export function stepsOf({ model }: Contract): readonly Step[] {
  const { versions = [] } = model.versioning;
  return versions.flatMap(({ changes, name }, index) => {
    const older = versions[index + 1];
    return older === undefined ? [] : [{ newer: name, older: older.name, changes }];
  });
}

/** Returns the trial of a version. @throws NotTried if the version has ended */
export function trialAt(trial: Trial, version: string): Trial {
  if (hasEnded(trial, version)) throw new NotTried(`the version ${version} has ended`);
  return trial.at(version);
}

export function hasEnded({ contract, world }: Trial, version: string): boolean {
  const sunset = sunsetOf(contract, version);
  return sunset !== undefined && presentOf(world) >= sunset;
}

/** Returns the name of a resource, type, view or operation in the older version. */
export function olderName({ changes }: Step, newer: string): string {
  const renamed = changes.find(
    (change) => change.kind === "rename" && change.from.field === undefined && change.to === newer,
  );
  return renamed?.kind === "rename" ? renamed.from.of : newer;
}

/** Returns the name of a field in the older version; undefined if that version does not have it. */
export function olderField({ changes }: Step, { of, field }: Required<ChangeTarget>): string | undefined {
  for (const change of changes) {
    if (change.kind === "rename" && change.from.of === of && change.to === field && change.from.field !== undefined)
      return change.from.field;
    if (change.kind === "add" && change.target.of === of && change.target.field === field) return undefined;
  }
  return field;
}

/** Returns the name of a field in the newer version; undefined if that version does not have it. */
export function newerField({ changes }: Step, of: string, older: string): string | undefined {
  for (const change of changes) {
    if (change.kind === "rename" && change.from.of === of && change.from.field === older) return change.to;
    if (change.kind === "remove" && change.target.of === of && change.target.field === older) return undefined;
  }
  return older;
}

/** Returns a record's values by the names of the other version, as far as a rename says what they are. */
export function renamedValues<Value>(
  values: ReadonlyMap<string, Value>,
  nameOf: (name: string) => string | undefined,
): Map<string, Value> {
  return new Map(
    [...values].flatMap(([name, value]): [string, Value][] => {
      const other = nameOf(name);
      return other === undefined ? [] : [[other, value]];
    }),
  );
}

/** Whether a version is deprecated. */
export function isDeprecated({ model }: Contract, version: string): boolean {
  return deprecationOf(model, version) !== undefined;
}
