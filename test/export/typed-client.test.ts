/**
 * The exported description suffices for a typed client: types from openapi-typescript, requests by openapi-fetch. Both need
 * TypeScript 5, which the project no longer uses, so they are in a separate package, `test/typed-client`, which the first run of
 * this test installs.
 */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { run } from "../serve/running.ts";
import { baseUrl, flagship, flagshipText } from "./documents.ts";
import { installed, output } from "./installed.ts";

const folder = fileURLToPath(new URL("../typed-client", import.meta.url));
const inModules = (...path: readonly string[]) => join(folder, "node_modules", ...path);

test("a client with generated types compiles, refuses mistakes, and runs against the served example", async (t) => {
  if (!(await installed(t, folder))) return;
  await mkdir(join(folder, "dist"), { recursive: true });
  await writeFile(join(folder, "dist", "lockers.ts"), await generateTypes());

  await t.test("it compiles, and each mistake in it does not", async () => {
    const compiler = inModules("typescript", "bin", "tsc");
    const { stdout } = await output(process.execPath, [compiler, "-p", folder]);
    assert.equal(stdout, "");
  });

  await t.test("it runs", async () => {
    await using service = await run(flagshipText, { store: "memory", environment: { DOOR_SECRET: "a test" } });
    const keys = { operator: await service.key("otto", "operator"), courier: await service.key("kim", "courier") };
    const program = (await import(pathToFileURL(join(folder, "program.ts")).href)) as {
      run(url: string, keys: object): Promise<readonly string[]>;
    };
    assert.deepEqual(await program.run(service.url, keys), [
      "site in Europe/Oslo",
      "locker free",
      "parcel announced",
      "refused: No locker of this size is free at this site (409)",
      "again the same",
      "1 of them, next null",
      "now for b@example.org",
      "it is announced; possible: dropOff, cancelParcel",
      "refused: The code does not open this door (403)",
      "door 1",
      "#/weightKg: too-large",
    ]);
    assert.deepEqual(service.failures, []);
  });
});

/** A member with a default may be left out of what is sent, so it is not made required (`defaultNonNullable`). */
async function generateTypes(): Promise<string> {
  const generator = (await import(pathToFileURL(inModules("openapi-typescript", "dist", "index.mjs")).href)) as {
    default(document: object, options: object): Promise<unknown>;
    astToString(ast: unknown): string;
  };
  const document = structuredClone(openapi(flagship, baseUrl));
  return generator.astToString(await generator.default(document, { defaultNonNullable: false }));
}
