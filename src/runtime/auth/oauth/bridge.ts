/** Calls an HTTP handler for Node's requests and responses without a socket, and returns its response as data. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

export interface Forwarded {
  readonly method: "GET" | "POST";
  /** The path and query, below the service's base URL. */
  readonly target: string;
  /** The service's absolute base URL, without a trailing slash. */
  readonly base: string;
  readonly cookies: string | undefined;
  /** The form body. */
  readonly body?: string;
}

/** A request without a network connection, and its response. */
export interface Bridged {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface BridgedResponse {
  readonly status: number;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly body: string;
}

export function bridged({ method, target, base, cookies, body }: Forwarded): Bridged {
  const { protocol, host, pathname } = new URL(base);
  const socket = Object.assign(new Socket(), { encrypted: protocol === "https:" });
  const request = new IncomingMessage(socket);
  const mount = pathname.replace(/\/+$/, "");
  Object.assign(request, { method, url: target, originalUrl: `${mount}${target}`, complete: true });
  request.headers = {
    host,
    ...(cookies === undefined ? {} : { cookie: cookies }),
    ...(body === undefined
      ? {}
      : { "content-type": "application/x-www-form-urlencoded", "content-length": String(Buffer.byteLength(body)) }),
  };
  if (body !== undefined) request.push(body);
  request.push(null);
  return { request, response: new ServerResponse(request) };
}

export function requestOf(
  program: (request: IncomingMessage, response: ServerResponse) => unknown,
  { request, response }: Bridged,
): Promise<BridgedResponse> {
  return new Promise((resolve, reject) => {
    const end = (body?: unknown): ServerResponse => {
      const text = typeof body === "string" || Buffer.isBuffer(body) ? body.toString() : "";
      resolve({ status: response.statusCode, headers: headersOf(response), body: text });
      return response;
    };
    Object.assign(response, { end });
    Promise.resolve(program(request, response)).catch(reject);
  });
}

/**
 * Returns the header fields of a response without those about the connection and those that the service adds to every
 * response.
 */
function headersOf(response: ServerResponse): readonly string[] {
  const left = ["content-length", "connection", "date", "transfer-encoding", "vary"];
  return Object.entries(response.getHeaders()).flatMap(([name, value]) =>
    left.includes(name) || value === undefined ? [] : [value].flat().flatMap((one) => [name, String(one)]),
  );
}
