/**
 * Filters and searches of older versions over newer, hidden fields: a value that an older version has no name for is hidden there
 * as well (R4.13, R5.9). Each row once revealed an exact hidden value, or kept the document from being served.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../serve/client.ts";
import { run } from "../serve/running.ts";

interface Row {
  readonly what: string;
  /** The filters of `GET /desks`, by lines. */
  readonly filters?: readonly string[];
  /** Further fields of `Worker`, and marks of its `name`. */
  readonly fields?: readonly string[];
  readonly name?: string;
  /** The versions, newest first. */
  readonly versions: readonly (readonly string[])[];
  /** What the clerk asks for at version 1, and the status and number of records that it gets. */
  readonly asked: readonly (readonly [path: string, status: number, found?: number])[];
  /** In place of the condition of the stream. */
  readonly stream?: string;
}

const rows: readonly Row[] = [
  {
    what: "a filter over a field of another resource that came later",
    filters: ["paid: { type: integer, if: worker.salary > value }"],
    versions: [["add Worker.salary, taken as 1 before"]],
    asked: [
      ["/desks?paid=499", 400],
      ["/desks?paid=500", 400],
    ],
  },
  {
    what: "the same without a type, which no document could be served with",
    filters: ["paid: worker.salary == value"],
    versions: [["add Worker.salary, taken as 1 before"]],
    asked: [["/desks?paid=500", 400]],
  },
  {
    what: "a filter over a field that had another type",
    filters: ["paid: { type: integer, if: worker.salary > value }"],
    versions: [["retype Worker.salary, was string, seen as 'x' before, taken as 1 before"]],
    asked: [
      ["/desks?paid=499", 400],
      ["/desks?paid=500", 400],
    ],
  },
  {
    what: "a filter over all records of a resource, by a field that came later",
    filters: ["anybody: { type: integer, if: 'Worker.exists(w, w.salary == value)' }"],
    versions: [["add Worker.salary, taken as 1 before"]],
    asked: [["/desks?anybody=500", 400]],
  },
  {
    what: "a filter over a field whose name another one had in the first version",
    filters: ["paid: { type: integer, if: worker.salary == value }"],
    versions: [["add Worker.salary, taken as 1 before"], ["remove Worker.salary: integer, seen as 7 before"]],
    asked: [["/desks?paid=500", 400]],
  },
  {
    what: "a search in a field whose name another one had",
    fields: ["note?: string(..80), search"],
    versions: [["rename Worker.memo -> note", "remove Worker.note: string, search, seen as 'x' before"]],
    asked: [
      ["/workers?search=hush", 400],
      ["/workers?search=nothing", 400],
    ],
  },
  {
    what: "a search in a field that had another name",
    name: "search",
    versions: [["rename Worker.nom -> name"]],
    asked: [
      ["/workers?search=ann", 200, 1],
      ["/workers?search=hush", 200, 0],
    ],
  },
  {
    what: "followers whose events are told of by a field that came later",
    stream: "clerk if salary > 10",
    versions: [["add Worker.salary, taken as 1 before"]],
    asked: [["/workers", 200, 1]],
  },
];

function textOf({ fields = [], filters = [], name = "sort", stream, versions }: Row): string {
  const all = [...versions, undefined].map((changes, index, { length }) =>
    changes === undefined
      ? `  ${length - index}: first`
      : `  ${length - index}:\n${changes.map((one) => `    - "${one}"\n`).join("")}`,
  );
  return `purpose: { nonet: 1, service: desks, operations: [addWorker, listWorkers, addDesk, listDesks] }
resources:
  Worker:
    id: id(wor)
    name: string(1..80), ${name}
    salary: integer
${fields.map((one) => `    ${one}\n`).join("")}  Desk:
    id: id(dsk)
    worker: Worker
states: none
endpoints:
  endpoints:
    addWorker: POST /workers
    listWorkers: GET /workers
    addDesk: POST /desks
    listDesks:
      at: GET /desks
${filters.length === 0 ? "" : `      filters:\n${filters.map((one) => `        ${one}\n`).join("")}`}authentication:
  credentials: { key: api-key }
  roles: [boss, clerk]
  allow: { "addWorker, listWorkers, addDesk, listDesks": boss | clerk }
  show: { Worker.salary: boss${fields.length === 0 ? "" : ", Worker.note: boss"} }
events:
${stream === undefined ? "  out: none" : `  out: { worker.added: addWorker }\n  delivery: { stream: { at: GET /events, for: ${stream} } }`}
errors: { body: problem+json, standard: all, errors: none }
limits: none
versioning:
  scheme: numbered
  sent: header Desks-Version
  absent: newest
  versions:
${all.map((one) => `  ${one.replaceAll("\n", "\n  ").trimEnd()}\n`).join("")}`;
}

for (const row of rows)
  test(`R5.9 ${row.what}`, async () => {
    await using running = await run(textOf(row));
    using client = createClient(running.port, () => {});
    const boss = { Authorization: `Bearer ${await running.key("bo", "boss")}` };
    const clerk = { Authorization: `Bearer ${await running.key("cy", "clerk")}`, "Desks-Version": "1" };
    const note = row.fields === undefined ? {} : { note: "hush" };
    const worker = { name: "Ann", salary: 500, ...note };
    const made = await client.send({ method: "POST", path: "/workers", headers: boss, body: worker });
    assert.equal(made.status, 201, made.text);
    const { id } = made.json as { id: string };
    const desk = await client.send({ method: "POST", path: "/desks", headers: boss, body: { worker: id } });
    assert.equal(desk.status, 201, desk.text);
    for (const [path, status, found] of row.asked) {
      const reply = await client.send({ method: "GET", path, headers: clerk });
      assert.equal(reply.status, status, `${path}: ${reply.text}`);
      if (found !== undefined) assert.equal((reply.json as { items: unknown[] }).items.length, found, reply.text);
    }
    assert.deepEqual(running.failures, []);
  });
