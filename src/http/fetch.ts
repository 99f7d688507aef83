/** Adapts the service to the Fetch API: a Request to a Response, without a socket. */
import {
  type HttpResponse,
  type Body,
  type HttpRequest,
  type Sink,
  type Streaming,
  readHeaders,
  type Responder,
} from "./message.ts";
import { gather } from "./byte-buffer.ts";

export type Fetch = (request: Request, from?: { readonly address?: string }) => Promise<Response>;

export function fetchFrom(service: Pick<Responder, "response">): Fetch {
  return async (request, { address = "" } = {}) => {
    const url = new URL(request.url);
    const httpRequest: HttpRequest = {
      method: request.method,
      target: url.pathname + url.search,
      headers: readHeaders(headersOf(request)),
      address,
      secure: url.protocol === "https:",
      body: (limit, milliseconds) => readBody(request, limit, milliseconds),
    };
    return responseTo(request, await service.response(httpRequest));
  };
}

/** Returns the header fields. Adds the one that announces a body, which a Request does not have by itself. */
function headersOf(request: Request): readonly string[] {
  const raw = [...request.headers].flat();
  if (request.body !== null && !request.headers.has("content-length")) raw.push("transfer-encoding", "chunked");
  return raw;
}

async function readBody(request: Request, limit: number, milliseconds: number): Promise<Body> {
  if (request.body === null) return { kind: "bytes", bytes: Buffer.alloc(0) };
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), milliseconds);
  const bytes = gather(limit, undefined);
  try {
    for (;;) {
      const next = await Promise.race([reader.read(), late.promise]);
      if (next === "late") return { kind: "aborted" };
      if (next.done) return { kind: "bytes", bytes: bytes.consume() };
      if (bytes.length + next.value.length > limit) return { kind: "too-large" };
      const { buffer, byteLength, byteOffset } = next.value;
      bytes.add(Buffer.from(buffer, byteOffset, byteLength));
    }
  } catch {
    return { kind: "aborted" };
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
  }
}

function responseTo({ method, signal }: Request, { status, headers: raw, body, stream }: HttpResponse): Response {
  const headers = new Headers();
  for (let index = 0; index + 1 < raw.length; index += 2)
    headers.append(raw[index] as string, raw[index + 1] as string);
  if (stream !== undefined && method !== "HEAD") return new Response(streamed(stream, signal), { status, headers });
  stream?.ended();
  const bodiless = method === "HEAD" || status === 204 || status === 205 || status === 304;
  return new Response(bodiless ? null : ((body ?? null) as string | Uint8Array<ArrayBuffer> | null), {
    status,
    headers,
  });
}

function streamed(stream: Streaming, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let over = false;
  let onDrained: (() => void) | undefined;
  const end = (close: () => void): void => {
    if (over) return;
    over = true;
    onDrained?.();
    stream.ended();
    close();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const sink: Sink = {
        write: (text) => {
          if (!over) controller.enqueue(typeof text === "string" ? encoder.encode(text) : text);
        },
        get waiting() {
          return Math.max(0, 1 - (controller.desiredSize ?? 1));
        },
        drained: () =>
          over || (controller.desiredSize ?? 1) > 0
            ? Promise.resolve()
            : new Promise((resolve) => {
                onDrained = resolve;
              }),
        end: () => end(() => controller.close()),
        cut: () => end(() => controller.error(new Error("the stream was cut"))),
      };
      signal.addEventListener("abort", () => end(() => controller.error(signal.reason)));
      stream.start(sink);
    },
    pull: () => onDrained?.(),
    cancel: () => end(() => {}),
  });
}
