/** Reads a stream of server-sent events byte by byte, including details that a browser hides. */
import assert from "node:assert/strict";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";

export interface Sent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

export interface Follower extends Disposable {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** All that came. */
  readonly text: string;
  /** The blocks with data, in order. */
  readonly events: readonly Sent[];
  /** Resolves once it is so, and fails after ten seconds. */
  until(isSo: (follower: Follower) => boolean): Promise<void>;
  /** Resolves once the server has ended it. */
  readonly ended: Promise<void>;
  /** Takes nothing more until `resume`. */
  pause(): void;
  resume(): void;
}

export function follow(
  port: number,
  headers: Readonly<Record<string, string>>,
  path = "/events",
  method = "GET",
): Promise<Follower> {
  return new Promise((resolve, reject) => {
    const going = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) =>
      resolve(followerOf(response)),
    );
    going.on("error", reject);
    going.end();
  });
}

function followerOf(response: IncomingMessage): Follower {
  let text = "";
  let rest = "";
  const events: Sent[] = [];
  const waiting = new Set<() => void>();
  const tell = (): void => {
    for (const one of waiting) one();
  };
  const ended = Promise.withResolvers<void>();
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    text += chunk;
    rest += chunk;
    const end = rest.lastIndexOf("\n\n");
    const whole = end === -1 ? "" : rest.slice(0, end + 2);
    rest = rest.slice(whole.length);
    if (response.headers["content-type"] === "text/event-stream")
      events.push(...blocksOf(whole).filter(({ data }) => data !== undefined));
    tell();
  });
  // A connection that is cut is an end like any other.
  response.on("error", () => {});
  response.on("close", () => {
    ended.resolve();
    tell();
  });
  const follower: Follower = {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
    get text() {
      return text;
    },
    events,
    until(isSo) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(() => reject(new Error(`it never was so:\n${text.slice(-2000)}`)), 60_000);
      const look = (): void => {
        if (isSo(follower)) resolve();
      };
      waiting.add(look);
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(look);
      });
    },
    ended: ended.promise,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    [Symbol.dispose]: () => void response.destroy(),
  };
  return follower;
}

/** Whole blocks only; a line that R6.15 does not know fails. */
export function blocksOf(text: string): readonly Sent[] {
  return text
    .split("\n\n")
    .slice(0, -1)
    .map((block) => {
      const sent: Record<string, string> = {};
      for (const line of block.split("\n")) {
        if (line === ":") continue;
        const [, field = "", value = ""] = /^(id|event|data|retry): ([^\r]*)$/.exec(line) ?? [];
        assert(field !== "" && !(field in sent), `R6.15: ${JSON.stringify(line)}`);
        sent[field] = value;
      }
      return sent;
    });
}
