/**
 * The load generator: a process of its own that takes one job at a time over its parent's channel. N raw keep-alive
 * connections, one request in flight on each, answers checked by status. The requests arrive ready-made and an answer
 * is read no further than its head, so that the generator costs a fraction of what any server costs.
 */
import { connect, type Socket } from "node:net";

export interface Job {
  readonly port: number;
  readonly connections: number;
  /** Stops sending after this time, or when the requests are used up. */
  readonly seconds: number;
  /** Requests fall due so often, at random, whether or not those before are answered; without it each follows an answer. */
  readonly perSecond?: number;
  /** Whole requests, head and body, as text in Latin-1 (all of it is ASCII here). */
  readonly requests: readonly string[];
  /** Starts again with the first request when all are used. */
  readonly cycle: boolean;
  /** Of all answers or of each: a status, or any success. */
  readonly expect: number | "2xx" | readonly number[];
  /** Collects the `id` of every answer's record. */
  readonly keepIds: boolean;
}

export interface Outcome {
  readonly done: number;
  readonly elapsedSeconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Pairs of a request's index and the id in its answer. */
  readonly ids: readonly (readonly [number, string])[];
  /** The first answer that was not the expected one, or what else went wrong; the figures are void then. */
  readonly failure: string | undefined;
}

/** Latencies are counted in buckets of 10 µs up to 2 s. */
const BUCKET_MS = 0.01;
const BUCKETS = 200_000;
const ANSWER_MS = 15_000;

interface Early {
  readonly due: number;
  readonly write: () => void;
}

/** As often as the event loop turns, which is what this core is for. */
function sendDue(early: Early[]): void {
  while (early[0] !== undefined && early[0].due <= performance.now()) early.shift()?.write();
  if (early.length > 0) setImmediate(sendDue, early);
}

/** Moments that come at random, the same for all: a Poisson process by a linear congruential generator. */
function arrivals(perSecond: number, begun: () => number): () => number {
  let state = 1;
  let elapsed = 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    elapsed -= (Math.log((state + 1) / 2 ** 32) / perSecond) * 1000;
    return begun() + elapsed;
  };
}

export async function run(job: Job): Promise<Outcome> {
  const requests = job.requests.map((text) => Buffer.from(text, "latin1"));
  const buckets = new Uint32Array(BUCKETS);
  const ids: [number, string][] = [];
  const { expect } = job;
  const expected = (index: number): string =>
    expect === "2xx" ? "2" : String(typeof expect === "number" ? expect : expect[index]);
  const sockets: Socket[] = [];
  const nextDue = job.perSecond === undefined ? () => performance.now() : arrivals(job.perSecond, () => begun);
  const early: Early[] = [];
  let next = 0;
  let done = 0;
  let maxMs = 0;
  let failure: string | undefined;
  let begun = 0;
  let deadline = 0;

  const converse = (socket: Socket, answer: { take: (chunk: Buffer) => void }): Promise<void> =>
    new Promise((resolve) => {
      let index = 0;
      let sentAt = 0;
      let missing = 0;
      let head = "";
      let finished = false;
      const finish = (why?: string): void => {
        if (finished) return;
        finished = true;
        if (why !== undefined) failure ??= why;
        socket.destroy();
        resolve();
      };
      // A request that found no connection free has waited since it was due.
      const send = (): void => {
        const due = nextDue();
        if (failure !== undefined || due >= deadline || (next >= requests.length && !job.cycle)) return finish();
        index = next++ % requests.length;
        sentAt = due;
        if (due <= performance.now()) write();
        else if (early.push({ due, write }) === 1) setImmediate(sendDue, early);
      };
      const write = (): void => void socket.write(requests[index] as Buffer);
      const complete = (): void => {
        const ms = performance.now() - sentAt;
        const bucket = (ms / BUCKET_MS) | 0;
        buckets[bucket < BUCKETS ? bucket : BUCKETS - 1]!++;
        if (ms > maxMs) maxMs = ms;
        done++;
        send();
      };
      answer.take = (chunk) => {
        if (missing > 0) {
          missing -= chunk.length;
          if (missing < 0) return finish("more bytes came than the answer has");
          if (missing === 0) complete();
          return;
        }
        // The records asked for are small: their id stands in the first kilobyte after the head.
        head += chunk.toString("latin1", 0, Math.min(chunk.length, 2048));
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        if (!head.startsWith(expected(index), 9)) {
          const request = (requests[index] as Buffer).toString("latin1", 0, 300);
          return finish(`expected ${expected(index)}\n--- request\n${request}\n--- answer\n${head.slice(0, 1200)}`);
        }
        const length = contentLength(head, end);
        if (length === undefined) return finish(`no Content-Length\n${head.slice(0, end)}`);
        if (job.keepIds) {
          const id = /"id":"?([^",}]+)/.exec(head.slice(end))?.[1];
          if (id === undefined) return finish(`no id\n${head.slice(0, 1200)}`);
          ids.push([index, id]);
        }
        missing = end + 4 + length - chunk.length - (head.length - Math.min(chunk.length, 2048));
        head = "";
        if (missing < 0) return finish("more bytes came than the answer has");
        if (missing === 0) complete();
      };
      socket.on("error", (error) => finish(`connection: ${error.message}`));
      socket.on("close", () => finish(finished ? undefined : "the server closed a connection"));
      send();
    });

  const opened = Array.from({ length: job.connections }, async () => {
    const answer = { take: (_chunk: Buffer): void => undefined };
    const buffer = Buffer.allocUnsafe(64 * 1024);
    const callback = (length: number): boolean => {
      answer.take(buffer.subarray(0, length));
      return true;
    };
    const socket = connect({ port: job.port, host: "127.0.0.1", noDelay: true, onread: { buffer, callback } });
    sockets.push(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return { socket, answer };
  });
  const watch = setTimeout(
    () => {
      failure ??= `no end ${ANSWER_MS / 1000} s after the last moment of sending`;
      for (const socket of sockets) socket.destroy();
    },
    job.seconds * 1000 + ANSWER_MS,
  );
  try {
    const connections = await Promise.all(opened);
    begun = performance.now();
    deadline = begun + job.seconds * 1000;
    await Promise.all(connections.map(({ socket, answer }) => converse(socket, answer)));
  } catch (error) {
    failure ??= String(error);
  }
  clearTimeout(watch);
  const elapsedSeconds = (performance.now() - begun) / 1000;
  const at = (share: number): number => percentile(buckets, done, share);
  return { done, elapsedSeconds, p50Ms: at(0.5), p99Ms: at(0.99), maxMs, ids, failure };
}

function contentLength(head: string, end: number): number | undefined {
  let at = head.indexOf("\r\ncontent-length: ");
  if (at < 0) at = head.indexOf("\r\nContent-Length: ");
  if (at < 0 || at > end) return undefined;
  return Number(head.slice(at + 18, head.indexOf("\r\n", at + 18)));
}

function percentile(buckets: Uint32Array, total: number, share: number): number {
  let seen = 0;
  for (let i = 0; i < buckets.length; i++) {
    seen += buckets[i] as number;
    if (total > 0 && seen >= total * share) return (i + 1) * BUCKET_MS;
  }
  return 0;
}

if (import.meta.main) {
  process.on("message", (job: Job) => void run(job).then((outcome) => process.send?.(outcome)));
  process.on("disconnect", () => process.exit(0));
}
