/**
 * If the database evaluates an expression, `check` reports every part without an SQL equivalent: each store can serve every
 * document that `check` passes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";
import { type Block, documentOf, type Parts } from "../enforced/document.ts";

/** SQL has no regular expressions. */
const plain = "name.matches('^a')";
const plainSound = "name.startsWith('a')";
const records = "Card.exists(c, c.name.matches('^a'))";
const recordsSound = "Card.exists(c, c.name.startsWith('a'))";

const card: Block = { id: "id(car)", name: "string(1..9)", "flag?": "boolean", meta: "json", "over?": "Card, filter" };
const crud: Block = { addCard: "POST /cards", getCard: "GET /cards/{id}", listCards: "GET /cards" };
const errors = { errors: { no: "409 It does not go" } };

function withEndpoints(endpoints: Block, more: Parts = {}): Parts {
  const { resources = {}, ...others } = more;
  return { endpoints: { endpoints: { ...crud, ...endpoints } }, resources: { Card: card, ...(resources as Block) }, errors, ...others }; // biome-ignore format: short
}

function moving(move: Block): Parts {
  const moves = { "open -> done": { by: "endCard", ...move } };
  const states = { Card: { states: ["open", "done"], start: "open", final: ["done"], moves } };
  return withEndpoints({ endCard: "POST /cards/{id}/end" }, { states });
}

function viewed(member: Block): Parts {
  return withEndpoints(
    { showCards: { at: "GET /shown", of: "Card", gives: "Shown[]" } },
    { resources: { views: { Shown: { of: "Card", fields: ["id"], ...member }, Plain: { of: "Card", fields: ["id"] } } } },
  ); // biome-ignore format: short
}

const sites: readonly (readonly [place: string, parts: (expression: string) => Parts, where: "records" | "both"])[] = [
  ["a computed field", (x) => withEndpoints({}, { resources: { Card: { ...card, made: `boolean := ${x}` } } }), "both"],
  ["a rule", (x) => withEndpoints({}, { resources: { rules: { Card: `${x} else no` } } }), "records"],
  ["the condition of a move", (x) => moving({ if: x, else: "no" }), "records"],
  ["what a move sets", (x) => moving({ set: { flag: x } }), "records"],
  ["a member of a view", (x) => viewed({ made: `boolean := ${x}` }), "both"],
  ["the records that a view nests", (x) => viewed({ inner: `Plain[] := Card.filter(c, c.${x === plain || x === records ? plain : plainSound})` }), "both"], // biome-ignore format: short
  ["a member of an answer", (x) => withEndpoints({ getCard: { at: "GET /cards/{id}", gives: { made: x } } }), "both"],
  ["what is told of the service as a whole", (x) => withEndpoints({ figures: { at: "GET /figures", gives: { made: x } } }), "records"], // biome-ignore format: short
  ["the condition of an operation", (x) => withEndpoints({ changeCard: { at: "PATCH /cards/{id}", if: x, else: "no" } }), "records"], // biome-ignore format: short
  ["which records are deleted", (x) => withEndpoints({ clearCards: { at: "DELETE /cards", where: x } }), "both"],
  ["the condition of a filter", (x) => withEndpoints({ listCards: { at: "GET /cards", filters: { starts: { type: "boolean", if: x } } } }), "both"], // biome-ignore format: short
  ["the record that a path does not name", (x) => withEndpoints({ firstCard: { at: "GET /first", of: "Card", the: x } }), "both"], // biome-ignore format: short
  ["what a link writes", (x) => withEndpoints({ star: { at: "POST /cards/{id}/star", link: { in: "Star", with: { card: "id", good: x } } } }, { resources: { Star: { id: "id(sta)", card: "Card", good: "boolean" } } }), "records"], // biome-ignore format: short
  ["who may read", (x) => withEndpoints({}, { authentication: { allow: { listCards: `member if ${x}` } } }), "both"],
  ["who may write", (x) => withEndpoints({ changeCard: "PATCH /cards/{id}" }, { authentication: { allow: { changeCard: `member if ${x}` } } }), "records"], // biome-ignore format: short
];

for (const [place, parts, where] of sites) {
  const pairs: readonly (readonly [string, boolean])[] = [
    [records, true],
    [recordsSound, false],
    ...(where === "both" ? ([[plain, true], [plainSound, false]] as const) : []),
  ]; // biome-ignore format: short
  for (const [expression, isRefused] of pairs) {
    test(`${place}: ${expression}`, () => {
      const { diagnostics } = check("cards.md", documentOf(parts(expression)));
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      const told = errors.map(({ code, message, span }) => `${span.start.line}: ${code}: ${message}`);
      assert.deepEqual([...new Set(errors.map(({ code }) => code))], isRefused ? ["expression/not-in-sql"] : [], told.join("\n")); // biome-ignore format: short
    });
  }
}
