/**
 * `node bench/floor.ts nonet|node PORT FILE`: answers that were ready before, with nothing behind them, as the service gave
 * them to the same requests. What it reaches is what any service on that layer could reach at most: `nonet` on the
 * server of this repository, `node` on `node:http` without it.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createForwarding } from "../src/http/proxies.ts";
import { listen } from "../src/http/node-server.ts";
import type { Service } from "../src/runtime/service.ts";

/** One answer for each scenario that only reads, its header as names and values in turn. */
export type Answers = Readonly<Record<"read" | "list" | "old", ReadyAnswer>>;

export interface ReadyAnswer {
  readonly headers: readonly string[];
  readonly body: string;
}

const oldVersion = "lockers-version";

if (import.meta.main) {
  const [, , kind, port, file = ""] = process.argv;
  const answers = JSON.parse(readFileSync(file, "utf8")) as Answers;
  const choose = (target: string, version: string | undefined): ReadyAnswer => {
    if (target.startsWith("/parcels?")) return answers.list;
    return version === undefined ? answers.read : answers.old;
  };
  if (kind === "nonet") await onNonet(Number(port), choose);
  else onNode(Number(port), choose);
}

type Choose = (target: string, version: string | undefined) => ReadyAnswer;

async function onNonet(port: number, choose: Choose): Promise<void> {
  const service: Pick<Service, "response" | "drain"> = {
    response: ({ target, headers }) => ({ status: 200, ...choose(target, headers.get(oldVersion)) }),
    drain: () => Promise.resolve(),
  };
  await listen({
    service: () => service as Service,
    host: "127.0.0.1",
    port,
    requestMilliseconds: 30_000,
    forwarding: createForwarding([]),
  });
}

function onNode(port: number, choose: Choose): void {
  createServer({ noDelay: true, keepAliveTimeout: 65_000 }, ({ url = "", headers }, nodeResponse) => {
    const version = headers[oldVersion];
    const response = choose(url, typeof version === "string" ? version : undefined);
    nodeResponse.writeHead(200, [...response.headers, "Content-Length", String(Buffer.byteLength(response.body))]);
    nodeResponse.end(response.body);
  }).listen(port, "127.0.0.1");
}
