/** Listening where a command line says, with a sentence for each reason why that may not be possible. */
import { createServer } from "node:net";
import type { RunningServer, ServerOptions } from "../serve/server.ts";
import { listen } from "../serve/server.ts";
import { UsageError } from "./command-line.ts";

interface Place {
  readonly host: string;
  readonly port: number;
}

/** @throws UsageError when it is not possible to listen there. */
export async function listenAt(options: ServerOptions): Promise<RunningServer> {
  try {
    return await listen(options);
  } catch (thrown) {
    throw explained(options, thrown);
  }
}

/** Asked before the data is touched: the service that runs there already may be using the same data. */
export async function assertFree(place: Place): Promise<void> {
  if (place.port === 0) return;
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once("error", reject);
      probe.listen(place.port, place.host, resolve);
    });
  } catch (thrown) {
    throw explained(place, thrown);
  }
  await new Promise((resolve) => probe.close(resolve));
}

function explained({ host, port }: Place, thrown: unknown): unknown {
  switch ((thrown as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return new UsageError(`port ${port} of ${host} is in use; --port ${port + 1} is another, --port 0 any free one`);
    case "EACCES":
      return new UsageError(`this user may not listen on port ${port}; --port 8080 is one that needs no rights`);
    case "EADDRNOTAVAIL":
      return new UsageError(`--host ${host} is no address of this machine`);
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new UsageError(`--host ${host} is not known`);
    default:
      return thrown;
  }
}

/** As it stands in an address; where all of a machine's addresses are meant, the one that reaches this machine. */
export function addressOf({ host, port }: Place): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
