/** Stores uploaded bytes before their record exists, up to the file's size limit (R4.6). */
import { createHash } from "node:crypto";
import type { FilePlan } from "../../plan/resources/types.ts";
import type { FileStore } from "../../store/port/store.ts";
import type { Account } from "../../http/memory-budget.ts";
import { noRoom, ApiError } from "../errors/api-error.ts";
import { gather } from "../../http/byte-buffer.ts";

/** The value of a file field. Only an upload creates one, so clients cannot refer to another caller's file (`isFile`). */
export class Uploaded {
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly name?: string;

  constructor(id: string, fileInfo: { type: string; bytes: number; sha256: string; name: string | undefined }) {
    this.id = id;
    this.type = fileInfo.type;
    this.bytes = fileInfo.bytes;
    this.sha256 = fileInfo.sha256;
    if (fileInfo.name !== undefined) this.name = fileInfo.name;
  }
}

/** Whether the file may have this media type. */
export function fits(type: string, media: readonly string[]): boolean {
  return (
    media.length === 0 || media.some((one) => one === type || (one.endsWith("/*") && type.startsWith(one.slice(0, -1))))
  );
}

export interface Receiving {
  /** Resolves when the next chunk can be written. @throws ApiError 413 if the file is too large. */
  write(bytes: Buffer): Promise<void>;
  end(): Promise<Uploaded>;
}

/** The size of an upload's buffer in bytes. */
const pieceBytes = 512 * 1024;

export function receive(
  files: FileStore,
  id: string,
  { maxBytes }: FilePlan,
  fileInfo: { readonly type: string; readonly name: string | undefined },
  account: Account | undefined,
): Receiving {
  const hash = createHash("sha256");
  const held = gather(pieceBytes, account);
  let bytes = 0;
  const flush = async (): Promise<void> => {
    await files.append(id, held.consume());
    held.release();
  };
  return {
    write: async (chunk) => {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new ApiError("too-large", { detail: `The file may have at most ${maxBytes} bytes`, close: true });
      hash.update(chunk);
      if (!held.add(chunk) || !held.copy()) throw noRoom();
      if (held.length >= pieceBytes) await flush();
    },
    end: async () => {
      // An empty file is stored as one empty piece.
      if (held.length > 0 || bytes === 0) await flush();
      return new Uploaded(id, { type: fileInfo.type, bytes, sha256: hash.digest("hex"), name: fileInfo.name });
    },
  };
}
