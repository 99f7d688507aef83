/**
 * What the service adds to an operation whose document does not say all of it: columns that it sets, and what its answer
 * says besides. An operation without one costs nothing.
 */
import type { Row } from "../../store/port/store.ts";
import type { Call } from "../context.ts";
import type { HttpResponse } from "../../http/message.ts";
import type { Values } from "../records/defaults-and-rules.ts";

export interface Extension {
  /** Columns of the record, beside those of the operation; `row` is the record before it. May refuse. */
  fill?(call: Call, next: Values, row: Row | undefined): Values;
  /** The body to give for what the operation gives, also when a request is repeated; it is never kept (R4.20). */
  transformBody?(body: string): string;
  /** Answers in place of the deed: what is asked for is in no table. */
  perform?(call: Call): Promise<HttpResponse>;
  /** The media types of its answers, where JSON is not the only one. */
  readonly offers?: readonly string[];
}

export type Extensions = Readonly<Record<string, Extension>>;

/** The answer as the caller gets it. */
export function extended(extension: Extension | undefined, result: HttpResponse): HttpResponse {
  if (extension?.transformBody === undefined || result.status >= 300 || typeof result.body !== "string") return result;
  const headers = result.headers.map((text, index) =>
    index % 2 === 1 && result.headers[index - 1] === "Cache-Control" ? "no-store" : text,
  );
  return { ...result, headers, body: extension.transformBody(result.body) };
}
