/**
 * The plan of a migration as plain data: steps with a description, the number of changed records, and the records that block
 * the step.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { VersionStep } from "../../plan/versioning/data-change-types.ts";
import { StoreError } from "../port/error.ts";

export interface MigrationPlan {
  readonly steps: readonly Step[];
}

export interface Step {
  readonly kind: StepKind;
  /** The current name of the resource; for a removed resource its former name. */
  readonly resource: string;
  readonly fields: readonly string[];
  readonly description: string;
  /** How many records the step changes or deletes. */
  readonly records: number;
  readonly obstacle?: Obstacle;
}

export type StepKind =
  | "adopt table"
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

/** Records that block a step. */
export interface Obstacle {
  /** `loss`: the step is possible but loses data. `misfit`: the step is impossible until these records are changed. */
  readonly kind: "loss" | "misfit";
  readonly records: number;
  /** The ids of the oldest of these records, at most `mostNamed`. */
  readonly ids: readonly string[];
  readonly description: string;
  /** An edit of the document that removes the obstacle. */
  readonly remedy?: string;
  /** For `loss`: what happens to these records if the operator allows it. */
  readonly effect?: string;
}

export const mostNamed = 5;

/** The tables at the last migration, and the newest version that the data has followed. */
export interface StoredDocument {
  readonly tables: readonly Table[];
  readonly step: VersionStep | undefined;
}

/** Parses a stored document; `stored` is JSON. */
export function storedDocument(stored: { readonly tables: string; readonly step: string | null }): StoredDocument {
  return {
    tables: JSON.parse(stored.tables) as readonly Table[],
    step: stored.step === null ? undefined : (JSON.parse(stored.step) as VersionStep),
  };
}

export function stepText(step: VersionStep | undefined): string | null {
  return step === undefined ? null : JSON.stringify(step);
}

/** How a store migrates its data to its document. */
export interface Following {
  /** The version steps, from `Plan.history`. */
  readonly history: readonly VersionStep[];
  /** The names of the events that the document sends. */
  readonly events?: readonly string[];
  /** Whether a value fits a schema. */
  readonly validate: (schema: JsonObject) => (value: Json) => boolean;
  /** Whether to continue despite obstacles of kind `loss`; `misfit` always blocks. */
  readonly allowLoss?: boolean;
  /** Called after the migration. */
  readonly followed?: (migration: Migrated) => void;
  /** Called before each part of the migration that may take long. */
  readonly progress?: (what: string) => void;
}

export interface Migrated extends MigrationPlan {
  /** The path of a copy of the data before the migration; absent if no stored data changed. */
  readonly backup?: string;
}

/** Returns the obstacles that block the migration. */
export function obstaclesOf({ steps }: MigrationPlan, allowLoss = false): readonly Obstacle[] {
  return steps.flatMap(({ obstacle }) =>
    obstacle === undefined || (allowLoss && obstacle.kind === "loss") ? [] : [obstacle],
  );
}

/** Whether the migration changes or deletes stored data; additions, checks and new indexes do not. */
export function changesData({ steps }: MigrationPlan): boolean {
  const only: readonly StepKind[] = ["adopt table", "add table", "add column", "unique", "rule", "timed", "layout"];
  return steps.some(({ kind, records }) => records > 0 && !only.includes(kind));
}

/** Returns a sentence such as `Note.note is gone from the document, and 2 records would lose it: a, b`. */
export function obstacleText(obstacle: Obstacle): string {
  const { remedy } = obstacle;
  return `${recordsText(obstacle)}${remedy === undefined ? "" : `; ${remedy}`}`;
}

/** Returns the sentence of an obstacle without its remedy. */
export function recordsText({ ids, records, description }: Obstacle): string {
  return ids.length === 0 ? description : `${description}: ${ids.join(", ")}${records > ids.length ? ", …" : ""}`;
}

/** Thrown if a migration is rejected, which happens before any change. */
export class MigrationRejected extends StoreError {
  readonly plan: MigrationPlan;

  constructor(plan: MigrationPlan, obstacles: readonly Obstacle[]) {
    super("incompatible", "the data that is stored does not fit the document:", obstacles.map(obstacleText));
    this.plan = plan;
  }
}
