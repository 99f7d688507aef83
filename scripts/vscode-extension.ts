/**
 * Packs the VS Code extension: `node scripts/vscode-extension.ts [OUT.vsix]`, without network. Bundles the client and the server
 * with the pages of the reference that hover texts quote.
 */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { execFileSync } from "node:child_process";

const root = join(import.meta.dirname, "..");
const extension = join(root, "editors/vscode");
const dist = join(extension, "dist");
const out = resolve(process.argv[2] ?? join(root, "dist/nonet.vsix"));

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(out, ".."), { recursive: true });
const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
} as const;
await build({
  ...shared,
  entryPoints: ["editors/vscode/client.js"],
  outfile: join(dist, "client.cjs"),
  format: "cjs",
  target: "node20",
  external: ["vscode"],
});
await build({
  ...shared,
  entryPoints: ["editors/vscode/server.ts"],
  outfile: join(dist, "server.mjs"),
  format: "esm",
  target: "node20",
  splitting: false,
  // Packages in the other format of modules call `require` for modules of Node.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
});
for (const page of ["language.md", "expressions.md"])
  cpSync(join(root, "docs/reference", page), join(dist, "reference", page));
cpSync(join(root, "LICENSE"), join(extension, "LICENSE.txt"));
execFileSync(
  process.execPath,
  [
    join(root, "node_modules/@vscode/vsce/vsce"),
    "package",
    "--no-dependencies",
    "--skip-license",
    "--allow-missing-repository",
    "--out",
    out,
  ],
  {
    cwd: extension,
    stdio: ["ignore", "ignore", "inherit"],
  },
);
process.stdout.write(`${out}\n`);
