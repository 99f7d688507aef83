/** The function of `node:zlib` that the engine calls, in a browser. Responses of the page are not compressed. */
const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

export function crc32(text: string): number {
  let sum = ~0;
  for (const byte of new TextEncoder().encode(text)) sum = (table[(sum ^ byte) & 255] as number) ^ (sum >>> 8);
  return ~sum >>> 0;
}

export const constants = {};

function absent(): never {
  throw new Error("a page compresses nothing");
}

export { absent as brotliCompress, absent as gzip };
