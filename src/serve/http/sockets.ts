/**
 * Sockets that all read into one buffer. What has come is looked at in the turn in which it comes, and most of it is needed
 * no longer; a buffer of 64 KiB for each packet is a third of what a packet costs, and most of what is to be collected
 * (bench/NOTES.md).
 */
import { createServer, type Server, Socket } from "node:net";

/** Takes what has come, which is in these bytes only until it returns. */
export type Take = (bytes: Buffer) => void;

const readBytes = 65_536;

/**
 * A server of half-open sockets. `open` is given each one, and says who takes what comes on it.
 *
 * A client's socket may be given a buffer to read into (`onread`), a server's may not. So what Node has made of a connection
 * is taken apart, by two properties that are its own affair, and made anew; where they are not what they were, each packet has
 * its own buffer, as everywhere else.
 */
export function createSocketServer(open: (socket: Socket) => Take): Server {
  const buffer = Buffer.allocUnsafeSlow(readBytes);
  return createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (made) => {
    const socket = reading(made, buffer, (bytes) => take(bytes));
    const take = open(socket);
    if (socket === made) made.on("data", take);
    socket.resume();
  });
}

interface Inside {
  _handle: { readonly useUserBuffer?: unknown } | null;
  _server: unknown;
}

function reading(made: Socket, buffer: Buffer, take: Take): Socket {
  const inside = made as unknown as Inside;
  const { _handle: handle, _server: server } = inside;
  if (typeof handle?.useUserBuffer !== "function" || server === undefined) return made;
  const callback = (length: number): boolean => {
    take(buffer.subarray(0, length));
    return true;
  };
  // Nobody ends what has no handle, and the server counts what has a server.
  [inside._handle, inside._server] = [null, null];
  const options = { allowHalfOpen: true, readable: true, writable: true, onread: { buffer, callback } };
  const socket = new Socket({ ...options, handle: handle as never });
  (socket as unknown as Inside)._server = server;
  return socket;
}
