/**
 * Which modules `serve` loads before its first response. Every process reads, compiles and stores each of them, so a module that
 * the document does not need is loaded only on first use.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nonet, root, temporaryFolder } from "./process.ts";

/** Writes down what is loaded until the command says where it listens. */
const recorder = `import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
const loaded = new Set();
registerHooks({
  load: (url, context, next) => {
    loaded.add(url);
    return next(url, context);
  },
});
const { write } = process.stdout;
process.stdout.write = (text, ...rest) => {
  if (/ at http:/.test(text)) {
    const builtin = process.moduleLoadList.filter((name) => name.startsWith("NativeModule ")).map((name) => "node:" + name.slice(13));
    writeFileSync("loaded.txt", [...loaded, ...builtin].join("\\n"));
  }
  return write.call(process.stdout, text, ...rest);
};
`;

/** Of \`package.json\`: what every document needs, to be read and to be checked. */
const everyDocument = ["@bufbuild/re2", "ajv-formats", "ipaddr.js", "yaml"];

const secret = "0123456789abcdef0123";

interface Row {
  readonly what: string;
  readonly document: string;
  readonly options?: readonly string[];
  /** Packages of ours besides those of every document. */
  readonly packages: readonly string[];
  /** Folders and files of \`src\`, and modules of Node, that nothing is loaded of. */
  readonly nothingOf: readonly string[];
}

const elsewhere = [
  ...["import", "diff", "export/openapi", "export/typescript", "export/asyncapi", "export/markdown", "export/mermaid"],
  ...["webhooks/brokers", "store/valkey", "store/postgres/open.ts", "runtime/auth/oauth/provider.ts", "cli/doctor.ts"],
  ...["mcp", "cli/backup.ts", "observability/metrics.ts", "observability/admin.ts", "runtime/telemetry.ts"],
  ...["node:https", "node:tls", "node:inspector"],
];

const rows: readonly Row[] = [
  {
    what: "the flagship",
    document: join(root, "examples", "parcel-lockers.md"),
    packages: [],
    nothingOf: elsewhere,
  },
  {
    what: "its figures asked for",
    document: join(root, "examples", "parcel-lockers.md"),
    options: ["--admin-port", "0"],
    packages: [],
    nothingOf: elsewhere.filter((name) => !name.startsWith("observability/")),
  },
  {
    what: "tokens of somebody else",
    document: join(root, "examples", "weather-stations.md"),
    packages: ["jose"],
    nothingOf: elsewhere,
  },
];

for (const { what, document, options = [], packages, nothingOf } of rows) {
  test(`${what}: nothing is loaded that it does not need`, async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, "recorder.mjs"), recorder);
    const environment = { DOOR_SECRET: secret, STATION_SECRET: secret, NODE_OPTIONS: "--import ./recorder.mjs" };
    const running = nonet(t, ["serve", document, "--port", "0", "--data", "memory", ...options], {
      folder,
      environment,
      // What is published is one file.
      command: join(root, "src", "cli.mjs"),
    });
    await running.says(/ at http:/);
    running.signal("SIGTERM");
    assert.equal(await running.ended, 0, running.output);
    const loaded = readFileSync(join(folder, "loaded.txt"), "utf8").replaceAll("\\", "/").split("\n");
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Readonly<Record<string, object>>; // biome-ignore format: one value
    const ours = Object.keys({ ...dependencies, ...optionalDependencies });
    const taken = ours.filter((name) => loaded.some((url) => url.includes(`/node_modules/${name}/`)));
    assert.deepEqual(taken.toSorted(), [...everyDocument, ...packages].toSorted());
    for (const name of nothingOf)
      assert.deepEqual(loaded.filter((url) => url === name || url.includes(`/src/${name}`)), [], name); // biome-ignore format: short
  });
}
