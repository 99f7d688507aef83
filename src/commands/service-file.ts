/** From a checked document to a service that runs: what `serve`, `start` and `key` do alike. */
import { randomBytes } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { servicePages } from "../export/page/pages.ts";
import type { CheckResult } from "../parts/check.ts";
import { soundModel, unservable } from "../parts/check.ts";
import { buildPlan } from "../plan/build.ts";
import type { Plan } from "../plan/plan.ts";
import type { Service } from "../serve/service.ts";
import { createService } from "../serve/service.ts";
import type { Store } from "../store/store.ts";
import { printFindings } from "./findings.ts";
import type { Terminal } from "./terminal.ts";

export const clock: Clock = { now: () => Date.now() };
export const random = (bytes: number): Uint8Array => randomBytes(bytes);

/** The plan of a document that can be served; else what stands in the way has been printed. */
export function planOf(result: CheckResult, terminal: Terminal): Plan | undefined {
  const sound = soundModel(result);
  if (sound === undefined) {
    printFindings(result, terminal, (text) => terminal.err(text));
    terminal.err(`\n${result.name} cannot be served: ${count(result.summary.errors, "error")}\n`);
    return undefined;
  }
  const missing = unservable(result);
  if (missing.length > 0) {
    terminal.err(
      `${result.name} cannot be served: it does not say its ${missing.join(" and its ")}, without which there is nothing to serve\n`,
    );
    return undefined;
  }
  return buildPlan(sound, result.places, result.expressions);
}

export interface RunOptions {
  readonly result: CheckResult;
  readonly plan: Plan;
  readonly store: Store;
  readonly baseUrl: () => string;
  readonly terminal: Terminal;
}

export async function serviceOf({ result, plan, store, baseUrl, terminal }: RunOptions): Promise<Service> {
  const cursorSecret = await store.secret("cursor", () => randomBytes(32).toString("base64url"));
  return createService({
    plan,
    store,
    clock,
    random,
    cursorSecret,
    baseUrl,
    environment: terminal.environment,
    report: (failure, requestId) =>
      terminal.err(`${requestId} failed: ${failure instanceof Error ? failure.stack : String(failure)}\n`),
    pages: servicePages({ result, plan, baseUrl }),
  });
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
