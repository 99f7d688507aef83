/** Data whose retention has ended is deleted: from records, from the event log, from the file (part 8, `keep`). */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import type { JournalRecord, Row } from "../../src/store/port/store.ts";
import type { Reply } from "./client.ts";
import { by, documentText, serve, served } from "./scenario.ts";
import type { Subject } from "./scenario.ts";
import { onPostgres } from "../postgres/service-schema.ts";

const day = 24 * 3_600_000;

type Members = Readonly<Record<string, unknown>>;

interface Doing {
  readonly send: (method: string, path: string, body?: object) => Promise<Reply>;
  readonly add: (path: string, body: object) => Promise<{ readonly id: string; readonly path: string }>;
  readonly pass: (milliseconds: number) => Promise<number>;
  /** The service's time. */
  readonly now: () => number;
  readonly events: () => Promise<readonly JournalRecord[]>;
}

function doing({ client, running }: Subject, key: () => { readonly Authorization: string }): Doing {
  const send: Doing["send"] = (method, path, body) =>
    client.send({ method, path, headers: key(), ...(body === undefined ? {} : { body }) });
  let passed = 0;
  return {
    send,
    now: () => Date.now() + passed,
    add: async (path, body) => {
      const reply = await send("POST", path, body);
      assert.equal(reply.status, 201, reply.text);
      const { id } = reply.json as { id: string };
      return { id, path: `${path}/${id}` };
    },
    pass: async (milliseconds) => {
      passed += milliseconds;
      running.pass(milliseconds);
      let count = 0;
      for (let more = await running.tick(); more > 0; more = await running.tick()) count += more;
      return count;
    },
    events: async () => running.store.journal.events(0, 999),
  };
}

const guest = {
  name: "Ottilie",
  email: "ottilie@example.org",
  phone: "+4712345678",
  handle: "otti",
  house: 4,
  address: { street: "Kirkeveien 12", floor: 3 },
};

served("retention", documentText("errands"), (subject) => {
  let key: { readonly Authorization: string };
  before(async () => {
    key = by(await subject.running.key("dora", "doer"));
    Object.assign(
      does,
      doing(subject, () => key),
    );
  });
  const does = {} as Doing;
  const done = async (body: object = {}): Promise<{ readonly id: string; readonly path: string }> => {
    const errand = await does.add("/errands", { title: "errand", ...body });
    assert.equal((await does.send("POST", `${errand.path}/do`)).status, 200);
    return errand;
  };

  test("a record is deleted when its time is over, with what says `delete with`, and not before", async () => {
    const errand = await done();
    await does.add("/copies", { errand: errand.id, text: "about Ottilie" });
    assert.equal(await does.pass(30 * day - 60_000), 0);
    assert.equal((await does.send("GET", errand.path)).status, 200);
    assert.equal(await does.pass(60_000), 1);
    assert.equal((await does.send("GET", errand.path)).status, 404);
    assert.deepEqual((await does.send("GET", "/copies")).json, { items: [], next: null });
  });

  test("the journal forgets its data, keeps that it moved, and says what deleted it", async () => {
    const errand = await done();
    const ours = async () => (await does.events()).filter(({ record }) => record === errand.id);
    assert.equal((await ours())[0]?.data?.["id"], errand.id);
    await does.pass(30 * day);
    assert.deepEqual(
      (await ours()).map(({ event, data }) => [event, data]),
      [["errand.added", undefined]],
    );
    const moves = await subject.running.store.journal.moves("Errand", errand.id, 0, 9);
    assert.deepEqual(moves.map(({ to }) => to), ["open", "done"]); // biome-ignore format: short
    const last = await subject.running.store.journal.at(await subject.running.store.journal.last());
    assert.deepEqual(
      [last?.record, last?.to, last?.event, last?.by, last?.cause],
      [errand.id, undefined, undefined, "system", "keep 30d after final"],
    );
  });

  test("while something refers to it it stays, and goes within the hour after", async () => {
    const errand = await done();
    const note = await does.add("/notes", { errand: errand.id, text: "x" });
    assert.equal(await does.pass(30 * day), 0);
    assert.equal((await does.send("GET", errand.path)).status, 200);
    assert.equal((await does.send("DELETE", note.path)).status, 204);
    assert.equal(await does.pass(3_600_000), 1);
    assert.equal((await does.send("GET", errand.path)).status, 404);
  });

  test("an erased record says nothing of the person, and is as the document says", async () => {
    const { id, path } = await does.add("/guests", guest);
    const other = await does.add("/guests", { ...guest, email: "o2@example.org", handle: "o2" });
    const leftAt = new Date(does.now()).toISOString();
    for (const one of [path, other.path]) assert.equal((await does.send("PATCH", one, { leftAt })).status, 200);
    const before = (await does.send("GET", path)).headers["etag"];
    assert.equal(await does.pass(10 * day - 60_000), 0);
    assert.equal(await does.pass(60_000), 2);
    const reply = await does.send("GET", path);
    const { changedAt, ...erased } = reply.json as Members;
    const { email, handle, ...rest } = erased;
    assert.deepEqual(rest, { id, name: "erased", house: 4, address: { street: "erased" }, shown: "erased!", leftAt });
    assert.match(email as string, /^erased-\w+@example\.invalid$/);
    assert.match(handle as string, /^erased-\w+$/);
    assert.notEqual(reply.headers["etag"], before);
    assert.ok((changedAt as string) > leftAt);
    const second = (await does.send("GET", other.path)).json as Members;
    assert.notEqual(second["email"], email);
    const ours = (await does.events()).filter(({ record }) => record === id);
    assert.deepEqual(ours.map(({ event, data }) => [event, data]), [["guest.added", undefined]]); // biome-ignore format: short
    assert.equal(await does.pass(99 * day), 0, "once");
    assert.equal((await does.send("PATCH", path, { name: "Otto" })).status, 200);
    assert.equal(await does.pass(0), 1, "what is written anew has no more time than what it replaces");
    assert.equal(((await does.send("GET", path)).json as Members)["name"], "erased");
  });

  test("nobody keeps another from being erased by having what that one is to have", async () => {
    const { id, path } = await does.add("/guests", { ...guest, email: "o3@example.org", handle: "o3" });
    const row = await subject.running.store.transaction(async (tx) => tx.get("Guest", "id", id));
    const number = ((row as Row)["_seq"] as number).toString(36);
    const taken = { email: `erased-${number}@example.invalid`, handle: `erased-${number}` };
    await does.add("/guests", { ...guest, ...taken });
    const leftAt = new Date(does.now()).toISOString();
    assert.equal((await does.send("PATCH", path, { leftAt })).status, 200);
    assert.equal(await does.pass(10 * day), 1);
    const erased = (await does.send("GET", path)).json as Members;
    assert.equal(erased["name"], "erased");
    assert.match(erased["email"] as string, /^erased-\w+@example\.invalid$/);
    assert.notEqual(erased["email"], taken.email);
    // It has been erased, and stays as it is.
    assert.equal((await does.send("PATCH", path, { house: 5 })).status, 200);
    assert.equal(await does.pass(0), 0);
    assert.equal(((await does.send("GET", path)).json as Members)["email"], erased["email"]);
  });
});

// Looks into the file itself, which PostgreSQL has none of.

if (!onPostgres)
  test("what is erased or deleted is nowhere in the file, nor in its log while it is served", async () => {
    const folder = mkdtempSync(join(tmpdir(), "nonet-erased-"));
    const file = join(folder, "data.db");
    const gone = ["Quastenflosser", "Schnabeltier", "Ottilie", "ottilie@", "+4712345678", "otti", "Kirkeveien"];
    const bytesOf = (...names: readonly string[]): string =>
      names.map((name) => readFileSync(name).toString("latin1")).join("");
    try {
      {
        await using subject = await serve(documentText("errands"), { file });
        const key = by(await subject.running.key("dora", "doer"));
        const does = doing(subject, () => key);
        const errand = await does.add("/errands", { title: "Quastenflosser" });
        await does.add("/copies", { errand: errand.id, text: "Schnabeltier" });
        await does.send("POST", `${errand.path}/do`);
        const leftAt = new Date(Date.now()).toISOString();
        await does.add("/guests", { ...guest, leftAt });
        const bystander = await does.add("/errands", { title: "Axolotl" });
        const before = bytesOf(file, `${file}-wal`);
        for (const text of gone) assert(before.includes(text), `${text} is looked for in the right files`);
        assert.equal(await does.pass(30 * day), 3);
        assert.equal((await does.send("GET", bystander.path)).status, 200);
        // What the service does every minute; the answers that were remembered for keys are over after 30 days.
        await subject.running.store.purge(subject.running.now());
        const after = bytesOf(file, `${file}-wal`);
        assert(after.includes("Axolotl"));
        for (const text of gone) assert(!after.includes(text), text);
        assert.equal((await does.send("GET", bystander.path)).status, 200, "it goes on");
        await does.add("/errands", { title: "Nacktmull" });
      }
      const bytes = bytesOf(file);
      for (const text of ["Axolotl", "Nacktmull"]) assert(bytes.includes(text), "it looks at the right file");
      for (const text of gone) assert(!bytes.includes(text), text);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
