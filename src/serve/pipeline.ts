/** The order of checks (R0.1), on one screen. Each step either refuses or lets the request go on. */
import { after } from "../base/after.ts";
import { instantText } from "../base/clock.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import type { Operation } from "../plan/plan.ts";
import { withDeadline } from "../store/deadline.ts";
import type { Awaitable } from "../store/store.ts";
import { openEnvelope } from "../plan/envelope.ts";
import { announcesBody, checkMedia, judgeNoObject, parseBody, readBytes } from "./body.ts";
import type { Judge } from "./judge.ts";
import type { Caller } from "./caller.ts";
import { readAll } from "./collective.ts";
import type { Call, Context } from "./context.ts";
import type { Cors } from "./cors.ts";
import type { Authentication } from "./credentials/authenticate.ts";
import type { Unwrapped } from "./envelope.ts";
import { judgeOpened, refusalAt } from "./envelope.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { download } from "./download.ts";
import { filesOf, pourOf } from "./files.ts";
import { wireInput } from "./functions/wire-input.ts";
import type { Load } from "./load.ts";
import type { Keeping } from "./limits/keeping.ts";
import type { Limiter, OperationLimits } from "./limits/limiter.ts";
import { admissionOf, arrive, enter, giveBack } from "./limits/limiter.ts";
import { history } from "./history.ts";
import { parseJson } from "./json.ts";
import { list } from "./list.ts";
import { acceptQuality } from "./negotiation.ts";
import type { Noted } from "./observation.ts";
import type { ForKind, Prepared } from "./prepared.ts";
import { askedInput, refuseParameters } from "./query.ts";
import { read } from "./read.ts";
import { malformed, Refusal } from "./refusal.ts";
import type { Routed } from "./router.ts";
import { parseQuery, splitTarget } from "./target.ts";
import type { Chain } from "./versions/chain.ts";
import type { Chooser, Said } from "./versions/choose.ts";
import { refusalDown } from "./versions/refusals.ts";
import type { AskedOperation, OwnTerms, Served } from "./versions/served.ts";
import type { KeysInUse } from "./write.ts";
import { createMarks, withTokens } from "./tokens.ts";
import { write } from "./write.ts";

/** What a path leads to: an operation, or a page of the service itself that anybody may read. */
export type Endpoint =
  | {
      readonly kind: "operation";
      readonly prepared: Prepared;
      readonly limits: OperationLimits | undefined;
      /** What an older version's callers may send and are given. */
      readonly asked?: AskedOperation;
    }
  | {
      readonly kind: "page";
      readonly takes: readonly string[];
      readonly page: GivePage;
      /** Whether only a caller with a credential may read it. */
      readonly signedIn: boolean;
      /** Absent for health alone. */
      readonly limits: OperationLimits | undefined;
    };

export type GivePage = (
  exchange: Exchange,
  parameters: Readonly<Record<string, string>>,
  /** The version that is asked for; undefined where what is asked for is not served, which only some pages mind. */
  version: () => Served,
) => Answer | Promise<Answer>;

export interface Pipeline {
  readonly context: Context;
  readonly authentication: Authentication;
  readonly cors: Cors;
  readonly inUse: KeysInUse;
  /** What holds for requests to no operation. */
  readonly limits: Pick<Limiter, "others" | "preflights">;
  readonly keeping: Keeping;
  readonly load: Load;
  readonly chooser: Chooser;
  /** Newest first. */
  readonly versions: readonly RoutedVersion[];
}

/** A version with its paths. */
export interface RoutedVersion {
  readonly served: Served;
  readonly route: (segments: readonly string[], method: string) => Routed<Endpoint> | undefined;
}

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** @throws Refusal, at once or by the promise. */
export function answer(
  pipeline: Pipeline,
  exchange: Exchange,
  noted: Noted,
  refused: (refusal: Refusal) => Answer,
): Awaitable<Answer> {
  const { limits } = pipeline;
  if (exchange.method === "OPTIONS")
    return limited(pipeline, exchange, noted, limits.preflights, () => answerOptions(pipeline, exchange, noted));
  let asked: Asked | RequestedPage;
  try {
    asked = routed(pipeline, exchange, noted, refused);
  } catch (thrown) {
    // A request that leads nowhere counts as well.
    return limited(pipeline, exchange, noted, limits.others, () => {
      throw thrown;
    });
  }
  if ("path" in asked) {
    const { limits: own, prepared } = asked.endpoint;
    noted.operation = prepared.operation.name;
    pipeline.load.assertRoom(exchange.account);
    return own === undefined ? run(pipeline, asked) : runWithin(pipeline, asked, own);
  }
  const { endpoint, found, said } = asked;
  const give = async (): Promise<Answer> => {
    if (endpoint.signedIn) await assertSignedIn(pipeline, exchange, noted);
    return givePage(endpoint, exchange, found.routed.parameters, () => (noted.version = pipeline.chooser.open(said)));
  };
  return endpoint.limits === undefined ? give() : limited(pipeline, exchange, noted, endpoint.limits, give);
}

interface RequestedPage {
  readonly said: Said;
  readonly found: FoundPath;
  readonly endpoint: PageEndpoint;
}

/** What the request leads to. */
function routed(
  pipeline: Pipeline,
  exchange: Exchange,
  noted: Noted,
  refused: (refusal: Refusal) => Answer,
): Asked | RequestedPage {
  const target = splitTarget(exchange.target);
  const said = pipeline.chooser.said(exchange, target);
  if (said.version !== undefined) noted.version = said.version;
  const found = find(pipeline, said, exchange.method);
  noted.route = found.routed.template;
  const endpoint = endpointOf(found.routed, exchange.method);
  if (endpoint.kind === "page") return { said, found, endpoint };
  return { exchange, noted, refused, path: target.path, said, found, endpoint };
}

function answerOptions(pipeline: Pipeline, exchange: Exchange, noted: Noted): Answer {
  if (exchange.target === "*") return options([...knownMethods]);
  const said = pipeline.chooser.said(exchange, splitTarget(exchange.target));
  if (said.version !== undefined) noted.version = said.version;
  const found = find(pipeline, said, exchange.method);
  noted.route = found.routed.template;
  const methods = allowed(found.routed);
  const given = options(methods, found.routed);
  const operations = [...found.routed.methods.values()].flatMap((one) =>
    one.kind === "operation" ? [one.prepared.operation] : [],
  );
  const takes = [...found.routed.methods.values()].flatMap((one) => (one.kind === "page" ? one.takes : []));
  return { ...given, headers: [...given.headers, ...pipeline.cors.preflight(exchange, methods, operations, takes)] };
}

/** Answers a request to no operation, within the limits of its address. */
function limited(
  pipeline: Pipeline,
  exchange: Exchange,
  noted: Noted,
  limits: OperationLimits,
  give: () => Awaitable<Answer>,
): Awaitable<Answer> {
  const { context, keeping } = pipeline;
  if (keeping.loading !== undefined)
    return keeping.loading.then(() => limited(pipeline, exchange, noted, limits, give));
  noted.admission = admissionOf(limits, exchange, {}, false);
  const others = arrive(noted.admission, context.clock.now());
  return others === undefined ? give() : others.then(give);
}

async function assertSignedIn({ authentication }: Pipeline, exchange: Exchange, noted: Noted): Promise<void> {
  const { id } = await authentication.authenticate(exchange, () => Promise.resolve(new Uint8Array()));
  if (id === null) throw authentication.challenge();
  noted.caller = id;
}

async function givePage({ page }: PageEndpoint, ...asked: Parameters<GivePage>): Promise<Answer> {
  const given = await page(...asked);
  if (given.status === 404 && given.body === undefined) throw nothingHere();
  return given;
}

type OperationEndpoint = Extract<Endpoint, { readonly kind: "operation" }>;
type PageEndpoint = Extract<Endpoint, { readonly kind: "page" }>;

/** A request to an operation. */
interface Asked {
  readonly exchange: Exchange;
  readonly noted: Noted;
  readonly refused: (refusal: Refusal) => Answer;
  readonly path: string;
  readonly said: Said;
  readonly found: FoundPath;
  readonly endpoint: OperationEndpoint;
}

/** Past the first gate of its limits; every answer, refusals too, will tell of them (R8.1). */
function runWithin(pipeline: Pipeline, asked: Asked, limits: OperationLimits): Awaitable<Answer> {
  const { keeping } = pipeline;
  if (keeping.loading !== undefined) return keeping.loading.then(() => runWithin(pipeline, asked, limits));
  const others = admit(pipeline, asked, limits, asked.found.routed.parameters);
  return others === undefined ? run(pipeline, asked) : others.then(() => run(pipeline, asked));
}

function admit(
  { authentication, context }: Pipeline,
  { exchange, noted }: Asked,
  limits: OperationLimits,
  parameters: Readonly<Record<string, string>>,
): Promise<void> | undefined {
  noted.admission = admissionOf(limits, exchange, parameters, authentication.carries(exchange));
  return arrive(noted.admission, context.clock.now());
}

/** In the caller's own version the path leads to another operation: under that one's limits, as if it had come there first. */
function readmit(
  pipeline: Pipeline,
  asked: Asked,
  { limits }: OperationEndpoint,
  parameters: Readonly<Record<string, string>>,
): Promise<void> | undefined {
  const { noted } = asked;
  if (noted.admission !== undefined) giveBack(noted.admission, pipeline.context.clock.now());
  delete noted.admission;
  return limits === undefined ? undefined : admit(pipeline, asked, limits, parameters);
}

/** The path was found in some version: in the caller's own it may lead elsewhere, or nowhere. */
function foundIn(
  pipeline: Pipeline,
  asked: Asked,
  version: Served,
): { readonly routed: Routed<Endpoint>; readonly endpoint: OperationEndpoint } {
  const { said, found, endpoint, exchange } = asked;
  if (version === found.version) return { routed: found.routed, endpoint };
  const { routed } = find(pipeline, { ...said, version }, exchange.method);
  const other = endpointOf(routed, exchange.method);
  if (other.kind === "page") throw nothingHere();
  return { routed, endpoint: other };
}

function run(pipeline: Pipeline, request: Asked): Awaitable<Answer> {
  const { operation } = request.endpoint.prepared;
  return operation.answer.errors === undefined ? runIn(pipeline, request) : runRestated(pipeline, request, operation);
}

async function runRestated(pipeline: Pipeline, request: Asked, operation: Operation): Promise<Answer> {
  try {
    return await runIn(pipeline, request);
  } catch (thrown) {
    throw thrown instanceof Refusal ? restated(operation, thrown) : thrown;
  }
}

/** Where a request brings files, those that no record was given in the end are forgotten, whatever happened. */
function runIn(pipeline: Pipeline, request: Asked): Awaitable<Answer> {
  const { asked, prepared } = request.endpoint;
  // A version that is no longer the newest may have files that the newest has not.
  const brings = prepared.operation.body?.files !== undefined || asked?.prepared.operation.body?.files !== undefined;
  return brings ? runBringing(pipeline, request) : runWith(pipeline, request, []);
}

async function runBringing(pipeline: Pipeline, request: Asked): Promise<Answer> {
  const brought: string[] = [];
  try {
    return await runWith(pipeline, request, brought);
  } finally {
    if (brought.length > 0) await pipeline.context.store.files.discard(brought);
  }
}

function runWith(pipeline: Pipeline, request: Asked, brought: string[]): Awaitable<Answer> {
  const { exchange, endpoint, noted } = request;
  const { inbound, limits } = endpoint.prepared.operation;
  let bytes: Promise<Buffer> | undefined;
  const read = () => (bytes ??= readBytes(exchange, limits.requestBytes, limits.requestMilliseconds));
  const body: SentBody = { read, begun: () => bytes, brought };
  return after(pipeline.authentication.authenticate(exchange, read, inbound !== undefined), (caller) => {
    if (caller.id !== null) noted.caller = caller.id;
    return after(chosenVersion(pipeline, request, caller), (version) =>
      runAs(pipeline, request, body, caller, version),
    );
  });
}

/** A request in a version that there is not counts for its caller as any other. */
function chosenVersion({ chooser, context }: Pipeline, { noted, said }: Asked, caller: Caller): Awaitable<Served> {
  const refused = (thrown: unknown): Awaitable<never> => {
    const entered = noted.admission && enter(noted.admission, caller, true, context.clock.now());
    return after(entered, () => {
      throw thrown;
    });
  };
  try {
    const version = chooser.choose(said, caller);
    return version instanceof Promise ? version.catch(refused) : version;
  } catch (thrown) {
    return refused(thrown);
  }
}

/** The body of a request: nobody reads it before somebody asks for it. */
interface SentBody {
  readonly read: () => Promise<Buffer>;
  /** What was asked for. */
  readonly begun: () => Promise<Buffer> | undefined;
  /** The files that were in it. */
  readonly brought: string[];
}

/** A request whose caller is known, and with it the version and the operation. */
interface Known {
  readonly request: Asked;
  readonly body: SentBody;
  readonly caller: Caller;
  readonly version: Served;
  readonly routed: Routed<Endpoint>;
  readonly endpoint: OperationEndpoint;
  readonly kind: ForKind;
}

function runAs(pipeline: Pipeline, request: Asked, body: SentBody, caller: Caller, version: Served): Awaitable<Answer> {
  const { noted } = request;
  noted.version = version;
  const { routed, endpoint } = foundIn(pipeline, request, version);
  const others = endpoint === request.endpoint ? undefined : readmit(pipeline, request, endpoint, routed.parameters);
  return after(others, () => {
    const kind = endpoint.prepared.forKind(caller.kind);
    const known: Known = { request, body, caller, version, routed, endpoint, kind };
    const { admission } = noted;
    const entered = admission && enter(admission, caller, kind.allowed === "denied", pipeline.context.clock.now());
    return after(entered, () => runEntered(pipeline, known));
  });
}

/** Past the second gate of its limits. */
function runEntered(pipeline: Pipeline, known: Known): Awaitable<Answer> {
  const { caller, endpoint, kind, request } = known;
  const { asked, prepared } = endpoint;
  if (kind.allowed === "denied")
    throw caller.kind === 0
      ? pipeline.authentication.challenge()
      : pipeline.authentication.forbidden(caller, prepared.operation.allow);
  const { inbound } = request.endpoint.prepared.operation;
  if (inbound !== undefined && caller.credential !== inbound.credential) throw new Refusal("forbidden");
  const { operation } = asked?.prepared ?? prepared;
  // A file is what it is, whatever is asked for (RFC 9110 section 12.5.1).
  if (operation.file === undefined || operation.deed !== "read")
    checkAccept(
      request.exchange,
      prepared.wire === undefined ? (prepared.extension?.offers ?? json) : prepared.wire.offers,
    );
  const isAlone = operation.body === undefined && operation.wire === undefined && !announcesBody(request.exchange);
  return after(isAlone ? { input: {} } : takeInput(pipeline, known, operation), (taken) =>
    call(pipeline, known, taken),
  );
}

/** What a request brings in its body. */
interface Taken {
  readonly input: JsonObject;
  readonly envelope?: Unwrapped;
  /** In place of the operation's own. */
  readonly judge?: Judge;
}

async function takeInput(pipeline: Pipeline, known: Known, operation: Operation): Promise<Taken> {
  const { body, endpoint, request, routed } = known;
  const { exchange, said } = request;
  const takesBody = operation.body !== undefined;
  const wired = operation.wire !== undefined;
  if (takesBody && !wired && (operation.body.required || (await sendsBody(exchange, body.read))))
    checkMedia(exchange, operation.body.mediaTypes, operation.method);
  if (operation.wire?.body === undefined && (!takesBody || wired) && announcesBody(exchange))
    await refuseBody(exchange, operation.method, body.read);
  if (operation.body?.files !== undefined) {
    const newFile = (): string => {
      const id = pipeline.context.newId("file");
      body.brought.push(id);
      return id;
    };
    const { requestMilliseconds } = request.endpoint.prepared.operation.limits;
    const pour = pourOf(exchange, requestMilliseconds, body.begun());
    const files = await filesOf(operation, exchange, pour, pipeline.context.store.files, newFile);
    if (files !== undefined) return { input: files };
  }
  if (wired) {
    const sent = { exchange, query: said.query, parameters: routed.parameters, bytes: body.read };
    return { input: await wireInput(operation, pipeline.context.plan.schemas, sent) };
  }
  if (!takesBody) return { input: {} };
  const parsed = parseBody(await body.read(), operation.body);
  // Under a name that no field has, so that a repeated request is still told from another one.
  if (!isObject(parsed)) return { input: { "": parsed }, judge: judgeNoObject };
  const { envelope: stands } = operation.body;
  if (stands === undefined) return { input: parsed };
  const envelope = { ...openEnvelope(stands, parsed), sent: parsed };
  const { input, faults } = envelope;
  if (faults.length === 0) return { input, envelope };
  return { input, envelope, judge: judgeOpened(envelope, (endpoint.asked?.prepared ?? endpoint.prepared).judge) };
}

function call(pipeline: Pipeline, known: Known, { input, envelope, judge }: Taken): Awaitable<Answer> {
  const { caller, endpoint, kind, request, routed, version } = known;
  const { exchange, noted, path, refused, said } = request;
  const { asked } = endpoint;
  const prepared = judge !== undefined && asked === undefined ? { ...endpoint.prepared, judge } : endpoint.prepared;
  const { operation } = asked?.prepared ?? prepared;
  const parameters = operation.wire === undefined ? parseQuery(said.query) : new Map<string, string>();
  if (operation.list === undefined) refuseParameters(operation, parameters);
  const given = askedInput(asked?.prepared ?? prepared, parameters);
  const now = pipeline.context.clock.now();
  const marks = createMarks(pipeline.context.plan.credentials, pipeline.context.random);
  const made: Writable<Call> = {
    context: pipeline.context,
    exchange,
    prepared,
    noted,
    caller,
    kind,
    version,
    path,
    parameters: routed.parameters,
    query: parameters,
    asked: given,
    input,
    now,
    by: caller.id ?? "anonymous",
    cause: prepared.operation.name,
    request: noted.requestId,
    variables: withDeadline(
      {
        caller,
        input: operation.query.length === 0 ? input : { ...input, ...given },
        now: instantText(now),
        base: pipeline.context.baseUrl(),
        ...(marks === undefined ? undefined : { tokens: marks.variable }),
      },
      now + operation.limits.requestMilliseconds,
    ),
  };
  if (asked !== undefined && version.chain !== undefined)
    made.own = inOwnWords(asked, version.chain, kind, caller, input, judge);
  if (envelope !== undefined) made.envelope = envelope;
  if (said.parameter !== undefined) made.parameter = said.parameter;
  if (marks !== undefined) made.marks = marks;
  const { errors } = prepared.operation.answer;
  if (made.own === undefined && envelope === undefined && errors === undefined) return perform(made, pipeline, refused);
  const asTold = (thrown: unknown): never => {
    throw thrown instanceof Refusal ? asSent(made, thrown) : thrown;
  };
  try {
    const answer = perform(made, pipeline, (refusal) => refused(asSent(made, refusal)));
    return answer instanceof Promise ? answer.catch(asTold) : answer;
  } catch (thrown) {
    return asTold(thrown);
  }
}

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** What is refused, in the words of the caller's version and where it stands in the body as it was sent. */
function asSent(call: Call, refusal: Refusal): Refusal {
  const told = restated(call.prepared.operation, refusalDown(call, refusal));
  return call.envelope === undefined ? told : refusalAt(told, call.envelope.places);
}

/** With the status that the operation has for the error, where it has one of its own. */
function restated({ answer }: Operation, refusal: Refusal): Refusal {
  const status = answer.errors?.[refusal.code];
  return status === undefined ? refusal : new Refusal(refusal.code, { ...refusal.details, status });
}

function perform(call: Call, pipeline: Pipeline, refused: (refusal: Refusal) => Answer): Awaitable<Answer> {
  return pipeline.load.during(() => done(call, pipeline, refused));
}

function done(call: Call, pipeline: Pipeline, refused: (refusal: Refusal) => Answer): Awaitable<Answer> {
  const { extension, operation } = call.prepared;
  if (extension?.perform !== undefined) return extension.perform(call);
  if (call.context.functionsFor(operation.name) !== undefined) return written(call, pipeline, refused);
  const { deed, file } = operation;
  if (deed === "read") return file === undefined ? readWithTokens(call) : download(call, file.column);
  if (deed === "history") return history(call);
  return deed === "list" ? list(call) : written(call, pipeline, refused);
}

async function written(call: Call, { inUse, load }: Pipeline, refused: (refusal: Refusal) => Answer): Promise<Answer> {
  const answer = await write(call, inUse, refused);
  load.wrote();
  return answer;
}

/** What only reads makes no token: who is told one came with it. */
function readWithTokens(call: Call): Awaitable<Answer> {
  const reading = call.prepared.operation.collective === true ? readAll(call) : read(call);
  return call.marks === undefined ? reading : after(reading, (answer) => withTokens(call, undefined, answer));
}

function inOwnWords(
  asked: AskedOperation,
  chain: Chain,
  kind: ForKind,
  caller: Caller,
  input: JsonObject,
  judge: Judge | undefined,
): OwnTerms {
  const reads = asked.readsFor(caller.kind, kind, chain);
  return {
    chain,
    input,
    ...(reads === undefined ? undefined : { reads }),
    prepared: judge === undefined ? asked.prepared : { ...asked.prepared, judge },
    kind: { ...kind, record: asked.viewFor(caller.kind) },
  };
}

interface FoundPath {
  readonly version: Served;
  readonly routed: Routed<Endpoint>;
}

/**
 * What a path leads to: in the version that is certain, else in the newest that has it, with this method if any has. Whether
 * the caller's own version has it is asked again when that is known.
 */
function find({ versions }: Pipeline, { segments, version }: Said, method: string): FoundPath {
  let elsewhere: FoundPath | undefined;
  for (const { served, route } of versions) {
    if (version !== undefined && version !== served) continue;
    const routed = route(segments, method);
    if (routed === undefined) continue;
    if (routed.methods.has(method === "HEAD" ? "GET" : method)) return { version: served, routed };
    elsewhere ??= { version: served, routed };
  }
  if (elsewhere === undefined) throw nothingHere();
  return elsewhere;
}

function nothingHere(): Refusal {
  return new Refusal("not-found", { detail: "There is nothing at this path" });
}

/** HEAD is served wherever GET is (R4.2). A method that nobody knows is 501, one that this path lacks 405 (R4.1). */
function endpointOf(routed: Routed<Endpoint>, method: string): Endpoint {
  const endpoint = routed.methods.get(method === "HEAD" ? "GET" : method);
  if (endpoint !== undefined) return endpoint;
  const headers = ["Allow", allowed(routed).join(", ")];
  if (!knownMethods.has(method)) throw new Refusal("not-implemented", { headers });
  throw new Refusal("method-not-allowed", { detail: `This path takes ${allowed(routed).join(", ")}`, headers });
}

function allowed({ methods }: Routed<Endpoint>): readonly string[] {
  const names = [...methods.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...names, "OPTIONS"];
}

/** What the path takes, the same for everybody and every record (R4.2); or what the server does, for `*`. */
function options(methods: readonly string[], routed?: Routed<Endpoint>): Answer {
  const headers = ["Allow", methods.join(", "), "Cache-Control", "no-store"];
  for (const [method, field] of [
    ["PATCH", "Accept-Patch"],
    ["POST", "Accept-Post"],
  ] as const) {
    const endpoint = routed?.methods.get(method);
    const body = endpoint?.kind === "operation" ? endpoint.prepared.operation.body : undefined;
    if (body !== undefined) headers.push(field, body.mediaTypes.join(", "));
  }
  return { status: 204, headers };
}

const json: readonly string[] = ["application/json"];

function checkAccept(exchange: Exchange, offered: readonly string[] | undefined): void {
  const accept = exchange.headers.get("accept");
  if (offered === undefined || offered.some((type) => acceptQuality(accept, type) > 0)) return;
  throw new Refusal("not-acceptable", { detail: `Answers are ${offered.join(" or ")}`, members: { offered } });
}

/** A body of chunks may have none of a byte, of which nobody has to say what it is. */
async function sendsBody(exchange: Exchange, read: () => Promise<Buffer>): Promise<boolean> {
  if (!announcesBody(exchange)) return false;
  const isTyped = exchange.headers.get("content-type") !== undefined;
  return isTyped || exchange.headers.get("transfer-encoding") === undefined || (await read()).length > 0;
}

/** A body where none has a meaning is a smuggler's tool on GET and DELETE (R4.5), and an unread one on an action. */
async function refuseBody(exchange: Exchange, method: string, body: () => Promise<Buffer>): Promise<void> {
  if (method === "POST") {
    if (!(await sendsBody(exchange, body))) return;
    checkMedia(exchange, ["application/json"], method);
    const bytes = await body();
    if (bytes.length === 0) return;
    const parsed = parseJson(bytes);
    if (parsed.kind === "value" && isObject(parsed.value) && Object.keys(parsed.value).length === 0) return;
    throw malformed({ pointer: "#", code: "unexpected-body", detail: "This operation takes no body" });
  }
  throw new Refusal("invalid-request", {
    status: 400,
    detail: `${exchange.method} takes no body`,
    faults: [{ pointer: "#", code: "unexpected-body", detail: `${exchange.method} takes no body` }],
    close: true,
  });
}
