/**
 * Files in requests. The members of a body are JSON, so a value there stands for a file; a body with one is sent as a form, and a file
 * that is the whole body as its bytes.
 */
import { isObject, type Json, type JsonObject } from "../base/json.ts";

/** Stands for a file. Its members are those of the description in responses, so that expressions may read them. */
export interface FileValue extends JsonObject {
  readonly type: string;
  readonly bytes: number;
  readonly isFileOfTest: true;
}

export function fileValue(type: string, bytes: number): FileValue {
  return { type, bytes, isFileOfTest: true };
}

export function isFileValue(value: Json | undefined): value is FileValue {
  return isObject(value) && value["isFileOfTest"] === true;
}

/** Returns a media type that a file may have: of `image/*` a usual one. */
export function usualMedia([first = "application/octet-stream"]: readonly string[]): string {
  return usual[first] ?? first.replace(/\/\*$/, "/plain");
}

const usual: Readonly<Record<string, string>> = {
  "image/*": "image/png",
  "video/*": "video/mp4",
  "audio/*": "audio/mpeg",
  "application/*": "application/octet-stream",
};

/** Whether a media type is one of those that a file may have; an empty list allows any. */
export function isAllowedMedia(media: readonly string[], type: string): boolean {
  const essence = type.split(";")[0]?.trim().toLowerCase() ?? "";
  return (
    media.length === 0 ||
    media.some((one) => one === essence || (one.endsWith("/*") && essence.startsWith(one.slice(0, -1))))
  );
}

/** The smallest number of bytes with which each file can be one of its type. */
export const leastBytes = 80;

/** A picture of one pixel: a service may look at the first bytes of a file. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const beginnings: Readonly<Record<string, Uint8Array>> = {
  "image/png": Uint8Array.from(atob(png), (one) => one.charCodeAt(0)),
  "image/jpeg": Uint8Array.of(0xff, 0xd8, 0xff, 0xe0),
  "image/gif": bytesOf("GIF89a"),
  "application/pdf": bytesOf("%PDF-1.4\n"),
};

/** Returns the bytes of a file: as many as the value says, the first of them usual for its type. */
export function contentOf({ type, bytes }: FileValue): Uint8Array {
  const content = new Uint8Array(bytes).fill("a".charCodeAt(0));
  content.set((beginnings[type] ?? new Uint8Array()).subarray(0, bytes));
  return content;
}

const boundary = "boundary-of-the-test-5d1c0f";

/** Returns the body of a form: texts and numbers as texts, other values as JSON. */
export function formOf(members: JsonObject): { readonly type: string; readonly bytes: Uint8Array } {
  const parts = Object.entries(members).flatMap(([name, value]) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
    if (isFileValue(value))
      return [`${head}; filename="file"\r\nContent-Type: ${value.type}\r\n\r\n`, contentOf(value), "\r\n"];
    if (typeof value !== "object") return [`${head}\r\n\r\n${String(value)}\r\n`];
    return [`${head}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(value)}\r\n`];
  });
  const all = [...parts, `--${boundary}--\r\n`].map((part) => (typeof part === "string" ? bytesOf(part) : part));
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of all) {
    bytes.set(part, at);
    at += part.length;
  }
  return { type: `multipart/form-data; boundary=${boundary}`, bytes };
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
