/** `--flush-ms`: a disk whose flushes take longer than this machine's, for all contestants alike. Linux with a C compiler only. */
import { execFileSync } from "node:child_process";
import { closeSync, fdatasyncSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./median.ts";

export interface SlowFlush {
  /** What a server has to have in its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Off at first: what is supplied between measurements need not wait. */
  turn(on: boolean): void;
}

export function slowFlush(milliseconds: number, folder: string): SlowFlush {
  if (milliseconds === 0) return { environment: {}, turn: () => {} };
  const library = join(folder, "slow-flush.so");
  const source = fileURLToPath(new URL("slow-flush.c", import.meta.url));
  try {
    execFileSync("cc", ["-O2", "-shared", "-fPIC", "-o", library, source], { stdio: "pipe" });
  } catch (error) {
    throw new Error("--flush-ms needs Linux and a C compiler that is called cc", { cause: error });
  }
  const file = join(folder, "flush-microseconds");
  writeFileSync(file, Int32Array.of(0));
  const told = openSync(file, "r+");
  return {
    environment: { LD_PRELOAD: library, BENCH_FLUSH_FILE: file },
    turn: (on) => void writeSync(told, Int32Array.of(on ? Math.round(milliseconds * 1000) : 0), 0, 4, 0),
  };
}

/** The median of what a flush of one written page takes in this folder without any of that, in milliseconds. */
export function flushMilliseconds(folder: string): number {
  const file = openSync(join(folder, "flush"), "w");
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 51 }, () => {
    writeSync(file, page);
    const begun = performance.now();
    fdatasyncSync(file);
    return performance.now() - begun;
  });
  closeSync(file);
  return median(times);
}
