/**
 * Encodes messages to a PostgreSQL server into a buffer until they are sent.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
import type { Bindable } from "./connection.ts";
import { withoutNul } from "./value.ts";

export class Outgoing {
  #buffer = Buffer.allocUnsafeSlow(4096);
  #at = 0;

  /** Writes Parse and Describe: the server responds with the columns of the rows. */
  prepare(name: string, statement: string): void {
    const parse = this.#open(0x50);
    this.#text(name);
    this.#text(statement);
    this.#int16(0);
    this.#close(parse);
    const describe = this.#open(0x44);
    this.#byte(0x53);
    this.#text(name);
    this.#close(describe);
  }

  /** Writes a Close message for a prepared statement. */
  forget(name: string): void {
    const close = this.#open(0x43);
    this.#byte(0x53);
    this.#text(name);
    this.#close(close);
  }

  /** Writes Bind and Execute. All values are text, except bytes. */
  run(name: string, values: readonly Bindable[]): void {
    const bind = this.#open(0x42);
    this.#byte(0);
    this.#text(name);
    const isBinary = values.some((value) => value instanceof Uint8Array);
    this.#int16(isBinary ? values.length : 0);
    if (isBinary) for (const value of values) this.#int16(value instanceof Uint8Array ? 1 : 0);
    this.#int16(values.length);
    for (const value of values) this.#value(value);
    this.#int16(0);
    this.#close(bind);
    const execute = this.#open(0x45);
    this.#byte(0);
    this.#int32(0);
    this.#close(execute);
  }

  sync(): void {
    this.#close(this.#open(0x53));
  }

  /** Returns and clears the buffer. */
  drain(): Buffer {
    const output = Buffer.from(this.#buffer.subarray(0, this.#at));
    this.#at = 0;
    // A buffer that one large file has enlarged is released.
    if (this.#buffer.length > maximumRetained) this.#buffer = Buffer.allocUnsafeSlow(4096);
    return output;
  }

  #open(kind: number): number {
    this.#byte(kind);
    this.#int32(0);
    return this.#at - 4;
  }

  /** Writes the message's length, which excludes its kind byte. */
  #close(start: number): void {
    this.#buffer.writeInt32BE(this.#at - start, start);
  }

  #value(value: Bindable): void {
    if (value === null) return this.#int32(-1);
    if (value instanceof Uint8Array) {
      this.#int32(value.length);
      this.#room(value.length);
      this.#buffer.set(value, this.#at);
      this.#at += value.length;
      return;
    }
    this.#int32(0);
    const start = this.#at;
    this.#write(typeof value === "string" ? value : Array.isArray(value) ? arrayText(value) : String(value));
    this.#buffer.writeInt32BE(this.#at - start, start - 4);
  }

  #write(text: string): void {
    const written = withoutNul(text);
    this.#room(written.length * 3);
    this.#at += this.#buffer.write(written, this.#at, "utf8");
  }

  #text(text: string): void {
    this.#write(text);
    this.#byte(0);
  }

  #byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#at] = value;
    this.#at += 1;
  }

  #int16(value: number): void {
    this.#room(2);
    this.#at = this.#buffer.writeInt16BE(value, this.#at);
  }

  #int32(value: number): void {
    this.#room(4);
    this.#at = this.#buffer.writeInt32BE(value, this.#at);
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}

const maximumRetained = 1 << 20;

/** Returns the text of an array. https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function arrayText(values: readonly (string | number | null)[]): string {
  const items = values.map((value) => {
    if (typeof value !== "string") return value === null ? "NULL" : String(value);
    return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  });
  return `{${items.join(",")}}`;
}
