/** A server of raw sockets, for targets that do not speak HTTP as they should. */
import { type AddressInfo, createServer, type Socket } from "node:net";

export interface RawServer extends AsyncDisposable {
  readonly url: string;
  /** How many connections there were. */
  readonly connections: number;
  /** How many connections are open. */
  readonly open: number;
  /** All that was received, over all connections. */
  readonly text: string;
}

/** Calls `respond` with each piece that a connection sends, and with the number of the piece on this connection. */
export async function rawServer(
  respond: (socket: Socket, piece: number, text: string) => void,
  connected?: (socket: Socket) => void,
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let [connections, text] = [0, ""];
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    let piece = 0;
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      respond(socket, (piece += 1), chunk.toString("latin1"));
    });
    connected?.(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    get text() {
      return text;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes again and again until the connection is closed or full. */
export function endlessly(socket: Socket, text: string): void {
  const more = (): void => {
    if (socket.destroyed) return;
    if (socket.write(text)) setImmediate(more);
    else socket.once("drain", more);
  };
  more();
}
