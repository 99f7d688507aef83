/** How a server of either kind begins to listen, and how it ends (R1.8): what both do, and in which order. */
import type { AddressInfo, Server } from "node:net";
import { setTimeout as pass } from "node:timers/promises";
import type { RunningServer, ServerOptions } from "./server.ts";

/** What each kind does with its own connections. */
interface Ending {
  /** From now on each answer is its connection's last. */
  drain(): void;
  /** Closes the connections on which nothing is under way. */
  rest(): void;
  /** Closes those that are still there when the grace is over. */
  cut(): void;
}

/** Rejects with the error of the socket where it cannot listen there, such as `EADDRINUSE`. */
export async function listening(
  server: Server,
  { host, port, service }: ServerOptions,
  ending: Ending,
): Promise<RunningServer> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMilliseconds, { lingerMilliseconds = 0 } = {}) {
      ending.drain();
      const rested = service().drain();
      if (lingerMilliseconds > 0) await pass(lingerMilliseconds);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      ending.rest();
      const timer = setTimeout(() => ending.cut(), graceMilliseconds);
      await closed;
      clearTimeout(timer);
      await rested;
    },
  };
}
