/** Starts Debian's `valkey-server` or `redis-server` for a test, without persistence, on a free port. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import process from "node:process";
import { createInterface } from "node:readline";
import { freePort } from "./free-port.ts";

export interface ValkeyServer extends AsyncDisposable {
  readonly address: string;
  readonly pid: number;
}

const program = ["valkey-server", "redis-server"].find((name) => spawnSync(name, ["--version"]).status === 0);

/** Why a test that needs one is left out; in CI it must run. */
export const noValkey: string | false =
  program === undefined && process.env["CI"] === undefined && "neither valkey-server nor redis-server is installed";

/** @throws where there is none. */
export async function startValkey(port?: number): Promise<ValkeyServer> {
  if (program === undefined) throw new Error("neither valkey-server nor redis-server is installed");
  const at = port ?? (await freePort());
  const server = spawn(program, ["--port", String(at), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"], {
    cwd: tmpdir(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "exit");
  for await (const line of createInterface(server.stdout)) if (/ready to accept connections/i.test(line)) break;
  server.stdout.resume();
  return {
    address: `redis://127.0.0.1:${at}`,
    pid: server.pid ?? 0,
    async [Symbol.asyncDispose]() {
      server.kill("SIGKILL");
      await ended;
    },
  };
}
