/**
 * Receives the webhooks of one service for the bench, in a process of its own: checks each signature by Standard Webhooks, counts
 * events and those that came twice, and tells its parent when it asks.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** Begins anew with this secret; absent: tells what has come. */
export interface Question {
  readonly secret?: string;
}

export interface Came {
  readonly port: number;
  readonly events: number;
  readonly repeated: number;
  /** Deliveries whose signature is not that of what they say. */
  readonly unsigned: number;
  /** Epoch milliseconds of the newest event. */
  readonly lastAt: number;
}

const mostEvents = 1_000_000;
const known = new Set<string>();
let came = { repeated: 0, unsigned: 0, lastAt: 0 };
let key = Buffer.alloc(0);

function take({ headers }: IncomingMessage, body: string): void {
  const id = String(headers["webhook-id"]);
  const signed = `${id}.${String(headers["webhook-timestamp"])}.${body}`;
  const expected = Buffer.from(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
  const given = Buffer.from(String(headers["webhook-signature"]));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) came.unsigned += 1;
  if (known.has(id)) came.repeated += 1;
  else if (known.size < mostEvents) known.add(id);
  came.lastAt = Date.now();
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    take(request, Buffer.concat(chunks).toString());
    response.writeHead(204).end();
  });
});

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  const tell = (): void => void process.send?.({ port, events: known.size, ...came } satisfies Came);
  process.on("message", ({ secret }: Question) => {
    if (secret !== undefined) {
      key = Buffer.from(secret.slice("whsec_".length), "base64");
      known.clear();
      came = { repeated: 0, unsigned: 0, lastAt: 0 };
    }
    tell();
  });
});
process.on("disconnect", () => process.exit(0));
