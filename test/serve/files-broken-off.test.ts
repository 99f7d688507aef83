/** Uploads that break off, are rejected early, or lose their record: the response, and that no file remains. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Store } from "../../src/store/port/store.ts";
import { documentOf } from "../enforced/document.ts";
import { run } from "./running.ts";
import { serve, served, stores } from "./scenario.ts";
import { onPostgres } from "../postgres/service-schema.ts";

const day = 24 * 3_600_000;

const text = documentOf({
  resources: {
    Thing: { id: "id(thi)", "name?": "string(1..9)", "photo?": "file(..2MB)", done: "datetime = now, read-only" },
    Person: { id: "id(per)", "scan?": "file(..2MB), personal", met: "datetime = now, read-only" },
  },
  endpoints: {
    endpoints: {
      addThing: "POST /things",
      getThing: "GET /things/{id}",
      listThings: "GET /things",
      getPhoto: "GET /things/{id}/photo",
      putPhoto: "PUT /things/{id}/photo",
      addPerson: "POST /people",
      getPerson: "GET /people/{id}",
      putScan: "PUT /people/{id}/scan",
      getScan: "GET /people/{id}/scan",
    },
  },
  limits: { size: { request: "1KB" }, keep: { Thing: "30d after done", Person: "30d after met, erase" } },
});

const large = documentOf({
  resources: { Thing: { id: "id(thi)", "photo?": "file(..16MB)" } },
  endpoints: {
    endpoints: {
      addThing: "POST /things",
      removeThing: "DELETE /things/{id}",
      putPhoto: "PUT /things/{id}/photo",
      getPhoto: "GET /things/{id}/photo",
    },
  },
});

const boundary = "a-boundary";
const start = `--${boundary}\r\nContent-Disposition: form-data; name="photo"; filename="a.bin"\r\nContent-Type: text/plain\r\n\r\n`;

function head(method: string, path: string, length: number, type: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
}

const form = `multipart/form-data; boundary=${boundary}`;
const begun: string[] = [];
const forgotten: string[] = [];
let told = (): void => undefined;

/** Tells when a piece of a file is stored, and when files are forgotten. */
function watched(store: Store): Store {
  const { files } = store;
  return {
    ...store,
    files: {
      append: async (id, bytes) => {
        await files.append(id, bytes);
        begun.push(id);
        told();
      },
      piece: (id, at) => files.piece(id, at),
      discard: async (ids) => {
        await files.discard(ids);
        forgotten.push(...ids);
        told();
      },
    },
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise<void>((resolve) => (told = resolve));
}

served(
  "files that are broken off",
  text,
  (subject) => {
    for (const [what, method, path, type, first] of [
      ["a form", "POST", "/things", form, start],
      ["a file by itself", "PUT", "", "text/plain", ""],
    ] as const)
      test(`nothing is left of ${what} whose sender goes away in the middle`, async () => {
        const made = await subject.client.send({ method: "POST", path: "/things", body: {} });
        const { id } = made.json as { id: string };
        const before = (await subject.client.send({ method: "GET", path: "/things" })).text;
        const count = begun.length;
        const connection = await subject.client.open();
        connection.write(head(method, path === "" ? `/things/${id}/photo` : path, 1_500_000, type));
        connection.write(Buffer.concat([Buffer.from(first), Buffer.alloc(1_000_000, "x")]));
        await until(() => begun.length > count);
        const [file = ""] = begun.slice(count);
        assert.ok((await subject.running.store.files.piece(file, 0)) !== undefined);
        connection[Symbol.dispose]();
        await until(() => forgotten.includes(file));
        assert.equal(await subject.running.store.files.piece(file, 0), undefined);
        assert.equal((await subject.client.send({ method: "GET", path: "/things" })).text, before);
      });

    test("R4.6 what is too large is refused before it is sent, and the connection ends without the rest", async () => {
      const made = await subject.client.send({ method: "POST", path: "/things", body: {} });
      const { id } = made.json as { id: string };
      const rows: readonly (readonly [head: string, sent: Buffer])[] = [
        [head("PUT", `/things/${id}/photo`, 9_000_000, "text/plain"), Buffer.alloc(0)],
        [
          `PUT /things/${id}/photo HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n`,
          Buffer.concat([Buffer.from("400000\r\n"), Buffer.alloc(2_200_000, "x")]),
        ],
        [head("POST", "/things", 2_300_000, form), Buffer.concat([Buffer.from(start), Buffer.alloc(2_200_000, "x")])],
      ];
      for (const [line, sent] of rows) {
        const connection = await subject.client.open();
        connection.write(line);
        connection.write(sent);
        const reply = await connection.next();
        assert.equal(reply?.status, 413, line);
        assert.equal(reply?.headers["connection"], "close");
        await connection.ended;
        connection[Symbol.dispose]();
      }
      await until(() => begun.every((one) => forgotten.includes(one)));
      assert.equal((await subject.client.send({ method: "GET", path: `/things/${id}/photo` })).status, 404);
    });
  },
  { around: watched },
);

for (const store of stores)
  test(`a reader that is slow waits for nobody, and no listener stays for each piece (${store})`, async () => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): void => void warnings.push(name);
    process.on("warning", onWarning);
    try {
      await using subject = await serve(large, { store });
      const { client } = subject;
      const { id } = (await client.send({ method: "POST", path: "/things", body: {} })).json as { id: string };
      const path = `/things/${id}/photo`;
      const body = Buffer.alloc(16_000_000, "0123456789");
      const put = await client.send({ method: "PUT", path, headers: { "Content-Type": "text/plain" }, body });
      assert.equal(put.status, 200, put.text);
      const slow = connect(subject.running.port, "127.0.0.1");
      slow.pause();
      slow.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      assert.ok((await client.send({ method: "GET", path })).bytes.equals(body));
      slow.destroy();
      assert.equal((await client.send({ method: "DELETE", path: `/things/${id}` })).status, 204);
    } finally {
      process.off("warning", onWarning);
    }
    assert.deepEqual(warnings, []);
  });

// Looks into the file itself, which PostgreSQL has none of.

if (!onPostgres)
  test("time deletes a record's file and erases a personal one, and the bytes are nowhere in the data", async () => {
    const folder = mkdtempSync(join(tmpdir(), "nonet-files-"));
    try {
      const file = join(folder, "data.db");
      const secret = "the bytes of Ottilie ".repeat(40_000);
      {
        await using subject = await serve(text, { store: "sqlite", file });
        const { client, running } = subject;
        const put = async (path: string, field: string): Promise<string> => {
          const { id } = (await client.send({ method: "POST", path, body: {} })).json as { id: string };
          const headers = { "Content-Type": "text/plain" };
          const reply = await client.send({ method: "PUT", path: `${path}/${id}/${field}`, headers, body: secret });
          assert.equal(reply.status, 200, reply.text);
          return `${path}/${id}`;
        };
        const thing = await put("/things", "photo");
        const person = await put("/people", "scan");
        running.pass(31 * day);
        for (let more = 1; more > 0; ) more = await running.tick();
        assert.equal((await client.send({ method: "GET", path: thing })).status, 404);
        const left = await client.send({ method: "GET", path: person });
        assert.deepEqual([left.status, (left.json as { scan?: object }).scan], [200, undefined]);
        assert.equal((await client.send({ method: "GET", path: `${person}/scan` })).status, 404);
        const reader = new DatabaseSync(file, { readOnly: true });
        for (const table of ["nonet_files", "nonet_file_pieces"])
          assert.deepEqual({ ...reader.prepare(`SELECT count(*) AS n FROM ${table}`).get() }, { n: 0 });
        reader.close();
      }
      assert.ok(!readFileSync(file).includes("the bytes of Ottilie"));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

test("what a process that was killed had received is forgotten in time, and what records have is kept", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nonet-files-"));
  try {
    const file = join(folder, "data.db");
    let path = "";
    {
      await using running = await run(text, { store: "sqlite", file });
      const made = await fetch(`${running.url}/things`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: "{}",
      });
      path = `/things/${((await made.json()) as { id: string }).id}/photo`;
      const put = await fetch(running.url + path, {
        method: "PUT",
        headers: { "Content-Type": "text/plain" },
        body: "kept",
      });
      assert.equal(put.status, 200);
      await running.store.files.append("file_lost", Buffer.from("a half"));
    }
    await using running = await run(text, { store: "sqlite", file });
    assert.ok((await running.store.files.piece("file_lost", 0)) !== undefined, "another process may still receive it");
    running.pass(2 * 3_600_000);
    for (let more = 1; more > 0; ) more = await running.tick();
    await running.store.purge(running.now());
    assert.equal(await running.store.files.piece("file_lost", 0), undefined);
    assert.equal(await (await fetch(running.url + path)).text(), "kept");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
