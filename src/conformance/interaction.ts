/** A request of the test and what came back, and its form as a line for a shell. */
import type { Json } from "../base/json.ts";

export interface Request {
  readonly method: string;
  /** The absolute URL. */
  readonly url: string;
  /** The header fields, with the names as they are sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Response {
  readonly status: number;
  /** The reason phrase of the status, as the status line has it: `Not Found`; absent if it has none. */
  readonly statusText?: string;
  /** The header fields by lower-case name; several fields of one name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON; undefined if it is none. */
  readonly json: Json | undefined;
}

/** Why there is no response, in plain words: `no response within 10 s`, `the connection was closed`. */
export interface NoResponse {
  readonly problem: string;
}

export interface Interaction {
  readonly request: Request;
  readonly response: Response | NoResponse;
  /** When the request was sent, in milliseconds since 1970, and how long the response took. */
  readonly startedAt: number;
  readonly milliseconds: number;
  /** The name of the caller, or `anonymous`. */
  readonly caller: string;
  /** The operation of the document that the request is for; absent for requests to no operation. */
  readonly operation?: string;
}

/** Sends a request and never throws: a connection that fails, hangs or sends rubbish gives a `NoResponse`. */
export type Send = (request: Request) => Promise<Response | NoResponse>;

export function isResponse(response: Response | NoResponse): response is Response {
  return "status" in response;
}
