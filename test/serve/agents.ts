/** Talks to the address for agents: with the client of the protocol, and byte for byte. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Json, JsonObject } from "../../src/base/json.ts";

export interface Agent extends AsyncDisposable {
  readonly client: Client;
}

/** Connects a client; `legacy` speaks the revision of 2025-11-25, else that of 2026-07-28. */
export async function agent(
  url: string,
  key: string | undefined,
  era: "modern" | "legacy" = "modern",
  scheme = "Bearer",
): Promise<Agent> {
  const client = new Client(
    { name: "a test", version: "1" },
    { versionNegotiation: { mode: era === "legacy" ? "legacy" : "auto" } },
  );
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `${scheme} ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON-RPC message, also from a stream of one event. */
  readonly message: JsonObject | undefined;
}

/** Posts bytes, by default as a client of the revision of 2025-11-25. */
export async function post(url: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
  });
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  let message: JsonObject | undefined;
  try {
    message = JSON.parse(data) as JsonObject;
  } catch {}
  return { status: response.status, headers: response.headers, text, message };
}

export function message(method: string, params: Json = {}, id: Json = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** A result of `tools/call`, as far as the tests read it. */
export interface CallResult {
  readonly isError?: boolean;
  readonly structuredContent?: JsonObject;
  readonly content: readonly { readonly text: string }[];
}

/** Returns what two responses to one request have in common: not their ids. */
export function comparable(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  const { instance: _, request_id: __, ...rest } = body as JsonObject;
  return rest;
}
