/** A computed field of type `json` is valid JSON in every response, whether the database or the server writes it (language, part 2). */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { documentOf } from "../enforced/document.ts";
import { served } from "./scenario.ts";

const account = { id: "a", pin: "0042", word: 'a "b"', none: "null", count: 7, half: 0.5, open: true, since: "2026-01-02T03:04:05.000Z", data: { k: [1, null] }, tags: ["t"] }; // biome-ignore format: short

/** Expressions over a card, each with its value in the response. */
const rows: readonly (readonly [expression: string, value: Json])[] = [
  ["account.pin", "0042"],
  ["account.word", 'a "b"'],
  ["account.none", "null"],
  ["account.count", 7],
  ["account.half", 0.5],
  ["account.open", true],
  ["account.since", "2026-01-02T03:04:05.000Z"],
  ["account.data", { k: [1, null] }],
  ["account.tags", ["t"]],
  ["account", "a"],
  ["note", "12"],
  ["note == '12'", true],
  ["note.size() + 1", 3],
  ["[note, 'x']", ["12", "x"]],
  ["Card.map(c, c.note)", ["12"]],
];

const members = Object.fromEntries(rows.map(([expression], index) => [`x${index}`, `json := ${expression}`]));
const expected = Object.fromEntries(rows.map(([, value], index) => [`x${index}`, value]));

const document = documentOf({
  resources: {
    Account: {
      id: "string(1..9)", pin: "string(1..4)", word: "string(1..9)", none: "string(1..9)", count: "integer", half: "number",
      open: "boolean", since: "datetime", data: "json", tags: "string(1..9)[]",
    },
    Card: { id: "string(1..9)", account: "Account", note: "string(1..9)", ...members },
    views: { Shown: { of: "Card", ...members } },
  },
  endpoints: {
    endpoints: {
      addAccount: "POST /accounts",
      addCard: "POST /cards",
      getCard: "GET /cards/{id}",
      listCards: "GET /cards",
      getShown: { at: "GET /shown/{id}", of: "Card", gives: "Shown" },
      listShown: { at: "GET /shown", of: "Card", gives: "Shown[]" },
    },
  },
}); // biome-ignore format: short

served("computed JSON", document, (subject) => {
  test("a text stays a text, a number a number, and JSON what it is", async () => {
    const send = async (method: string, path: string, body?: JsonObject): Promise<Json> => {
      const reply = await subject.client.send({ method, path, ...(body && { body }) });
      assert(reply.status < 300, reply.text);
      return reply.json as Json;
    };
    await send("POST", "/accounts", account);
    const made = (await send("POST", "/cards", { id: "c", account: "a", note: "12" })) as JsonObject;
    const one = await send("GET", "/cards/c");
    const { items } = (await send("GET", "/cards")) as { readonly items: readonly Json[] };
    const shown = await send("GET", "/shown/c");
    const all = await send("GET", "/shown");
    const record = { id: "c", account: "a", note: "12", ...expected };
    for (const given of [made, one, items[0]]) assert.deepEqual(given, record);
    assert.deepEqual(shown, expected);
    assert.deepEqual(all, [expected]);
  });
});
