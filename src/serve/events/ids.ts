/**
 * Ids of events: made from the position in the journal and a secret of the store, so that they need no column, are not the
 * same in two stores, and cannot be made up. Whoever holds one (`Last-Event-ID`) holds the position.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

export interface EventIds {
  idOf(position: number): string;
  /** Undefined for what this service never gave. */
  positionOf(id: string): number | undefined;
}

const form = /^evt_([0-9a-v]{26})$/;

export function createEventIds(secret: string): EventIds {
  const bytesOf = (position: number): Buffer => {
    const bytes = Buffer.alloc(16);
    bytes.writeBigUInt64BE(BigInt(position));
    createHmac("sha256", secret).update(bytes.subarray(0, 8)).digest().copy(bytes, 8, 0, 8);
    return bytes;
  };
  return {
    // 128 bits are 26 digits of base 32.
    idOf: (position) =>
      `evt_${BigInt(`0x${bytesOf(position).toString("hex")}`)
        .toString(32)
        .padStart(26, "0")}`,
    positionOf: (id) => {
      const [, digits] = form.exec(id) ?? [];
      if (digits === undefined) return undefined;
      let value = 0n;
      for (const digit of digits) value = value * 32n + BigInt(Number.parseInt(digit, 32));
      const bytes = Buffer.from(value.toString(16).padStart(34, "0"), "hex").subarray(1);
      const position = Number(bytes.readBigUInt64BE());
      const known = Number.isSafeInteger(position) && value < 1n << 128n && timingSafeEqual(bytes, bytesOf(position));
      return known ? position : undefined;
    },
  };
}
