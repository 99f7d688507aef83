/**
 * The exported TypeScript client: it compiles under the strictest settings for every example and for documents of every
 * shape, refuses mistakes, and does what it says against services that are served, on both stores.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { typescriptClient } from "../../src/export/typescript/client.ts";
import { planOf, run } from "../serve/running.ts";
import { stores } from "../serve/scenario.ts";
import { flagshipText, libraryText } from "./documents.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "test/exported-client");
const runtime = readFileSync(join(root, "src/export/typescript/common.ts"), "utf8");
const flagship = { environment: { DOOR_SECRET: "a test" } };

/** Examples, and the documents that the tests of the server are made of. */
const documents = new Map([
  ...globSync(["examples/*.md", "test/serve/documents/*.md"], { cwd: root })
    .sort()
    .map((path): [string, string] => [basename(path, ".md"), readFileSync(join(root, path), "utf8")])
    .filter(([name]) => name !== "nothing-yet"),
  ["library", libraryText],
]);

before(async () => {
  await rm(join(folder, "dist"), { recursive: true, force: true });
  await mkdir(join(folder, "dist"), { recursive: true });
  for (const [name, text] of documents)
    await writeFile(join(folder, "dist", `${name}.ts`), typescriptClient(planOf(text), runtime));
});

/** The client of a document, without its types. */
export async function clientOf(name: string): Promise<Module> {
  return (await import(pathToFileURL(join(folder, "dist", `${name}.ts`)).href)) as Module;
}

// oxlint-disable-next-line typescript/no-explicit-any
type Module = any;

test("all clients compile, and each mistake in a program does not", async () => {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, "-p", folder]).catch(
    (failure: { stdout: string }) => failure,
  );
  assert.equal(stdout, "");
});

test("the same document gives the same client", () => {
  assert.equal(typescriptClient(planOf(flagshipText), runtime), typescriptClient(planOf(flagshipText), runtime));
});

test("it imports nothing, and asks nothing of Node", async () => {
  for (const name of documents.keys()) {
    const text = readFileSync(join(folder, "dist", `${name}.ts`), "utf8");
    assert.doesNotMatch(text, /^import |\brequire\(|\bprocess\.|node:/m, name);
  }
});

for (const store of stores) {
  describe(`a client at work (${store})`, () => {
    test("a program runs", async () => {
      await using service = await run(flagshipText, { store, ...flagship });
      const keys = { operator: await service.key("otto", "operator"), courier: await service.key("kim", "courier") };
      const program = (await import(pathToFileURL(join(folder, "program.ts")).href)) as {
        run(url: string, keys: object): Promise<readonly string[]>;
      };
      assert.deepEqual(await program.run(service.url, keys), [
        "site in Europe/Oslo",
        "parcel announced, again the same",
        "replayed false, true",
        "409 after 600 s",
        "#/weightKg: too-large",
        "TRACK-3,TRACK-2,TRACK-1",
        "2, then 1, then false",
        "now for b@example.org, since then unchanged",
        "stale",
        "possible: dropOff, cancelParcel",
        "waited for stored",
        "wrong-code: The code does not open this door",
        "door 1",
        "unreachable: collected",
        "unauthenticated, string",
      ]);
      assert.deepEqual(service.failures, []);
    });
  });
}
