/**
 * A plan and a store, joined into something that answers requests. No sockets here: `server.ts` puts it behind one, tests
 * and embedding programs may call `answer` themselves.
 */
import { setImmediate } from "node:timers/promises";
import { after } from "../base/after.ts";
import type { Clock } from "../base/clock.ts";
import { createIds } from "../base/id.ts";
import type { Plan, Segment } from "../plan/plan.ts";
import { servedPlan } from "../plan/wire.ts";
import { isPassing, tookTooLong } from "../store/error.ts";
import type { Awaitable, Rates, Store, Transaction } from "../store/store.ts";
import { createCallerKinds } from "./caller.ts";
import { compress } from "./compression.ts";
import type { Context } from "./context.ts";
import { createAuthentication } from "./credentials/authenticate.ts";
import { createCors } from "./cors.ts";
import { createFailureLimits } from "./credentials/failures.ts";
import { createLoginGuard } from "./credentials/guard.ts";
import { allLoginRecords } from "./credentials/records.ts";
import { createCursors } from "./cursor.ts";
import { moveBySystem, type SystemMove } from "./effects.ts";
import { createEventIds } from "./events/ids.ts";
import { prepareStream } from "./events/prepared.ts";
import { createStreams, type Streams } from "./events/streams.ts";
import { createTeller, type Teller } from "./events/tell.ts";
import { webhookExtensions, type WebhookOptions } from "./events/webhooks.ts";
import type { Answer, Exchange } from "./exchange.ts";
import type { ServiceFunctions } from "./functions/functions.ts";
import { prepareFunctions } from "./functions/prepare.ts";
import { asWired } from "./functions/wire-answer.ts";
import { healthPages, type HealthStatus, type HealthTelling, isReady } from "./health.ts";
import { createKeeping } from "./limits/keeping.ts";
import type { Limiter } from "./limits/limiter.ts";
import { createLimiter, settle } from "./limits/limiter.ts";
import { createLoad } from "./load.ts";
import { liveQuotas } from "./limits/quotas.ts";
import { createSharing } from "./limits/sharing.ts";
import { oauthPages } from "./oauth/server.ts";
import type { Noted, Observe, Observer } from "./observation.ts";
import type { Endpoint, GivePage, Pipeline } from "./pipeline.ts";
import { answer } from "./pipeline.ts";
import { createEvaluator, type Prepared, prepareOperations } from "./prepared.ts";
import { Refusal, type RefusalDetails } from "./refusal.ts";
import type { Route } from "./router.ts";
import { createRouter, literalPath, templateOf } from "./router.ts";
import { createTicking } from "./ticking.ts";
import { createTime, type TimeTold } from "./time.ts";
import { createColumnJudges } from "./values.ts";
import { type Chooser, createChooser, onlyVersion } from "./versions/choose.ts";
import { createVersions, type Version } from "./versions/create.ts";
import { createEventDown } from "./versions/events.ts";
import { addVersion } from "./versions/headers.ts";
import { limitFieldsDown, limitsDown } from "./versions/refusals.ts";
import type { Served } from "./versions/served.ts";
import { createPins } from "./versions/pins.ts";
import { createGiven, givingStore } from "./write-only.ts";

export interface ServiceOptions {
  readonly plan: Plan;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** Environment variables: where the document says that a secret is. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Signs cursors; the same for every process of one service, and kept across restarts. */
  readonly cursorSecret: string;
  /** Where the service is reached, absolute; may change until the first request (the port that is listened on). */
  readonly baseUrl: () => string;
  /** Told of every failure that is Nonet's own fault. */
  readonly report: (failure: unknown, requestId: string) => void;
  /** Told of every request that is brought before the service (R1.5). */
  readonly observe?: Observe | undefined;
  /** Told in a sentence of what time should have done to a record, and what the document's own rules kept it from. */
  readonly notice?: (sentence: string) => void;
  /** Where rates are counted together with other processes; the store's unless told, if it does. */
  readonly rates?: Rates | undefined;
  /** Told of each thing that time was to do. */
  readonly timeTold?: TimeTold | undefined;
  /** What an operator is told of whether the service is well (R1.2); absent: nobody is told more than that. */
  readonly health?: HealthTelling | undefined;
  /** Where the document has webhooks. */
  readonly webhooks?: WebhookOptions;
  /** What the service's owner does in it, beside the document. */
  readonly functions?: ServiceFunctions | undefined;
  /** Told of each of its functions that begins; gives what is called when it has ended. */
  readonly functionBegan?: ((name: string) => () => void) | undefined;
  /** Documents that anybody may read, beside the operations: `/openapi.json`, the page at `/`. */
  readonly pages?: readonly Page[];
}

export interface Page {
  /** `GET` where nothing is said. */
  readonly method?: "POST";
  readonly path: readonly Segment[];
  /** The header fields that it understands of pages of other origins (R4.22). */
  readonly takes?: readonly string[];
  readonly page: GivePage;
  /** Whether only a caller with a credential may read it. */
  readonly signedIn?: boolean;
  /** Which limits hold for it: none for health, `stored` where the service stores something for it, else `others`. */
  readonly rate?: "none" | "stored";
}

export interface Refused {
  /** Where the code has more than one. */
  readonly status?: number;
  /** The request; absent where the HTTP parser could not read it. */
  readonly exchange?: Exchange;
}

export interface Service {
  /** Always answers; never rejects. The answer has its Request-Id and every other header. At once, where nothing is waited for. */
  answer(exchange: Exchange): Awaitable<Answer>;
  /** The answer to a request that is refused before it is looked at. */
  refuse(code: string, refused?: Refused): Answer;
  /** The answer to a request that could not be brought before the service; what was thrown is reported. */
  fail(thrown: unknown): Answer;
  /**
   * Does what time has made due (part 3, `after` and `at`; part 8, `keep`), and gives the number of records to which it did
   * something. To be called four times a second or so; a call while one is under way does nothing. Never rejects.
   * `lateMilliseconds`: how much later than it should have been it is called, which tells how busy the event loop is (R8.9).
   */
  tick(lateMilliseconds?: number): Promise<number>;
  /** Cuts short a `tick` that is under way, and ends all streams; resolves when the store may be closed. */
  rest(): Promise<void>;
  /** From now on `/readyz` is 503 (R1.8), and ticks do nothing; resolves as `rest` does. */
  drain(): Promise<void>;
  /**
   * Brings what is only in memory into the store (rates of long windows): before that is closed, or used by another service.
   * Never rejects.
   */
  flush(): Promise<void>;
}

/** A service as its owner has it, who does more with it than answer requests. */
export interface LiveService extends Service {
  /** For whoever brings events to their receivers. */
  readonly teller: Teller;
  /** What `/readyz` tells everybody (R1.2). Never rejects. */
  health(): Promise<HealthStatus>;
  /** All that it answers, of every version: `GET /parcels/{id}`. */
  readonly routes: readonly string[];
  /** How many event streams are open. */
  streams(): number;
  /**
   * Makes ready, bit by bit, what the first request of each operation would wait for. To be called once the service listens:
   * starting does not wait for it. Never rejects.
   */
  warm(): Promise<void>;
  /** Moves a record as the system does, with its entry in the journal. */
  move(tx: Transaction, move: SystemMove): Promise<void>;
}

/** Asked at every request; the address changes at most once, when the socket is open. */
function baseOf(written: string, address: () => string): () => string {
  let [known, base] = ["", ""];
  return () => {
    const present = address();
    if (present !== known) [known, base] = [present, written.replace("{base_url}", () => present).replace(/\/+$/, "")];
    return base;
  };
}

export function createService(given: ServiceOptions): LiveService {
  const plan = given.functions === undefined ? given.plan : servedPlan(given.plan);
  const textOf = createGiven(plan);
  const options = { ...given, plan, store: textOf === undefined ? given.store : givingStore(given.store, textOf) };
  const { store, clock, random } = options;
  const kinds = createCallerKinds(plan.roles);
  const base = baseOf(plan.base, options.baseUrl);
  const prefix = prefixOf(plan.base);
  const tables = new Map(plan.tables.map((table) => [table.resource, table]));
  const extensions = options.webhooks === undefined ? {} : webhookExtensions(options.webhooks);
  const prepared = prepareOperations({ plan, tables, store, kinds, extensions });
  const documentation = (code: string) => `${options.baseUrl().replace(/\/+$/, "")}/errors/${code}`;
  const versions = createVersions({ plan, tables, store, kinds, extensions, documentation }, prepared);
  const newest = versions[0] as Version;
  const nextRequestId = requestIds(random);
  const notice = options.notice ?? (() => {});
  const rates = options.rates ?? store.rates;
  const sharing = rates && createSharing({ rates, now: () => clock.now(), notice });
  const limiter = createLimiter({ plan, secret: options.cursorSecret, changed: () => keeping.changed(), sharing });
  const functions = prepareFunctions(options, { tables, kinds });
  const logins = allLoginRecords(plan, store);
  const failures = createFailureLimits(sharing, options.cursorSecret);
  const guard = createLoginGuard(failures, options.cursorSecret);
  const context: Context = {
    plan,
    store,
    clock,
    random,
    prepared,
    prefix,
    baseUrl: base,
    cursors: createCursors(options.cursorSecret),
    chains: new Map(
      versions.flatMap(({ served: { name = "", chain } }) => (chain === undefined ? [] : [[name, chain]])),
    ),
    tables,
    liveQuotas: liveQuotas(plan.quotas),
    secret: options.cursorSecret,
    logins,
    guard,
    newId: createIds(clock, random),
    judgeColumn: createColumnJudges(plan.schemas),
    evaluate: createEvaluator(),
    viewFor: (resource, kind) => functions.viewFor(resource, kind),
    functionsFor: (operation) => functions.of(operation, context),
  };
  const unkept = (failure: unknown) => options.report(failure, nextRequestId());
  const keeping = createKeeping({ counts: store.counts, clock, meters: () => limiter.kept, failed: unkept });
  const report = (failure: unknown): void => options.report(failure, "time");
  const teller = createTeller(
    context,
    createEventIds(options.cursorSecret, random),
    createEventDown(versions.map(({ served }) => served)),
    textOf,
  );
  const streams = createStreams({ store, teller, clock, report: unkept });
  const authentication = createAuthentication({
    plan,
    keys: store.keys,
    sessions: store.sessions,
    grants: store.grants,
    baseUrl: options.baseUrl,
    logins,
    guard,
    failures,
    sharing,
    salt: options.cursorSecret,
    kinds,
    clock,
    random,
    environment: options.environment,
  });
  const followed = prepareStream({ plan, store, kinds, teller, streams, authentication });
  let draining = false;
  const load = createLoad({ random, now: () => clock.now() });
  const status = async (): Promise<HealthStatus> => {
    if (draining || !(await isReady(async () => store.ready()))) return "fail";
    return load.impaired ? "warn" : "pass";
  };
  const health = healthPages(status, options.health);
  const tokens = oauthPages({
    plan,
    keys: store.keys,
    grants: store.grants,
    clock,
    random,
    logins,
    guard,
    failures,
    secret: options.cursorSecret,
    prefix,
    baseUrl: options.baseUrl,
  });
  const cors = createCors(plan);
  const pages = [...health, ...tokens, ...(options.pages ?? [])];
  const routes = versions.map(({ operations }) => routesOf(prefix, [...operations, ...followed], limiter, pages));
  const pipeline: Pipeline = {
    context,
    cors,
    authentication,
    inUse: new Set(),
    limits: limiter,
    keeping,
    load,
    chooser: chooserOf(options, versions, prefix),
    versions: versions.map(({ served }, index) => ({ served, route: createRouter(routes[index] ?? []) })),
  };
  const ticking = createTicking(createTime(context, { report, notice, told: options.timeTold }), report);
  const working = functions.working(
    context,
    newest.served,
    (failure) => options.report(failure, "functions"),
    (at) => teller.ids.idOf(at),
  );
  const functionTicking = working && createTicking(working, (failure) => options.report(failure, "functions"));

  async function tick(lateMilliseconds = 0): Promise<number> {
    load.late(lateMilliseconds);
    if (draining) return 0;
    const [moved, run = 0] = await Promise.all([ticking.tick(), functionTicking?.tick()]);
    return moved + run;
  }

  async function rest(): Promise<void> {
    await Promise.all([ticking.rest(), functionTicking?.rest()]);
  }

  return {
    tick,
    rest: () => {
      streams.endAll();
      return rest();
    },
    teller,
    health: status,
    routes: [...new Set(routes.flat().map(({ method, path }) => `${method} ${templateOf(path)}`))],
    streams: () => streams.count(),
    warm: () => warmUp([...prepared.values()]).catch(unkept),
    move: (tx, move) => moveBySystem(context, tx, move),
    drain: () => {
      draining = true;
      streams.close();
      return rest();
    },
    flush: () => keeping.flush().catch(unkept),
    ...createAnswering(pipeline, { options, newest, prepared, streams, nextRequestId }),
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

interface AnsweringOptions {
  readonly options: ServiceOptions;
  readonly newest: Version;
  readonly prepared: ReadonlyMap<string, Prepared>;
  readonly streams: Streams;
  readonly nextRequestId: () => string;
}

/** Whatever happens to a request, its answer leaves from here. */
function createAnswering(
  pipeline: Pipeline,
  { options, newest, prepared, streams, nextRequestId }: AnsweringOptions,
): Pick<LiveService, "answer" | "refuse" | "fail"> {
  const { context, cors, load } = pipeline;
  const { clock } = context;
  const { problems } = newest.served;

  function answerTo(exchange: Exchange, noted: Noted): Awaitable<Answer> {
    const refused = (refusal: Refusal) => refusedWith(refusal, noted);
    const undone = (thrown: unknown) => (thrown instanceof Refusal ? refused(thrown) : failed(thrown, noted));
    let given: Awaitable<Answer>;
    try {
      given = answer(pipeline, exchange, noted, refused);
    } catch (thrown) {
      given = undone(thrown);
    }
    return given instanceof Promise
      ? given.catch(undone).then((late) => told(exchange, noted, late))
      : told(exchange, noted, given);
  }

  function told(exchange: Exchange, noted: Noted, given: Answer): Awaitable<Answer> {
    if (exchange.method !== "GET") streams.nudge();
    const left = noted.admission === undefined ? nothing : settle(noted.admission, given, clock.now());
    const chain = noted.version?.chain;
    const limits = chain === undefined ? left : limitFieldsDown(chain, left);
    return after(compress(given, exchange.headers.get("accept-encoding")), (encoded) => {
      const all = { ...encoded, headers: fieldsOf(encoded, limits, noted.version) };
      return finish(cors.told(all, exchange), noted.requestId, exchange.secure);
    });
  }

  function refusedWith(refusal: Refusal, noted: Noted): Answer {
    noted.code = refusal.code;
    if (refusal.details.answer !== undefined) return refusal.details.answer;
    const { chain, problems: own } = noted.version ?? newest.served;
    const operation = noted.operation && (chain?.olderOperation(noted.operation) ?? noted.operation);
    const wire = prepared.get(noted.operation ?? "")?.wire;
    const code = chain?.olderError(refusal.code) ?? refusal.code;
    const details = withWait(refusal);
    const said = chain === undefined ? details : limitsDown(chain, details);
    const problem = own.answer(code, said, noted.requestId, operation);
    return wire === undefined ? problem : asWired(wire, refusal, problem);
  }

  /** R8.9: who knew of no room for a body does not know when there will be. */
  function withWait({ code, details }: Refusal): RefusalDetails {
    if (code !== "overloaded" || details.headers?.includes("Retry-After") === true) return details;
    return { ...details, headers: [...(details.headers ?? []), ...load.retryAfter()] };
  }

  /**
   * R7.4: the caller learns that it failed and under which id, and nothing else. What passes is no failure of Nonet's: the
   * request may be sent again. Nor is a disk that is full, but somebody has to know of it.
   */
  function failed(thrown: unknown, noted: Noted): Answer {
    const { requestId } = noted;
    if (tookTooLong(thrown)) {
      const detail = "It took longer than a request may, and nothing was done";
      return refusedWith(new Refusal("timed-out", { detail, headers: ["Retry-After", "1"] }), noted);
    }
    const fault = load.failed(thrown);
    const later = fault !== "other" || isPassing(thrown);
    noted.code = later ? "overloaded" : "internal";
    if (fault === "lasting, not told" || !later) options.report(thrown, requestId);
    if (later) return problems.answer("overloaded", { headers: load.retryAfter() }, requestId);
    return problems.answer("internal", {}, requestId);
  }

  return {
    refuse: (code, { status, exchange } = {}) => {
      const requestId = nextRequestId();
      const observer = exchange && options.observe?.({ requestId, exchange });
      const details = withWait(new Refusal(code, { ...(status === undefined ? {} : { status }), close: true }));
      const given = finish(cors.told(problems.answer(code, details, requestId), exchange), requestId);
      observer?.ended({ requestId, code, status: given.status, seconds: 0 });
      return given;
    },
    fail(thrown) {
      const requestId = nextRequestId();
      return finish(cors.told(failed(thrown, { requestId, observer: undefined }), undefined), requestId);
    },
    answer(exchange) {
      const requestId = nextRequestId();
      const observer = options.observe?.({ requestId, exchange });
      const noted: Noted = { requestId, observer };
      return observer === undefined ? answerTo(exchange, noted) : observed(exchange, noted, observer);
    },
  };

  function observed(exchange: Exchange, noted: Noted, observer: Observer): Awaitable<Answer> {
    const started = performance.now();
    const given = observer.within?.(() => answerTo(exchange, noted)) ?? answerTo(exchange, noted);
    if (given instanceof Promise) return given.then((late) => observedTo(observer, noted, late, started));
    return observedTo(observer, noted, given, started);
  }
}

async function warmUp(prepared: readonly Prepared[]): Promise<void> {
  for (const { judge } of prepared) {
    if (judge === undefined) continue;
    // Requests that have come in the meantime go first.
    await setImmediate();
    judge(null);
  }
}

function observedTo(observer: Observer, noted: Noted, given: Answer, started: number): Answer {
  observer.ended({ ...noted, status: given.status, seconds: (performance.now() - started) / 1000 });
  return given;
}

const nothing: readonly string[] = [];

function fieldsOf({ headers }: Answer, limits: readonly string[], version: Served | undefined): readonly string[] {
  const all = [...headers, ...limits];
  if (version !== undefined) addVersion(all, version);
  return all;
}

/** What every answer carries (R1.3, R1.6). */
export function finish(given: Answer, requestId: string, secure = false): Answer {
  const headers = [...given.headers, "Request-Id", requestId, ...securityHeaders(given)];
  if (secure) headers.push("Strict-Transport-Security", "max-age=31536000");
  return { ...given, headers };
}

const apiPolicy = "default-src 'none'; frame-ancestors 'none'";
const common = ["X-Content-Type-Options", "nosniff", "Referrer-Policy", "no-referrer"];
const apiHeaders = ["Content-Security-Policy", apiPolicy, ...common];

function securityHeaders(given: Answer): readonly string[] {
  return given.policy === undefined ? apiHeaders : ["Content-Security-Policy", given.policy, ...common];
}

/** The path that operations are mounted below: that of the document's own base address. */
function prefixOf(base: string): string {
  const path = base.startsWith("{base_url}") ? base.slice("{base_url}".length) : new URL(base).pathname;
  return path.replace(/\/+$/, "");
}

/** An operation of the document wins over a page of the same path. */
function routesOf(
  prefix: string,
  operations: Version["operations"],
  limiter: Limiter,
  pages: readonly Page[],
): readonly Route<Endpoint>[] {
  const mount = literalPath(prefix);
  return [
    ...pages.map(
      ({ method = "GET", path, rate, takes = [], signedIn = false, page }): Route<Endpoint> => ({
        method,
        path,
        target: {
          kind: "page",
          takes,
          page,
          signedIn,
          limits: rate === "none" ? undefined : limiter[rate ?? "others"],
        },
      }),
    ),
    ...operations.map(
      ({ prepared, asked }): Route<Endpoint> => ({
        method: prepared.operation.method,
        path: rooted([...mount, ...prepared.operation.path]),
        target: {
          kind: "operation",
          prepared,
          limits: limiter.of(prepared.operation),
          ...(asked === undefined ? {} : { asked }),
        },
      }),
    ),
  ];
}

/** The path `/` has one segment, without a letter in it. */
function rooted(path: readonly Segment[]): readonly Segment[] {
  return path.length === 0 ? [{ kind: "literal", text: "" }] : path;
}

const idBytes = 16;
/** Random bytes are asked for once for so many ids: each call costs more than the bytes do. */
const idsAtOnce = 256;
/** 130 bits in 26 digits, of which the last has the 3 that are left of 16 bytes. */
const digits = "0123456789abcdefghijklmnopqrstuv";

/** `req_` and 26 characters, all of them random (R1.3): a number would tell how many requests others have sent. */
export function requestIds(random: (bytes: number) => Uint8Array): () => string {
  let pool: Uint8Array = new Uint8Array(0);
  let next = 0;
  return () => {
    if (next + idBytes > pool.length) {
      pool = random(idBytes * idsAtOnce);
      next = 0;
    }
    let text = "req_";
    let held = 0;
    let bits = 0;
    for (const end = next + idBytes; next < end; next += 1) {
      held = ((held << 8) | (pool[next] as number)) & 0xfff;
      for (bits += 8; bits >= 5; bits -= 5) text += digits[(held >> (bits - 5)) & 31];
    }
    return text + (digits[(held << (5 - bits)) & 31] as string);
  };
}
