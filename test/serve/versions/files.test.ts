/** Files in older versions: a renamed file has its former path and name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../../enforced/document.ts";
import { run } from "../running.ts";
import { stores } from "../scenario.ts";

const textWith = (...entries: readonly string[]): string =>
  documentOf({
    resources: { Thing: { id: "id(thi)", "picture?": "file(..6MB, image/png)" } },
    endpoints: {
      endpoints: {
        addThing: "POST /things",
        getThing: "GET /things/{id}",
        getPicture: "GET /things/{id}/picture",
        putPicture: "PUT /things/{id}/picture",
      },
    },
    versioning: {
      scheme: "dated",
      sent: "header Version",
      versions: { "2026-06-01": ["rename Thing.photo -> picture", ...entries], "2026-01-01": "first" },
    },
  });

const documents = {
  "its path goes with it": textWith(),
  "its path is said, too": textWith(
    "path getPicture, was GET /things/{id}/photo",
    "path putPicture, was PUT /things/{id}/photo",
  ),
};

for (const [what, text] of Object.entries(documents))
  for (const store of stores)
    test(`a file that was renamed: ${what} (${store})`, async () => {
      await using running = await run(text, { store });
      const ask = async (version: string, method: string, path: string, body?: string | FormData) => {
        const type = typeof body === "string" ? { "Content-Type": "image/png" } : {};
        const headers = { Version: version, ...type };
        const reply = await fetch(running.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
        const text = await reply.text();
        return { status: reply.status, text, record: text.startsWith("{") ? (JSON.parse(text) as Members) : {} };
      };
      const form = new FormData();
      form.append("photo", new Blob(["one"], { type: "image/png" }), "a.png");
      const made = await ask("2026-01-01", "POST", "/things", form);
      assert.deepEqual([made.status, made.record.photo?.bytes, made.record.picture], [201, 3, undefined], made.text);
      const path = `/things/${made.record.id}`;
      assert.equal((await ask("2026-06-01", "GET", `${path}/picture`)).text, "one");
      const put = await ask("2026-01-01", "PUT", `${path}/photo`, "three");
      assert.deepEqual([put.status, put.record.photo?.bytes], [200, 5], put.text);
      assert.equal((await ask("2026-01-01", "GET", `${path}/photo`)).text, "three");
      assert.equal((await ask("2026-06-01", "GET", path)).record.picture?.bytes, 5);
      assert.equal((await ask("2026-01-01", "GET", `${path}/picture`)).status, 404);
      assert.equal((await ask("2026-06-01", "GET", `${path}/photo`)).status, 404);
      assert.deepEqual(running.failures, []);
    });

interface Members {
  readonly id?: string;
  readonly photo?: { readonly bytes: number };
  readonly picture?: { readonly bytes: number };
}
