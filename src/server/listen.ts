/** Listens at the configured address; explains the reason if that fails. */
import { isIPv4 } from "node:net";
import { type RunningServer, listen } from "../http/node-server.ts";
import type { ServerOptions } from "../http/before-service.ts";
import { UsageError } from "./errors.ts";

interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Listens. @throws UsageError if the server cannot listen at the address. */
export async function listenAt(options: ServerOptions): Promise<RunningServer> {
  try {
    return await listen(options);
  } catch (thrown) {
    throw explained(options, thrown);
  }
}

/** Explains why the server cannot listen. `prefix`: the prefix of the options for host and port. */
export function explained({ host, port }: ListenAddress, thrown: unknown, prefix = "--"): unknown {
  switch ((thrown as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return new UsageError(
        `port ${port} of ${host} is in use; ${prefix}port ${port + 1} is another, ${prefix}port 0 any free one`,
      );
    case "EACCES":
      return new UsageError(`this user may not listen on port ${port}; ${prefix}port 8080 is one that needs no rights`);
    case "EADDRNOTAVAIL":
      return new UsageError(`${prefix}host ${host} is no address of this machine`);
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new UsageError(`${prefix}host ${host} is not known`);
    default:
      return thrown;
  }
}

/** Whether only this machine reaches a host. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

/** Returns the server's URL on this machine; wildcard hosts become the loopback address. */
export function addressOf({ host, port }: ListenAddress): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
