/**
 * One connection. It processes requests one at a time (RFC 9112 section 9.3): the next starts after the previous response is
 * sent, none after a response that closes the connection (section 9.6), and a parser error gets its response after those of
 * earlier requests. Otherwise a client would take the error for the response to another request, and pipelined writes could
 * overtake each other.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Account, connectionBytes } from "./memory-budget.ts";
import type { HttpResponse } from "./message.ts";
import { respondTo, type CountingOptions } from "./before-service.ts";
import { type Expectation, fieldBytes, type Received } from "./request.ts";
import { rawText, send } from "./response.ts";

/** The most pipelined requests; above it the connection closes. */
const mostWaiting = 1000;
/**
 * How long the server reads on after its last response, in milliseconds, so that a client that still sends receives the
 * response (section 9.6).
 */
const lingerMilliseconds = 2000;

export interface ConnectionOptions extends CountingOptions {
  readonly isDraining: () => boolean;
}

export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #address: string;
  #last: Received | undefined;
  #waiting = 0;
  /**
   * Responds to a parser error, after the response to the last request, or instead of that response if the request's body is
   * incomplete.
   */
  #spoiled: (() => void) | undefined;
  /** Whether no further response is possible. */
  #over = false;
  /** The number of bytes received until the last response: if there are more now, another request has started. */
  #bytesRead = 0;
  #lingering: NodeJS.Timeout | undefined;

  constructor(socket: Socket, options: ConnectionOptions, account: Account) {
    this.#socket = socket;
    this.#options = options;
    this.#address = socket.remoteAddress ?? "";
    account.add(connectionBytes);
    // Node calls this after a response that closes the connection, and would close it at once.
    socket.destroySoon = () => this.#end();
    socket.once("close", () => {
      clearTimeout(this.#lingering);
      account.end();
    });
  }

  consume(message: IncomingMessage, response: ServerResponse, expectation: Expectation): void {
    if (this.#over) return;
    const before = this.#last?.response;
    const account = this.#options.budget.account();
    const request = { message, response, expectation, fieldBytes: fieldBytes(message), account };
    account.add(request.fieldBytes);
    this.#last = request;
    if (before === undefined || before.writableFinished) this.#begin(request);
    else this.#queue(request, before);
  }

  #queue(request: Received, before: ServerResponse): void {
    this.#waiting += 1;
    if (this.#waiting > mostWaiting) {
      this.#over = true;
      request.account.end();
      this.#socket.destroy();
      return;
    }
    before.once("close", () => {
      this.#waiting -= 1;
      if (this.#over || this.#socket.destroyed) request.account.end();
      else if (this.#spoiled !== undefined && !request.message.complete) {
        request.account.end();
        this.#spoiled();
      } else this.#begin(request);
    });
  }

  #begin(request: Received): void {
    try {
      const httpResponse = respondTo(this.#options, request, this.#address);
      if (httpResponse instanceof Promise) this.#respondLater(request, httpResponse);
      else this.#respond(request, httpResponse);
    } catch (thrown) {
      this.#fail(request, thrown);
    }
  }

  #respondLater(request: Received, promised: Promise<HttpResponse>): void {
    promised
      .then((httpResponse) => this.#respond(request, httpResponse))
      .catch((thrown: unknown) => this.#fail(request, thrown));
  }

  /** Sends a response. @throws if it cannot be sent; nothing has been sent then. */
  #respond({ message, response, account }: Received, httpResponse: HttpResponse): void {
    account.end();
    // A parser error already had a response, or the client has disconnected.
    if (this.#over || response.destroyed || response.headersSent) {
      httpResponse.stream?.ended();
      return;
    }
    const closes = httpResponse.close === true || this.#options.isDraining();
    try {
      send(response, httpResponse, closes);
    } catch (thrown) {
      if (!response.headersSent) httpResponse.stream?.ended();
      throw thrown;
    }
    this.#over = closes;
    this.#bytesRead = this.#socket.bytesRead;
    if (!message.complete && !message.destroyed) this.#passOver(message);
  }

  /** Discards the unread rest of a body, to find the next request. */
  #passOver(message: IncomingMessage): void {
    message.once("close", () => {
      this.#bytesRead = this.#socket.bytesRead;
    });
    message.resume();
  }

  #fail(request: Received, thrown: unknown): void {
    try {
      this.#respond(request, this.#options.service().fail(thrown));
    } catch {
      this.#socket.destroy();
    }
  }

  /** Responds to a parser error in order, unless the request already has a response. */
  reject(httpResponse: () => HttpResponse): void {
    if (this.#over || this.#spoiled !== undefined) return;
    const end = (): void => {
      if (this.#over || this.#socket.destroyed) return;
      this.#over = true;
      this.#end(rawText(httpResponse()));
    };
    if (this.#last === undefined) return end();
    const { message, response } = this.#last;
    if (message.complete) {
      if (response.writableFinished) return end();
      // Responds to one error only, even if the parser reports several.
      this.#spoiled = end;
      response.once("close", end);
    } else if (response.headersSent) {
      // The response was sent before the body was complete, so the end of the body is unknown.
      this.#over = true;
      this.#end();
    } else if (this.#waiting > 0) this.#spoiled = end;
    else end();
  }

  /** Closes the connection if it is idle; returns whether it was. */
  rest(): boolean {
    const last = this.#last;
    const isAnswered = last === undefined || (last.message.complete && last.response.writableEnded);
    const rests = !this.#over && isAnswered && this.#socket.bytesRead === this.#bytesRead;
    if (rests) {
      this.#over = true;
      this.#end();
    }
    return rests;
  }

  #end(text = ""): void {
    this.#socket.end(text, () => {
      this.#lingering = setTimeout(() => this.#socket.destroy(), lingerMilliseconds).unref();
    });
  }
}
