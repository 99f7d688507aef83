/**
 * The library: for programs that serve a document, check it or export it.
 *
 *     const service = await createService({ document: "shop.md", store: "shop.db", handlers });
 *     const answer = await service.fetch(new Request("http://shop/orders"));
 *     const { url } = await service.listen({ port: 8080 });
 *     await service.close();
 *
 * Or piece by piece, where a program wants something between them:
 *
 *     const result = check("shop.md", await readFile("shop.md"));
 *     const model = soundModel(result);
 *     if (model === undefined) throw new Error(`${result.summary.errors} errors`);
 *     const plan = buildPlan(model, result.places, result.expressions);
 *     const following = await followingOf(plan);
 *     const store = await openSqliteStore({ file: "shop.db", tables: plan.tables, following, clock: Date.now, serving: true });
 *     const service = servePlan({ plan, store, … });
 *     const server = await listen({ service: () => service, host: "127.0.0.1", port: 8080, … });
 *
 * `check` to `functionTypes` are free of Node and run in a browser too. What is not exported here may change at any time.
 */

// The service inside a program, and the types of its functions.
export {
  createService,
  type EmbeddedService,
  type Listening,
  type ListenOptions,
  type NewKey,
  type ServiceOptions,
} from "./server/embed.ts";
export { ServiceError } from "./server/errors.ts";
export {
  type EventContext,
  type HandlerContext,
  type Handlers,
  handlers,
  notImplemented,
  type ServiceTypes,
  type SystemContext,
} from "./runtime/functions/typed.ts";

// The check of a document, and what follows from it.
export { check } from "./contracts/check.ts";
export { type CheckResult, type SoundModel, type Summary, soundModel, unservable } from "./language/check.ts";
export type { Model, PartName } from "./language/model.ts";
export type { PartAnswers, QuestionAnswer } from "./language/analysis/questions.ts";
export type { Diagnostic, Severity } from "./diagnostics/diagnostic.ts";
export { printDiagnostic } from "./diagnostics/text.ts";

// The plan of a document, and the exports that are made from it.
export { buildPlan } from "./plan/build.ts";
export type { Plan } from "./plan/plan.ts";
export { openapi } from "./export/openapi/openapi.ts";
export { asyncapi } from "./export/asyncapi/asyncapi.ts";
export { jsonSchema } from "./export/json-schema.ts";
export { markdown } from "./export/markdown/markdown.ts";
export { diagrams, type Diagram, mermaidMarkdown } from "./export/mermaid/mermaid.ts";
export { functionTypes } from "./export/typescript/functions.ts";
export { typescript } from "./cli/export.ts";
export { servicePages } from "./export/page/pages.ts";

// The stores.
export { openMemoryStore } from "./store/memory/open.ts";
export { openSqliteStore } from "./store/sqlite/open.ts";
export { followingOf } from "./server/open-store.ts";
export { StoreError } from "./store/port/error.ts";
export type { Store } from "./store/port/store.ts";

// The service of a plan and its data, with a server of its own or inside another server.
export { createService as servePlan, type Service, type ServiceOptions as PlanOptions } from "./runtime/service.ts";
export type { HttpResponse, HttpRequest } from "./http/message.ts";
export type { Observation, Observe, Observer } from "./runtime/context/observation.ts";
export { createTelemetry } from "./runtime/telemetry.ts";
export { createForwarding, type Forwarding } from "./http/proxies.ts";
export { listen, type RunningServer } from "./http/node-server.ts";
export { type ServerOptions } from "./http/before-service.ts";

// Keys, identities and permissions of callers.
export { keyCredentials, type Minting, mintKey } from "./runtime/auth/mint.ts";
export { type Background, type BackgroundOptions, startBackground } from "./server/background.ts";
export { addressProblem as webhookUrlFault } from "./webhooks/address.ts";
