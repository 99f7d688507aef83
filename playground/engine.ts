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
import { type Analysis as EditorAnalysis, analyse } from "../src/editor/analysis.ts";
import { complete, type Completions } from "../src/editor/complete.ts";
import { referencePages } from "../src/editor/reference-pages.ts";
import { type CheckResult, soundModel, type Summary, unservable } from "../src/language/check.ts";
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

/** A service that runs, for the console. */
export interface Served {
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
  /** Completes the word at an offset of a text; the other words are those of the last document. */
  complete(text: string, offset: number): Completions;
  /** Serves the last document; its records stay if it changes nothing about how they are stored. @throws Error if it cannot be served */
  serve(): Promise<Served>;
  /** Renders the page of the last document, with its diagrams. @throws Error if it cannot be served */
  page(): string;
  /** Returns the OpenAPI description of the last document. @throws Error if it cannot be served */
  description(): JsonObject;
  /** Responds to a request. @throws Error if nothing is served */
  respond(request: Request): Promise<Response>;
  /** Runs due timers. */
  tick(): Promise<unknown>;
}

interface Servable {
  readonly result: CheckResult;
  readonly plan: () => Plan;
}

interface Running {
  readonly of: Servable;
  readonly plan: Plan;
  readonly store: Store;
  readonly service: LiveService;
  readonly keys: readonly DemoKey[];
}

const name = "document.md";

export function createEngine(rim: Rim): Engine {
  let analysis: EditorAnalysis | undefined;
  /** The last document, if it can be served; its plan is made when something needs it. */
  let servable: Servable | undefined;
  /** The service of the last document that was served: its records outlive the mistakes between two documents. */
  let running: Running | undefined;
  let starting: { readonly of: Servable; readonly done: Promise<Running> } | undefined;
  const served = (): Servable => {
    if (servable === undefined) throw new Error("nothing is served");
    return servable;
  };
  const started = (): Promise<Running> => {
    const of = served();
    if (starting?.of === of) return starting.done;
    const before = starting?.done ?? Promise.resolve(undefined);
    const done = before.then(async (former) => (running = await serve(of, rim, former)));
    starting = { of, done };
    return done;
  };
  const describe = (): JsonObject => {
    const plan = served().plan();
    return openapi({ ...plan, operations: servedOperations(plan) }, address);
  };
  return {
    analyse(text) {
      analysis = analyse(name, text);
      const { result } = analysis;
      const { diagnostics, summary } = result;
      const questions = result.questions
        .filter(isOpen)
        .map(({ part, text: question, line }) => ({ part, text: question, ...(line !== undefined && { line }) }));
      const found = servableOf(result);
      servable = typeof found === "string" ? undefined : found;
      return { diagnostics, questions, summary, ...(typeof found === "string" && { unserved: found }) };
    },
    complete: (text, offset) => complete(analysis ?? analyse(name, text), text, offset, noPages),
    async serve() {
      const { keys } = await started();
      return { description: describe(), keys };
    },
    page: () => [...pageFile({ plan: served().plan(), result: served().result, baseUrl: address })].join(""),
    description: describe,
    async respond(request) {
      return fetchFrom((await started()).service)(request);
    },
    tick: () => (running !== undefined && running.of === servable ? running.service.tick() : Promise.resolve(0)),
  };
}

/** The pages of the language's reference, which explain words, are too large for the page. */
const noPages = referencePages("", "");

/** Returns what serves a document, or why it cannot be served. */
function servableOf(result: CheckResult): Servable | string {
  const sound = soundModel(result);
  if (sound === undefined) return "The document has errors.";
  const missing = unservable(result);
  if (missing.length > 0) return `The document does not say its ${missing.join(" and ")} yet.`;
  let plan: Plan | undefined;
  return { result, plan: () => (plan ??= buildPlan(sound, result.places, result.expressions)) };
}

async function serve(of: Servable, { clock, notice, random }: Rim, former: Running | undefined): Promise<Running> {
  const { result } = of;
  const plan = of.plan();
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
  return { of, plan, store, service, keys };
}

function canKeep({ plan: former }: Running, plan: Plan): boolean {
  return JSON.stringify([former.roles, former.credentials]) === JSON.stringify([plan.roles, plan.credentials]);
}
