/** Tests which changes of a document let processes with the former document continue to serve. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type JobsDocument, tablesOf, usual, without } from "../../../test/migrate/jobs.ts";
import { differencesBetween } from "./differences.ts";
import { obstructions } from "./expansion.ts";

const rows: readonly (readonly [what: string, next: JobsDocument, waits: readonly string[]])[] = [
  ["nothing", {}, []],
  ["a field that may be absent", { fields: [...usual, "place?: string(1..9)"] }, []],
  ["a field with a default", { fields: [...usual, "flag: boolean = false"] }, []],
  ["a field that has the time of its making", { fields: [...usual, "at: datetime = now"] }, []],
  ["a resource", { more: "Tool:\n  id: id(too)\n  name: string(1..9)" }, []],
  ["a value of an enumeration", { fields: [...without("size"), "size: s | m | l"] }, []],
  ["a longer text", { fields: [...without("ref"), "ref: string(1..90)"] }, []],
  ["a filter", { fields: [...without("ref"), "ref: string(1..60), filter"] }, []],
  ["a field in another place", { fields: [...without("note"), "note?: text"].toReversed() }, []],
  ["another default", { fields: [...without("count"), "count: integer = 1"] }, []],
  ["a rule", { rules: "count > 0 else too-few" }, ["there are other rules for Job"]],
  ["a resource that refers to it", { more: "Tool:\n  id: id(too)\n  job: Job" }, []],
  ["a field that is required", { fields: [...usual, "name: string(1..9)"] }, ["Job.name is changed"]],
  ["a field that is computed", { fields: [...usual, "twice: integer := count * 2, filter"] }, ["Job.twice is changed"]],
  ["a field that is gone", { fields: without("note") }, ["Job.note is gone"]],
  ["a value that is gone", { fields: [...without("size"), "size: s | l"] }, ["Job.size is changed"]],
  ["a shorter text", { fields: [...without("ref"), "ref: string(1..9)"] }, ["Job.ref is changed"]],
  ["another type", { fields: [...without("count"), "count: text"] }, ["Job.count is changed"]],
  ["one that may not be absent any more", { fields: [...without("note"), "note: text"] }, ["Job.note is changed"]],
  ["one that may be absent", { fields: [...without("ref"), "ref?: string(1..60)"] }, ["Job.ref is changed"]],
  ["what is unique", { fields: [...without("ref"), "ref: string(1..60), unique"] }, ["more of Job is unique"]],
  ["a tree", { fields: [...without("above"), "above?: Job, tree"] }, ["Job.above has to make a tree"]],
  ["a timer", { moves: "open -> over: [by endJob, after 2h]" }, ["time does something else to Job"]],
];

for (const [what, next, waits] of rows)
  test(`${what}: ${waits.length === 0 ? "beside" : "after"} the processes before`, () => {
    assert.deepEqual(obstructions(differencesBetween(tablesOf({}), tablesOf(next))), waits);
  });
