/** A webhook receiver for tests: a real server on this machine with configurable responses, which stores all requests. */
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** What it answers with from now on; `hang`: nothing. */
  answer: (received: Received) => { status: number; headers?: Record<string, string>; body?: string } | "hang";
  /** Breaks all connections and takes no more, until it is up again. */
  down(): void;
  up(): Promise<void>;
  /** Resolves once so many have come, and fails after ten seconds. */
  until(count: number): Promise<readonly Received[]>;
}

export async function createReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const one: Received = { path: request.url ?? "", headers, body };
      const answer = receiver.answer(one);
      received.push(one);
      for (const tell of waiting) tell();
      if (answer === "hang") return;
      response.writeHead(answer.status, answer.headers ?? {});
      response.end(answer.body ?? "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: () => ({ status: 204 }),
    down() {
      server.close();
      server.closeAllConnections();
    },
    up: () => new Promise((resolve) => server.listen(port, "127.0.0.1", resolve)),
    until(count) {
      const { promise, resolve, reject } = Promise.withResolvers<readonly Received[]>();
      const timer = setTimeout(() => reject(new Error(`${received.length} of ${count} came`)), 10_000);
      const tell = (): void => {
        if (received.length >= count) resolve(received);
      };
      waiting.add(tell);
      tell();
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(tell);
      });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
