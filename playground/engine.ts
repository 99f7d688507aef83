/**
 * The engine of the playground: checks a document at each change, and serves it from a store in memory. It runs in a worker of
 * the page, and in Node for tests; clock and random bytes are arguments.
 */
import type { Clock } from "../src/base/clock.ts";
import type { JsonObject } from "../src/base/json.ts";
import type { Diagnostic } from "../src/diagnostics/diagnostic.ts";
import { pageFile } from "../src/export/page/page-file.ts";
import { servicePages } from "../src/export/page/pages.ts";
import { isOpen } from "../src/export/page/source.ts";
import { openapi } from "../src/export/openapi/openapi.ts";
import { check, type CheckResult, soundModel, type Summary, unservable } from "../src/language/check.ts";
import type { PartName } from "../src/language/model.ts";
import { buildPlan } from "../src/plan/build.ts";
import { servedOperations } from "../src/plan/endpoints/contract.ts";
import type { Plan } from "../src/plan/plan.ts";
import { fetchFrom } from "../src/http/fetch.ts";
import { demoCredential, type DemoKey, mintDemoKeys } from "../src/runtime/auth/mint.ts";
import { secretNames } from "../src/plan/authentication/credentials.ts";
import { createService, type LiveService } from "../src/runtime/service.ts";
import { openMemoryStore } from "../src/store/memory/open.ts";
import type { Store } from "../src/store/port/store.ts";

/** Where the page says that its service is; no request leaves the page. */
export const address = "http://localhost";

export interface Rim {
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** Receives what the service reports that no request caused. */
  readonly notice: (message: string) => void;
}

/** What the page shows of a document. */
export interface Analysis {
  readonly diagnostics: readonly Diagnostic[];
  readonly questions: readonly Question[];
  readonly summary: Summary;
  /** Why the document is not served; absent if it is. */
  readonly unserved?: string;
}

/** What the page shows of a service that runs. */
export interface Served {
  /** The page of the service, with its diagrams. */
  readonly page: string;
  /** Its OpenAPI description. */
  readonly description: JsonObject;
  readonly keys: readonly DemoKey[];
}

export interface Question {
  readonly part: PartName;
  readonly text: string;
  readonly line?: number;
}

export interface Engine {
  /** Checks a document. */
  analyse(text: string): Analysis;
  /** Serves the last document; its records stay if it changes nothing about how they are stored. @throws Error if it cannot be served */
  serve(): Promise<Served>;
  /** Responds to a request. @throws Error if nothing is served */
  respond(request: Request): Promise<Response>;
  /** Runs due timers. */
  tick(): Promise<unknown>;
}

interface Running {
  readonly plan: Plan;
  readonly store: Store;
  readonly service: LiveService;
  readonly keys: readonly DemoKey[];
}

const name = "document.md";

export function createEngine(rim: Rim): Engine {
  let checked: { readonly result: CheckResult; readonly plan: Plan } | undefined;
  let running: Running | undefined;
  return {
    analyse(text) {
      const result = check(name, text);
      const { diagnostics, summary } = result;
      const questions = result.questions
        .filter(isOpen)
        .map(({ part, text: question, line }) => ({ part, text: question, ...(line !== undefined && { line }) }));
      const plan = planOf(result);
      checked = typeof plan === "string" ? undefined : { result, plan };
      if (typeof plan === "string") running = undefined;
      return { diagnostics, questions, summary, ...(typeof plan === "string" && { unserved: plan }) };
    },
    async serve() {
      if (checked === undefined) throw new Error("nothing is served");
      const { plan, result } = checked;
      running = await serve(result, plan, rim, running);
      return {
        page: pageFile({ plan, result, baseUrl: address }),
        description: openapi({ ...plan, operations: servedOperations(plan) }, address),
        keys: running.keys,
      };
    },
    async respond(request) {
      if (running === undefined) throw new Error("nothing is served");
      return fetchFrom(running.service)(request);
    },
    tick: () => running?.service.tick() ?? Promise.resolve(0),
  };
}

/** Returns the plan of a document, or why it cannot be served. */
function planOf(result: CheckResult): Plan | string {
  const sound = soundModel(result);
  if (sound === undefined) return "The document has errors.";
  const missing = unservable(result);
  if (missing.length > 0) return `The document does not say its ${missing.join(" and ")} yet.`;
  return buildPlan(sound, result.places, result.expressions);
}

async function serve(
  result: CheckResult,
  plan: Plan,
  { clock, notice, random }: Rim,
  former: Running | undefined,
): Promise<Running> {
  const isSame = former !== undefined && JSON.stringify(former.plan.tables) === JSON.stringify(plan.tables);
  const store = isSame ? former.store : await openMemoryStore({ tables: plan.tables, clock: () => clock.now() });
  await former?.service.rest();
  const secret = (): string => Buffer.from(random(32)).toString("base64url");
  const service = createService({
    ...{ plan, store, clock, random, notice },
    cursorSecret: await store.secret("cursors", secret),
    environment: Object.fromEntries(secretNames(plan).map((variable) => [variable, secret()])),
    baseUrl: () => address,
    webhooks: { key: await store.secret("webhooks", secret), urlFault: () => undefined },
    report: (failure, id) =>
      notice(`${id}: ${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}`),
    pages: servicePages({ result, plan, baseUrl: () => address }),
  });
  const credential = demoCredential(plan);
  const made = () => (credential === undefined ? [] : mintDemoKeys(plan, credential, store.keys, clock, random));
  const keys = isSame && canKeep(former, plan) ? former.keys : await made();
  return { plan, store, service, keys };
}

function canKeep({ plan: former }: Running, plan: Plan): boolean {
  return JSON.stringify([former.roles, former.credentials]) === JSON.stringify([plan.roles, plan.credentials]);
}
