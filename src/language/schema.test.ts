/** The published schema is the one in the code, takes every document, and refuses wrong ones. */
import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import * as yaml from "yaml";
import { models } from "../../test/arbitraries/model.ts";
import { readDocument } from "../document/read.ts";
import { partNames } from "./model.ts";
import { printData } from "./print.ts";
import { readModel } from "./read.ts";
import { documentSchema } from "./schema.ts";

const file = new URL("../../schema/nonet.schema.json", import.meta.url);
const validate = new Ajv2020({ allowUnionTypes: true, strictTypes: "log", logger: false }).compile(
  documentSchema() as object,
);

/** By the core schema, as an editor would read it; keys are always text. */
function faultOf(text: string, schema: "core" | "failsafe" = "core"): string | undefined {
  const valid = validate(yaml.parse(text, { stringKeys: true, schema }));
  return valid ? undefined : JSON.stringify(validate.errors?.[0]);
}

test("the published file is the schema in the code (UPDATE=1 writes it)", () => {
  const text = `${JSON.stringify(documentSchema(), undefined, 2)}\n`;
  if (process.env["UPDATE"] === "1") writeFileSync(file, text);
  assert.equal(readFileSync(file, "utf8"), text);
});

for (const name of globSync("examples/**/*.md", { cwd: new URL("../..", import.meta.url) })) {
  test(`takes ${name}`, () => {
    const text = readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
    const { model, diagnostics } = readModel(readDocument(name, text).document);
    assert.deepEqual(diagnostics, []);
    assert.equal(faultOf(printData(model)), undefined);
  });
}

test("takes any document that can be printed", () => {
  fc.assert(
    fc.property(models, (model) => {
      const text = printData(model);
      // All scalars as text, as Nonet reads them: to an editor a thing that is called `null` has no name.
      assert.equal(faultOf(text, "failsafe"), undefined, text);
    }),
    { numRuns: 100 },
  );
});

const empty = Object.fromEntries(partNames.map((part) => [part, "none"]));

function documentWith(part: string, body: string): string {
  return yaml.stringify({ ...empty, [part]: yaml.parse(body) });
}

const taken: readonly (readonly [part: string, body: string])[] = [
  ["purpose", "{ nonet: 1, users: [a], outside: none, operations: not shown }"],
  [
    "resources",
    "{ A: { id: id(a), b?: { type: string, note: x } }, types: { B: { c: 'a | b' } }, rules: { A: [unique b, { holds: b, else: c }] } }",
  ],
  ["resources", "{ A: { id: id(a), b?: 'file(..5MB, image/png | image/jpeg), create-only', c: file(..1b) } }"],
  [
    "states",
    "{ A: none, B: { states: [x], final: none, moves: { any -> x: [by a, { after: 1h, set: { b: now } }] } } }",
  ],
  [
    "endpoints",
    "{ lists: { kind: page }, edits: none, repeats: none, endpoints: { a: { at: GET /a, status: 204, takes: none } } }",
  ],
  ["authentication", "{ credentials: { k: api-key }, allow: { 'a, b': { who: x, if: own } }, unseen: 404 }"],
];

for (const [part, body] of taken)
  test(`takes ${part}: ${body}`, () => assert.equal(faultOf(documentWith(part, body)), undefined));

const refused: readonly (readonly [part: string, body: string])[] = [
  ["purpos", "none"],
  ["purpose", "nothing"],
  ["purpose", "{ servise: x }"],
  ["purpose", "{ nonet: 2 }"],
  ["purpose", "{ service: Two Words }"],
  ["resources", "{ parcel: { id: id(a) } }"],
  ["resources", "{ A: string }"],
  ["resources", "{ A: { a: file(5MB) } }"],
  ["resources", "{ A: { a: 'file(image/png), create-only' } }"],
  ["resources", "{ A: { a-b: string } }"],
  ["resources", "{ A: { a: { typ: string } } }"],
  ["resources", "{ rules: { A: a == b } }"],
  ["states", "{ A: no }"],
  ["states", "{ A: { moves: { a to b: by x } } }"],
  ["states", "{ A: { moves: { a -> b: x } } }"],
  ["states", "{ A: { moves: { a -> b: { by: x, then: y } } } }"],
  ["endpoints", "{ wraps: {} }"],
  ["endpoints", "{ endpoints: { a: get /a } }"],
  ["endpoints", "{ endpoints: { a: { at: GET /a, does: lists } } }"],
  ["endpoints", "{ lists: pages }"],
  ["authentication", "{ credentials: { k: { kind: apikey } } }"],
  ["authentication", "{ unseen: 401 }"],
  ["events", "{ envelope: cloudevent }"],
  ["errors", "{ standard: [not-there] }"],
  ["errors", "{ errors: { a: '300 Fine' } }"],
  ["limits", "{ rates: {} }"],
  ["versioning", "{ scheme: semver }"],
];

for (const [part, body] of refused)
  test(`refuses ${part}: ${body}`, () => assert.notEqual(faultOf(documentWith(part, body)), undefined));

test("refuses a document without one of the parts", () => {
  const { limits: _limits, ...rest } = empty;
  assert.notEqual(faultOf(yaml.stringify(rest)), undefined);
});

/** The readers name their keys when they meet a word that is like none of them. */
test("knows the keys that the readers know", () => {
  const defs = (documentSchema() as { $defs: Record<string, { anyOf: { properties?: object }[] }> }).$defs;
  for (const part of partNames.filter((name) => name !== "resources" && name !== "states")) {
    const { diagnostics } = readModel(readDocument("a.yaml", `${part}: { zzzzzzzzzzzzzzz: x }`).document);
    const help = diagnostics.find(({ code }) => code === `${part}/unknown-key`)?.help ?? "";
    const known = help
      .replace(/^.*?: /, "")
      .replaceAll("`", "")
      .split(", ")
      .toSorted();
    assert.deepEqual(Object.keys(defs[part]?.anyOf[1]?.properties ?? {}).toSorted(), known);
  }
});
