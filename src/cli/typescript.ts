/** The client of a service as one file of TypeScript: what is the same in all of them is read from where it is kept. */
import { readFile } from "node:fs/promises";
import { typescriptClient } from "../export/typescript/client.ts";
import type { Plan } from "../plan/plan.ts";

/** Gives what writes the client of a plan. */
export async function typescript(): Promise<(plan: Plan) => string> {
  const runtime = await readFile(new URL("../export/typescript/common.ts", import.meta.url), "utf8");
  return (plan) => typescriptClient(plan, runtime);
}
