/** The pantries, served by the real command in a separate process. */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cli } from "../cli.ts";
import type { Client, Sent } from "./client.ts";
import { createClient } from "./client.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Command extends Disposable {
  readonly child: ChildProcess;
  readonly client: Client;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** `data` is a file in the folder, or the address of a PostgreSQL database. Rejects where it ends before it serves. */
export async function start(folder: string, data: string): Promise<Command> {
  const document = join(root, "test/serve/documents/pantries.md");
  const place = data.includes("://") ? data : join(folder, data);
  const args = [cli, "serve", document, "--port", "0", "--data", place];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  let printed = "";
  child.stderr.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /at http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    void ended.then((code) => reject(new Error(`ended with ${code}: ${printed}`)));
  });
  const client = createClient(port, () => {});
  return {
    child,
    client,
    ended,
    [Symbol.dispose]() {
      client[Symbol.dispose]();
      child.kill("SIGKILL");
    },
  };
}

export const jar = (label: string): Sent => ({
  method: "POST",
  path: "/v1/pantries/cellar/jars",
  headers: { "Idempotency-Key": label },
  body: { label },
});

export async function labels(client: Client): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; ; page += 1) {
    const reply = await client.send({ method: "GET", path: `/v1/pantries/cellar/jars?limit=10&page=${page}` });
    const { items, next } = reply.json as { items: { label: string }[]; next: number | null };
    found.push(...items.map(({ label }) => label));
    if (next === null) return found;
  }
}

export async function putCellar(client: Client): Promise<void> {
  const body = { opened: "2026-01-01", name: "Cellar" };
  const reply = await client.send({ method: "PUT", path: "/v1/pantries/cellar", body });
  assert(reply.status === 201 || reply.status === 200, reply.text);
}
