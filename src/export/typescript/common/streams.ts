/** Follows streams of server-sent events. */
import type { FollowOptions } from "./calls.ts";
import type { ServiceDescription } from "./description.ts";
import { errorOf } from "./error-bodies.ts";
import { ApiError, ConnectionError } from "./errors.ts";
import type { Request, UsedOptions } from "./request.ts";
import { initOf, readJson, type Target } from "./requests.ts";
import { delayOf, pause, retriesOf, waitAfter } from "./retries.ts";

export { followed };

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
    const target = await initOf(service, clientOptions, root, outgoing, {
      id: crypto.randomUUID(),
      key: undefined,
      rejected: false,
    });
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
  return { id: fields.filter(({ name }) => name === "id").at(-1)?.value, data: data.join("\n") };
}
