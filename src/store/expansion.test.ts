/** Which changes of a document leave processes with the document before able to serve. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planOf } from "../../test/serve/running.ts";
import type { Table } from "../plan/plan.ts";
import { differencesBetween } from "./differences.ts";
import { obstructions } from "./expansion.ts";

interface Document {
  readonly fields?: readonly string[];
  readonly more?: string;
  readonly rules?: string;
  readonly moves?: string;
}

const usual = ["id: id(job)", "ref: string(1..60)", "size: s | m", "count: integer = 0", "note?: text"];

function tablesOf({
  fields = usual,
  more = "",
  rules = "",
  moves = "open -> over: by endJob",
}: Document): readonly Table[] {
  return planOf(`# Jobs

## What the service does
\`\`\`yaml
nonet: 1
service: jobs
purpose: Jobs.
users: { worker: does them }
operations: { addJob: Begin one, getJob: Look at one, endJob: End one }
\`\`\`

## Resources and their fields
\`\`\`yaml
Job:
${fields.map((field) => `  ${field}`).join("\n")}
${more}
${rules === "" ? "" : `rules: { Job: ${rules} }`}
\`\`\`

## States and transitions
\`\`\`yaml
Job:
  states: { open: begun, over: ended }
  start: open
  final: [over]
  moves:
    ${moves}
${more.includes("Tool:") ? "Tool: none" : ""}
\`\`\`

## Endpoints
\`\`\`yaml
endpoints:
  addJob: POST /jobs
  getJob: GET /jobs/{id}
  endJob: POST /jobs/{id}/end
\`\`\`

## Authentication
\`\`\`yaml
credentials: { key: { kind: api-key, sent: Authorization Bearer, prefix: jo_, lasts: 30d, revoked: at once } }
roles: [worker]
allow:
  addJob, getJob, endJob: worker
\`\`\`

## Events
\`\`\`yaml
out: none
\`\`\`

## Errors
\`\`\`yaml
body: problem+json
\`\`\`

## Limits
\`\`\`yaml
rate: { all: 9/min per user }
\`\`\`

## Versioning
\`\`\`yaml
scheme: none
\`\`\`
`).tables;
}

const without = (name: string): readonly string[] => usual.filter((field) => !field.startsWith(name));
const rows: readonly (readonly [what: string, next: Document, waits: readonly string[]])[] = [
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
  ["a timer", { moves: "open -> over: [by endJob, after 2h]" }, ["time does something else to Job"]],
];

for (const [what, next, waits] of rows)
  test(`${what}: ${waits.length === 0 ? "beside" : "after"} the processes before`, () => {
    assert.deepEqual(obstructions(differencesBetween(tablesOf({}), tablesOf(next))), waits);
  });
