/** Operations without input: no body and an empty object are equivalent, and any other body is rejected alike (R4.5). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../enforced/document.ts";
import { faultsOf, served } from "./scenario.ts";

const text = documentOf({
  resources: {
    Thing: { id: "id(thi)", made: "datetime = now, read-only" },
    Note: { id: "id(not)", "text?": "string(1..9)" },
  },
  states: {
    Thing: {
      states: { open: "Is open", shut: "Is shut" },
      start: "open",
      moves: { "open -> shut": "by shut" },
    },
  },
  endpoints: {
    endpoints: {
      addThing: "POST /things",
      getThing: "GET /things/{id}",
      shut: "POST /things/{id}/shut",
      addNote: "POST /notes",
    },
  },
});

const json = "Content-Type: application/json\r\n";
const length = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const chunked = (body: string): string =>
  `Transfer-Encoding: chunked\r\n\r\n${body === "" ? "" : `${body.length.toString(16)}\r\n${body}\r\n`}0\r\n\r\n`;

const bodies: readonly (readonly [what: string, sent: string, status: "fine" | number, ...faults: string[]])[] = [
  ["nothing", "\r\n", "fine"],
  ["no bytes", length(""), "fine"],
  ["no bytes of JSON", json + length(""), "fine"],
  ["no bytes of text", `Content-Type: text/plain\r\n${length("")}`, "fine"],
  ["no chunks", chunked(""), "fine"],
  ["no chunks of JSON", json + chunked(""), "fine"],
  ["an empty object", json + length("{}"), "fine"],
  ["an empty object in chunks", json + chunked("{}"), "fine"],
  ["an empty object with blanks", json + length(" {\n } "), "fine"],
  ["an empty object of no type", length("{}"), 415],
  ["an empty object of no type in chunks", chunked("{}"), 415],
  ["an empty object of another type", `Content-Type: text/plain\r\n${length("{}")}`, 415],
  ["an empty object in Latin-1", `Content-Type: application/json; charset=latin1\r\n${length("{}")}`, 415],
  ["an empty object in gzip", `Content-Encoding: gzip\r\n${json}${length("{}")}`, 415],
  ["a member", json + length('{"a":1}'), 422, "#/a unknown-field"],
  ["an empty list", json + length("[]"), 422, "# wrong-type"],
  ["null", json + length("null"), 422, "# wrong-type"],
  ["half an object", json + length("{"), 400, "# bad-json"],
];

served("nothing to send", text, (subject) => {
  const raw = async (path: string, sent: string) => {
    const [reply] = await subject.client.raw(`POST ${path} HTTP/1.1\r\nHost: a\r\n${sent}`, 1);
    assert(reply);
    return reply;
  };
  for (const [what, sent, status, ...faults] of bodies)
    test(`R4.5 ${what} is ${status}, for a creation and a move alike`, async () => {
      const made = await subject.client.send({ method: "POST", path: "/things" });
      assert.equal(made.status, 201, made.text);
      const thing = `/things/${(made.json as { id: string }).id}`;
      for (const [path, success] of [
        ["/things", 201],
        [`${thing}/shut`, 200],
      ] as const) {
        const reply = await raw(path, sent);
        assert.equal(reply.status, status === "fine" ? success : status, `${path} ${reply.text}`);
        if (faults.length > 0) assert.deepEqual(faultsOf(reply), faults, path);
      }
    });

  test("R4.5 a creation with members, all of them optional, wants a body", async () => {
    assert.equal((await raw("/notes", "\r\n")).status, 415);
    assert.equal((await raw("/notes", json + length(""))).status, 400);
    assert.equal((await raw("/notes", json + length("{}"))).status, 201);
  });
});
