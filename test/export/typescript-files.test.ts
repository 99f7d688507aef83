/** Files in the exported client: sent as a form or alone, read as bytes, over real HTTP on both stores; and their types. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { typescriptClient } from "../../src/export/typescript/client.ts";
import { planOf, run } from "../serve/running.ts";
import { stores } from "../serve/scenario.ts";
import { parts, moduleOf } from "./client-of.ts";
import { filesText as text } from "./files-document.ts";

interface Thing {
  readonly id: string;
  readonly data: string;
  readonly tags?: readonly string[];
  readonly photo?: { readonly type: string; readonly bytes: number; readonly name?: string };
}

type Ask = (...values: readonly unknown[]) => Promise<unknown>;

for (const store of stores)
  test(`files are sent and read (${store})`, async () => {
    await using running = await run(text, { store });
    const exported = await moduleOf(planOf(text));
    const client = exported.createClient({ baseUrl: running.url }) as unknown as Readonly<Record<string, Ask>>;
    const ask = (name: string, ...values: readonly unknown[]): Promise<unknown> => (client[name] as Ask)(...values);
    const photo = new File(["a picture"], "cät.png", { type: "image/png" });
    const thing = (await ask("createThing", { data: "a", tags: ["x", "y"], photo })) as Thing;
    assert.deepEqual(
      [thing.data, thing.tags, thing.photo?.type, thing.photo?.bytes, thing.photo?.name],
      ["a", ["x", "y"], "image/png", 9, "cät.png"],
    );
    const read = (await ask("getPhoto", thing.id)) as Blob;
    assert.deepEqual([await read.text(), read.type], ["a picture", "image/png"]);
    const put = (await ask("putPhoto", thing.id, new Blob(["words"], { type: "text/plain" }))) as Thing;
    assert.deepEqual([put.photo?.type, put.photo?.bytes], ["text/plain", 5]);
    const changed = (await ask("changeThing", thing.id, {
      photo: new Blob(["more"], { type: "text/plain" }),
    })) as Thing;
    assert.deepEqual([changed.data, changed.photo?.bytes], ["a", 4]);
    const none = (await ask("changeThing", thing.id, { photo: null })) as Thing;
    assert.equal(none.photo, undefined);
    await assert.rejects(ask("getPhoto", thing.id), { name: "ApiError", code: "not-found" });
    await assert.rejects(ask("putPhoto", thing.id, new Blob(["{}"], { type: "application/json" })), { status: 415 });
    const scan = (await ask("createScan", { page: new Blob(["1"]) })) as { readonly id: string };
    assert.equal(await ((await ask("getPage", scan.id)) as Blob).text(), "1");
    assert.deepEqual(running.failures, []);
  });

test("what is sent and read is typed", () => {
  const client = typescriptClient(planOf(text), parts);
  for (const line of [
    /  createScan\(body: \{\s*\/\*\* At most 1048576 bytes. \*\/\s*readonly page: Blob;\s*\}, options/,
    /  changeThing\(id: string, body: ChangeThingInput \| \{[^}]*readonly photo\?: Blob;\s*\}/,
    /  getPage\(id: string, options\?: CallOptions\): Call<Tagged<Blob>,/,
    /  putPhoto\(id: string, body: Blob, options/,
  ])
    assert.match(client, line);
});
