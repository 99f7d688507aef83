/** The options of calls, and their results. */
import { ApiError } from "./errors.ts";

export { callOf, received };

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

const received: WeakMap<object, Received> = new WeakMap();

export function receivedWith(reply: object): Received | undefined {
  return received.get(reply);
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
