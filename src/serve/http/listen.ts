/** A server for services on sockets themselves: HTTP/1.1 as this project needs it, without the objects that Node makes of it. */
import process from "node:process";
import { listening } from "../listening.ts";
import type { CountingOptions, RunningServer } from "../server.ts";
import { keptSeconds } from "./answer-head.ts";
import { Connection } from "./connection.ts";
import { createSocketServer } from "./sockets.ts";

// See `server.ts` for why this is no import.
const { METHODS } = process.getBuiltinModule("node:http");

const headMilliseconds = 10_000;
/** A connection lives a little longer than callers are told, so that none is closed while they still use it. */
const idleMilliseconds = keptSeconds * 1000 + 1000;

/** As many connections are closed for a new one. */
const mostRested = 16;

export async function listenOnSockets(options: CountingOptions): Promise<RunningServer> {
  const connections = new Set<Connection>();
  const methods = new Set(METHODS.filter((method) => method !== "CONNECT"));
  let draining = false;
  const given = {
    ...options,
    headMilliseconds: Math.min(headMilliseconds, options.requestMilliseconds),
    idleMilliseconds,
    isDraining: () => draining,
    isMethod: (method: string) => methods.has(method),
  };
  /** Gives back what those hold on which nothing is under way: the ones that were opened first. */
  const restSome = (): void => {
    let left = mostRested;
    for (const connection of connections) if (connection.rest() && (left -= 1) === 0) return;
  };
  const server = createSocketServer((socket) => {
    const account = options.budget.account();
    if (account.isOver) restSome();
    if (account.isFull) {
      socket.destroy();
      return () => {};
    }
    const connection = new Connection(socket, given, account);
    connections.add(connection);
    socket.once("close", () => connections.delete(connection));
    return (bytes) => connection.take(bytes);
  });
  const looking = setInterval(
    () => {
      const now = performance.now();
      for (const connection of connections) connection.look(now);
    },
    Math.min(1000, options.requestMilliseconds),
  );
  looking.unref();
  server.once("close", () => clearInterval(looking));
  return listening(server, options, {
    drain: () => {
      draining = true;
    },
    rest: () => {
      for (const connection of connections) connection.rest();
    },
    cut: () => {
      for (const connection of connections) connection.destroy();
    },
  });
}
