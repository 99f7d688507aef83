/**
 * Ends the process if its event loop is blocked: an endless loop in a function (`while (true)`) blocks all requests, and code
 * in the same thread cannot stop it. A worker thread checks whether the event loop advances. If it is blocked for longer than
 * any request may take, the thread gets the stack from V8, logs it, and kills the process; no acknowledged write is lost
 * (R1.8), and a supervisor restarts it.
 *
 * The watchdog takes 10 MB and runs only for services with functions, because Nonet itself has no endless loops.
 */
import inspector from "node:inspector";
import { Worker } from "node:worker_threads";

export interface Watchdog {
  /** Called with a function's name when it starts; the returned callback is called when it ends. */
  readonly began: (name: string) => () => void;
  start(): void;
  stop(): Promise<void>;
}

export interface WatchdogOptions {
  /** How long the event loop may be blocked, in milliseconds. */
  readonly milliseconds: number;
  readonly json: boolean;
  readonly service: string;
}

/** The input of the worker thread, which reads the shared memory while the main thread is blocked. */
interface WorkerInput extends WatchdogOptions {
  readonly ticks: SharedArrayBuffer;
  readonly names: SharedArrayBuffer;
}

const tickMilliseconds = 250;
const mostNames = 4096;

export function createWatchdog(options: WatchdogOptions): Watchdog {
  /** Shared memory. [0]: the number of ticks of the event loop; [1]: the length of `names` in bytes. */
  const ticks = new Int32Array(new SharedArrayBuffer(8));
  const names = new Uint8Array(new SharedArrayBuffer(mostNames));
  const active = new Map<symbol, string>();
  let worker: Worker | undefined;
  let turning: NodeJS.Timeout | undefined;

  const writeNames = (): void => {
    // The names are copied, since `encodeInto` cannot write to shared memory.
    const bytes = new TextEncoder().encode([...active.values()].join(", ")).subarray(0, mostNames);
    names.set(bytes);
    ticks[1] = bytes.length;
  };
  return {
    began: (name) => {
      const key = Symbol(name);
      active.set(key, name);
      writeNames();
      return () => {
        active.delete(key);
        writeNames();
      };
    },
    start() {
      // With a debugger attached, breakpoints block the event loop, so it is not checked.
      if (inspector.url() !== undefined) return;
      turning = setInterval(() => Atomics.add(ticks, 0, 1), tickMilliseconds).unref();
      const workerInput: WorkerInput = { ...options, ticks: ticks.buffer, names: names.buffer };
      // The worker gets its code as text, because a bundled command has no other file for the thread.
      worker = new Worker(`(${watch.toString()})()`, {
        eval: true,
        workerData: workerInput,
        name: "watchdog",
        resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
      });
      worker.unref();
      // If the thread fails, the service continues without a watchdog.
      worker.on("error", () => undefined);
    },
    async stop() {
      clearInterval(turning);
      await worker?.terminate();
    },
  };
}

/** Watches the event loop. Runs in the worker thread from its source text, so it can use only its own code and globals. */
function watch(): void {
  const { process } = globalThis;
  const { workerData } = process.getBuiltinModule("node:worker_threads");
  const { Session } = process.getBuiltinModule("node:inspector");
  const { writeSync } = process.getBuiltinModule("node:fs");
  const { json, milliseconds, names, service, ticks: shared } = workerData as WorkerInput;
  const lookMilliseconds = 250;
  const ticks = new Int32Array(shared);
  let [last, stalled] = [0, 0];
  // It counts checks instead of time: if the process is suspended or the machine sleeps, this thread is suspended too.
  const looking = setInterval(() => {
    const now = Atomics.load(ticks, 0);
    stalled = now === last ? stalled + 1 : 0;
    last = now;
    if (stalled * lookMilliseconds < milliseconds) return;
    clearInterval(looking);
    find();
  }, lookMilliseconds);

  function find(): void {
    // During a long native call the debugger cannot pause, so the process is ended without a stack.
    setTimeout(() => end("native code"), 2000);
    try {
      const session = new Session();
      const files = new Map<string, string>();
      session.connectToMainThread();
      session.on("Debugger.scriptParsed", ({ params }) => files.set(params.scriptId, params.url));
      session.on("Debugger.paused", ({ params }) => {
        const frames = params.callFrames.map(({ functionName, location }) => {
          const { columnNumber = 0, lineNumber, scriptId } = location;
          return `${functionName || "anonymous"} (${files.get(scriptId) ?? "?"}:${lineNumber + 1}:${columnNumber + 1})`;
        });
        end(
          frames
            .filter((frame) => !frame.includes("(node:"))
            .slice(0, 8)
            .join("\n"),
        );
      });
      session.post("Debugger.enable");
      session.post("Debugger.pause");
    } catch {
      // Without an inspector, the process is ended without a stack.
      end("unknown");
    }
  }

  function end(stack: string): void {
    const time = new Date().toISOString();
    const functions = Buffer.from(new Uint8Array(names).slice(0, ticks[1])).toString();
    const message = "the event loop stands, and the process is ended";
    const line = json
      ? JSON.stringify({ level: "error", service, time, milliseconds, functions, stack, msg: message })
      : `${time.slice(11, 23)} error ${message} milliseconds=${milliseconds} functions=${JSON.stringify(functions)}\n  ${stack.replaceAll("\n", "\n  ")}`;
    try {
      writeSync(2, `${line}\n`);
    } catch {
      // The reader of standard error has closed the pipe.
    }
    process.kill(process.pid, "SIGKILL");
  }
}
