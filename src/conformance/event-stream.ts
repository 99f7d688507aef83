/**
 * A client of server-sent events. It does not reconnect by itself, since a test wants to see how a stream ends and what a server
 * sends after a reconnection. This file uses sockets and the clock.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import { printMilliseconds } from "../base/duration.ts";
import { createEventParser, type EventParser } from "./event-parser.ts";
import { headOf, openRequest, problemOf, readResponse, type SocketError } from "./http-client.ts";
import type { NoResponse, Response } from "./interaction.ts";

export interface EventStream extends Omit<EventParser, "push"> {
  /** The response. Its text is empty if it is a stream. */
  readonly response: Response | NoResponse;
  /** Why the stream has ended, in plain words; undefined while it is open. */
  readonly ended: string | undefined;
  /** Waits until a condition is true; resolves to false if it is not in time, or not at the end of the stream. */
  until(condition: (stream: EventStream) => boolean, milliseconds: number): Promise<boolean>;
  close(): void;
}

export interface FollowOptions {
  /** The id of the last event that was received, sent as `Last-Event-ID`. */
  readonly lastEventId?: string;
  /** How long the response may take to begin; default: 10 s. */
  readonly timeoutMilliseconds?: number;
  /** How many bytes the response may have; default: 16 MiB. */
  readonly maximumBytes?: number;
}

/** Opens a stream; resolves once the response has begun, or is complete if it is no stream. Never rejects. */
export async function follow(
  url: string,
  headers: Readonly<Record<string, string>>,
  { lastEventId, maximumBytes = 16_777_216, timeoutMilliseconds = 10_000 }: FollowOptions = {},
): Promise<EventStream> {
  const fields = {
    Accept: "text/event-stream",
    ...(lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId }),
    ...headers,
  };
  let sent: ClientRequest;
  try {
    sent = openRequest({ method: "GET", url, headers: fields }, new URL(url), false);
  } catch (thrown) {
    return streamOf({ problem: `the request cannot be sent: ${(thrown as Error).message}` });
  }
  let late: NoResponse | undefined;
  const timer = setTimeout(() => {
    late = { problem: `no response within ${printMilliseconds(timeoutMilliseconds)}` };
    sent.destroy();
  }, timeoutMilliseconds);
  try {
    const message = await responseTo(sent, new URL(url));
    if ("problem" in message) return streamOf(late ?? message);
    if (isStream(message))
      return streamOf({ ...headOf(message), text: "", json: undefined }, { message, maximumBytes });
    const response = await readResponse(message, maximumBytes);
    sent.destroy();
    return streamOf(late ?? response);
  } finally {
    clearTimeout(timer);
  }
}

function responseTo(sent: ClientRequest, { host }: URL): Promise<IncomingMessage | NoResponse> {
  return new Promise((resolve) => {
    sent.once("response", resolve);
    sent.on("error", (error: SocketError) => resolve({ problem: problemOf(error, host) }));
    sent.once("close", () => resolve({ problem: "the connection was closed before a response came" }));
  });
}

function isStream({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 200 && /^text\/event-stream\s*(?:;|$)/i.test(headers["content-type"] ?? "");
}

interface Source {
  readonly message: IncomingMessage;
  readonly maximumBytes: number;
}

/** Returns the stream of a response; without a source it has ended. */
function streamOf(response: Response | NoResponse, source?: Source): EventStream {
  const parser = createEventParser(() => Date.now());
  const waiting = new Set<() => void>();
  let ended = source === undefined ? "the response is no stream" : undefined;
  const notify = (): void => {
    for (const look of waiting) look();
  };
  const end = (reason: string): void => {
    ended ??= reason;
    source?.message.destroy();
    notify();
  };
  if (source !== undefined) void read(source, parser, notify).then(end);

  const stream: EventStream = {
    response,
    events: parser.events,
    get lastEventId() {
      return parser.lastEventId;
    },
    get retryMilliseconds() {
      return parser.retryMilliseconds;
    },
    get comments() {
      return parser.comments;
    },
    get ended() {
      return ended;
    },
    async until(condition, milliseconds) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const look = (): void => {
        if (condition(stream)) resolve(true);
        else if (ended !== undefined) resolve(false);
      };
      const timer = setTimeout(resolve, milliseconds, false);
      waiting.add(look);
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(look);
      });
    },
    close: () => end("the test has closed it"),
  };
  return stream;
}

/** Reads the stream to its end, and returns why it has ended. Never rejects. */
async function read({ message, maximumBytes }: Source, parser: EventParser, notify: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let length = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maximumBytes) return `the stream is longer than ${maximumBytes} bytes`;
      parser.push(decoder.decode(chunk, { stream: true }));
      notify();
    }
    return "the server has ended it";
  } catch {
    return "the connection was closed in the middle of the stream";
  }
}
