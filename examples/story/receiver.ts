/** A receiver of webhooks, as somebody would write one: it believes nothing that is not signed (Standard Webhooks 1.0.0). */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createInbox, type Inbox, type LockerEvent } from "./inbox.ts";

export interface Delivery {
  readonly event: LockerEvent;
  readonly genuine: boolean;
  /** What the receiver answered. */
  readonly status: number;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly inbox: Inbox<Delivery>;
  /** Given once, in the answer to whoever registered the receiver. */
  secret: string;
  /** Whether it answers with an error, as somebody's does on a bad day. */
  broken: boolean;
}

export async function startReceiver(now: () => number): Promise<Receiver> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const genuine = isGenuine(request.headers, body, receiver.secret, now());
      const status = receiver.broken ? 503 : genuine ? 204 : 401;
      response.writeHead(status).end();
      receiver.inbox.put({ event: JSON.parse(body) as LockerEvent, genuine, status });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/parcels`,
    inbox: createInbox("the webhook"),
    secret: "",
    broken: false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

const toleranceSeconds = 300;

function isGenuine(headers: IncomingHttpHeaders, body: string, secret: string, now: number): boolean {
  const [id, seconds] = [headers["webhook-id"], headers["webhook-timestamp"]];
  if (Math.abs(Number(seconds) - now / 1000) > toleranceSeconds) return false;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const expected = createHmac("sha256", key)
    .update(`${String(id)}.${String(seconds)}.${body}`)
    .digest();
  return String(headers["webhook-signature"])
    .split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .map((signature) => Buffer.from(signature.slice("v1,".length), "base64"))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
