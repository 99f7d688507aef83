/** What a path leads to: an operation, or a page of the service itself that anybody may read. */
import type { OperationLimits } from "../limits/limiter.ts";
import type { CompiledOperation } from "./compiled.ts";
import type { VersionedOperation, Served } from "./version.ts";
import type { HttpRequest, HttpResponse } from "../../http/message.ts";
import type { Segment } from "../../plan/endpoints/types.ts";

export interface OperationEndpoint {
  readonly kind: "operation";
  readonly compiled: CompiledOperation;
  readonly limits: OperationLimits | undefined;
  /** What an older version's callers may send and are given. */
  readonly received?: VersionedOperation;
}

export interface PageEndpoint {
  readonly kind: "page";
  readonly requestFields: readonly string[];
  readonly page: PageResponder;
  /** Whether only a caller with a credential may read it. */
  readonly signedIn: boolean;
  /** Absent for health alone. */
  readonly limits: OperationLimits | undefined;
}

export type Endpoint = OperationEndpoint | PageEndpoint;

/** A page that the service serves besides the operations of its document. */
export interface Page {
  /** `GET` by default. */
  readonly method?: "POST";
  readonly path: readonly Segment[];
  /** The header fields that it understands of pages of other origins (R4.22). */
  readonly requestFields?: readonly string[];
  readonly page: PageResponder;
  /** Whether only a caller with a credential may read it. */
  readonly signedIn?: boolean;
  /** Which limits hold for it: none for health, `stored` where the service stores something for it, else `others`. */
  readonly rate?: "none" | "stored";
}

export type PageResponder = (
  httpRequest: HttpRequest,
  parameters: Readonly<Record<string, string>>,
  /** The requested version. @throws ApiError if that is not served, which only some pages need to know */
  version: () => Served,
) => HttpResponse | Promise<HttpResponse>;
