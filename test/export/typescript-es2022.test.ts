/** The exported client for older programs: it compiles with ES2022 alone, and runs on Node 20. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { typescriptClient } from "../../src/export/typescript/client.ts";
import { run } from "../serve/running.ts";
import { parts } from "./client-of.ts";
import { flagship, flagshipText } from "./documents.ts";
import { everyDocument } from "./every-document.ts";

const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
const command = promisify(execFile);

/** Compiles files in a new folder, with the library of ES2022; returns the folder, and what the compiler says. */
async function compiled(t: TestContext, files: ReadonlyMap<string, string>): Promise<readonly [string, string]> {
  const folder = await mkdtemp(join(tmpdir(), "nonet-client-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  for (const [name, text] of files) await writeFile(join(folder, `${name}.ts`), text);
  const names = [...files.keys()].map((name) => join(folder, `${name}.ts`));
  const options = [
    "--ignoreConfig",
    "--target",
    "ES2022",
    "--lib",
    "ES2022,DOM",
    "--module",
    "nodenext",
    "--strict",
    "--types",
    "",
  ];
  const { stdout } = await command(process.execPath, [compiler, ...options, "--outDir", folder, ...names]).catch(
    (failure: { stdout: string }) => failure,
  );
  return [folder, stdout];
}

test("the client of every document compiles with ES2022", async (t) => {
  const files = everyDocument.flatMap(({ plans }) =>
    [...plans].map(([name, plan]): [string, string] => [name.replace(" ", "-"), typescriptClient(plan, parts)]),
  );
  const [, errors] = await compiled(t, new Map(files));
  assert.equal(errors, "");
});

/** Node 20, which `NODE_20` names; without it, the one of the machine. */
async function nodeTwenty(): Promise<string | undefined> {
  for (const path of [process.env["NODE_20"] ?? "/usr/bin/node", "/usr/local/bin/node"]) {
    const { stdout } = await command(path, ["--version"]).catch(() => ({ stdout: "" }));
    if (stdout.startsWith("v20.")) return path;
  }
  return undefined;
}

const node = await nodeTwenty();
const skip = node === undefined && "there is no Node 20 on this machine; NODE_20 names one";

const program = `
import { createClient } from "./client.js";
const [url, operator, courier] = process.argv.slice(2);
const staff = createClient({ baseUrl: url, credential: { key: operator } });
const site = await staff.addSite({ name: "Oslo S", address: { street: "Jernbanetorget 1", postcode: "0154", country: "NO" } });
await staff.addLocker({ site: site.id, door: 1, size: "small" });
const client = createClient({ baseUrl: url, credential: { key: courier } });
const parcel = await client.announceParcel({
  site: site.id, size: "small", trackingNumber: "TRACK-1", recipientEmail: "a@example.org", weightKg: 1.5,
});
const [stored] = await Promise.all([client.waitForParcel(parcel.id, "stored"), client.dropOff(parcel.id)]);
console.log(stored.state);
for await (const one of client.listParcels()) console.log(one.trackingNumber);
`;

test("it runs on Node 20", { skip }, async (t) => {
  await using service = await run(flagshipText, { environment: { DOOR_SECRET: "a test" } });
  const [folder, errors] = await compiled(t, new Map([["client", typescriptClient(flagship, parts)]]));
  assert.equal(errors, "");
  await writeFile(join(folder, "program.js"), program);
  const keys = [await service.key("otto", "operator"), await service.key("kim", "courier")];
  const { stdout } = await command(node ?? "", [join(folder, "program.js"), service.url, ...keys]);
  assert.equal(stdout, "stored\nTRACK-1\n");
});
