/** What a peer is to the bench: how it is started, and how each scenario is asked of it in its own words. */
import { createHmac } from "node:crypto";

export type Store = "sqlite" | "postgres";

/** The parcel that everybody is asked to create; what a peer wants beside it, its adapter adds. */
export interface Announcement {
  readonly site: string;
  readonly size: string;
  readonly trackingNumber: string;
  readonly recipientEmail: string;
  readonly weightKg: number;
}

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status where it succeeds. */
  readonly expect: number;
}

export interface Peer {
  /** The folder beside this file that is installed before it runs; absent for Nonet, which is here already. */
  readonly folder?: string;
  /** Where it can keep its records here. */
  readonly stores: readonly Store[];
  /** What is not done of the work or done by hand, in one line each. */
  readonly differs: readonly string[];
  /** It answers from examples, and has no /readyz: any answer says that it runs. */
  readonly keepsNothing?: true;
  readonly serve: (port: number, data: string) => readonly string[];
  /** Run once on an empty database, where the peer does not do so when it starts. */
  readonly prepare?: (data: string) => readonly string[];
  /** Arguments to node that print a courier's key as the last word; absent: a JWT. */
  readonly key?: (data: string, user: string) => readonly string[];
  readonly read: (id: string) => Ask;
  readonly list: () => Ask;
  readonly create: (parcel: Announcement) => Ask;
  readonly move: (id: string) => Ask;
  /** The records in an answer, of one or of a list. */
  readonly records: (answer: unknown) => readonly unknown[];
}

/** Both its claims are read: Platformatic's, and the standard one. */
export function jwt(user: string, secret: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: user, role: "courier", "X-PLATFORMATIC-USER-ID": user })}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

/** The request as the load generator sends it. */
export function wire(ask: Ask, key: string): string {
  const text = ask.body === undefined ? "" : JSON.stringify(ask.body);
  const lines = [
    `${ask.method} ${ask.path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${key}`,
    "Accept: application/json",
    ...Object.entries(ask.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(ask.body === undefined ? [] : ["Content-Type: application/json"]),
    ...(ask.method === "GET" ? [] : [`Content-Length: ${text.length}`]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}
