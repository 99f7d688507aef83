/**
 * Creates and reads event ids: the position in the event log, encrypted with a secret of the store. So they need no column,
 * differ between two stores and cannot be guessed. A client that sends one back (`Last-Event-ID`) cannot read the position
 * from it: receivers must not be able to count the events that they may not see (R5.8).
 */
import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

export interface EventIds {
  idOf(position: number): string;
  /**
   * Returns an id that differs each time for the same position, so that it does not reveal whether another event has happened
   * since.
   */
  cursorOf(position: number): string;
  /** Returns the position; undefined for an id that this service did not create. */
  positionOf(id: string): number | undefined;
}

const form = /^evt_([0-9a-v]{26})$/;

/**
 * An id is one AES block: the position, then 8 zero bytes. AES is a permutation, so a block with another ending was forged.
 */
const cipher = "aes-128-ecb";
const blockBytes = 16;

/** How many bytes at the start of a position are zero in event ids and random in cursors. */
const nonceBytes = 2;

export function createEventIds(secret: string, random: (bytes: number) => Uint8Array): EventIds {
  const key = createHmac("sha256", secret).update("ids of events").digest().subarray(0, blockBytes);
  const noughts = Buffer.alloc(blockBytes / 2);
  const seal = (position: number, nonce: Uint8Array): string => {
    const block = Buffer.alloc(blockBytes);
    block.writeBigUInt64BE(BigInt(position));
    block.set(nonce);
    const sealed = createCipheriv(cipher, key, null).setAutoPadding(false).update(block);
    // The 26 digits of base 32 contain the 128 bits.
    return `evt_${BigInt(`0x${sealed.toString("hex")}`)
      .toString(32)
      .padStart(26, "0")}`;
  };
  return {
    idOf: (position) => seal(position, noughts.subarray(0, nonceBytes)),
    cursorOf: (position) => seal(position, random(nonceBytes)),
    positionOf(id) {
      const [, digits] = form.exec(id) ?? [];
      if (digits === undefined) return undefined;
      let value = 0n;
      for (const digit of digits) value = value * 32n + BigInt(Number.parseInt(digit, 32));
      if (value >= 1n << 128n) return undefined;
      const sealed = Buffer.from(value.toString(16).padStart(2 * blockBytes, "0"), "hex");
      const block = createDecipheriv(cipher, key, null).setAutoPadding(false).update(sealed);
      const position = block.readUIntBE(nonceBytes, blockBytes / 2 - nonceBytes);
      return Number.isSafeInteger(position) && block.subarray(blockBytes / 2).equals(noughts) ? position : undefined;
    },
  };
}
