/** Messages about migrations of the data: steps, results, and reasons for a rejection. */
import {
  type Migrated,
  type MigrationPlan,
  type MigrationRejected,
  type Obstacle,
  obstaclesOf,
  obstacleText,
  recordsText,
} from "../store/migration/migration.ts";
import { count } from "../base/layout.ts";

/** Prints the steps of a migration, each with its obstacles, and the result. */
export function planText(plan: MigrationPlan, data: string): string {
  if (plan.steps.length === 0) return `the data in ${data} is that of the document\n`;
  const lines = plan.steps.flatMap(({ description, records, obstacle }) => [
    `  ${description}${records > 0 && obstacle === undefined ? ` (${count(records, "record")})` : ""}`,
    ...(obstacle === undefined
      ? []
      : [
          `    ${obstacle.kind === "loss" ? "loses data" : "does not fit"}: ${obstacleText(obstacle)}`,
          ...effectLines(obstacle),
        ]),
  ]);
  return [`the data in ${data} would be brought to the document:`, ...lines, `${outcomeOf(plan)}\n`].join("\n");
}

/** Prints the records that `--allow-loss` is about to delete; empty if nothing is lost. */
export function lossText({ steps }: MigrationPlan, data: string): string {
  const lines = steps.flatMap(({ obstacle }) =>
    obstacle?.kind !== "loss" ? [] : [`  ${recordsText(obstacle)}`, ...effectLines(obstacle)],
  );
  return lines.length === 0 ? "" : [`in ${data} will be lost:`, ...lines, ""].join("\n");
}

function effectLines({ effect }: Obstacle): readonly string[] {
  return effect === undefined ? [] : [`    then ${effect}`];
}

function outcomeOf(plan: MigrationPlan): string {
  if (obstaclesOf(plan).length === 0) return "nothing is lost";
  return obstaclesOf(plan, true).length === 0
    ? "this is only done with --allow-loss"
    : "this cannot be done before the data or the document is changed";
}

/** Prints the steps of a completed migration, its losses, and the path of the backup. */
export function followedText({ steps, backup }: Migrated, data: string): string {
  const done = steps.map(({ description }) => description);
  const lost = steps.flatMap(({ obstacle }) => (obstacle === undefined ? [] : [`  lost: ${recordsText(obstacle)}`]));
  return [
    `the data in ${data} has followed the document: ${done.length === 0 ? "nothing in it had to change" : done.join("; ")}`,
    ...lost,
    ...(backup === undefined ? [] : [`  as it was before: ${backup}`]),
    "",
  ].join("\n");
}

/** Prints why a migration was rejected, with the possible remedies. */
export function migrationErrorText({ message, plan }: MigrationRejected, title: string, data: string): string {
  const goesOn =
    obstaclesOf(plan, true).length === 0
      ? "change the document, or lose this on purpose, after a backup: nonet migrate DOC --allow-loss"
      : "change the document, or these records with the document that they were made with";
  return `${title} cannot be served with ${data}: ${message}\nnothing was changed; ${goesOn}`;
}

/** Returns the plan of a migration as JSON. */
export function planJson(
  plan: MigrationPlan,
  data: string,
  done: { readonly applied: boolean; readonly backup?: string },
): string {
  const { applied, backup } = done;
  const obstacles = obstaclesOf(plan);
  const result = {
    data,
    applied,
    loses: obstacles.some(({ kind }) => kind === "loss"),
    fits: obstaclesOf(plan, true).length === 0,
    ...(backup === undefined ? {} : { backup }),
    steps: plan.steps,
  };
  return `${JSON.stringify(result, undefined, 2)}\n`;
}
