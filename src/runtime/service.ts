/**
 * Creates a service from a plan and a store. It opens no sockets: `http/node-server.ts` does; tests and embedding programs may
 * call `response` themselves.
 */
import { setImmediate } from "node:timers/promises";
import { after } from "../base/after.ts";
import type { Clock } from "../base/clock.ts";
import { createIds } from "../base/id.ts";
import type { Plan } from "../plan/plan.ts";
import type { Segment } from "../plan/endpoints/types.ts";
import { planWithoutFunctions, servedPlan } from "../plan/endpoints/contract.ts";
import { isPassing, rejectionOf, tookTooLong } from "../store/port/error.ts";
import type { Awaitable, Rates, Store, Transaction } from "../store/port/store.ts";
import { createCallerKinds } from "./context/caller.ts";
import { compress } from "../http/compression.ts";
import type { Context } from "./context/context.ts";
import { queryCleaner } from "./auth/locations.ts";
import { createAuthentication } from "./auth/authenticate.ts";
import { createCors } from "../http/cors.ts";
import { createFailureLimits } from "./auth/failures.ts";
import { createLoginGuard } from "./auth/login-throttle.ts";
import { allLoginRecords } from "./auth/records.ts";
import { actionOf } from "./operations/actions.ts";
import { createCursors } from "./operations/cursor.ts";
import { transitionBySystem, type SystemTransition } from "./records/effects.ts";
import { createEventIds } from "./events/ids.ts";
import { compileStream } from "./events/compile.ts";
import { createStreams, type Streams } from "./events/streams.ts";
import { createEventRenderer, type EventRenderer } from "./events/render.ts";
import { webhookExtensions, type WebhookOptions } from "./events/webhooks.ts";
import type { HttpResponse, HttpRequest, Responder } from "../http/message.ts";
import type { ServiceFunctions } from "./functions/functions.ts";
import { compileFunctions } from "./functions/compile.ts";
import { asContractResponse } from "./functions/contract-response.ts";
import { healthPages, type HealthStatus, type HealthDisclosure, isReady } from "./health.ts";
import { createRateSnapshots } from "./limits/snapshots.ts";
import { type Limiter, createLimiter, rateLimitHeaders } from "./limits/limiter.ts";
import { createLoad } from "./limits/load-shedding.ts";
import { liveQuotas } from "./records/quotas.ts";
import { createSharing } from "./limits/shared-counts.ts";
import { oauthPages } from "./auth/oauth/server.ts";
import type { ObservationBuilder, Observe, Observer } from "./context/observation.ts";
import type { Endpoint, OperationEndpoint, Page } from "./context/endpoint.ts";
import { type Pipeline, respond } from "./respond.ts";
import { compileOperations } from "./operations/compile.ts";
import { createEvaluator } from "./records/evaluate.ts";
import type { CompiledOperation } from "./context/compiled.ts";
import { ApiError, type ApiErrorDetails, referredTo } from "./errors/api-error.ts";
import { addVersion, finish } from "./response-headers.ts";
import { deprecatedOperations } from "./versions/deprecation.ts";
import { type Route, createRouter, literalPath, templateOf } from "./routing/router.ts";
import { requestIds } from "./random.ts";
import { createSchedulerLoop } from "./scheduler/loop.ts";
import { createTime, type TimerObserver } from "./scheduler/timers.ts";
import { createColumnValidators } from "./records/defaults-and-rules.ts";
import { type Chooser, createChooser, onlyVersion } from "./versions/resolve.ts";
import { createVersions, type Version } from "./compile-versions.ts";
import { createEventConverter } from "./versions/events.ts";
import { limitFieldsToOlder, limitsToOlder } from "./versions/to-older-error.ts";
import { createPins } from "./versions/pins.ts";
import { createResponseFilter, filteringStore } from "./records/write-only.ts";

export interface ServiceOptions {
  readonly plan: Plan;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** The environment variables with the document's secrets. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The secret that encrypts cursors; the same in all processes of a service and after every restart. */
  readonly cursorSecret: string;
  /** Returns the service's absolute URL; it may change before the first request, when the port is known. */
  readonly baseUrl: () => string;
  /** Called with each error that is a bug of Nonet or of its store. */
  readonly report: (failure: unknown, requestId: string) => void;
  /** Called at the start of every request (R1.5). */
  readonly observe?: Observe | undefined;
  /** Called with a message about each timed job that a rule of the document prevents. */
  readonly notice?: (message: string) => void;
  /** The shared rate counts; default: those of the store, if it has any. */
  readonly rates?: Rates | undefined;
  /** Called after each timed job. */
  readonly timerObserver?: TimerObserver | undefined;
  /** The health details for operators (R1.2); absent: the health pages have no details. */
  readonly health?: HealthDisclosure | undefined;
  /** The options of webhooks; required if the document has webhooks. */
  readonly webhooks?: WebhookOptions;
  /** The functions of the service's owner. */
  readonly functions?: ServiceFunctions | undefined;
  /** Called with a function's name when it starts; the returned callback is called when it ends. */
  readonly functionBegan?: ((name: string) => () => void) | undefined;
  /** The pages besides the operations: `/openapi.json`, the page at `/`. */
  readonly pages?: readonly Page[];
}

export interface Service extends Responder {
  /**
   * Runs due timers (part 3, `after` and `at`; part 8, `keep`); returns the number of changed records. Call it about four times a
   * second; a call during an active one waits for it. Never rejects. `lateMilliseconds`: the delay of this call, which measures
   * the load of the event loop (R8.9).
   */
  tick(lateMilliseconds?: number): Promise<number>;
  /** Stops an active `tick` early and ends all streams; resolves when the store may be closed. */
  rest(): Promise<void>;
  /** Writes state in memory (counts of long windows) to the store; call it before closing the store. Never rejects. */
  flush(): Promise<void>;
}

/** A service with the additional methods for its owner. */
export interface LiveService extends Service {
  /** Renders events for the receivers. */
  readonly renderer: EventRenderer;
  /** Returns the status of `/readyz` (R1.2). Never rejects. */
  health(): Promise<HealthStatus>;
  /** All routes of all versions, such as `GET /parcels/{id}`. */
  readonly routes: readonly string[];
  /** Returns the number of open event streams. */
  streams(): number;
  /**
   * Compiles schemas in small steps, for which the first request of each operation would have to wait. Call it once the server
   * listens. Never rejects.
   */
  warm(): Promise<void>;
  /** Applies a transition by the system, with its event log entry. */
  transition(tx: Transaction, transition: SystemTransition): Promise<void>;
}

/**
 * Returns a function that is called at every request and returns the service's URL; the URL changes at most once, when the
 * socket opens.
 */
function baseOf(written: string, address: () => string): () => string {
  let [known, base] = ["", ""];
  return () => {
    const present = address();
    if (present !== known) [known, base] = [present, written.replace("{base_url}", () => present).replace(/\/+$/, "")];
    return base;
  };
}

export function createService(result: ServiceOptions): LiveService {
  const plan = result.functions === undefined ? planWithoutFunctions(result.plan) : servedPlan(result.plan);
  const textOf = createResponseFilter(plan);
  const options = {
    ...result,
    plan,
    store: textOf === undefined ? result.store : filteringStore(result.store, textOf),
  };
  const { store, clock, random } = options;
  const kinds = createCallerKinds(plan.roles);
  const base = baseOf(plan.base, options.baseUrl);
  const prefix = prefixOf(plan.base);
  const tables = new Map(plan.tables.map((table) => [table.resource, table]));
  const extensions = options.webhooks === undefined ? {} : webhookExtensions(options.webhooks);
  const compiled = compileOperations({ plan, tables, store, kinds, extensions });
  const baseUrl = () => options.baseUrl().replace(/\/+$/, "");
  const documentation = (code: string) => `${baseUrl()}/errors/${code}`;
  const versions = createVersions({ plan, tables, store, kinds, extensions, documentation }, compiled);
  const newest = versions[0] as Version;
  const nextRequestId = requestIds(random);
  const notice = options.notice ?? (() => {});
  const rates = options.rates ?? store.rates;
  const sharing = rates && createSharing({ rates, now: () => clock.now(), notice });
  const limiter = createLimiter({ plan, secret: options.cursorSecret, changed: () => snapshots.changed(), sharing });
  const functions = compileFunctions({
    ...options,
    compile: (operations) => compileOperations({ plan: { ...plan, operations }, tables, store, kinds }),
    perform: (call, tx) => actionOf(call.compiled.operation)(call, tx),
  });
  const logins = allLoginRecords(plan, store);
  const failures = createFailureLimits(sharing, options.cursorSecret);
  const guard = createLoginGuard(failures, options.cursorSecret);
  const context: Context = {
    plan,
    store,
    clock,
    random,
    compiled,
    prefix,
    baseUrl: base,
    cursors: createCursors(options.cursorSecret),
    converters: new Map(
      versions.flatMap(({ served: { name = "", converter } }) => (converter === undefined ? [] : [[name, converter]])),
    ),
    tables,
    liveQuotas: liveQuotas(plan.quotas),
    secret: options.cursorSecret,
    logins,
    guard,
    newId: createIds(clock, random),
    columnValidator: createColumnValidators(plan.schemas),
    evaluate: createEvaluator(),
    viewFor: (resource, kind) => functions.viewFor(resource, kind),
    functionsFor: (operation) => functions.of(operation, context),
  };
  const unkept = (failure: unknown) => options.report(failure, nextRequestId());
  const snapshots = createRateSnapshots({
    counts: store.counts,
    clock,
    limiters: () => limiter.durable,
    failed: unkept,
  });
  const report = (failure: unknown): void => options.report(failure, "time");
  const renderer = createEventRenderer(
    context,
    createEventIds(options.cursorSecret, random),
    createEventConverter(versions.map(({ served }) => served)),
    textOf,
  );
  const streams = createStreams({ store, renderer, clock, report: unkept });
  const { keys, sessions, grants } = store;
  const { environment, cursorSecret: salt } = options;
  const ofCallers = { plan, keys, grants, clock, random, logins, guard, failures, baseUrl };
  const authentication = createAuthentication({ ...ofCallers, sessions, sharing, salt, kinds, environment });
  const followed = compileStream({ plan, store, kinds, renderer, streams, authentication });
  let draining = false;
  const load = createLoad({ random, now: () => clock.now() });
  const status = async (): Promise<HealthStatus> => {
    if (draining || !(await isReady(async () => store.ready()))) return "fail";
    return load.impaired ? "warn" : "pass";
  };
  const health = healthPages(status, options.health);
  const tokens = oauthPages({ ...ofCallers, secret: options.cursorSecret, prefix });
  const cors = createCors(plan);
  const pages = [...health, ...tokens, ...(options.pages ?? [])];
  const routes = versions.map(({ operations }) => routesOf(prefix, [...operations, ...followed], limiter, pages));
  const pipeline: Pipeline = {
    context,
    cors,
    authentication,
    inUse: new Set(),
    limits: limiter,
    snapshots,
    load,
    chooser: chooserOf(options, versions, prefix),
    withoutCredentials: queryCleaner(plan),
    versions: versions.map(({ served }, index) => ({ served, route: createRouter(routes[index] ?? []) })),
  };
  const schedulerLoop = createSchedulerLoop(
    createTime(context, { report, notice, completed: options.timerObserver }),
    report,
  );
  const functionScheduler = functions.functionScheduler(
    context,
    newest.served,
    (failure) => options.report(failure, "functions"),
    (at) => renderer.ids.idOf(at),
  );
  const functionLoop =
    functionScheduler && createSchedulerLoop(functionScheduler, (failure) => options.report(failure, "functions"));

  async function tick(lateMilliseconds = 0): Promise<number> {
    load.late(lateMilliseconds);
    if (draining) return 0;
    const [changed, run = 0] = await Promise.all([schedulerLoop.tick(), functionLoop?.tick()]);
    return changed + run;
  }

  async function rest(): Promise<void> {
    await Promise.all([schedulerLoop.rest(), functionLoop?.rest()]);
  }

  return {
    tick,
    rest: () => {
      streams.endAll();
      return rest();
    },
    renderer,
    health: status,
    routes: [...new Set(routes.flat().map(({ method, path }) => `${method} ${templateOf(path)}`))],
    streams: () => streams.count(),
    warm: () => warm([...compiled.values()]).catch(unkept),
    transition: (tx, transition) => transitionBySystem(context, tx, transition),
    drain: () => {
      draining = true;
      streams.close();
      return rest();
    },
    flush: () => snapshots.flush().catch(unkept),
    ...createResponder(pipeline, { options, newest, compiled, streams, nextRequestId }),
  };
}

function chooserOf({ plan, store, clock }: ServiceOptions, versions: readonly Version[], prefix: string): Chooser {
  if (plan.versions === undefined) return onlyVersion((versions[0] as Version).served);
  return createChooser({
    plan: plan.versions,
    versions: versions.map(({ served }) => served),
    pinOf: createPins(store.pins),
    now: () => clock.now(),
    mount: prefix.split("/").filter((part) => part !== ""),
  });
}

interface ResponderOptions {
  readonly options: ServiceOptions;
  readonly newest: Version;
  readonly compiled: ReadonlyMap<string, CompiledOperation>;
  readonly streams: Streams;
  readonly nextRequestId: () => string;
}

/** Creates the responses to all requests, including errors. */
function createResponder(
  pipeline: Pipeline,
  { options, newest, compiled, streams, nextRequestId }: ResponderOptions,
): Pick<LiveService, "response" | "reject" | "fail"> {
  const { context, cors, load } = pipeline;
  const { clock } = context;
  const { problems } = newest.served;
  const deprecated = deprecatedOperations([...compiled.values()].map(({ operation }) => operation));

  function respondTo(httpRequest: HttpRequest, observation: ObservationBuilder): Promise<HttpResponse> {
    const rejected = (error: ApiError) => errorResponse(error, observation);
    return respond(pipeline, { httpRequest, observation, rejected, uploads: [] }).then(
      (result) => completed(httpRequest, observation, result),
      (thrown: unknown) =>
        completed(
          httpRequest,
          observation,
          thrown instanceof ApiError ? rejected(thrown) : failed(thrown, observation),
        ),
    );
  }

  function completed(
    httpRequest: HttpRequest,
    observation: ObservationBuilder,
    result: HttpResponse,
  ): Awaitable<HttpResponse> {
    if (httpRequest.method !== "GET") streams.nudge();
    const { admission, version, requestId } = observation;
    const left = admission === undefined ? [] : rateLimitHeaders(admission, result, clock.now());
    const limits = version?.converter === undefined ? left : limitFieldsToOlder(version.converter, left);
    return after(compress(result, httpRequest.headers.get("accept-encoding")), (encoded) => {
      const headers = [...encoded.headers, ...limits];
      addVersion(headers, version, deprecated?.get(observation.operation ?? ""));
      return finish(cors.completed({ ...encoded, headers }, httpRequest), requestId, httpRequest.secure);
    });
  }

  function errorResponse(error: ApiError, observation: ObservationBuilder): HttpResponse {
    observation.code = error.code;
    if (error.details.response !== undefined) return error.details.response;
    const { converter, problems: versionProblems } = observation.version ?? newest.served;
    const operation =
      observation.operation && (converter?.olderOperation(observation.operation) ?? observation.operation);
    const wire = compiled.get(observation.operation ?? "")?.wire;
    const code = converter?.olderError(error.code) ?? error.code;
    const details = withWait(error);
    const olderDetails = converter === undefined ? details : limitsToOlder(converter, details);
    const problem = versionProblems.response(code, olderDetails, observation.requestId, operation);
    return wire === undefined ? problem : asContractResponse(wire, error, problem);
  }

  /** Adds `Retry-After` to an error about the memory budget, which has none yet (R8.9). */
  function withWait({ code, details }: ApiError): ApiErrorDetails {
    if (code !== "overloaded" || details.headers?.includes("Retry-After") === true) return details;
    return { ...details, headers: [...(details.headers ?? []), ...load.retryAfter()] };
  }

  /**
   * Returns the response for a bug: the client gets only the request id (R7.4). Temporary store errors are not reported, as
   * the client may retry; a full disk is.
   */
  function failed(thrown: unknown, observation: ObservationBuilder): HttpResponse {
    const { requestId } = observation;
    if (tookTooLong(thrown)) {
      const detail = "The request took too long; nothing was changed";
      return errorResponse(new ApiError("timed-out", { detail, headers: ["Retry-After", "1"] }), observation);
    }
    const rejection = rejectionOf(thrown);
    if (rejection === "referenced") return errorResponse(new ApiError("still-referenced", referredTo()), observation);
    if (rejection === "constraint") {
      const detail = "A constraint of the database rejects this change";
      return errorResponse(new ApiError("invalid-request", { status: 422, detail }), observation);
    }
    const failure = load.failed(thrown);
    const later = failure !== "other" || isPassing(thrown);
    observation.code = later ? "overloaded" : "internal";
    if (failure === "lasting, not told" || !later) options.report(thrown, requestId);
    if (later) return problems.response("overloaded", { headers: load.retryAfter() }, requestId);
    return problems.response("internal", {}, requestId);
  }

  return {
    reject: (code, { status, httpRequest } = {}) => {
      const requestId = nextRequestId();
      const observer = httpRequest && options.observe?.({ requestId, httpRequest });
      const details = withWait(new ApiError(code, { ...(status === undefined ? {} : { status }), close: true }));
      const result = finish(cors.completed(problems.response(code, details, requestId), httpRequest), requestId);
      observer?.ended({ requestId, code, status: result.status, seconds: 0 });
      return result;
    },
    fail(thrown) {
      const requestId = nextRequestId();
      return finish(cors.completed(failed(thrown, { requestId, observer: undefined }), undefined), requestId);
    },
    response(httpRequest) {
      const requestId = nextRequestId();
      const observer = options.observe?.({ requestId, httpRequest });
      const observation: ObservationBuilder = { requestId, observer };
      return observer === undefined
        ? respondTo(httpRequest, observation)
        : observed(httpRequest, observation, observer);
    },
  };

  async function observed(
    httpRequest: HttpRequest,
    observation: ObservationBuilder,
    observer: Observer,
  ): Promise<HttpResponse> {
    const started = performance.now();
    const result = await (observer.inContext?.(() => respondTo(httpRequest, observation)) ??
      respondTo(httpRequest, observation));
    observer.ended({ ...observation, status: result.status, seconds: (performance.now() - started) / 1000 });
    return result;
  }
}

async function warm(compiled: readonly CompiledOperation[]): Promise<void> {
  for (const { validate } of compiled) {
    if (validate === undefined) continue;
    // Lets waiting requests run first.
    await setImmediate();
    validate(null);
  }
}

/** Returns the path of the document's base URL. */
function prefixOf(base: string): string {
  const path = base.startsWith("{base_url}") ? base.slice("{base_url}".length) : new URL(base).pathname;
  return path.replace(/\/+$/, "");
}

/**
 * Returns the routes. Operations are last, so that they replace pages with the same path; those that are only described are
 * first.
 */
function routesOf(
  prefix: string,
  operations: Version["operations"],
  limiter: Limiter,
  pages: readonly Page[],
): readonly Route<Endpoint>[] {
  const mount = literalPath(prefix);
  const routes = withKinds(
    operations.map(({ compiled, received }) => ({
      kind: "operation",
      compiled,
      limits: limiter.of(compiled.operation),
      ...(received === undefined ? {} : { received }),
    })),
  ).map(
    (target): Route<Endpoint> => ({
      method: target.compiled.operation.method,
      path: rooted([...mount, ...target.compiled.operation.path]),
      target,
    }),
  );
  const isUnserved = ({ target }: Route<Endpoint>): boolean =>
    target.kind === "operation" && target.compiled.operation.unserved === true;
  return [
    ...routes.filter(isUnserved),
    ...pages.map(
      ({ method = "GET", path, rate, requestFields = [], signedIn = false, page }): Route<Endpoint> => ({
        method,
        path,
        target: {
          kind: "page",
          requestFields,
          page,
          signedIn,
          limits: rate === "none" ? undefined : limiter[rate ?? "others"],
        },
      }),
    ),
    ...routes.filter((route) => !isUnserved(route)),
  ];
}

/** Returns the endpoints, for incoming events with an address in common one endpoint with all their kinds. */
function withKinds(endpoints: readonly OperationEndpoint[]): readonly OperationEndpoint[] {
  const distinct = endpoints.filter(({ compiled }) => (compiled.operation.inbound?.is.length ?? 0) > 0);
  if (distinct.length === 0) return endpoints;
  const addressOf = ({ compiled: { operation } }: OperationEndpoint) => `${operation.method} ${operation.template}`;
  const shared = new Set(distinct.map(addressOf));
  const groups = Map.groupBy(endpoints, addressOf);
  return [...groups].flatMap(([address, kinds]): readonly OperationEndpoint[] => {
    const [first] = kinds;
    return first === undefined || !shared.has(address) ? kinds : [{ ...first, kinds }];
  });
}

/** Returns the segments of a path; the path `/` has one empty segment. */
function rooted(path: readonly Segment[]): readonly Segment[] {
  return path.length === 0 ? [{ kind: "literal", text: "" }] : path;
}
