/** Asks a program that is written for Node's own requests and answers, and gives what it answers as data. No socket is opened. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

export interface Forwarded {
  readonly method: "GET" | "POST";
  /** Path and query below the service's address. */
  readonly target: string;
  /** The service's address, absolute, without a slash at its end. */
  readonly base: string;
  readonly cookies: string | undefined;
  /** Of a form. */
  readonly body?: string;
}

/** A request that has come by no socket, and what is to be answered to it. */
export interface Bridged {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface BridgedResponse {
  readonly status: number;
  /** Names and values in turn. */
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

/** What is about the connection, or said by the service of every answer, stays behind. */
function headersOf(response: ServerResponse): readonly string[] {
  const left = ["content-length", "connection", "date", "transfer-encoding", "vary"];
  return Object.entries(response.getHeaders()).flatMap(([name, value]) =>
    left.includes(name) || value === undefined ? [] : [value].flat().flatMap((one) => [name, String(one)]),
  );
}
