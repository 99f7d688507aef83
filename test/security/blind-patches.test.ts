/**
 * Edits by a caller who may not see all fields of a record (R5.9): the result does not depend on hidden values. Each row is an
 * attack that once revealed a hidden value: by `taken as` of an older version, by a merge, or by a PUT without changes.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stores } from "../serve/scenario.ts";
import { createClient } from "../serve/client.ts";
import { run } from "../serve/running.ts";

const text = `purpose: { nonet: 1, service: desks, operations: [addDesk, getDesk, changeDesk, replaceDesk] }
resources:
  Desk:
    id: id(dsk)
    label?: string(1..200)
    memo?: string(1..40)
    size?: integer(0..1000)
    bag?: { schema: { type: object, properties: { kind: { enum: [a, b] } }, maxProperties: 2 } }
    card?: { schema: { type: object, properties: { name: { type: string }, pin: { type: string, writeOnly: true } } } }
states: none
endpoints:
  endpoints:
    addDesk: POST /desks
    getDesk: GET /desks/{id}
    changeDesk: PATCH /desks/{id}
    replaceDesk: PUT /desks/{id}
authentication:
  credentials: { key: api-key }
  roles: [boss, clerk]
  allow: { "addDesk, getDesk, changeDesk, replaceDesk": boss | clerk }
  show: { Desk.memo: boss, Desk.size: boss, Desk.bag: boss }
events: none
errors: { body: problem+json, standard: all, errors: none }
limits: none
versioning:
  scheme: numbered
  sent: header Desks-Version
  absent: newest
  versions:
    2:
      - "retype Desk.label, was integer(0..1000), seen as size before, taken as memo == null ? 'none' : memo + '!' before"
    1: first
`;

interface Row {
  readonly what: string;
  /** What the clerk asks for, as often as there are; the last answers are compared. */
  readonly asks: readonly (readonly [call: string, body: object, version?: "1"])[];
  /** The record in two worlds. */
  readonly worlds: readonly [object, object];
}

const rows: readonly Row[] = [
  {
    what: "an expression of an older version over a hidden field",
    worlds: [{ memo: "amber" }, { memo: "birch" }],
    asks: [["PATCH", { label: 3 }, "1"]],
  },
  {
    what: "the same beside a member that is sent",
    worlds: [{ memo: "amber" }, {}],
    asks: [["PATCH", { label: 3, size: 4 }, "1"]],
  },
  {
    what: "a guess at what an older version would show of a hidden field",
    worlds: [
      { size: 7, label: "same" },
      { size: 8, label: "same" },
    ],
    asks: [["PATCH", { label: 7, memo: "x" }, "1"]],
  },
  {
    what: "the same guess with a whole record",
    worlds: [
      { size: 7, label: "same" },
      { size: 8, label: "same" },
    ],
    asks: [["PUT", { label: 7, memo: "x" }, "1"]],
  },
  {
    what: "how many members a hidden object has",
    worlds: [{ bag: { x: 1, y: 2 } }, { bag: { x: 1 } }],
    asks: [["PATCH", { bag: { kind: "a" } }]],
  },
  {
    what: "the same at an older version",
    worlds: [{ bag: { x: 1, y: 2 } }, { bag: { x: 1 } }],
    asks: [["PATCH", { bag: { kind: "a" } }, "1"]],
  },
  {
    what: "a guess at a write-only member",
    worlds: [{ card: { name: "n", pin: "1" } }, { card: { name: "n", pin: "2" } }],
    asks: [["PATCH", { card: { pin: "1" } }]],
  },
  {
    what: "the same with a whole record",
    worlds: [{ card: { name: "n", pin: "1" } }, { card: { name: "n", pin: "2" } }],
    asks: [["PUT", { card: { name: "n", pin: "1" } }]],
  },
];

for (const store of stores)
  describe(`edits that do not see everything (${store})`, () => {
    for (const { asks, what, worlds } of rows)
      test(`R5.9 ${what}`, async () => {
        const answers = await Promise.all(worlds.map((record) => answersIn(record)));
        assert.deepEqual(answers[0], answers[1]);

        async function answersIn(record: object): Promise<readonly unknown[]> {
          await using running = await run(text, { store });
          using client = createClient(running.port, () => {});
          const boss = { Authorization: `Bearer ${await running.key("bo", "boss")}` };
          const clerk = { Authorization: `Bearer ${await running.key("cy", "clerk")}` };
          const made = await client.send({ method: "POST", path: "/desks", headers: boss, body: record });
          assert.equal(made.status, 201, made.text);
          const path = `/desks/${(made.json as { id: string }).id}`;
          const before = await client.send({ method: "GET", path, headers: clerk });
          const told: unknown[] = [];
          for (const [method, body, version] of asks) {
            running.pass(1000);
            const headers = { ...clerk, ...(version === undefined ? {} : { "Desks-Version": version }) };
            const reply = await client.send({ method, path, headers, body });
            const after = await client.send({ method: "GET", path, headers: clerk });
            assert(reply.status < 500, String(running.failures.at(-1)));
            const say = ({ status, text: said }: typeof reply): unknown => [
              status,
              said.replaceAll(/"(?:id|request_id|instance)":"[^"]*"/g, ""),
            ];
            told.push(say(reply), say(after), after.headers["etag"] === before.headers["etag"]);
          }
          return told;
        }
      });
  });
