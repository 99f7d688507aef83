/** SHA-256 (FIPS 180-4) of a text in UTF-8, for code that also runs in a browser, where `crypto.subtle` is asynchronous. */

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const constants: Int32Array = fractions((prime) => Math.cbrt(prime), 64);
/** Those of the square roots of the first 8 primes. */
const start: Int32Array = fractions((prime) => Math.sqrt(prime), 8);

function fractions(root: (prime: number) => number, count: number): Int32Array {
  const primes: number[] = [];
  for (let one = 2; primes.length < count; one += 1) if (primes.every((prime) => one % prime !== 0)) primes.push(one);
  return Int32Array.from(primes, (prime) => ((root(prime) % 1) * 2 ** 32) | 0);
}

/** Returns the 32 bytes of the digest. */
export function sha256(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const padded = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  new Uint8Array(padded.buffer).set(bytes);
  padded.setUint8(bytes.length, 0x80);
  padded.setBigUint64(padded.byteLength - 8, BigInt(bytes.length) * 8n);
  const state = Int32Array.from(start);
  for (let offset = 0; offset < padded.byteLength; offset += 64) addBlock(state, padded, offset);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setInt32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

function addBlock(state: Int32Array, data: DataView, offset: number): void {
  const words = new Int32Array(64);
  const word = (index: number): number => words[index] as number;
  for (let i = 0; i < 16; i += 1) words[i] = data.getInt32(offset + i * 4);
  for (let i = 16; i < 64; i += 1) {
    const [early, late] = [word(i - 15), word(i - 2)];
    const s0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const s1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    words[i] = word(i - 16) + s0 + word(i - 7) + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i += 1) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const first = (h + s1 + ((e & f) ^ (~e & g)) + (constants[i] as number) + word(i)) | 0;
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => {
    state[index] = (state[index] as number) + value;
  });
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
