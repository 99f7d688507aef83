/** The target of a path: an operation, or a page of the service. */
import type { Awaitable } from "../../store/port/store.ts";
import type { ApiError } from "../errors/api-error.ts";
import type { OperationLimits } from "../limits/limiter.ts";
import type { Caller } from "./caller.ts";
import type { CompiledOperation } from "./compiled.ts";
import type { VersionedOperation, Served } from "./version.ts";
import type { HttpRequest, HttpResponse } from "../../http/message.ts";
import type { Segment } from "../../plan/endpoints/types.ts";

export interface OperationEndpoint {
  readonly kind: "operation";
  readonly compiled: CompiledOperation;
  readonly limits: OperationLimits | undefined;
  /** The operation of an older version, if the path is in an older version. */
  readonly received?: VersionedOperation;
  /** For incoming events that are told apart by their kind: all endpoints at the address, with this one. */
  readonly kinds?: readonly OperationEndpoint[];
}

export interface PageEndpoint {
  readonly kind: "page";
  readonly requestFields: readonly string[];
  readonly page: PageResponder;
  /** Whether the page requires a credential. */
  readonly signedIn: boolean;
  /** The page's rate limits; absent only for health checks. */
  readonly limits: OperationLimits | undefined;
}

export type Endpoint = OperationEndpoint | PageEndpoint;

/** A page of the service besides the document's operations. */
export interface Page {
  /** The method. Default: `GET`. */
  readonly method?: "POST";
  readonly path: readonly Segment[];
  /** The request header fields that CORS allows (R4.22). */
  readonly requestFields?: readonly string[];
  readonly page: PageResponder;
  /** Whether the page requires a credential. */
  readonly signedIn?: boolean;
  /** Which rate limits apply: none for health checks, `stored` if the page writes to the store, default `others`. */
  readonly rate?: "none" | "stored";
}

export type PageResponder = (
  httpRequest: HttpRequest,
  parameters: Readonly<Record<string, string>>,
  /** Returns the requested version. @throws ApiError if it is unavailable. Only some pages need a version. */
  version: () => Served,
  access: PageAccess,
) => HttpResponse | Promise<HttpResponse>;

/** What a page can learn about its caller. */
export interface PageAccess {
  /** Returns the caller, like an operation. @throws ApiError 401 or 400 for an invalid credential */
  caller(body: () => Promise<Uint8Array>): Awaitable<Caller>;
  /** Returns the version of an operation for this caller and request. @throws ApiError if it is unavailable */
  versionFor(caller: Caller): Awaitable<Served>;
  /** The id of the request, which errors contain. */
  readonly requestId: string;
  /** Returns the 401 error for a caller without a credential. */
  challenge(): ApiError;
}
