/**
 * The code that all exported TypeScript clients share: `nonet export typescript` copies this file below the types and the
 * description of one service. So it imports nothing, uses only what Node, browsers and workers share (`fetch`, `crypto`, `URL`,
 * timers), and reads everything about the service from `ServiceDescription`.
 */

// ── What the part above says of the service ────────────────────────────────────────────────────────────────────────

export interface ServiceDescription {
  /** The base path of the operations, relative to the service's address. */
  readonly mount: string;
  /** The API version of the types, which each request carries. */
  readonly version?: { readonly in: "header" | "query" | "accept"; readonly name: string; readonly value: string };
  readonly credentials: Readonly<Record<string, CredentialDescription>>;
  readonly operations: Readonly<Record<string, OperationDescription>>;
  /** The timeout of one request in milliseconds: the service's own time limit and some time for the network. */
  readonly timeout: number;
  /** How to read errors, if some of them do not have the standard body (RFC 9457). */
  readonly problem?: ProblemDescription;
}

export interface ProblemDescription {
  /** The service's custom error bodies, with placeholders in braces. */
  readonly bodies: readonly unknown[];
  /** The codes by the external name that the body contains. */
  readonly externalCodes: Readonly<Record<string, readonly string[]>>;
  /** The fixed message of each code. */
  readonly messages: Readonly<Record<string, string>>;
}

export interface CredentialDescription {
  readonly kind: "text" | "user" | "signature";
  readonly header: string;
  readonly scheme?: string;
}

export interface OperationDescription {
  readonly method: string;
  /** `{name}` marks a parameter; the method takes their values in this order. */
  readonly path: string;
  /** The media type of the request body. For a file it is a wildcard: the media type is that of its `Blob`. */
  readonly requestType?: string;
  /** The body with files is a form; the part of this name has all other members as JSON. */
  readonly form?: string;
  /** Set if the response is bytes. */
  readonly bytes?: true;
  /** Set if the operation takes query parameters. */
  readonly query?: true;
  /** The query parameters that are sent once for each of several values. */
  readonly repeated?: readonly string[];
  /** The header field of the idempotency key, which makes retries safe. */
  readonly key?: string;
  /** The paths of a page's items and of the value for the next page; absent if the operation is no list. */
  readonly page?: {
    readonly items: readonly string[];
    readonly next?: readonly string[];
    readonly parameter?: string;
  };
  readonly stream?: { readonly resume: string };
  /** The error codes by status, for bodies without a code. */
  readonly possibleErrors?: Readonly<Record<number, readonly string[]>>;
}

/** How to wait for a state: the read operation, the path of the state, and the reachable states by state. */
export interface WaitDescription {
  readonly operation: string;
  readonly state: readonly string[];
  readonly reaches: Readonly<Record<string, readonly string[]>>;
  /** The operation that follows events, if this resource has events. */
  readonly follow?: string;
}

// ── Options ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A secret, or a function that returns it for each request; `rejected` if the service rejected the last one. */
export type Secret = string | ((rejected: boolean) => string | Promise<string>);

export interface Login {
  readonly user: string;
  readonly password: Secret;
}

export interface RetryOptions {
  /** The maximum number of retries after the first attempt. */
  readonly most?: number;
  /** The delay before the first retry, in milliseconds. It doubles for each retry, and up to half of it is random. */
  readonly firstDelay?: number;
  readonly longestDelay?: number;
  /** If the service asks the client to wait longer than this, in milliseconds, the client does not retry. */
  readonly longestWait?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The timeout of each attempt, in milliseconds. */
  readonly timeout?: number | undefined;
  readonly retries?: number | RetryOptions | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An idempotency key for a write; pass one if the program may have to repeat the write after a restart. */
export interface KeyOptions {
  readonly idempotencyKey?: string | undefined;
}

/** An `ETag`, or a response object that carries one. */
export type Tag = string | { readonly [etag]?: string | undefined };

export interface CommonOptions<Credential> extends CallOptions {
  /** The URL of the service. */
  readonly baseUrl: string;
  readonly credential?: Credential | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

// ── What calls give ────────────────────────────────────────────────────────────────────────────────────────────────

/** A record has its `ETag` under this symbol. No field can have this name, and JSON leaves it out. */
export const etag: unique symbol = Symbol("etag");

export type Tagged<T> = T & { readonly [etag]: string };

/** A promise of the response; `outcome()` returns errors of the service as values. */
export interface Call<T, E> extends Promise<T> {
  /** Returns errors of the service; still throws all other errors. */
  outcome(): Promise<Outcome<T, E>>;
}

export type Outcome<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export interface Page<Item, Body> {
  readonly items: readonly Item[];
  /** The complete response body. */
  readonly body: Body;
  readonly hasNext: boolean;
  /** The next page; undefined after the last one. */
  next(): Promise<Page<Item, Body> | undefined>;
}

/** `await` returns the first page; `for await` iterates over the items of all pages. */
export interface List<Item, Body, E> extends Call<Page<Item, Body>, E>, AsyncIterable<Item> {
  pages(): AsyncIterable<Page<Item, Body>>;
}

export interface FollowOptions extends CallOptions {
  /** The id of the last known event; the stream starts after it. */
  readonly lastEventId?: string | undefined;
  /** Called after each connection; the client misses no event from then on. */
  readonly onOpen?: (() => void) | undefined;
}

export interface WaitOptions extends CallOptions {
  /** The total timeout in milliseconds; default five minutes. */
  readonly within?: number | undefined;
  /** The polling interval in milliseconds; default one second. An event triggers a poll at once. */
  readonly every?: number | undefined;
}

/** The metadata of a response whose body is an object, for logs. */
export interface Received {
  readonly status: number;
  readonly requestId: string | undefined;
  /** Whether the service returned the stored response to an earlier request with the same key. */
  readonly replayed: boolean;
  readonly headers: Headers;
}

const received = new WeakMap<object, Received>();

export function receivedWith(reply: object): Received | undefined {
  return received.get(reply);
}

// ── What goes wrong ────────────────────────────────────────────────────────────────────────────────────────────────

export interface FaultOfRequest {
  /** A JSON Pointer into the body, as a URI fragment. */
  readonly pointer?: string;
  /** The invalid field, as a custom error body names it. */
  readonly field?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: string;
  readonly detail: string;
}

/** An error response. `code` names the error; `unrecognized` if the response is not from the service, such as a proxy's error. */
export class ApiError<Code extends string = string, Problem = unknown> extends Error {
  override readonly name = "ApiError";
  readonly operation: string;
  readonly code: Code;
  readonly status: number;
  readonly detail: string;
  readonly faults: readonly FaultOfRequest[];
  readonly requestId: string | undefined;
  /** Seconds until a retry makes sense, if the service sent them. */
  readonly retryAfter: number | undefined;
  /** The parsed error body. */
  readonly problem: Problem;
  readonly headers: Headers;

  constructor(operation: string, code: Code, details: ErrorDetails, { status, headers }: Response, problem: Problem) {
    super(`${operation}: ${details.detail} (${status} ${code})`);
    this.operation = operation;
    this.code = code;
    this.status = status;
    this.detail = details.detail;
    this.problem = problem;
    this.headers = headers;
    this.faults = details.faults;
    this.requestId = headers.get("Request-Id") ?? undefined;
    this.retryAfter = secondsIn(headers.get("Retry-After"));
  }
}

interface ErrorDetails {
  readonly detail: string;
  readonly faults: readonly FaultOfRequest[];
}

/** There was no response, or an unreadable one. The service may have performed the request. */
export class ConnectionError extends Error {
  override readonly name: string = "ConnectionError";
  readonly operation: string;

  constructor(operation: string, message: string, cause?: unknown) {
    super(`${operation}: ${message}`, { cause });
    this.operation = operation;
  }
}

/** The response did not arrive in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = "TimeoutError";
}

/** The record did not reach the state: it no longer can (`unreachable`), or not in time (`late`). */
export class WaitError<T = unknown> extends Error {
  override readonly name = "WaitError";
  readonly reason: "unreachable" | "late";
  readonly state: string;
  readonly record: T;

  constructor(reason: "unreachable" | "late", wanted: readonly string[], state: string, record: T) {
    super(`${reason === "late" ? "still" : "finally"} ${state}, expected ${wanted.join(" or ")}`);
    this.reason = reason;
    this.state = state;
    this.record = record;
  }
}

// ── The client ─────────────────────────────────────────────────────────────────────────────────────────────────────

type UsedOptions = CommonOptions<Readonly<Record<string, Secret | Login>>>;
type Scalar = string | number | boolean;
type Query = Readonly<Record<string, QueryValue | null | undefined>>;

type QueryValue = Scalar | readonly Scalar[] | { readonly [member: string]: QueryValue | null | undefined };

interface Request {
  readonly name: string;
  readonly operation: OperationDescription;
  readonly parameters: readonly Scalar[];
  readonly body?: unknown;
  readonly query?: Query | undefined;
  readonly options: CallOptions & KeyOptions & { readonly ifMatch?: Tag; readonly ifNoneMatch?: Tag };
}

interface ParsedResponse {
  readonly response: Response;
  readonly body: unknown;
}

/** Creates a function for each operation and each wait; the types above describe arguments and results. */
export function clientOf(
  service: ServiceDescription,
  waits: Readonly<Record<string, WaitDescription>>,
  clientOptions: UsedOptions,
): Readonly<Record<string, unknown>> {
  const root = clientOptions.baseUrl.replace(/\/+$/, "") + service.mount;
  const send = (request: Request): Promise<ParsedResponse> => fetchChecked(service, clientOptions, root, request);
  const methods = Object.entries(service.operations).map(([name, operation]): [string, unknown] => {
    const requestFrom = (values: readonly unknown[]): Request => argumentsOf(name, operation, values);
    if (operation.stream !== undefined)
      return [name, (...values: unknown[]) => followed(service, clientOptions, root, requestFrom(values))];
    if (operation.page !== undefined) return [name, (...values: unknown[]) => listed(send, requestFrom(values))];
    return [name, (...values: unknown[]) => callOf(send(requestFrom(values)).then(valueOf))];
  });
  const client = Object.fromEntries(methods);
  for (const [name, wait] of Object.entries(waits)) client[name] = waiting(client, service, wait);
  return client;
}

/** Assigns the arguments to path parameters, body, query and options, of which each operation takes only some. */
function argumentsOf(name: string, operation: OperationDescription, values: readonly unknown[]): Request {
  const count = operation.path.match(/\{/g)?.length ?? 0;
  const rest = [...values.slice(count)];
  return {
    name,
    operation,
    parameters: values.slice(0, count) as readonly Scalar[],
    ...(operation.requestType === undefined ? {} : { body: rest.shift() }),
    ...(operation.query === undefined ? {} : { query: rest.shift() as Query | undefined }),
    options: (rest.shift() ?? {}) as Request["options"],
  };
}

function valueOf({ response, body }: ParsedResponse): unknown {
  if (response.status === 304) return undefined;
  if (typeof body !== "object" || body === null) return body;
  const { status, headers } = response;
  const requestId = headers.get("Request-Id") ?? undefined;
  received.set(body, { status, headers, requestId, replayed: headers.has("Idempotent-Replayed") });
  const tag = headers.get("ETag");
  // Not enumerable, so that a changed copy of a record does not inherit the tag.
  return tag === null ? body : Object.defineProperty(body, etag, { value: tag, enumerable: false });
}

function callOf<T>(promise: Promise<T>): Call<T, ApiError> {
  return Object.assign(promise, {
    outcome: (): Promise<Outcome<T, ApiError>> =>
      promise.then(
        (value) => ({ ok: true, value }),
        (thrown: unknown) => {
          if (thrown instanceof ApiError) return { ok: false, error: thrown };
          throw thrown;
        },
      ),
  });
}

// ── Requests ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Sends the request until it succeeds or no retry makes sense. */
async function fetchChecked(
  service: ServiceDescription,
  clientOptions: UsedOptions,
  root: string,
  request: Request,
): Promise<ParsedResponse> {
  const { operation, options } = request;
  const retries = retriesOf(options.retries ?? clientOptions.retries);
  const signal = options.signal ?? clientOptions.signal;
  // All attempts share one key, by which the service recognizes retries.
  const key = operation.key === undefined ? undefined : (options.idempotencyKey ?? crypto.randomUUID());
  let rejected = false;
  for (let tries = 0; ; tries += 1) {
    let wait: number | undefined;
    let failure: unknown;
    try {
      const init = await initOf(service, clientOptions, root, request, { key, rejected });
      const reply = await fetched(clientOptions, request, init);
      if (reply.response.ok || reply.response.status === 304) return reply;
      const error = errorOf(service, request, reply);
      // After a 401, renew the secret once and retry: the service has done nothing yet.
      if (error.status === 401 && !rejected && canRenew(clientOptions)) {
        rejected = true;
        tries -= 1;
        continue;
      }
      failure = error;
      wait = waitAfter(error, operation, retries, tries);
    } catch (thrown) {
      signal?.throwIfAborted();
      if (!(thrown instanceof ConnectionError)) throw thrown;
      failure = thrown;
      wait = isIdempotent(operation) ? delayOf(retries, tries) : undefined;
    }
    if (wait === undefined || tries >= retries.most) throw failure;
    await pause(wait, signal);
  }
}

interface Target {
  readonly url: string;
  readonly init: RequestInit;
  /** The default timeout; call options can override it. */
  readonly timeout: number;
}

async function initOf(
  service: ServiceDescription,
  clientOptions: UsedOptions,
  root: string,
  { operation, parameters, body, query, options }: Request,
  { key, rejected }: { readonly key: string | undefined; readonly rejected: boolean },
): Promise<Target> {
  const { version } = service;
  const accept = operation.bytes ? "*/*" : operation.stream === undefined ? "application/json" : "text/event-stream";
  const headers = new Headers({ ...clientOptions.headers, ...options.headers });
  headers.set("Accept", version?.in === "accept" ? `${accept}; ${version.name}=${version.value}` : accept);
  if (version?.in === "header" && !headers.has(version.name)) headers.set(version.name, version.value);
  if (key !== undefined && operation.key !== undefined) headers.set(operation.key, key);
  if (options.ifMatch !== undefined) headers.set("If-Match", tagOf(options.ifMatch));
  if (options.ifNoneMatch !== undefined) headers.set("If-None-Match", tagOf(options.ifNoneMatch));
  const { content, type } = await contentOf(operation, body);
  if (type !== undefined) headers.set("Content-Type", type);
  const all = version?.in === "query" ? { ...query, [version.name]: version.value } : query;
  const url = root + pathOf(operation.path, parameters) + searchOf(all, operation.repeated);
  await authorize(service, clientOptions, { url, method: operation.method, body: content ?? "", headers, rejected });
  const init = { method: operation.method, headers, ...(content === undefined ? {} : { body: content }) };
  return { url, init, timeout: service.timeout };
}

interface Content {
  readonly content?: string | Blob;
  readonly type?: string;
}

/** The complete body: a signature covers exactly these bytes, and retries send them again. */
async function contentOf({ requestType, form }: OperationDescription, body: unknown): Promise<Content> {
  if (body === undefined || requestType === undefined) return {};
  if (body instanceof Blob) return { content: body, type: body.type === "" ? "application/octet-stream" : body.type };
  const members = Object.entries((typeof body === "object" ? body : undefined) ?? {}) as [string, unknown][];
  const files = members.filter((member): member is [string, Blob] => member[1] instanceof Blob);
  if (form === undefined || files.length === 0) return { content: JSON.stringify(body), type: requestType };
  const parts = new FormData();
  const rest = Object.fromEntries(members.filter(([, value]) => !(value instanceof Blob)));
  if (Object.keys(rest).length > 0)
    parts.append(form, new Blob([JSON.stringify(rest)], { type: "application/json" }), "");
  for (const [name, file] of files) parts.append(name, file);
  const written = new Response(parts);
  return { content: await written.blob(), type: written.headers.get("Content-Type") ?? "multipart/form-data" };
}

async function fetched(
  clientOptions: UsedOptions,
  { name, operation, options }: Request,
  target: Target,
): Promise<ParsedResponse> {
  const { url, init, timeout } = target;
  const late = AbortSignal.timeout(options.timeout ?? clientOptions.timeout ?? timeout);
  const outgoing = options.signal ?? clientOptions.signal;
  const signal = outgoing === undefined ? late : AbortSignal.any([late, outgoing]);
  try {
    const response = await (clientOptions.fetch ?? fetch)(url, { ...init, signal });
    if (operation.bytes && response.ok) return { response, body: await response.blob() };
    const text = await response.text();
    return { response, body: text === "" ? undefined : readJson(name, response, text) };
  } catch (thrown) {
    if (thrown instanceof ConnectionError) throw thrown;
    outgoing?.throwIfAborted();
    if (late.aborted) throw new TimeoutError(name, "there was no response in time", thrown);
    throw new ConnectionError(name, "there was no response", thrown);
  }
}

/** Returns text for an error that is not JSON, such as a proxy's page; a success must be JSON. */
function readJson(name: string, response: Response, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    if (!response.ok) return text;
    throw new ConnectionError(name, "the response is not JSON", thrown);
  }
}

function pathOf(template: string, parameters: readonly Scalar[]): string {
  let index = 0;
  return template.replaceAll(/\{([^}]*)\}/g, (_, name: string) => {
    const value = String(parameters[index] ?? "");
    index += 1;
    // URLs drop segments such as `..`, so the request would go to another path.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} is ${JSON.stringify(value)}, which is not an id`);
    return encodeURIComponent(value);
  });
}

function searchOf(query: Query | undefined, repeated: readonly string[] = []): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    pairsOf(name, value, repeated.includes(name) ? "" : undefined),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** `suffix`: what the name of each item of a list ends with; if it is undefined, the items are one text with commas. */
function pairsOf(name: string, value: Query[string], suffix: string | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object") return [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`];
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([key, member]) => pairsOf(`${name}[${key}]`, member, "[]"));
  const items: readonly Scalar[] = value;
  if (suffix !== undefined) return items.flatMap((item) => pairsOf(name + suffix, item, suffix));
  return [`${encodeURIComponent(name)}=${items.map((item) => encodeURIComponent(String(item))).join(",")}`];
}

function tagOf(tag: Tag): string {
  const text = typeof tag === "string" ? tag : tag[etag];
  if (text === undefined)
    throw new TypeError("this value has no ETag: it was not read from the service, or was copied");
  return text;
}

// ── Credentials ────────────────────────────────────────────────────────────────────────────────────────────────────

interface OutgoingRequest {
  readonly url: string;
  readonly method: string;
  readonly body: string | Blob;
  readonly headers: Headers;
  readonly rejected: boolean;
}

async function authorize(
  { credentials }: ServiceDescription,
  clientOptions: UsedOptions,
  outgoing: OutgoingRequest,
): Promise<void> {
  for (const [name, secret] of Object.entries(clientOptions.credential ?? {})) {
    const credential = credentials[name];
    if (credential === undefined) throw new TypeError(`the service has no credential ${name}`);
    const value = await valueFor(credential, secret, outgoing);
    outgoing.headers.set(credential.header, credential.scheme === undefined ? value : `${credential.scheme} ${value}`);
  }
}

async function valueFor(
  { kind }: CredentialDescription,
  secret: Secret | Login,
  outgoing: OutgoingRequest,
): Promise<string> {
  if (typeof secret === "object") {
    const password = await secretOf(secret.password, outgoing.rejected);
    return base64(new TextEncoder().encode(`${secret.user}:${password}`));
  }
  const text = await secretOf(secret, outgoing.rejected);
  return kind === "signature" ? signatureOf(text, outgoing) : text;
}

async function secretOf(secret: Secret, rejected: boolean): Promise<string> {
  return typeof secret === "string" ? secret : await secret(rejected);
}

function canRenew({ credential = {} }: UsedOptions): boolean {
  return Object.values(credential).some((one) => typeof (typeof one === "object" ? one.password : one) === "function");
}

/** Signs the time, the method, the path with its query, and the body. */
async function signatureOf(secret: string, { url, method, body }: OutgoingRequest): Promise<string> {
  const seconds = Math.floor(Date.now() / 1000);
  const { pathname, search } = new URL(url);
  const text = new Blob([[seconds, method, pathname + search, ""].join("\n"), body]);
  const key = await hmacKey(new TextEncoder().encode(secret), "sign");
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, await text.arrayBuffer()));
  return `t=${seconds},v1=${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function hmacKey(secret: Uint8Array<ArrayBuffer>, use: "sign" | "verify"): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, [use]);
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCodePoint(...bytes));
}

// ── Tries ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function retriesOf(details: number | RetryOptions | undefined): Required<RetryOptions> {
  const {
    most = 2,
    firstDelay = 500,
    longestDelay = 8000,
    longestWait = 60_000,
  } = typeof details === "number" ? { most: details } : (details ?? {});
  return { most, firstDelay, longestDelay, longestWait };
}

/** Whether a retry is safe even if the service has already performed the request. */
function isIdempotent({ method, key }: OperationDescription): boolean {
  return method === "GET" || key !== undefined;
}

/** With these statuses, the service has done nothing; with `unsure` ones, it may have performed the request. */
const untouched: ReadonlySet<number> = new Set([429, 503]);
const unsure: ReadonlySet<number> = new Set([408, 500, 502, 504]);

function waitAfter(
  { status, code, retryAfter }: ApiError,
  operation: OperationDescription,
  retries: Required<RetryOptions>,
  tries: number,
): number | undefined {
  const again =
    untouched.has(status) || code === "idempotency-key-in-use" || (unsure.has(status) && isIdempotent(operation));
  if (!again) return undefined;
  if (retryAfter === undefined) return delayOf(retries, tries);
  const outgoing = retryAfter * 1000;
  // A random delay keeps clients from retrying at the same moment.
  return outgoing > retries.longestWait ? undefined : outgoing + Math.random() * retries.firstDelay;
}

function delayOf({ firstDelay, longestDelay }: Required<RetryOptions>, tries: number): number {
  return Math.min(firstDelay * 2 ** tries, longestDelay) * (1 - Math.random() / 2);
}

/** Parses `Retry-After`: seconds, or a date. */
function secondsIn(field: string | null): number | undefined {
  if (field === null) return undefined;
  if (/^[0-9]+$/.test(field.trim())) return Number(field);
  const moment = Date.parse(field);
  return Number.isNaN(moment) ? undefined : Math.max(0, Math.ceil((moment - Date.now()) / 1000));
}

/** Throws the reason if `signal` aborts; returns early if `woken` resolves. */
function pause(milliseconds: number, signal: AbortSignal | undefined, woken?: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      resolve();
    };
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", abort, { once: true });
    void woken?.then(end);
  });
}

// ── Refusals ───────────────────────────────────────────────────────────────────────────────────────────────────────

function errorOf({ problem }: ServiceDescription, { name, operation }: Request, reply: ParsedResponse): ApiError {
  const { response, body } = reply;
  const candidates = operation.possibleErrors?.[response.status] ?? [];
  const read = (problem?.bodies ?? []).flatMap((shape) => readAs(shape, body) ?? []);
  const standard = standardOf(body);
  const found = standard ?? read.find((one) => one.code !== undefined) ?? read[0] ?? { faults: [] };
  const code = problem === undefined ? found.code : codeOf(problem, candidates, found);
  const detail = found.message ?? (response.statusText || "refused");
  return new ApiError(name, code ?? "unrecognized", { detail, faults: found.faults }, response, body);
}

/** The content of an error body, whatever its form. */
interface Reading {
  readonly code?: string;
  readonly message?: string;
  readonly faults: readonly FaultOfRequest[];
}

/** Reads an RFC 9457 body with Nonet's additional members. */
function standardOf(body: unknown): Reading | undefined {
  const [code, message, faults] = [at(body, ["code"]), at(body, ["detail"]), at(body, ["errors"])];
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  return { code, message, faults: Array.isArray(faults) ? (faults as readonly FaultOfRequest[]) : [] };
}

/** Selects a code of this status: the one in the body, the only one, or the one with this message. */
function codeOf(
  { externalCodes, messages }: ProblemDescription,
  candidates: readonly string[],
  { code, message, faults }: Reading,
): string | undefined {
  if (code !== undefined) return externalCodes[code]?.find((one) => candidates.includes(one)) ?? code;
  const matching = candidates.filter((one) => messages[one] === message);
  const [only, ...others] = candidates.length === 1 ? candidates : matching;
  if (only !== undefined && others.length === 0) return only;
  return faults.length > 0 && candidates.includes("invalid-request") ? "invalid-request" : undefined;
}

/** Matches a body with the shape of a custom error body; undefined if it does not match. */
function readAs(shape: unknown, value: unknown): Reading | undefined {
  const variables: Record<string, string> = {};
  const faults: FaultOfRequest[] = [];
  const fits = (form: unknown, here: unknown, field: string | undefined): boolean => {
    if (typeof form === "string") {
      const variable = /^\{([a-z-]+)\}$/.exec(form)?.[1];
      if (variable === undefined) return form === here || /\{[a-z-]+\}/.test(form);
      if (typeof here !== "string" && typeof here !== "number") return false;
      if (field !== undefined && variable === "message")
        faults.push({ field, code: "unrecognized", detail: String(here) });
      variables[variable] ??= String(here);
      return true;
    }
    if (Array.isArray(form))
      return Array.isArray(here) && here.every((one) => form.some((item) => itemFits(item, one, field)));
    if (typeof form !== "object" || form === null) return form === here;
    if (typeof here !== "object" || here === null) return false;
    return Object.entries(form).every(([name, member]) => {
      if (!name.includes("{")) return Object.hasOwn(here, name) && fits(member, at(here, [name]), field);
      // This member appears once per invalid field, under the field's name.
      const rest = Object.entries(here).filter(([memberName]) => !Object.hasOwn(form, memberName));
      return rest.every(([memberName, one]) => fits(member, one, memberName));
    });
  };
  /** Matches an item that contains the name of the invalid field. */
  const itemFits = (item: unknown, one: unknown, field: string | undefined): boolean => {
    const about = at(one, [Object.entries(item ?? {}).find(([, variable]) => variable === "{field}")?.[0] ?? ""]);
    return fits(item, one, typeof about === "string" ? about : field);
  };
  if (!fits(shape, value, undefined)) return undefined;
  const { code, message } = variables;
  return { ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { message }), faults };
}

/** The value at a path in JSON; `0` is the first item of a list. */
function at(value: unknown, path: readonly string[]): unknown {
  let here = value;
  for (const name of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, name)) return undefined;
    here = (here as Readonly<Record<string, unknown>>)[name];
  }
  return here;
}

// ── Lists ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function listed(
  send: (request: Request) => Promise<ParsedResponse>,
  request: Request,
): List<unknown, unknown, ApiError> {
  // Requests the first page only once, when the caller first awaits or iterates over the list.
  let first: Promise<Page<unknown, unknown>> | undefined;
  const start = (): Promise<Page<unknown, unknown>> => (first ??= pageFor(send, request));
  const pages = async function* (): AsyncGenerator<Page<unknown, unknown>> {
    for (let page: Page<unknown, unknown> | undefined = await start(); page !== undefined; page = await page.next())
      yield page;
  };
  return {
    then: (fulfilled, rejected) => start().then(fulfilled, rejected),
    catch: (rejected) => start().catch(rejected),
    finally: (done) => start().finally(done),
    [Symbol.toStringTag]: "List",
    outcome: () => callOf(start()).outcome(),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items;
    },
  };
}

async function pageFor(
  send: (request: Request) => Promise<ParsedResponse>,
  request: Request,
): Promise<Page<unknown, unknown>> {
  const reply = await send(request);
  const { page } = request.operation;
  const items = at(reply.body, page?.items ?? []);
  const query = nextQuery(request, reply);
  return {
    items: Array.isArray(items) ? (items as readonly unknown[]) : [],
    body: valueOf(reply),
    hasNext: query !== undefined,
    next: async () => (query === undefined ? undefined : await pageFor(send, { ...request, query })),
  };
}

/** Reads the next page from the body, or else from `Link` (RFC 8288): only its query, so that credentials stay on this host. */
function nextQuery({ operation: { page }, query }: Request, { response, body }: ParsedResponse): Query | undefined {
  if (page?.next !== undefined && page.parameter !== undefined) {
    const next = at(body, page.next);
    return next === null || next === undefined ? undefined : { ...query, [page.parameter]: next as Scalar };
  }
  const link = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(response.headers.get("Link") ?? "")?.[1];
  if (link === undefined) return undefined;
  return Object.fromEntries(new URL(link, "http://service.invalid").searchParams);
}

// ── Streams ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface ServerEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** Yields events as they happen, and reconnects when a connection ends. */
async function* followed(
  service: ServiceDescription,
  clientOptions: UsedOptions,
  root: string,
  request: Request,
): AsyncGenerator<unknown> {
  const options = request.options as FollowOptions;
  const retries = retriesOf(options.retries ?? clientOptions.retries);
  const signal = options.signal ?? clientOptions.signal;
  const resume = request.operation.stream?.resume ?? "Last-Event-ID";
  let last = options.lastEventId;
  for (let tries = 0; ; ) {
    let wait = delayOf(retries, tries);
    const headers = { ...options.headers, ...(last === undefined ? {} : { [resume]: last }) };
    const outgoing = { ...request, options: { ...options, headers } };
    const target = await initOf(service, clientOptions, root, outgoing, { key: undefined, rejected: false });
    try {
      const response = await streamOf(service, clientOptions, outgoing, target);
      options.onOpen?.();
      tries = 0;
      for await (const { id, data } of eventsIn(response)) {
        last = id ?? last;
        if (data !== "") yield JSON.parse(data) as unknown;
      }
    } catch (thrown) {
      signal?.throwIfAborted();
      const isApiError = thrown instanceof ApiError;
      const later = isApiError ? waitAfter(thrown, request.operation, retries, tries) : wait;
      if (later === undefined || tries >= retries.most) {
        if (isApiError) throw thrown;
        throw new ConnectionError(request.name, "the stream cannot be reached", thrown);
      }
      wait = later;
      tries += 1;
    }
    await pause(wait, signal);
  }
}

async function streamOf(
  service: ServiceDescription,
  clientOptions: UsedOptions,
  request: Request,
  { url, init }: Target,
): Promise<Response> {
  const signal = request.options.signal ?? clientOptions.signal;
  const response = await (clientOptions.fetch ?? fetch)(url, { ...init, ...(signal === undefined ? {} : { signal }) });
  if (response.ok) return response;
  const text = await response.text();
  throw errorOf(service, request, { response, body: readJson(request.name, response, text) });
}

/** The service sends something every fifteen seconds; after this time without data, the connection counts as lost. */
const idleMilliseconds = 60_000;

/** https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */
async function* eventsIn({ body }: Response): AsyncGenerator<ServerEvent> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const dead = setTimeout(() => void reader?.cancel().catch(() => undefined), idleMilliseconds);
      const { done, value } = (await reader?.read().finally(() => clearTimeout(dead))) ?? { done: true };
      if (done) {
        clearTimeout(dead);
        return;
      }
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r\n\r\n|\n\n|\r\r/);
      text = blocks.pop() ?? "";
      for (const block of blocks) yield eventIn(block);
    }
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

function eventIn(block: string): ServerEvent {
  const fields = block.split(/\r\n|\r|\n/).flatMap((line) => {
    const [, name, value = ""] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, value }];
  });
  const data = fields.filter(({ name }) => name === "data").map(({ value }) => value);
  return { id: fields.findLast(({ name }) => name === "id")?.value, data: data.join("\n") };
}

// ── Waiting ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** While the event stream is open, polls are this many times rarer. They remain necessary: some transitions have no event. */
const patience = 10;

function waiting(
  client: Readonly<Record<string, unknown>>,
  { operations }: ServiceDescription,
  wait: WaitDescription,
): (...values: unknown[]) => Promise<unknown> {
  const count = operations[wait.operation]?.path.match(/\{/g)?.length ?? 0;
  return async (...values) => {
    const keys = values.slice(0, count);
    const [states, options = {}] = values.slice(count) as [string | readonly string[], WaitOptions | undefined];
    const wanted = typeof states === "string" ? [states] : states;
    const { within = 300_000, every = 1000, signal: outgoing, ...rest } = options;
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, ...(outgoing === undefined || outgoing === null ? [] : [outgoing])]);
    const ears = wait.follow === undefined ? undefined : await subscribe(client, wait.follow, signal, every);
    try {
      return await waitFor({ ...wait, wanted, until: Date.now() + within, every, signal, ears }, (known) => {
        const read = client[wait.operation] as (...args: unknown[]) => Promise<unknown>;
        return read(...keys, { ...rest, signal, ...(known === undefined ? {} : { ifNoneMatch: known }) });
      });
    } finally {
      ended.abort();
    }
  };
}

interface Waiting extends WaitDescription {
  readonly wanted: readonly string[];
  readonly until: number;
  readonly every: number;
  readonly signal: AbortSignal;
  readonly ears: Ears | undefined;
}

async function waitFor(waiting: Waiting, read: (known: Tag | undefined) => Promise<unknown>): Promise<unknown> {
  const { wanted, reaches, until, every, signal, ears } = waiting;
  let record: unknown;
  for (;;) {
    // Subscribe before the read, so that an event during the read is not missed.
    const woken = ears?.open === true ? ears.next() : undefined;
    record = (await read(hasTag(record) ? record : undefined)) ?? record;
    const state = String(at(record, waiting.state));
    if (wanted.includes(state)) return record;
    const possible = reaches[state] ?? wanted;
    if (!wanted.some((one) => possible.includes(one))) throw new WaitError("unreachable", wanted, state, record);
    const left = until - Date.now();
    if (left <= 0) throw new WaitError("late", wanted, state, record);
    await pause(Math.min(left, ears?.open === true ? every * patience : every), signal, woken);
  }
}

function hasTag(value: unknown): value is { readonly [etag]: string } {
  return typeof value === "object" && value !== null && Object.hasOwn(value, etag);
}

interface Ears {
  readonly open: boolean;
  /** Resolves at the next event. */
  next(): Promise<void>;
}

/**
 * Follows events until `signal` aborts. Resolves when the stream is open or impossible, for example forbidden to the caller, or
 * after `patient` milliseconds, since a proxy may buffer the stream; then the client only polls.
 */
async function subscribe(
  client: Readonly<Record<string, unknown>>,
  follow: string,
  signal: AbortSignal,
  patient: number,
): Promise<Ears> {
  const listen = client[follow] as (query: object, options: FollowOptions) => AsyncIterable<unknown>;
  const ears = { open: false, wake: Promise.withResolvers<void>(), next: () => ears.wake.promise };
  const wake = (): void => {
    ears.wake.resolve();
    ears.wake = Promise.withResolvers();
  };
  const known = Promise.withResolvers<void>();
  const onOpen = (): void => {
    ears.open = true;
    wake();
    known.resolve();
  };
  const listening = async (): Promise<void> => {
    for await (const _ of listen({}, { signal, retries: 0, onOpen })) wake();
  };
  void listening()
    .catch(() => undefined)
    .finally(() => {
      ears.open = false;
      wake();
      known.resolve();
    });
  await pause(patient, signal, known.promise);
  return ears;
}

// ── Webhooks of a scheme ───────────────────────────────────────────────────────────────────────────────────────────

/** How the service signs webhooks: the signed text, and the values of the header fields, both with placeholders. */
interface SignatureScheme {
  readonly over: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly separator?: "comma" | "blank";
  readonly key?: "text" | "base64";
}

/**
 * Verifies a webhook request and returns its body. `payload` is the received text, not a parsed and serialized copy. During a
 * rotation of secrets, any of `secrets` is valid.
 *
 * @throws WebhookError
 * @throws TypeError for an empty secret.
 */
export async function verifiedByScheme(
  payload: string,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  secrets: string | readonly string[],
  scheme: SignatureScheme,
  { tolerance = 300, now = Date.now() }: WebhookOptions = {},
): Promise<unknown> {
  const values: Record<string, string> = { body: payload };
  const sent: string[] = [];
  for (const [name, template] of Object.entries(scheme.headers)) {
    const value = headers instanceof Headers ? headers.get(name) : (headers[name.toLowerCase()] ?? headers[name]);
    if (typeof value !== "string" || value === "") throw new WebhookError(`there is no ${name}`);
    for (const [placeholder, text] of valuesIn(value, template, scheme)) {
      if (placeholder === "hex" || placeholder === "base64") sent.push(text);
      else values[placeholder] = text;
    }
  }
  const { seconds } = values;
  if (scheme.over.includes("{seconds}") && !(Math.abs(now / 1000 - Number(seconds ?? Number.NaN)) <= tolerance))
    throw new WebhookError("the time of the signature is too far from the current time");
  const signed = new TextEncoder().encode(scheme.over.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ""));
  for (const secret of typeof secrets === "string" ? [secrets] : secrets) {
    // Reject an empty secret: otherwise anybody could sign with it.
    if (secret === "") throw new TypeError("a secret is empty");
    const bytes =
      scheme.key === "base64"
        ? Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (byte) => byte.codePointAt(0) ?? 0)
        : new TextEncoder().encode(secret);
    const key = await hmacKey(bytes, "verify");
    for (const text of sent) {
      const signature = signatureBytes(text);
      if (signature !== undefined && (await crypto.subtle.verify("HMAC", key, signature, signed)))
        return JSON.parse(payload) as unknown;
    }
  }
  throw new WebhookError("no signature matches a secret");
}

/** Returns the values of the placeholders in a header field. A field with several signatures consists of items. */
function valuesIn(value: string, template: string, { separator }: SignatureScheme): readonly [string, string][] {
  const isSignature = /\{(hex|base64)\}/.test(template);
  const split = (text: string): readonly string[] =>
    separator === undefined || !isSignature ? [text] : text.split(separator === "comma" ? "," : " ");
  const patterns = split(template).map((item) => {
    const pieces = item
      .split(/\{(\w+)\}/)
      .map((piece, index) => (index % 2 === 0 ? piece.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&") : `(?<${piece}>.+)`));
    return new RegExp(`^${pieces.join("")}$`);
  });
  return split(value).flatMap((item) =>
    patterns.flatMap((pattern) => Object.entries(pattern.exec(item)?.groups ?? {})),
  );
}

/** Decodes hexadecimal digits or base 64; undefined for any other text. */
function signatureBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (/^[0-9a-f]{64}$/.test(text)) return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  try {
    return Uint8Array.from(atob(text), (byte) => byte.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
}

// ── Webhooks ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The webhook request has no valid signature, or its timestamp is too far from the current time. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

export interface WebhookOptions {
  /** The allowed difference from the sender's clock, in seconds; default five minutes. */
  readonly tolerance?: number;
  /** The current time in epoch milliseconds; default the system clock. */
  readonly now?: number;
}

/**
 * Verifies a webhook request (Standard Webhooks 1.0.0) and returns its body. `payload` is the received text, not a parsed and
 * serialized copy. During a rotation of secrets, any of `secrets` is valid.
 *
 * @throws WebhookError
 * @throws TypeError for a malformed secret.
 */
export async function verifiedWebhook(
  payload: string,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  secrets: string | readonly string[],
  { tolerance = 300, now = Date.now() }: WebhookOptions = {},
): Promise<unknown> {
  const field = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== "string" || value === "") throw new WebhookError(`there is no ${name}`);
    return value;
  };
  const [id, seconds, signatures] = [field("webhook-id"), field("webhook-timestamp"), field("webhook-signature")];
  if (!/^[0-9]+$/.test(seconds) || Math.abs(now / 1000 - Number(seconds)) > tolerance)
    throw new WebhookError("webhook-timestamp is too far from the current time");
  const signed = new TextEncoder().encode(`${id}.${seconds}.${payload}`);
  for (const secret of typeof secrets === "string" ? [secrets] : secrets) {
    const bytes = bytesOf(secret.replace(/^whsec_/, ""));
    // Reject an empty secret: otherwise anybody could sign with it.
    if (bytes === undefined || bytes.length === 0) throw new TypeError("a secret is `whsec_` and base 64");
    const key = await hmacKey(bytes, "verify");
    for (const signature of signatures.split(" ")) {
      const clientOptions = signature.startsWith("v1,") ? bytesOf(signature.slice("v1,".length)) : undefined;
      if (clientOptions !== undefined && (await crypto.subtle.verify("HMAC", key, clientOptions, signed)))
        return JSON.parse(payload) as unknown;
    }
  }
  throw new WebhookError("no signature matches a secret");
}

/** Decodes base 64; undefined for any other text. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (sign) => sign.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
}
