/**
 * Parses and prints sizes as documents write them: `256KB`, `1MB`. KB, MB and GB are powers of 1024, as in every server's
 * configuration; KiB, MiB and GiB mean the same. `B` is bytes.
 */

const factors: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1024,
  kib: 1024,
  mb: 1024 ** 2,
  mib: 1024 ** 2,
  gb: 1024 ** 3,
  gib: 1024 ** 3,
};

/** Returns the number of bytes, or undefined if `text` is no size. Ignores case. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d{1,15})(B|[KMG]i?B)$/i.exec(text);
  const factor = factors[match?.[2]?.toLowerCase() ?? ""];
  if (match === null || factor === undefined) return undefined;
  const size = Number(match[1]) * factor;
  return Number.isSafeInteger(size) ? size : undefined;
}

export function isSize(text: string): boolean {
  return parseSize(text) !== undefined;
}

/** Prints a size in the largest unit that is exact: 262144 is `256KB`, 1000 is `1000B`. */
export function printSize(bytes: number): string {
  for (const unit of ["GB", "MB", "KB"]) {
    const factor = factors[unit.toLowerCase()] ?? 1;
    if (bytes > 0 && bytes % factor === 0) return `${bytes / factor}${unit}`;
  }
  return `${bytes}B`;
}
