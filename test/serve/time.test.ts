/** Timers: each fires once, late rather than never, as the principal `system` (R3.5, R3.7). */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, beforeEach, test } from "node:test";
import type { JournalRecord } from "../../src/store/port/store.ts";
import type { Reply } from "./client.ts";
import { by, documentText, serve, served } from "./scenario.ts";

const hour = 3_600_000;
const day = 24 * hour;

type Members = Readonly<Record<string, unknown>>;

served("time", documentText("errands"), (subject) => {
  let doer: { readonly Authorization: string };
  before(async () => {
    doer = by(await subject.running.key("dora", "doer"));
  });

  const send = (method: string, path: string, body?: object): Promise<Reply> =>
    subject.client.send({ method, path, headers: doer, ...(body === undefined ? {} : { body }) });
  const add = async (path: string, body: object): Promise<string> => {
    const reply = await send("POST", path, body);
    assert.equal(reply.status, 201, reply.text);
    return `${path}/${(reply.json as { id: string }).id}`;
  };
  const get = async (path: string): Promise<Members> => {
    const reply = await send("GET", path);
    assert.equal(reply.status, 200, reply.text);
    return reply.json as Members;
  };
  const change = async (path: string, body: object): Promise<void> => {
    const reply = await send("PATCH", path, body);
    assert.equal(reply.status, 200, reply.text);
  };
  const errand = (body: object = {}): Promise<string> => add("/errands", { title: "errand", ...body });
  const inFuture = (milliseconds: number): string => new Date(now() + milliseconds).toISOString();
  let passed = 0;
  const now = (): number => Date.now() + passed;
  /** Lets time go by, and everything happen that is due then. */
  const pass = async (milliseconds: number): Promise<number> => {
    passed += milliseconds;
    subject.running.pass(milliseconds);
    let count = 0;
    for (let more = await subject.running.tick(); more > 0; more = await subject.running.tick()) count += more;
    return count;
  };
  const journal = async (path: string): Promise<readonly JournalRecord[]> => {
    const [, collection = "", id = ""] = path.split("/");
    const resource = { errands: "Errand", guests: "Guest", logs: "Log" }[collection] ?? "";
    return subject.running.store.journal.moves(resource, id, 0, 99);
  };
  const causes = async (path: string): Promise<readonly string[]> =>
    (await journal(path)).map(({ from = "", to = "", cause, by: who }) => `${from} -> ${to} ${cause} by ${who}`);

  // What earlier tests left is given up, and then gone.
  beforeEach(async () => {
    await pass(30 * day);
    await pass(30 * day);
    await pass(30 * day);
  });

  test("R3.5 not before its moment, once at it, and never again", async () => {
    const path = await errand();
    assert.equal(await pass(20 * hour - 5000), 0);
    assert.equal((await get(path))["state"], "open");
    assert.equal(await pass(5000), 1);
    const lost = await get(path);
    assert.equal(lost["state"], "lost");
    assert.match(lost["givenUpAt"] as string, /^\d{4}-/);
    const tag = (await send("GET", path)).headers["etag"];
    assert.equal(await pass(5 * hour), 0);
    assert.equal((await send("GET", path)).headers["etag"], tag);
    assert.deepEqual(await causes(path), [" -> open addErrand by dora", "open -> lost after 20h by system"]);
  });

  test("R3.7 the journal says when it was due and that nobody asked for it; it emits its event", async () => {
    const path = await errand();
    await pass(20 * hour);
    const [created, lost] = await journal(path);
    assert(created && lost);
    const waited = (lost.due ?? 0) - created.at;
    assert(waited >= 20 * hour && waited < 20 * hour + 5000, String(waited));
    assert.deepEqual([lost.request, lost.event, lost.by], [undefined, "errand.lost", "system"]);
    assert.equal(created.due, undefined);
  });

  test("R3.5 skipped if the state moved on", async () => {
    const path = await errand();
    assert.equal((await send("POST", `${path}/do`)).status, 200);
    assert.equal(await pass(25 * hour), 0);
    assert.equal((await get(path))["state"], "done");
  });

  test("R3.5 late rather than never: what is long overdue is done, a chain of moves each from its own moment", async () => {
    const path = await errand({ ready: true });
    assert.equal(await pass(30 * day), 1);
    assert.equal((await get(path))["state"], "late", "the earlier of two moments is answered first");
    assert.equal(await pass(hour), 1);
    assert.equal((await get(path))["state"], "lost");
    assert.deepEqual((await causes(path)).slice(1), [
      "open -> late after 10h by system",
      "late -> lost after 1h by system",
    ]);
  });

  test("a guard that is false puts it off until the record changes", async () => {
    const path = await errand();
    assert.equal(await pass(11 * hour), 0);
    assert.equal((await get(path))["state"], "open");
    assert.equal(await pass(hour), 0);
    await change(path, { ready: true });
    assert.equal(await pass(0), 1);
    assert.equal((await get(path))["state"], "late");
  });

  test("and does not hold up what comes after it", async () => {
    const path = await errand();
    assert.equal(await pass(11 * hour), 0);
    assert.equal(await pass(9 * hour), 1);
    assert.equal((await get(path))["state"], "lost");
  });

  test("a move to the same state is made once for each moment, whatever else changes", async () => {
    const path = await errand({ remindAt: inFuture(hour) });
    assert.equal(await pass(hour), 1);
    assert.equal((await get(path))["reminders"], 1);
    await change(path, { title: "better" });
    assert.equal(await pass(hour), 0);
    assert.equal((await get(path))["reminders"], 1);
    await change(path, { remindAt: inFuture(hour) });
    assert.equal(await pass(hour), 1);
    assert.equal((await get(path))["reminders"], 2);
    assert.equal(await pass(16 * hour), 0, "its time in the state goes on");
    assert.equal(await pass(hour), 1);
    assert.equal((await get(path))["state"], "lost");
  });

  test("one that sets its own next moment goes on, and makes up for what it missed", async () => {
    const path = await errand({ nextAt: inFuture(hour) });
    await pass(hour);
    assert.equal((await get(path))["rounds"], 1);
    await pass(3 * hour);
    assert.equal((await get(path))["rounds"], 4);
  });

  test("of two moves at one moment both are made where the first stays in the state", async () => {
    const at = inFuture(hour);
    const path = await errand({ remindAt: at, nextAt: at });
    await pass(hour);
    const { reminders, rounds } = await get(path);
    assert.deepEqual([reminders, rounds], [1, 1]);
  });

  test("a refusal undoes it, is told to the operator, and waits for the next change", async () => {
    const path = await errand({ title: "never lost" });
    const told = subject.running.notices.length;
    assert.equal(await pass(20 * hour), 0);
    assert.equal(await pass(20 * hour), 0);
    const id = path.split("/")[2];
    assert.deepEqual(subject.running.notices.slice(told), [`Errand ${id}, after 20h: not done, never-lost`]);
    assert.equal((await get(path))["state"], "open");
    assert.equal((await causes(path)).length, 1);
    await change(path, { title: "to be lost" });
    assert.equal(await pass(0), 1);
    assert.equal((await get(path))["state"], "lost");
  });

  test("what is taken already is a refusal too, and only for who comes second", async () => {
    const before = subject.running.notices.length;
    const paths = [await errand({ slot: "a" }), await errand({ slot: "b" })];
    const states = async (): Promise<unknown> =>
      (await Promise.all(paths.map(get))).map(({ state, slot }) => [state, slot]);
    assert.equal(await pass(20 * hour), 1);
    assert.deepEqual(await states(), [
      ["lost", "gone"],
      ["open", "b"],
    ]);
    assert.equal(subject.running.notices.length, before + 1);
  });

  test("what time does causes what an operation would cause", async () => {
    const log = await add("/logs", {});
    const path = await errand({ log: log.split("/")[2] });
    const other = await errand({ log: log.split("/")[2], ready: true });
    await pass(31 * hour);
    await pass(hour);
    assert.deepEqual([(await get(path))["state"], (await get(other))["state"]], ["lost", "lost"]);
    assert.equal((await get(log))["ended"], 2);
    assert.deepEqual((await causes(log)).slice(1), [
      "kept -> kept when errand.lost by system",
      "kept -> kept when errand.lost by system",
    ]);
  });

  test("of many runs at once one works, and each move is made once", async () => {
    const paths = await Promise.all(Array.from({ length: 100 }, () => errand()));
    passed += 20 * hour;
    subject.running.pass(20 * hour);
    const counts = await Promise.all(Array.from({ length: 5 }, () => subject.running.tick()));
    // The others wait for it, and learn the same number.
    assert.deepEqual(counts, [100, 100, 100, 100, 100]);
    for (const path of paths) assert.equal((await causes(path)).length, 2);
  });

  test("R3.3 of time and a caller at the same moment one wins", async () => {
    for (let round = 0; round < 20; round += 1) {
      const path = await errand();
      passed += 20 * hour;
      subject.running.pass(20 * hour);
      const [count, reply] = await Promise.all([subject.running.tick(), send("POST", `${path}/do`)]);
      assert.deepEqual([count, reply.status], count === 1 ? [1, 409] : [0, 200]);
      assert.equal((await causes(path)).length, 2);
    }
  });
});

test("a document with other timers has them for the records that are there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nonet-timers-"));
  const file = join(folder, "data.db");
  const text = documentText("errands");
  try {
    let path = "";
    {
      await using subject = await serve(text.replace("after: 20h", "after: 40h"), { file });
      const headers = by(await subject.running.key("dora", "doer"));
      const made = await subject.client.send({ method: "POST", path: "/errands", headers, body: { title: "old" } });
      path = `/errands/${(made.json as { id: string }).id}`;
    }
    await using subject = await serve(text, { file });
    const headers = by(await subject.running.key("dora", "doer"));
    subject.running.pass(19 * hour);
    assert.equal(await subject.running.tick(), 0);
    subject.running.pass(hour);
    assert.equal(await subject.running.tick(), 1);
    assert.equal(((await subject.client.send({ method: "GET", path, headers })).json as Members)["state"], "lost");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
