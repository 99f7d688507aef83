/** What a path leads to: an operation, or a page of the service itself that anybody may read. */
import type { OperationLimits } from "../limits/limiter.ts";
import type { CompiledOperation } from "./compiled.ts";
import type { PageResponder } from "./page.ts";
import type { VersionedOperation } from "./version.ts";

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
