/** The services and tests that an agent starts: separate processes of this command, on free ports of this machine. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { UsageError } from "../../server/errors.ts";

export interface Served {
  readonly url: string;
  /** The file with the service's data, which ends with it. */
  readonly data: string;
}

export interface Processes {
  /** Serves a document with empty data until `stop`; a document that is served already starts anew. */
  serve(document: string, handlers: string | undefined): Promise<Served>;
  served(document: string): Served | undefined;
  /** Whether the document was served. */
  stop(document: string): Promise<boolean>;
  stopAll(): Promise<void>;
  /** Runs a command to its end. */
  run(args: readonly string[], milliseconds: number): Promise<{ readonly code: number; readonly output: string }>;
}

/** The most services at once, so that an agent that forgets to stop them does not fill the machine. */
const mostServices = 4;
const startMilliseconds = 30_000;
const mostOutput = 1_000_000;

interface Running extends Served {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly ended: Promise<void>;
}

/** `folder`: where the processes run. */
export function createProcesses(folder: string): Processes {
  const running = new Map<string, Running>();
  const start = (args: readonly string[]) => {
    const [entry = ""] = process.argv.slice(1);
    const child = spawn(process.execPath, [entry, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    return { child, ended };
  };
  const stop = async (document: string): Promise<boolean> => {
    const found = running.get(document);
    if (found === undefined) return false;
    running.delete(document);
    found.child.kill("SIGTERM");
    await found.ended;
    rmSync(found.folder, { recursive: true, force: true });
    return true;
  };
  return {
    async serve(document, handlers) {
      await stop(document);
      if (running.size >= mostServices)
        throw new UsageError(`${mostServices} documents are served already: stop one of them`);
      const data = mkdtempSync(join(tmpdir(), "nonet-mcp-"));
      const file = join(data, "data.db");
      const options = ["--port", "0", "--data", file, "--test-clock"];
      const { child, ended } = start([
        "serve",
        document,
        ...options,
        ...(handlers === undefined ? [] : ["--handlers", handlers]),
      ]);
      try {
        const url = await addressOf(child, ended);
        running.set(document, { url, data: file, child, folder: data, ended });
        void ended.then(() => running.get(document)?.child === child && running.delete(document));
        return { url, data: file };
      } catch (thrown) {
        child.kill("SIGKILL");
        await ended;
        rmSync(data, { recursive: true, force: true });
        throw thrown;
      }
    },
    served: (document) => running.get(document),
    stop,
    stopAll: async () => void (await Promise.all([...running.keys()].map(stop))),
    async run(args, milliseconds) {
      const { child, ended } = start(args);
      let output = "";
      const late = setTimeout(() => child.kill("SIGKILL"), milliseconds);
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding("utf8").on("data", (text: string) => void (output = (output + text).slice(0, mostOutput)));
      await ended;
      clearTimeout(late);
      return { code: child.exitCode ?? 1, output };
    },
  };
}

/** Waits until a service says where it listens. @throws UsageError with its messages if it ends before */
async function addressOf(child: ChildProcess, ended: Promise<void>): Promise<string> {
  let output = "";
  const listening = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      if (output.length < mostOutput) output += text;
      const url = /\bat (http:\/\/\S+?)[,.]?\s/.exec(output)?.[1];
      if (url !== undefined) listening.resolve(url);
    });
  const late = setTimeout(
    () => listening.reject(new UsageError(`the service does not start:\n${output}`)),
    startMilliseconds,
  );
  void ended.then(() => listening.reject(new UsageError(output.trim())));
  return listening.promise.finally(() => clearTimeout(late));
}
