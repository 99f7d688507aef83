/**
 * What notices that the event loop stands, and ends the process: a function of the service's owner that comes to no end
 * (`while (true)`) holds up every request, and nothing in its own thread can stop it or say so. So a thread of its own looks whether
 * the loop still turns. Where it has not for longer than any request may take, it asks V8 where the loop is, says so in the log,
 * and kills the process, which loses nothing that was answered (R1.8); a supervisor starts another one.
 *
 * Only who has functions pays for it (10 MB): nothing of Nonet's own comes to no end.
 */
import inspector from "node:inspector";
import { Worker } from "node:worker_threads";

export interface Watchdog {
  /** Told of each function that begins; gives what says that it has ended. */
  readonly began: (name: string) => () => void;
  start(): void;
  stop(): Promise<void>;
}

export interface WatchdogOptions {
  /** The loop may stand for so long. */
  readonly milliseconds: number;
  readonly json: boolean;
  readonly service: string;
}

/** What the thread is given; the memory is looked at while this thread stands. */
interface WorkerInput extends WatchdogOptions {
  readonly ticks: SharedArrayBuffer;
  readonly names: SharedArrayBuffer;
}

const tickMilliseconds = 250;
const mostNames = 4096;

export function createWatchdog(options: WatchdogOptions): Watchdog {
  /** How often the loop has turned, and how many bytes of `names` there are. */
  const ticks = new Int32Array(new SharedArrayBuffer(8));
  const names = new Uint8Array(new SharedArrayBuffer(mostNames));
  const active = new Map<symbol, string>();
  let worker: Worker | undefined;
  let turning: NodeJS.Timeout | undefined;

  const writeNames = (): void => {
    // `encodeInto` does not write to memory that is shared.
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
      // Who debugs a function lets it stand for as long as it takes.
      if (inspector.url() !== undefined) return;
      turning = setInterval(() => Atomics.add(ticks, 0, 1), tickMilliseconds).unref();
      const workerInput: WorkerInput = { ...options, ticks: ticks.buffer, names: names.buffer };
      // As a text: the command may be one file, and then there is no other that a thread could begin with.
      worker = new Worker(`(${watch.toString()})()`, {
        eval: true,
        workerData: workerInput,
        name: "watchdog",
        resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
      });
      worker.unref();
      // The service does without it.
      worker.on("error", () => undefined);
    },
    async stop() {
      clearInterval(turning);
      await worker?.terminate();
    },
  };
}

/** Runs in the thread, from its own text: what it uses is in it, or global. */
function watch(): void {
  const { process } = globalThis;
  const { workerData } = process.getBuiltinModule("node:worker_threads");
  const { Session } = process.getBuiltinModule("node:inspector");
  const { writeSync } = process.getBuiltinModule("node:fs");
  const { json, milliseconds, names, service, ticks: shared } = workerData as WorkerInput;
  const lookMilliseconds = 250;
  const ticks = new Int32Array(shared);
  let [last, stalled] = [0, 0];
  // Looks are counted, and not time: while the whole process is stopped, or the machine sleeps, this thread is, too.
  const looking = setInterval(() => {
    const now = Atomics.load(ticks, 0);
    stalled = now === last ? stalled + 1 : 0;
    last = now;
    if (stalled * lookMilliseconds < milliseconds) return;
    clearInterval(looking);
    find();
  }, lookMilliseconds);

  function find(): void {
    // Within one long call of native code nobody can look.
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
      // Without an inspector it is said without the place.
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
      // Nobody is there to read it.
    }
    process.kill(process.pid, "SIGKILL");
  }
}
