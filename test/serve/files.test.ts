/** Files: uploads by form, uploads and downloads by a path, and that a failed upload leaves nothing behind. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { Store } from "../../src/store/port/store.ts";
import { documentOf } from "../enforced/document.ts";
import type { Reply } from "./client.ts";
import { faultsOf, served } from "./scenario.ts";

const endpoints = {
  createThing: "POST /things",
  listThings: "GET /things",
  getThing: "GET /things/{id}",
  changeThing: "PATCH /things/{id}",
  replaceThing: "PUT /things/{id}",
  deleteThing: "DELETE /things/{id}",
  getPhoto: "GET /things/{id}/photo",
  putPhoto: "PUT /things/{id}/photo",
};

const text = documentOf({
  resources: {
    Thing: {
      id: "id(thi)",
      name: "string(1..9), unique",
      "size?": "integer(0..9)",
      made: "integer(0..9) = 3, create-only",
      "tags?": "string(1..9)[]",
      "photo?": "file(..2MB, image/png | text/*)",
    },
  },
  endpoints: { endpoints, edits: "If-Match optional", repeats: "Idempotency-Key on every POST" },
  limits: { size: { request: "1KB" } },
});

const boundary = "a-boundary";

interface Part {
  readonly name: string;
  readonly bytes: string | Buffer;
  readonly type?: string;
  readonly file?: string;
}

function formOf(parts: readonly Part[], end = `--${boundary}--\r\n`): Buffer {
  const written = parts.flatMap(({ bytes, file, name, type }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file === undefined ? "" : `; filename="${file}"`}\r\n${type === undefined ? "" : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(bytes),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...written, Buffer.from(end)]);
}

const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");
const big = Buffer.alloc(1_500_000, "0123456789abcdef\r\n");

/** Every file that was begun. */
const begun = new Set<string>();

function watched(store: Store): Store {
  const { files } = store;
  return {
    ...store,
    files: {
      append: (id, bytes) => {
        begun.add(id);
        return files.append(id, bytes);
      },
      piece: (id, at) => files.piece(id, at),
      discard: (ids) => files.discard(ids),
    },
  };
}

served(
  "files",
  text,
  (subject) => {
    const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
      subject.client.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
    const form = (method: string, path: string, parts: readonly Part[], headers = {}, end?: string): Promise<Reply> =>
      send(method, path, formOf(parts, end), {
        "Content-Type": `multipart/form-data; boundary=${boundary}`,
        ...headers,
      });
    let count = 0;
    const name = (): string => `n${(count += 1)}`;
    const png = (bytes: string | Buffer): Part => ({ name: "photo", file: "cat.png", type: "image/png", bytes });
    const made = async (bytes: string | Buffer): Promise<{ id: string; photo: { id: string }; etag: string }> => {
      const reply = await form("POST", "/things", [{ name: "name", bytes: name() }, png(bytes)]);
      assert.equal(reply.status, 201, reply.text);
      return { ...(reply.json as { id: string; photo: { id: string } }), etag: reply.headers["etag"] ?? "" };
    };
    const isKept = async (id: string): Promise<boolean> =>
      (await subject.running.store.files.piece(id, 0)) !== undefined;

    test("a form makes a record, each member of its type, and the file is given as it was sent", async () => {
      const reply = await form("POST", "/things", [
        { name: "name", bytes: name() },
        { name: "size", bytes: "7" },
        { name: "tags", bytes: "a" },
        { name: "tags", bytes: "7" },
        png(big),
      ]);
      assert.equal(reply.status, 201, reply.text);
      const { photo, ...thing } = reply.json as { id: string; photo: Record<string, unknown> };
      assert.deepEqual([thing["size" as "id"], thing["tags" as "id"]], [7, ["a", "7"]]);
      const { id: _, ...said } = photo;
      assert.deepEqual(said, { type: "image/png", bytes: big.length, sha256: sha256(big), name: "cat.png" });
      assert.deepEqual((await send("GET", `/things/${thing.id}`)).json, reply.json);
      const given = await send("GET", `/things/${thing.id}/photo`);
      assert.equal(given.status, 200);
      assert.ok(given.bytes.equals(big));
      const { headers } = given;
      assert.deepEqual(
        [headers["content-type"], headers["content-length"], headers["etag"], headers["accept-ranges"]],
        ["image/png", String(big.length), `"${sha256(big)}"`, "bytes"],
      );
      assert.equal(headers["content-disposition"], 'inline; filename="cat.png"');
      assert.equal(headers["x-content-type-options"], "nosniff");
      const head = await send("HEAD", `/things/${thing.id}/photo`);
      assert.deepEqual([head.status, head.headers["content-length"], head.bytes.length], [200, String(big.length), 0]);
      const known = await send("GET", `/things/${thing.id}/photo`, undefined, { "If-None-Match": `"${sha256(big)}"` });
      assert.equal(known.status, 304);
    });

    test("a part of JSON holds what is no file; JSON alone goes on to do, and makes a record without one", async () => {
      const json = JSON.stringify({ name: name(), size: 3 });
      const reply = await form("POST", "/things", [{ name: "data", type: "application/json", bytes: json }, png("x")]);
      assert.equal((reply.json as { size: number }).size, 3, reply.text);
      const bare = await send("POST", "/things", { name: name() });
      assert.equal(bare.status, 201, bare.text);
      const missing = await send("GET", `/things/${(bare.json as { id: string }).id}/photo`);
      assert.deepEqual([missing.status, (missing.json as { code: string }).code], [404, "not-found"]);
    });

    test("ranges", async () => {
      const { id } = await made("0123456789");
      const tag = `"${sha256("0123456789")}"`;
      const rows: readonly [headers: Record<string, string>, status: number, body: string, range: string | undefined][] = [
      [{ Range: "bytes=0-0" }, 206, "0", "bytes 0-0/10"],
      [{ Range: "bytes=2-4" }, 206, "234", "bytes 2-4/10"],
      [{ Range: "bytes=7-" }, 206, "789", "bytes 7-9/10"],
      [{ Range: "bytes=7-99" }, 206, "789", "bytes 7-9/10"],
      [{ Range: "bytes=-3" }, 206, "789", "bytes 7-9/10"],
      [{ Range: "bytes=-99" }, 206, "0123456789", "bytes 0-9/10"],
      [{ Range: "bytes=10-" }, 416, "", "bytes */10"],
      [{ Range: "bytes=-0" }, 416, "", "bytes */10"],
      [{ Range: "bytes=4-2" }, 200, "0123456789", undefined],
      [{ Range: "bytes=0-1,4-5" }, 200, "0123456789", undefined],
      [{ Range: "lines=0-1" }, 200, "0123456789", undefined],
      [{ Range: "bytes=2-4", "If-Range": tag }, 206, "234", "bytes 2-4/10"],
      [{ Range: "bytes=2-4", "If-Range": `W/${tag}` }, 200, "0123456789", undefined],
      [{ Range: "bytes=2-4", "If-Range": '"other"' }, 200, "0123456789", undefined],
      [{ Range: "bytes=2-4", "If-None-Match": tag }, 304, "", undefined],
    ]; // biome-ignore format: a table
      for (const [headers, status, body, range] of rows) {
        const reply = await send("GET", `/things/${id}/photo`, undefined, headers);
        assert.deepEqual([reply.status, reply.headers["content-range"]], [status, range], JSON.stringify(headers));
        if (status < 300) assert.equal(reply.text, body);
      }
    });

    test("what a range asks for may begin in one piece of the store and end in another", async () => {
      const { id } = await made(big);
      const reply = await send("GET", `/things/${id}/photo`, undefined, { Range: "bytes=524000-1049000" });
      assert.ok(reply.bytes.equals(big.subarray(524_000, 1_049_001)));
    });

    test("its own path takes the bytes alone, and the record's tag holds", async () => {
      const { id, photo, etag } = await made("before");
      const reply = await send("PUT", `/things/${id}/photo`, "after", {
        "Content-Type": "text/plain",
        "If-Match": etag,
      });
      assert.equal(reply.status, 200, reply.text);
      const { photo: now } = reply.json as { photo: { id: string; type: string; name?: string } };
      assert.deepEqual([now.type, now.name], ["text/plain", undefined]);
      assert.equal((await send("GET", `/things/${id}/photo`)).text, "after");
      assert.equal(await isKept(photo.id), false, "what was replaced is gone");
      const late = await send("PUT", `/things/${id}/photo`, "late", { "Content-Type": "text/plain", "If-Match": etag });
      assert.equal(late.status, 412);
      assert.equal((await send("GET", `/things/${id}/photo`)).text, "after");
      const wrong = await send("PUT", `/things/${id}/photo`, "{}", { "Content-Type": "application/json" });
      assert.deepEqual([wrong.status, wrong.headers["accept"]], [415, "image/png, text/*"]);
      const long = await send("PUT", `/things/${id}/photo`, Buffer.alloc(2 ** 21 + 1), {
        "Content-Type": "text/plain",
      });
      assert.equal(long.status, 413);
      assert.equal((await send("GET", `/things/${id}/photo`)).text, "after");
    });

    test("changes: another file, none, and a PUT of JSON that leaves it as it is", async () => {
      const { id, photo } = await made("one");
      const other = await form("PATCH", `/things/${id}`, [
        { name: "photo", file: "b.txt", type: "text/plain", bytes: "two" },
      ]);
      assert.equal(other.status, 200, other.text);
      assert.equal(await isKept(photo.id), false);
      const put = await send("PUT", `/things/${id}`, { ...(other.json as object), size: 1 });
      assert.equal(put.status, 200, put.text);
      assert.deepEqual((put.json as { photo: unknown }).photo, (other.json as { photo: unknown }).photo);
      assert.equal((await send("GET", `/things/${id}/photo`)).text, "two");
      const none = await send("PATCH", `/things/${id}`, { photo: null });
      assert.equal(none.status, 200, none.text);
      assert.equal((await send("GET", `/things/${id}/photo`)).status, 404);
      assert.equal(await isKept((other.json as { photo: { id: string } }).photo.id), false);
    });

    test("it goes with its record", async () => {
      const { id, photo } = await made("x");
      assert.equal(await isKept(photo.id), true);
      assert.equal((await send("DELETE", `/things/${id}`)).status, 204);
      assert.equal(await isKept(photo.id), false);
    });

    const wrong: readonly [what: string, parts: readonly Part[], status: number, ...faults: string[]][] = [
    ["a media type that it is not of", [{ name: "photo", file: "a.svg", type: "image/svg+xml", bytes: "<svg/>" }], 422, "#/photo not-one-of"],
    ["a part that is no file", [{ name: "photo", bytes: "x" }], 422, "#/photo wrong-type"],
    ["two files", [png("a"), png("b")], 422, "#/photo repeated"],
    ["a file that is no field", [{ ...png("a"), name: "cover" }], 422, "#/cover wrong-type"],
    ["a file for a text", [{ ...png("a"), name: "name" }], 422, "#/name wrong-type"],
    ["a number that is none", [{ name: "size", bytes: "big" }, png("a")], 422, "#/size wrong-type"],
    ["a member that there is not", [{ name: "colour", bytes: "red" }, png("a")], 422, "#/colour unknown-field"],
    ["texts beyond what a request may have", [{ name: "size", bytes: "1".repeat(2000) }], 413],
    ["a file beyond what it may have", [png(Buffer.alloc(2 ** 21 + 1))], 413],
  ]; // biome-ignore format: a table
    for (const [what, parts, status, ...faults] of wrong) {
      test(`${what} is refused`, async () => {
        const named = parts.some((part) => part.name === "name") ? parts : [{ name: "name", bytes: name() }, ...parts];
        const reply = await form("POST", "/things", named);
        assert.equal(reply.status, status, reply.text);
        if (faults.length > 0) assert.deepEqual(faultsOf(reply), faults);
      });
    }

    test("R2.4 what a form says of a member that may not change is compared as what it is", async () => {
      const first = await form("POST", "/things", [{ name: "name", bytes: name() }]);
      const path = `/things/${(first.json as { id: string }).id}`;
      const change = (value: string): Promise<Reply> => form("PATCH", path, [{ name: "made", bytes: value }, png("x")]);
      const [same, other] = [await change("3"), await change("4")];
      assert.equal(same.status, 200, same.text);
      assert.deepEqual([other.status, faultsOf(other)], [422, ["#/made read-only"]], other.text);
    });

    test("what is no form, or ends before its end, is refused", async () => {
      const type = { "Content-Type": "multipart/form-data" };
      assert.equal((await send("POST", "/things", "x", type)).status, 400);
      const cut = await form("POST", "/things", [{ name: "name", bytes: name() }, png("abc")], {}, "");
      assert.deepEqual([cut.status, faultsOf(cut)], [400, ["# bad-form"]], cut.text);
      const forged = { id: "file_x", type: "image/png", bytes: 1, sha256: "0".repeat(64) };
      const reply = await send("POST", "/things", { name: name(), photo: forged });
      assert.deepEqual([reply.status, faultsOf(reply)], [422, ["#/photo wrong-type"]]);
    });

    test("nothing is left of a file whose record was not made; the same key gives the first answer again", async () => {
      const known = name();
      const key = { "Idempotency-Key": name() };
      const parts = [{ name: "name", bytes: known }, png("mine")];
      const first = await form("POST", "/things", parts, key);
      assert.equal(first.status, 201, first.text);
      const again = await form("POST", "/things", parts, key);
      assert.deepEqual([again.status, again.text], [201, first.text]);
      const other = await form("POST", "/things", [parts[0] as Part, png("other")], key);
      assert.equal(other.status, 422);
      const before = await looseFiles();
      const taken = await form("POST", "/things", parts);
      assert.equal(taken.status, 409, taken.text);
      assert.deepEqual(await looseFiles(), before);
      assert.deepEqual(before, [], "of none of those that were refused, either");
    });

    /** Those that were begun and are still there, though no record has them. */
    async function looseFiles(): Promise<readonly string[]> {
      const { items } = (await send("GET", "/things?limit=200")).json as {
        items: readonly { photo?: { id: string } }[];
      };
      const held = new Set(items.map(({ photo }) => photo?.id));
      const found: string[] = [];
      for (const id of begun) if (!held.has(id) && (await isKept(id))) found.push(id);
      return found;
    }
  },
  { around: watched },
);

const hidden = documentOf({
  resources: { Thing: { id: "id(thi)", "passport?": "file(..1KB)" } },
  endpoints: {
    endpoints: { createThing: "POST /things", getThing: "GET /things/{id}", getPassport: "GET /things/{id}/passport" },
    wrap: { one: "{resource}", many: "{resources}" },
  },
  authentication: { show: { "Thing.passport": "admin" } },
});

served("files that not everybody sees, in records that stand in a member", hidden, (subject) => {
  test("whoever does not see the field gets no bytes", async () => {
    const admin = { Authorization: `Bearer ${await subject.running.key("ann", "admin")}` };
    const made = await subject.client.send({
      method: "POST",
      path: "/things",
      headers: { "Content-Type": `multipart/form-data; boundary=${boundary}`, ...admin },
      body: formOf([{ name: "passport", file: "p.html", type: "text/html", bytes: "secret" }]),
    });
    const { thing } = made.json as { thing: { id: string } };
    const path = `/things/${thing.id}/passport`;
    const given = await subject.client.send({ method: "GET", path, headers: admin });
    assert.deepEqual([given.status, given.text], [200, "secret"], made.text);
    assert.equal(given.headers["content-disposition"], 'attachment; filename="p.html"');
    const refused = await subject.client.send({ method: "GET", path });
    assert.equal(refused.status, 404);
    assert.ok(!refused.text.includes("secret"));
  });
});
