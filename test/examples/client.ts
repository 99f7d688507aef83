/** A client of a served example: one method per request, with assertions about the response. */
import assert from "node:assert/strict";
import type { Running } from "../serve/running.ts";

export type Body = Record<string, unknown>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface Client {
  /** `POST /parcels`, with a body and header fields; fails the test unless the status is `expected`. */
  (line: string, expected: number, body?: Body, headers?: Record<string, string>): Promise<Reply>;
}

/** `credential`: header fields that say who calls; none for anybody. */
export function clientOf(service: Running, credential: Record<string, string> = {}): Client {
  return async (line, expected, body, headers = {}) => {
    const [method = "", path = ""] = line.split(" ");
    const response = await fetch(service.url + path, {
      method,
      headers: { ...credential, ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, expected, `${line}: ${text}`);
    return { status: response.status, headers: response.headers, body: text === "" ? {} : (JSON.parse(text) as Body) };
  };
}
