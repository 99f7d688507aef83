/**
 * Adds the packages of every platform to package-lock.json. npm leaves out those that the configured registry lacks, and then
 * `npm ci` rejects the lock everywhere. Run it after adding a dependency: `node scripts/complete-lock.ts`. The added entries have
 * an exact version but no hash; npm adds the hash if it can.
 */
import { readFileSync, writeFileSync } from "node:fs";

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, LockedPackage> };
const added = Object.values(lock.packages).flatMap((parent) =>
  Object.entries(parent.optionalDependencies ?? {})
    .filter(([name]) => lock.packages[`node_modules/${name}`] === undefined)
    .map(([name, version]): [string, LockedPackage] => [
      `node_modules/${name}`,
      platformPackage(name, version, parent),
    ]),
);
lock.packages = Object.fromEntries(
  [...Object.entries(lock.packages), ...added].sort(([a], [b]) => a.localeCompare(b, "en")),
);
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added.length} packages added to package-lock.json\n`);

/** A platform package is named after its platform, and its parent requires one exact version. */
function platformPackage(name: string, version: string, parent: LockedPackage): LockedPackage {
  const system = /android|darwin|freebsd|linux|openharmony|win32/.exec(name)?.[0];
  const processor = /arm64|x64|ia32|s390x|riscv64|ppc64|arm(?!\w)/.exec(name)?.[0];
  if (system === undefined || processor === undefined || !/^\d+\.\d+\.\d+$/.test(version)) {
    throw new Error(`${name}@${version} cannot be read as a platform's package; add it to the lock by hand`);
  }
  return {
    version,
    cpu: [processor],
    ...(parent.dev === true ? { dev: true } : {}),
    ...(system === "linux" ? { libc: [name.includes("musl") ? "musl" : "glibc"] } : {}),
    optional: true,
    os: [system],
  };
}
