/**
 * What bringing data to a changed document comes to, as plain data: steps in sentences, each with the records that it
 * changes and those that stand in its way.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import type { VersionStep } from "../../plan/versioning/types.ts";
import { StoreError } from "../port/error.ts";

export interface MigrationPlan {
  readonly steps: readonly Step[];
}

export interface Step {
  readonly kind: StepKind;
  /** As the document names it now; one that is gone, as it was. */
  readonly resource: string;
  readonly fields: readonly string[];
  readonly description: string;
  /** How many records have something else afterwards, or are gone. */
  readonly records: number;
  readonly obstacle?: Obstacle;
}

export type StepKind =
  | "add table"
  | "rename table"
  | "drop table"
  | "add column"
  | "rename column"
  | "drop column"
  | "retype"
  | "require"
  | "narrow"
  | "refer"
  | "compute"
  | "unique"
  | "rule"
  | "tree"
  | "timed"
  | "layout";

/** Records that a step cannot be done with. */
export interface Obstacle {
  /** `loss`: it can be done, and something is gone then. `misfit`: it cannot be done before the records are changed. */
  readonly kind: "loss" | "misfit";
  readonly records: number;
  /** The oldest of them, `mostNamed` at most. */
  readonly ids: readonly string[];
  readonly description: string;
  /** What the document could say instead. */
  readonly remedy?: string;
  /** Of a loss that is allowed: what these records have and do afterwards. */
  readonly effect?: string;
}

export const mostNamed = 5;

/** How a store follows its document. */
export interface Following {
  /** `Plan.history`. */
  readonly history: readonly VersionStep[];
  /** The events that the document sends, by name. */
  readonly events?: readonly string[];
  /** Whether a value fits a schema. */
  readonly validate: (schema: JsonObject) => (value: Json) => boolean;
  /** Goes on where something would be lost; what does not fit stands in the way all the same. */
  readonly allowLoss?: boolean;
  /** Told when it is done. */
  readonly followed?: (migration: Migrated) => void;
  /** Told before each piece of work that may take long. */
  readonly progress?: (what: string) => void;
}

export interface Migrated extends MigrationPlan {
  /** A copy of the data as it was; absent where nothing that is stored was changed. */
  readonly backup?: string;
}

/** What stands in the way, where anything does. */
export function obstaclesOf({ steps }: MigrationPlan, allowLoss = false): readonly Obstacle[] {
  return steps.flatMap(({ obstacle }) =>
    obstacle === undefined || (allowLoss && obstacle.kind === "loss") ? [] : [obstacle],
  );
}

/** Whether something that is stored is changed or gone afterwards; what is only added, looked at or indexed anew is not. */
export function changesData({ steps }: MigrationPlan): boolean {
  const only: readonly StepKind[] = ["add table", "add column", "unique", "rule", "timed", "layout"];
  return steps.some(({ kind, records }) => records > 0 && !only.includes(kind));
}

/** `Note.note is gone from the document, and 2 records would lose it: a, b`. */
export function obstacleText(obstacle: Obstacle): string {
  const { remedy } = obstacle;
  return `${recordsText(obstacle)}${remedy === undefined ? "" : `; ${remedy}`}`;
}

/** The same without what the document could say instead. */
export function recordsText({ ids, records, description }: Obstacle): string {
  return ids.length === 0 ? description : `${description}: ${ids.join(", ")}${records > ids.length ? ", …" : ""}`;
}

/** Nothing was done. */
export class MigrationRejected extends StoreError {
  readonly plan: MigrationPlan;

  constructor(plan: MigrationPlan, obstacles: readonly Obstacle[]) {
    super("incompatible", "the data that is stored does not fit the document:", obstacles.map(obstacleText));
    this.plan = plan;
  }
}
