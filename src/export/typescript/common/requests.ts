/** Sends requests: their address, header fields and body, and the retries. */
import { etag, type Tag } from "./calls.ts";
import { authorize, canRenew } from "./credentials.ts";
import type { OperationDescription, QueryForm, ServiceDescription } from "./description.ts";
import { errorOf } from "./error-bodies.ts";
import { ConnectionError, TimeoutError } from "./errors.ts";
import type { ParsedResponse, Query, Request, Scalar, UsedOptions } from "./request.ts";
import { delayOf, isIdempotent, pause, retriesOf, waitAfter } from "./retries.ts";

export { fetchChecked, initOf, readJson, type Target };

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
  // All attempts share one id and one key, by which the service recognizes retries.
  const id = crypto.randomUUID();
  const key = operation.key === undefined ? undefined : (options.idempotencyKey ?? id);
  let rejected = false;
  for (let tries = 0; ; tries += 1) {
    let wait: number | undefined;
    let failure: unknown;
    try {
      const init = await initOf(service, clientOptions, root, request, { id, key, rejected });
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

/** What distinguishes the attempts of calls. */
interface Attempt {
  /** The id of the call. */
  readonly id: string;
  readonly key: string | undefined;
  /** Whether the service rejected the last secret. */
  readonly rejected: boolean;
}

async function initOf(
  service: ServiceDescription,
  clientOptions: UsedOptions,
  root: string,
  { operation, parameters, body, query, options }: Request,
  { id, key, rejected }: Attempt,
): Promise<Target> {
  const { version } = service;
  const accept = operation.bytes ? "*/*" : operation.stream === undefined ? "application/json" : "text/event-stream";
  const headers = new Headers({ ...operation.headers, ...clientOptions.headers, ...options.headers });
  headers.set("Accept", version?.in === "accept" ? `${accept}; ${version.name}=${version.value}` : accept);
  if (version?.in === "header" && !headers.has(version.name)) headers.set(version.name, version.value);
  if (key !== undefined && operation.key !== undefined) headers.set(operation.key, key);
  if (options.ifMatch !== undefined) headers.set("If-Match", tagOf(options.ifMatch));
  if (options.ifNoneMatch !== undefined) headers.set("If-None-Match", tagOf(options.ifNoneMatch));
  const { content, type } = await contentOf(operation, body);
  if (type !== undefined) headers.set("Content-Type", type);
  const all = version?.in === "query" ? { ...query, [version.name]: version.value } : query;
  const address = root + pathOf(operation.path, parameters) + searchOf(all, operation.forms);
  const unsigned = { url: address, operation, body: content ?? "", headers, id, rejected };
  const url = await authorize(service, clientOptions, unsigned);
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

function searchOf(query: Query | undefined, forms: Readonly<Record<string, QueryForm>> = {}): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) => pairsOf(name, value, forms[name]));
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** Returns the parameters of a value; `brackets`: the value is a member of an object whose name is before brackets. */
function pairsOf(name: string, value: Query[string], form: QueryForm | "brackets" | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object") return [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`];
  if (Array.isArray(value)) {
    const items: readonly Scalar[] = value;
    if (form === "repeated") return items.flatMap((item) => pairsOf(name, item, form));
    if (form === "brackets") return items.flatMap((item) => pairsOf(`${name}[]`, item, form));
    return [`${encodeURIComponent(name)}=${joined(items, form ?? ",")}`];
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  if (form === "repeated") return members.flatMap(([key, member]) => pairsOf(key, member, form));
  if (form === undefined || form === "brackets")
    return members.flatMap(([key, member]) => pairsOf(`${name}[${key}]`, member, "brackets"));
  return members.length === 0
    ? []
    : [`${encodeURIComponent(name)}=${joined(members.flat() as readonly Scalar[], form)}`];
}

/** Returns the items as one text. A comma may be in a query as it is (RFC 3986 section 3.4). */
function joined(items: readonly Scalar[], separator: string): string {
  const written = separator === "," ? separator : encodeURIComponent(separator);
  return items.map((item) => encodeURIComponent(String(item))).join(written);
}

function tagOf(tag: Tag): string {
  const text = typeof tag === "string" ? tag : tag[etag];
  if (text === undefined)
    throw new TypeError("this value has no ETag: it was not read from the service, or was copied");
  return text;
}
