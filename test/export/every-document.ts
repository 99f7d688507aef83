/** Documents of every shape: the examples, and the documents of the server's tests. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { check, type CheckResult } from "../../src/language/check.ts";
import { buildPlan } from "../../src/plan/build.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { libraryText } from "./documents.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Everything {
  readonly name: string;
  readonly text: string;
  readonly result: CheckResult;
  /** Of the newest version, and of each older one, by its name. */
  readonly plans: ReadonlyMap<string, Plan>;
}

export const everyDocument: readonly Everything[] = [
  ...globSync(["examples/*.md", "examples/*/*.md", "test/serve/documents/*.md"], { cwd: root })
    .sort()
    .map((path): [string, string] => [basename(path, ".md"), readFileSync(join(root, path), "utf8")])
    .filter(([name]) => name !== "nothing-yet"),
  ["library", libraryText] as const,
].map(([name, text]) => {
  const result = check(`${name}.md`, text);
  const plan = buildPlan(result.model, result.places, result.expressions);
  const older = (plan.versions?.list ?? []).flatMap((one): [string, Plan][] =>
    one.older === undefined ? [] : [[`${name} ${one.name}`, { ...one.older.received, ...versionsOf(plan) }]],
  );
  return { name, text, result, plans: new Map([[name, plan], ...older]) };
});

function versionsOf({ versions }: Plan): Pick<Plan, "versions"> {
  return versions === undefined ? {} : { versions };
}
