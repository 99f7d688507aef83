/** The `package.json` of the published package, from that of the repository. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { oldestNode } from "../src/server/terminal.ts";

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly [member: string]: unknown;
  readonly version: string;
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly optionalDependencies: Versions;
  readonly peerDependencies: Versions;
  readonly peerDependenciesMeta: Readonly<Record<string, object>>;
}

/** Packages that the bundle does not contain, and that every installation has. */
const installed = ["@opentelemetry/api", "pg"] as const;

interface PublishedManifest {
  readonly [member: string]: unknown;
  readonly version: string;
  /** Absent if the address of the repository is unknown. */
  readonly repository?: { readonly type: "git"; readonly url: string };
}

/** `root` is the folder of the repository. */
export function publishedManifest(root: string): PublishedManifest {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  const { name, version, description, license, type, bin } = manifest;
  // The repository installs these for its tests; a service whose document needs one asks for it by name.
  const optional = Object.entries(manifest.optionalDependencies);
  return {
    name,
    version,
    description,
    keywords: ["api", "rest", "http", "openapi", "specification", "server", "sqlite", "postgresql", "conformance"],
    license,
    ...repositoryOf(root),
    publishConfig: { access: "public", provenance: true },
    type,
    engines: { node: `>=${oldestNode}` },
    bin,
    exports: {
      ".": { types: "./src/index.d.ts", default: "./src/index.js" },
      "./test": { types: "./src/conformance/test.d.ts", default: "./src/conformance/test.js" },
      "./package.json": "./package.json",
    },
    dependencies: {
      ...Object.fromEntries(installed.map((each) => [each, manifest.dependencies[each]])),
      // The declarations refer to Node's types.
      "@types/node": manifest.devDependencies["@types/node"],
    },
    peerDependencies: {
      ...manifest.peerDependencies,
      ...Object.fromEntries(optional.map(([each, exact]) => [each, `^${exact}`])),
    },
    peerDependenciesMeta: {
      ...manifest.peerDependenciesMeta,
      ...Object.fromEntries(optional.map(([each]) => [each, { optional: true }])),
    },
  };
}

/**
 * The repository from which this is built, which npm compares with the one that provenance names: NONET_REPOSITORY, or the address
 * of git's `origin`. Without either, as in a copy of the files, the manifest names none.
 */
function repositoryOf(root: string): Partial<PublishedManifest> {
  const address = (process.env["NONET_REPOSITORY"] ?? originOf(root)).replace(/\.git$/, "");
  const [, host, path] = /^(?:https:\/\/|ssh:\/\/git@|git@)([\w.-]+)[/:]([\w.-]+(?:\/[\w.-]+)+)$/.exec(address) ?? [];
  if (host === undefined || path === undefined) return {};
  const page = `https://${host}/${path}`;
  return { repository: { type: "git", url: `git+${page}.git` }, homepage: page, bugs: `${page}/issues` };
}

function originOf(root: string): string {
  try {
    return execFileSync("git", ["config", "--get", "remote.origin.url"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}
