/** A request and its response inside of a client. */
import {
  type CallOptions,
  type CommonOptions,
  etag,
  type KeyOptions,
  type Login,
  received,
  type Secret,
  type Tag,
} from "./calls.ts";
import type { OperationDescription } from "./description.ts";

export type { ParsedResponse, Query, Request, Scalar, UsedOptions };
export { at, valueOf };

// ── Request and response ──────────────────────────────────────────────────────────────────────────────────────────────

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

/** The value at a path in JSON; `0` is the first item of a list. */
function at(value: unknown, path: readonly string[]): unknown {
  let here = value;
  for (const name of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, name)) return undefined;
    here = (here as Readonly<Record<string, unknown>>)[name];
  }
  return here;
}
