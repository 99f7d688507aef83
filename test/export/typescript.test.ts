/**
 * The exported TypeScript client: it compiles under the strictest settings for every example and for documents of every shape,
 * rejects wrong types, and works against real services, on both stores.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { typescriptClient } from "../../src/export/typescript/client.ts";
import { documentOf } from "../enforced/document.ts";
import { planOf, run } from "../serve/running.ts";
import { stores } from "../serve/scenario.ts";
import { parts } from "./client-of.ts";
import { contractsText } from "./contract-document.ts";
import { flagshipText } from "./documents.ts";
import { everyDocument } from "./every-document.ts";
import { filesText } from "./files-document.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "test/exported-client");
const flagship = { environment: { DOOR_SECRET: "a test" } };

const credentials = {
  key: { kind: "api-key" },
  link: { kind: "api-key", sent: "query link" },
  github: { kind: "hmac-sha256", secret: "env GITHUB", scheme: "github" },
  login: { kind: "basic" },
  signed: { kind: "hmac-sha256", secret: "env SIGNED", sent: "header X-Signature" },
};
const credentialsText = documentOf({ authentication: { credentials } });

/** By the name of its file: the client of each document, and of each of its versions. */
const clients = new Map([
  ...everyDocument.flatMap(({ plans }) =>
    [...plans].map(([name, plan]): [string, string] => [name.replace(" ", "-"), typescriptClient(plan, parts)]),
  ),
  ["files", typescriptClient(planOf(filesText), parts)],
  ["credentials", typescriptClient(planOf(credentialsText), parts)],
  ["contracts", typescriptClient(planOf(contractsText), parts)],
]);

before(async () => {
  await rm(join(folder, "dist"), { recursive: true, force: true });
  await mkdir(join(folder, "dist"), { recursive: true });
  for (const [name, text] of clients) await writeFile(join(folder, "dist", `${name}.ts`), text);
});

test("all clients compile, and each mistake in a program does not", async () => {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, "-p", folder]).catch(
    (failure: { stdout: string }) => failure,
  );
  assert.equal(stdout, "");
});

test("the same document gives the same client", () => {
  assert.equal(typescriptClient(planOf(flagshipText), parts), typescriptClient(planOf(flagshipText), parts));
});

test("the type and the table have the same credentials", () => {
  const text = typescriptClient(planOf(credentialsText), parts);
  const [, type = ""] = /^export type Credential =([^;]*);$/m.exec(text) ?? [];
  assert.deepEqual(
    [...type.matchAll(/readonly (\w+): (\w+)/g)].map(([, name, of]) => `${name}: ${of}`),
    ["key: Secret", "link: Secret", "github: Secret", "login: Login", "signed: Secret"],
  );
  const [, table = ""] = /^  credentials: \{\n(.*?)^  \},$/ms.exec(text) ?? [];
  assert.deepEqual(
    [...table.matchAll(/^    (\w+):/gm)].map(([, name]) => name),
    Object.keys(credentials),
  );
});

test("a client has no code that its service does not need, and exports what programs use", () => {
  const exportsOf = (text: string): readonly string[] =>
    [...text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(([, name = ""]) => name).toSorted();
  const every = ["ApiError", "ConnectionError", "TimeoutError", "WaitError", "createClient", "etag", "isErrorOf"];
  const plain = typescriptClient(planOf(documentOf({})), parts);
  assert.deepEqual(exportsOf(plain), [...every, "receivedWith"]);
  assert.doesNotMatch(plain, /ebhook/);
  const sending = typescriptClient(planOf(flagshipText), parts);
  assert.deepEqual(exportsOf(sending), [...every, "receivedWith", "verifyWebhook", "WebhookError"].toSorted());
});

test("it imports nothing, and asks nothing of Node", () => {
  for (const [name, text] of clients) assert.doesNotMatch(text, /^import |\brequire\(|\bprocess\.|node:/m, name);
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
