/** Every form of an id: a service creates, reads, lists, changes and refers by it, or `check` reports it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";
import { serve, stores } from "./scenario.ts";

interface Form {
  /** The field `id`, as part 2 has it. */
  readonly id: string;
  /** What callers give; none where the server makes it. */
  readonly given?: readonly [unknown, unknown];
  /** What the server's ids look like. */
  readonly made?: RegExp;
  /** The finding of `check`. */
  readonly refused?: string;
}

const forms: readonly Form[] = [
  { id: "id", made: /^"[0-9a-z]{26}"$/ },
  { id: "id(thi)", made: /^"thi_[0-9a-z]{26}"$/ },
  { id: "id(counter)", made: /^\d+$/ },
  { id: "integer = counter", made: /^\d+$/ },
  { id: "number = counter", made: /^\d+$/ },
  { id: "decimal = counter", made: /^\d+$/ },
  { id: "uuid = uuid", made: /^"[0-9a-f-]{36}"$/ },
  { id: "uuid, read-only", made: /^"[0-9a-f-]{36}"$/ },
  { id: "string(20) = token(20)", made: /^"[\w-]{20}"$/ },
  { id: "text = uuid", made: /^"[0-9a-f-]{36}"$/ },
  { id: "string(12) = digits(12)", made: /^"\d{12}"$/ },
  { id: "uuid", given: ["0190163d-8694-739b-aea5-966c26f8ad91", "0190163d-8694-739b-aea5-966c26f8ad92"] },
  { id: "string(1..9)", given: ["a", "b c"] },
  { id: "string(2..8) /^[a-z]+$/", given: ["abc", "def"] },
  { id: "a | b | c", given: ["a", "b"] },
  { id: "integer", given: [-7, 0] },
  { id: "integer(1..9)", given: [1, 9] },
  { id: "number(0..)", given: [1.5, 2] },
  { id: "decimal(0..)", given: [1.5, 10] },
  { id: "boolean", refused: "resources/id-unusable" },
  { id: "date", given: ["2026-01-01", "2026-12-31"] },
  { id: "time", given: ["10:00:00", "23:59:59"] },
  { id: "datetime", refused: "resources/id-unusable" },
  { id: "duration", given: ["PT5M", "P1D"] },
  { id: "email", given: ["a@example.com", "b+c@example.com"] },
  { id: "url", given: ["https://example.com/a?b=c#d", "https://example.com/%20"] },
  { id: "phone", given: ["+4712345678", "+4787654321"] },
  { id: "country", given: ["NO", "SE"] },
  { id: "user", given: ["ann", "bob/…"] },
  { id: "bytes", given: ["AAECAw==", "////"] },
  { id: "money", refused: "resources/id-unusable" },
  { id: "json", refused: "resources/id-unusable" },
  { id: "string(1..9)[]", refused: "resources/id-unusable" },
  { id: "map(string(1..9))", refused: "resources/id-unusable" },
  { id: "?string(1..9)", refused: "resources/id-unusable" },
  { id: "string | null", refused: "resources/id-unusable" },
  { id: "Owner", given: [1, 2] },
  { id: "{ schema: { type: string, maxLength: 9 } }", refused: "resources/id-unusable" },
  { id: "{ schema: { type: integer } }", refused: "resources/id-unusable" },
  { id: "{ schema: { type: object } }", refused: "resources/id-unusable" },
  { id: "string, read-only", refused: "resources/id-unusable" },
  { id: "integer, read-only", refused: "resources/id-unusable" },
  { id: "string = abc", refused: "resources/id-unusable" },
  { id: "string := name", refused: "resources/id-unusable" },
  { id: "datetime = now", refused: "resources/id-unusable" },
  { id: "string = caller", refused: "resources/caller-may-be-nobody" },
];

function documentOf(id: string): string {
  return `# Min

## What the service does
\`\`\`yaml
nonet: 1
service: min
\`\`\`

## Resources and their fields
\`\`\`yaml
Owner: { id: id(counter) }
Thing:
  ${id.startsWith("?") ? "id?" : "id"}: ${id.replace("?", "")}
  name: string(1..9)
Note:
  id: id(note)
  thing: Thing, filter
\`\`\`

## States and transitions
none

## Endpoints
\`\`\`yaml
endpoints:
  addOwner: POST /owners
  addThing: POST /things
  listThings: GET /things
  getThing: GET /things/{id}
  changeThing: PATCH /things/{id}
  removeThing: DELETE /things/{id}
  addNote: POST /notes
  listNotes: GET /notes
  listNotesOf: GET /things/{thing}/notes
\`\`\`

## Authentication
\`\`\`yaml
credentials: none
allow: { "addOwner, addThing, listThings, getThing, changeThing, removeThing, addNote, listNotes, listNotesOf": anyone }
\`\`\`

## Events
none

## Errors
\`\`\`yaml
standard: all
\`\`\`

## Limits
none

## Versioning
\`\`\`yaml
scheme: none
\`\`\`
`;
}

type Values = Readonly<Record<string, unknown>>;

for (const store of stores) {
  for (const { id, given, made, refused } of forms) {
    test(`R2.1 id: ${id} (${store})`, async () => {
      const text = documentOf(id);
      const errors = check("min.md", text).diagnostics.filter(({ severity }) => severity === "error");
      assert.deepEqual(
        errors.map(({ code }) => code),
        refused === undefined ? [] : [refused],
      );
      if (refused !== undefined) return;
      await using subject = await serve(text, { store });
      const send = (method: string, path: string, body?: unknown) =>
        subject.client.send({ method, path, ...(body === undefined ? {} : { body }) });
      for (const _ of [1, 2]) assert.equal((await send("POST", "/owners", {})).status, 201);
      const ids: unknown[] = [];
      for (const index of [0, 1] as const) {
        const own = given === undefined ? {} : { id: given[index] };
        const reply = await send("POST", "/things", { ...own, name: `n${index}` });
        assert.equal(reply.status, 201, reply.text);
        const record = reply.json as Values;
        if (made !== undefined) assert.match(JSON.stringify(record["id"]), made);
        if (given !== undefined) assert.deepEqual(record["id"], given[index]);
        ids.push(record["id"]);
        const path = reply.headers["location"] ?? "";
        const read = await send("GET", path);
        assert.deepEqual([read.status, read.json], [200, record], path);
        const changed = await send("PATCH", path, { name: "new" });
        assert.deepEqual([changed.status, changed.json], [200, { ...record, name: "new" }]);
        const note = await send("POST", "/notes", { thing: record["id"] });
        assert.deepEqual([note.status, (note.json as Values)["thing"]], [201, record["id"]], note.text);
        assert.equal((await send("DELETE", path)).status, 409);
        const query = path.split("/").at(-1) ?? "";
        for (const list of [`/notes?thing=${query}`, `${path}/notes`]) {
          const page = await send("GET", list);
          assert.equal(
            page.status,
            200,
            `${list} ${page.text} ${String((subject.running.failures[0] as Error | undefined)?.stack)}`,
          );
          const { items } = page.json as { items: readonly Values[] };
          assert.deepEqual(
            items.map((one) => one["id"]),
            [(note.json as Values)["id"]],
            list,
          );
        }
      }
      const { items } = (await send("GET", "/things")).json as { items: readonly Values[] };
      assert.deepEqual(
        new Set(items.map((one) => JSON.stringify(one["id"]))),
        new Set(ids.map((one) => JSON.stringify(one))),
      );
    });
  }
}
