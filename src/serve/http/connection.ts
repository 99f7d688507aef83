/**
 * One connection: its requests one after another, each begun when the one before it is answered (RFC 9112 section 9.3), none
 * after an answer that ends it (section 9.6), and never more of them in memory than a packet brings.
 */
import type { Socket } from "node:net";
import type { Answer, Body, Poured, Streaming } from "../exchange.ts";
import type { Arrived, Expectation } from "../front.ts";
import { answerTo, stallOf } from "../front.ts";
import type { Refused } from "../service.ts";
import type { CountingOptions } from "../server.ts";
import { maximumTargetBytes } from "../target.ts";
import { answerHead } from "./answer-head.ts";
import { type Account, connectionBytes } from "../budget.ts";
import { gather } from "../gathered.ts";
import { type BodyReader, bodyOf } from "./framing.ts";
import { type Fault, type Head, readHead } from "./head.ts";

export interface ConnectionOptions extends CountingOptions {
  /** How long a request's head may take to come. */
  readonly headMilliseconds: number;
  readonly idleMilliseconds: number;
  readonly isDraining: () => boolean;
  /** Whether a request with this method is brought before the service at all. */
  readonly isMethod: (method: string) => boolean;
}

/** Bytes that nobody has asked for yet are kept so far; more stay with the sender. */
const mostWaitingBytes = 65_536;
/** For so long what still comes is read after the last answer, or a sender that is busy would lose it (section 9.6). */
const lingerMilliseconds = 2000;
/** So much more of a head that is long already is waited for before it is looked at again. */
const lookBytes = 1024;
const nothing = Buffer.alloc(0);

/** `resting` between two requests, `over` when nothing more is answered. */
type Phase = "resting" | "head" | "answering" | "answered" | "over";

export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #address: string;
  readonly #line: Line;
  #phase: Phase = "head";
  /** What has come and belongs to nothing yet. */
  #rest: Buffer = nothing;
  /** Whether the bytes of it are another's. */
  #lent = false;
  /** How much of it has been looked at for a head, and is none yet. */
  #looked = 0;
  #request: Request | undefined;
  /** When its patience with what is missing ends; undefined where it waits for nothing. */
  #deadline: number | undefined;
  /** When the request that is coming began to come. */
  #started = 0;
  #sentAll = false;
  #going = false;
  readonly #account: Account;
  /** How much of the account is for the bytes of `#rest`. */
  #counted = 0;

  constructor(socket: Socket, options: ConnectionOptions, account: Account) {
    this.#account = account;
    account.add(connectionBytes);
    this.#socket = socket;
    this.#options = options;
    this.#address = socket.remoteAddress ?? "";
    this.#line = {
      take: (reader, give) => this.#takeBody(reader, give),
      write: (text) => void socket.write(text),
    };
    this.#deadline = performance.now() + options.headMilliseconds;
    socket.on("end", () => this.#ended());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#closed());
    socket.on("drain", () => this.#go());
    // It counts from the last byte that came or went.
    socket.setTimeout(stallOf(options), () => socket.destroy());
  }

  /** Ends what has taken too long. */
  look(now: number): void {
    if (this.#deadline === undefined || now < this.#deadline) return;
    if ((this.#phase === "over" || this.#phase === "resting") && this.#socket.writableLength > 0) {
      // Its answer is still being read, slowly; whether it is read at all is the socket's to see.
      this.#deadline = now + lingerMilliseconds;
      return;
    }
    if (this.#phase === "over") this.#socket.destroy();
    else if (this.#phase === "resting") this.#finish();
    else this.#refuse("request-timeout");
  }

  /** Ends it where nothing is under way, and tells whether that is so. */
  rest(): boolean {
    const rests = this.#phase === "resting" || (this.#phase === "head" && this.#rest.length === 0);
    if (rests) this.#finish();
    return rests;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Takes what has come; `bytes` may be written over once it returns. */
  take(bytes: Buffer): void {
    if (this.#phase === "over") return;
    if (this.#phase === "resting" || (this.#phase === "head" && this.#rest.length === 0)) this.#expectHead();
    this.#lent = this.#rest.length === 0;
    this.#rest = this.#lent ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#go();
    this.#keep();
    this.#count();
    if (this.#counted > 0 && this.#account.isFull) this.#refuse("overloaded");
  }

  #count(): void {
    this.#account.add(this.#rest.length - this.#counted);
    this.#counted = this.#rest.length;
  }

  /** What is needed beyond the turn in which it came is copied. */
  #keep(): void {
    if (this.#lent && this.#rest.length > 0) this.#rest = Buffer.from(this.#rest);
    this.#lent = false;
  }

  #expectHead(): void {
    this.#phase = "head";
    this.#started = performance.now();
    this.#deadline = this.#started + this.#options.headMilliseconds;
  }

  /** Goes on with what there is. */
  #go(): void {
    // What is answered at once asks for the next request while the one before is still being begun.
    if (this.#going) return;
    this.#going = true;
    while (this.#phase === "head" && this.#rest.length > 0 && !this.#socket.writableNeedDrain) {
      if (!this.#begin()) break;
    }
    this.#going = false;
    if (this.#request !== undefined) {
      this.#keep();
      this.#request.more();
    }
    if (this.#rest.length > mostWaitingBytes) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  /**
   * A head that comes byte by byte would cost its square if all of it were read with each: what is short always is, what is
   * long where its end has come, or as much again.
   */
  #isWorthALook(): boolean {
    const { length } = this.#rest;
    if (this.#looked === 0 || length < lookBytes || length >= this.#looked + lookBytes) return true;
    return this.#rest.indexOf("\r\n\r\n", this.#looked - 3, "latin1") !== -1;
  }

  /** Whether a request has begun. */
  #begin(): boolean {
    if (!this.#isWorthALook()) return false;
    const head = readHead(this.#rest, 0, maximumTargetBytes);
    this.#looked = head === "more" ? this.#rest.length : 0;
    if (head === "more") return false;
    if (typeof head === "string") {
      this.#refuse(codeOf(head), head === "bad" ? { status: 400 } : {});
      return false;
    }
    if (!this.#options.isMethod(head.method)) {
      this.#refuse("not-implemented");
      return false;
    }
    const reader = isTarget(head.target) ? bodyOf(head) : undefined;
    if (reader === undefined) {
      this.#refuse("invalid-request", { status: 400 });
      return false;
    }
    this.#rest = head.end === this.#rest.length ? nothing : this.#rest.subarray(head.end);
    if (!reader.over) this.#keep();
    this.#phase = "answering";
    this.#deadline = reader.over ? undefined : this.#started + this.#options.requestMilliseconds;
    const request = new Request(head, this.#address, reader, this.#line, this.#options.budget.account());
    this.#request = request;
    try {
      const answer = answerTo(this.#options, request, expectationOf(head));
      if (answer instanceof Promise) this.#giveLater(request, answer);
      else this.#give(request, answer);
    } catch (thrown) {
      this.#fail(request, thrown);
    }
    return true;
  }

  #giveLater(request: Request, answer: Promise<Answer>): void {
    answer.then(
      (given) => this.#give(request, given),
      (thrown: unknown) => this.#fail(request, thrown),
    );
  }

  /** What has come of a body is given on; false where it is none. */
  #takeBody(reader: BodyReader, give: (piece: Buffer) => void): void {
    const end = reader.take(this.#rest, 0, give);
    if (end === "bad") {
      this.#refuse("invalid-request", { status: 400 });
      return;
    }
    this.#rest = end === this.#rest.length ? nothing : this.#rest.subarray(end);
    if (reader.over) this.#deadline = undefined;
    if (this.#socket.isPaused()) this.#socket.resume();
  }

  #fail(request: Request, thrown: unknown): void {
    request.account.end();
    try {
      this.#give(request, this.#options.service().fail(thrown));
    } catch {
      this.#socket.destroy();
    }
  }

  #give(request: Request, answer: Answer): void {
    request.account.end();
    if (this.#request !== request || this.#phase !== "answering" || this.#socket.destroyed) {
      answer.stream?.ended();
      return;
    }
    const closes = answer.close === true || this.#options.isDraining() || this.#sentAll || request.closes;
    const isHead = request.method === "HEAD";
    const { status, headers, body, stream } = answer;
    if (stream !== undefined) {
      this.#giveStream(request, answer, stream, closes);
      return;
    }
    const bytes = typeof body === "string" ? Buffer.byteLength(body) : (body?.length ?? 0);
    const length = body !== undefined || (status !== 204 && status !== 304) ? bytes : undefined;
    let head: string;
    try {
      head = answerHead(status, headers, { length, chunked: false, closes });
    } catch (thrown) {
      if (status === 500) throw thrown;
      this.#fail(request, thrown);
      return;
    }
    this.#phase = "answered";
    if (isHead || body === undefined || bytes === 0) this.#socket.write(head, "latin1");
    else if (typeof body !== "string") this.#writeBoth(head, body);
    // A text of ASCII alone is the same bytes in Latin-1, which is written faster.
    else if (bytes === body.length) this.#socket.write(head + body, "latin1");
    else this.#writeBoth(head, body);
    this.#next(request, closes);
  }

  #writeBoth(head: string, body: string | Uint8Array): void {
    this.#socket.cork();
    this.#socket.write(head, "latin1");
    this.#socket.write(body);
    this.#socket.uncork();
  }

  #giveStream(request: Request, { status, headers }: Answer, stream: Streaming, closes: boolean): void {
    const sized = headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === "content-length");
    const chunked = !sized && request.version === "1.1";
    const ends = closes || (!sized && !chunked);
    let head: string;
    try {
      head = answerHead(status, headers, { length: undefined, chunked, closes: ends });
    } catch (thrown) {
      stream.ended();
      this.#fail(request, thrown);
      return;
    }
    this.#phase = "answered";
    this.#socket.write(head, "latin1");
    if (request.method === "HEAD") {
      stream.ended();
      this.#next(request, ends);
      return;
    }
    const socket = this.#socket;
    let over = false;
    const end = (): void => {
      if (!over) stream.ended();
      over = true;
    };
    request.whenOver = end;
    request.isEndless = !sized;
    stream.start({
      write: (piece) => {
        if (over) return;
        const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
        if (bytes.length === 0) return;
        if (!chunked) return void socket.write(bytes);
        socket.cork();
        socket.write(`${bytes.length.toString(16)}\r\n`, "latin1");
        socket.write(bytes);
        socket.write("\r\n", "latin1");
        socket.uncork();
      },
      get waiting() {
        return socket.writableLength;
      },
      drained: () => drained(socket),
      end: () => {
        if (over) return;
        if (chunked) socket.write("0\r\n\r\n", "latin1");
        end();
        this.#next(request, ends);
      },
      cut: () => void socket.destroy(),
    });
    if (this.#sentAll && !sized) socket.destroy();
  }

  /** The request is answered: its body is read to its end, if need be, and then the next one may begin. */
  #next(request: Request, closes: boolean): void {
    if (closes) {
      this.#finish();
      return;
    }
    request.passOver(() => {
      if (this.#phase !== "answered") return;
      this.#request = undefined;
      if (this.#rest.length > 0) {
        this.#expectHead();
        this.#go();
        return;
      }
      this.#phase = "resting";
      this.#deadline = performance.now() + this.#options.idleMilliseconds;
      if (this.#sentAll) this.#finish();
    });
  }

  /** In place of an answer to what cannot be read, or did not come in time. */
  #refuse(code: string, refused: Refused = {}): void {
    const answered = this.#phase === "answered";
    const request = this.#request;
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.#request = undefined;
    request?.abort();
    // What follows the answer is not known to be another request.
    if (!answered) {
      const { status, headers, body = "" } = this.#options.service().refuse(code, refused);
      const length = Buffer.byteLength(body);
      this.#writeBoth(answerHead(status, headers, { length, chunked: false, closes: true }), body);
    }
    this.#finish();
  }

  /** Nothing more is answered. */
  #finish(): void {
    this.#phase = "over";
    this.#rest = nothing;
    this.#count();
    this.#deadline = performance.now() + lingerMilliseconds;
    this.#socket.end();
    if (this.#socket.isPaused()) this.#socket.resume();
  }

  /** The other side sends nothing more; it may still read. */
  #ended(): void {
    this.#sentAll = true;
    if (this.#phase === "over") return;
    if (this.#phase === "resting" || (this.#phase === "head" && this.#rest.length === 0)) this.#finish();
    else if (this.#phase === "head" || this.#request?.isWhole === false)
      this.#refuse("invalid-request", { status: 400 });
    // Who closes a connection and who sends no more look the same; nobody sends no more and follows a stream for ever.
    else if (this.#request?.isEndless === true) this.#socket.destroy();
  }

  #closed(): void {
    this.#phase = "over";
    this.#account.end();
    const request = this.#request;
    this.#request = undefined;
    request?.abort();
  }
}

/** RFC 9112 section 3.2, but for CONNECT: what is of no form at all was meant for somebody else. */
function isTarget(target: string): boolean {
  return target.startsWith("/") || target === "*" || /^https?:\/\//i.test(target);
}

function codeOf(fault: Fault): string {
  if (fault === "bad") return "invalid-request";
  return fault === "long-target" ? "uri-too-long" : "headers-too-large";
}

function expectationOf({ headers, version }: Head): Expectation {
  const expected = version === "1.1" ? headers.get("expect") : undefined;
  if (expected === undefined) return "none";
  return expected.toLowerCase() === "100-continue" ? "continue" : "unknown";
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (!socket.writableNeedDrain || socket.destroyed) return resolve();
    const done = (): void => {
      for (const event of ["drain", "close"]) socket.off(event, done);
      resolve();
    };
    for (const event of ["drain", "close"]) socket.on(event, done);
  });
}

/** What a request needs of its connection. */
interface Line {
  /** Gives on what has come of the body that a reader takes. */
  take(reader: BodyReader, give: (piece: Buffer) => void): void;
  write(text: string): void;
}

/** A request whose head has come, and its body piece by piece. */
class Request implements Arrived {
  readonly method: string;
  readonly target: string;
  readonly version: "1.0" | "1.1";
  readonly headers: Head["headers"];
  readonly fieldBytes: number;
  readonly address: string;
  readonly account: Account;
  /** Whether its sender ends the connection with it. */
  readonly closes: boolean;
  /** Told when the connection is over before the answer is. */
  whenOver: (() => void) | undefined;
  /** Whether its answer goes on for as long as somebody follows it. */
  isEndless = false;
  readonly #reader: BodyReader;
  readonly #line: Line;
  #aborted = false;
  /** Waits for the next piece, or for the end. */
  #wake: (() => void) | undefined;

  constructor(head: Head, address: string, reader: BodyReader, line: Line, account: Account) {
    this.account = account;
    this.method = head.method;
    this.target = head.target;
    this.version = head.version;
    this.headers = head.headers;
    this.fieldBytes = head.fieldBytes;
    this.address = address;
    this.closes = closesAfter(head);
    this.#reader = reader;
    this.#line = line;
  }

  get isWhole(): boolean {
    return this.#reader.over;
  }

  goOn(): void {
    this.#line.write("HTTP/1.1 100 Continue\r\n\r\n");
  }

  body(limit: number, milliseconds: number | undefined): Promise<Body> {
    const bytes = gather(limit, this.account);
    let refused: Body | undefined;
    const give = (piece: Buffer): void => {
      if (refused !== undefined) return;
      if (bytes.length + piece.length > limit) refused = { kind: "too-large" };
      else if (!bytes.add(piece)) refused = { kind: "no-room" };
    };
    const settled = (): Body | undefined => {
      if (!this.#reader.over && !this.#aborted && refused === undefined) this.#line.take(this.#reader, give);
      if (this.#aborted) return { kind: "aborted" };
      if (refused !== undefined) return refused;
      if (this.#reader.over) return { kind: "bytes", bytes: bytes.take() };
      return bytes.keep() ? undefined : { kind: "no-room" };
    };
    const at = settled();
    return at === undefined ? this.#wait(settled, milliseconds, { kind: "aborted" }) : Promise.resolve(at);
  }

  async pour(limit: number, milliseconds: number | undefined, take: (bytes: Buffer) => Promise<void>): Promise<Poured> {
    let length = 0;
    const ends = milliseconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + milliseconds;
    for (;;) {
      const pieces: Buffer[] = [];
      const settled = (): boolean | undefined => {
        if (this.#aborted || this.#reader.over) return true;
        this.#line.take(this.#reader, (piece) => pieces.push(piece));
        return pieces.length > 0 || this.#aborted || this.#reader.over ? true : undefined;
      };
      const patience = ends - performance.now();
      const came =
        settled() ??
        (await this.#wait<boolean>(settled, Number.isFinite(patience) ? Math.max(0, patience) : undefined, false));
      if (!came || this.#aborted) return "aborted";
      const [first = nothing] = pieces;
      const piece = pieces.length > 1 ? Buffer.concat(pieces) : first;
      length += piece.length;
      if (length > limit) return "too-large";
      if (piece.length > 0) await take(piece);
      if (performance.now() > ends) return "aborted";
      if (this.#reader.over) return "whole";
    }
  }

  /** What nobody has asked for is read away, so that the next request is found. */
  passOver(then: () => void): void {
    if (this.#reader.over) {
      then();
      return;
    }
    const settled = (): true | undefined => {
      if (!this.#reader.over && !this.#aborted) this.#line.take(this.#reader, () => {});
      return this.#reader.over ? true : undefined;
    };
    if (settled() === true) then();
    else this.#wake = () => settled() && then();
  }

  more(): void {
    this.#wake?.();
  }

  abort(): void {
    this.#aborted = true;
    this.#wake?.();
    this.whenOver?.();
  }

  #wait<T>(settled: () => T | undefined, milliseconds: number | undefined, late: T): Promise<T> {
    return new Promise((resolve) => {
      const settle = (value: T): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve(value);
      };
      const timer = milliseconds === undefined ? undefined : setTimeout(settle, milliseconds, late);
      this.#wake = () => {
        const value = settled();
        if (value !== undefined) settle(value);
      };
    });
  }
}

/** RFC 9112 section 9.3. Before HTTP/1.1 connections ended with their answer, and here they still do. */
function closesAfter({ headers, version }: Head): boolean {
  if (version === "1.0") return true;
  const said = headers.get("connection");
  if (said === undefined || said === "keep-alive") return false;
  return said.split(",").some((option) => option.trim().toLowerCase() === "close");
}
