/** Runs a service in a separate process, for faults from outside: its disk, its clock, its clients, its end. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { addressOf, nonet, type RunOptions, type Running } from "../commands/process.ts";

export interface Service extends Running {
  readonly url: string;
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Reply>;
  /** Asks it to stop, and sees that it does in order. */
  readonly stop: () => Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export async function serve(t: TestContext, args: readonly string[], options: RunOptions): Promise<Service> {
  const running = nonet(t, ["serve", ...args, "--port", "0"], options);
  const url = await addressOf(running);
  return Object.assign(running, {
    url,
    send: (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
      send(`${url}${path}`, method, body, headers),
    stop: async () => {
      running.signal("SIGTERM");
      assert.equal(await running.ended, 0, running.output);
    },
  });
}

async function send(
  url: string,
  method: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const form = body instanceof FormData;
  const type = form || body === undefined ? {} : { "Content-Type": "application/json" };
  const response = await fetch(url, {
    method,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : {};
  return { status: response.status, headers: response.headers, text, json };
}
