/**
 * The requests of one connection take turns (RFC 9112 section 9.3): the next begins when the one before it is answered, none
 * begins after an answer that ends the connection (section 9.6), and what the parser refuses is refused after the answers to
 * what came before it. Otherwise a refusal would be read as the answer to another request, and writes sent in one go would
 * overtake each other.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface Turns {
  /** Begins when it is its turn, or never. `work` tells in the end whether the connection ends with its answer. */
  take(request: IncomingMessage, response: ServerResponse, work: () => Promise<boolean>): void;
  /** What the parser cannot read: `say` refuses it when it is its turn, unless it has been answered already. */
  refuse(socket: Socket, say: () => void): void;
  /** Whether the connection has an answer that ends it already: nothing more is to be written. */
  isOver(socket: Socket): boolean;
}

/** More requests in one go than any client has reason to send are not kept waiting: the connection ends. */
const mostWaiting = 1000;

interface Line {
  last?: { readonly request: IncomingMessage; readonly response: ServerResponse };
  waiting: number;
  /** What is said in place of the answer to the last request, whose body cannot be read. */
  spoiled?: () => void;
  over: boolean;
}

export function createTurns(): Turns {
  const lines = new WeakMap<Socket, Line>();

  function lineOf(socket: Socket): Line {
    const known = lines.get(socket);
    if (known !== undefined) return known;
    const line: Line = { waiting: 0, over: false };
    lines.set(socket, line);
    return line;
  }

  return {
    isOver: (socket) => lines.get(socket)?.over === true,
    take(request, response, work) {
      const { socket } = request;
      const line = lineOf(socket);
      if (line.over) return;
      const before = line.last?.response;
      const mine = { request, response };
      line.last = mine;
      const begin = () =>
        void work().then((ends) => {
          line.over ||= ends;
        });
      if (before === undefined || before.writableEnded) return begin();
      line.waiting += 1;
      if (line.waiting > mostWaiting) {
        line.over = true;
        socket.destroy();
        return;
      }
      before.once("close", () => {
        line.waiting -= 1;
        if (line.over || socket.destroyed) return;
        if (line.last === mine && line.spoiled !== undefined) {
          line.over = true;
          line.spoiled();
        } else begin();
      });
    },
    refuse(socket, say) {
      const line = lineOf(socket);
      if (line.over || line.spoiled !== undefined) return;
      const end = (): void => {
        if (line.over || socket.destroyed) return;
        line.over = true;
        say();
      };
      if (line.last === undefined) return end();
      const { request, response } = line.last;
      if (request.complete) {
        if (response.writableFinished) return end();
        // There is one refusal a connection, however often the parser says so.
        line.spoiled = say;
        response.once("close", end);
      } else if (response.headersSent) {
        // It has been answered without its body, of which nobody knows the end now.
        line.over = true;
        socket.end();
      } else if (line.waiting > 0) line.spoiled = say;
      else end();
    },
  };
}
