/** Node's globals that the engine uses, in a browser. */
import { Buffer } from "buffer";

type Encoded = (this: Buffer, encoding?: string, start?: number, end?: number) => string;

const written = Buffer.prototype.toString as Encoded;
(Buffer.prototype as { toString: Encoded }).toString = function (encoding, start, end) {
  if (encoding !== "base64url") return written.call(this, encoding, start, end);
  return written.call(this, "base64", start, end).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

const from = Buffer.from.bind(Buffer) as (value: unknown, encoding?: unknown, length?: number) => Buffer;
(Buffer as { from: typeof from }).from = (value, encoding, length) =>
  // The package reads both alphabets of base 64.
  from(value, encoding === "base64url" ? "base64" : encoding, length);

const rim = globalThis as unknown as Record<string, unknown>;
rim["Buffer"] = Buffer;
rim["setImmediate"] = (task: (...values: unknown[]) => void, ...values: unknown[]) => setTimeout(task, 0, ...values);
rim["clearImmediate"] = clearTimeout;
// A browser's timer is a number.
(Number.prototype as { unref?: (this: number) => number }).unref = function () {
  return Number(this);
};
