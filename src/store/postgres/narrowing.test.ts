/** Tests that a document that removes something is rejected while a process with the former document serves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { tablesOf, usual, without, type JobsDocument } from "../../../test/migrate/jobs.ts";
import { postgresForFile } from "../../../test/postgres/for-file.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Store } from "../port/store.ts";
import { openPostgresStore } from "./open.ts";

const { admin, server } = await postgresForFile();
const start = Date.parse("2026-06-01T12:00:00.000Z");
const tool = "Tool:\n  id: id(too)\n  name: string(1..9)";

/** The changed parts of the former and of the next document, and the obstacle. */
const rows: readonly (readonly [what: string, before: JobsDocument, next: JobsDocument, why: string])[] = [
  ["a field that is gone", {}, { fields: without("note") }, "Job.note is gone"],
  ["a resource that is gone", { more: tool }, {}, "Tool is gone"],
  ["a value that is gone", {}, { fields: [...without("size"), "size: s | l"] }, "Job.size is changed"],
  ["a value fewer", { fields: [...without("size"), "size: s | m | l"] }, {}, "Job.size is changed"],
  ["a shorter text", {}, { fields: [...without("ref"), "ref: string(1..2)"] }, "Job.ref is changed"],
  ["a longer least text", {}, { fields: [...without("ref"), "ref: string(9..60)"] }, "Job.ref is changed"],
  ["a pattern", {}, { fields: [...without("ref"), "ref: string(1..60) /x/"] }, "Job.ref is changed"],
  ["a smaller range", {}, { fields: [...without("count"), "count: integer(5..9) = 5"] }, "Job.count is changed"],
  ["a required field", {}, { fields: [...without("note"), "note: text"] }, "Job.note is changed"],
  ["another type", {}, { fields: [...without("count"), "count: text"] }, "Job.count is changed"],
  [
    "a field that is unique",
    {},
    { fields: [...without("ref"), "ref: string(1..60), unique"] },
    "more of Job is unique",
  ],
  ["a pair that is unique", {}, { rules: "unique ref + count" }, "more of Job is unique"],
  [
    "a pair for which absent values are equal",
    { rules: "{ unique: [ref, note], absent: distinct }" },
    { rules: "{ unique: [ref, note], absent: equal }" },
    "more of Job is unique",
  ],
  ["a rule", {}, { rules: "count > 0 else too-few" }, "there are other rules for Job"],
  ["a timer", {}, { moves: "open -> over: [by endJob, after 2h]" }, "time does something else to Job"],
  ["another name", {}, { fields: [...without("note"), "remark?: text"] }, "Job.note is gone"],
];

test("what takes something away is refused beside the process before", { concurrency: true }, async (t) => {
  const tried = rows.map(([what, before, next, why], index) =>
    t.test(what, async () => {
      const schema = `narrowing_${index}`;
      const open = (document: JobsDocument): Promise<Store> => {
        const tables: readonly Table[] = tablesOf(document);
        const following = { history: [], events: [], validate: () => () => true };
        const address = `${server.address}?schema=${schema}&connections=2`;
        return openPostgresStore({ address, tables, following, clock: () => start });
      };
      const first = await open(before);
      await admin.query(
        `INSERT INTO ${schema}.jobs (_rev, id, state, ref, size, count, note) VALUES (1, 'job_1', 'open', 'abc', 'm', 0, 'n')`,
      );
      await assert.rejects(open(next), (thrown: Error) => {
        assert.match(thrown.message, /^another process serves the data with the document before/);
        assert.ok(thrown.message.includes(`\n  ${why}`), thrown.message);
        return true;
      });
      assert.equal(await first.ready(), true);
      // A second process with the former document starts alongside, and later restarts alone.
      const second = await open(before);
      for (const store of [first, second]) await store.close();
      const third = await open(before);
      await third.close();
      const { rows: stored } = await admin.query(`SELECT note FROM ${schema}.jobs`);
      assert.deepEqual(stored, [{ note: "n" }]);
    }),
  );
  await Promise.all(tried);
});

test("only a document that the data has followed is an older one", async () => {
  const address = `${server.address}?schema=narrowing_older&connections=2`;
  const following = { history: [], events: [], validate: () => () => true };
  const open = (...more: readonly string[]): Promise<Store> =>
    openPostgresStore({ address, tables: tablesOf({ fields: [...usual, ...more] }), following, clock: () => start });
  const [place, hue] = ["place?: string(1..9)", "hue?: string(1..9)"];
  const stores = [await open(), await open(place), await open(place, hue)];
  await stores.shift()?.close();
  // A known document, two before the newest.
  stores.push(await open());
  // An unknown document: it has what the second and third have only separately.
  await assert.rejects(open(hue), /another process serves|other processes serve/);
  for (const store of stores) await store.close();
});
