/** The types of `nonet types`: functions that match the document compile, and those that do not fail to compile. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { functionStubs, functionTypes } from "../../src/export/typescript/functions.ts";
import { importDocument } from "../../src/import/import.ts";
import { documentText } from "../serve/scenario.ts";
import { planOf } from "../serve/running.ts";
import { compileFunctions } from "./compile.ts";
import { flagship, library } from "./documents.ts";
import { filesText } from "./files-document.ts";

function petstore(): string {
  const source = readFileSync(new URL("../serve/documents/petstore.yaml", import.meta.url), "utf8");
  const result = importDocument("petstore.yaml", source, { contractsOnly: true });
  assert(result.kind === "imported");
  return result.document;
}

const start = `import { handlers } from "nonet";
import type { Kiosk } from "./kiosk.types.ts";
`;

/** The rest of the operations that a handler does. */
const others: Readonly<Record<string, string>> = {
  buy: "async ({ record, input, records }) => ({ order: await records.system.Order.create({ drink: record.id, count: input.count, paid: record.price }), left: 1, hint: null, all: [record.id] })",
  quote:
    "async ({ input, records, fail }) => { const drink = (await records.Drink.get(input.drink)) ?? fail('not-found'); return { total: drink.price }; }",
  refill: "({ record, input, records }) => records.Drink.update(record.id, { stock: input.to })",
  audit:
    "async ({ params, records }) => ({ year: Number(params.year), drinks: (await records.Drink.list({ where: { stock: { gte: 1 }, state: 'offered' }, sort: '-stock' })).items.length })",
  closeAll:
    "async ({ records, log }) => { for (const { id } of (await records.system.Drink.list()).items) await records.Drink.move.sell(id); log('closed'); }",
  newest:
    "async ({ records, fail }) => (await records.Drink.find({ name: 'tea' })) ?? fail('too-few', { detail: 'none' })",
};

function moduleOf(changed: Readonly<Record<string, string>>, more = ""): string {
  const members = Object.entries({ ...others, ...changed }).map(([name, text]) => `  ${name}: ${text},\n`);
  return `${start}export default handlers<Kiosk>({\n${members.join("")}${more}});\n`;
}

const around = `
  before: { addDrink: ({ input, caller }) => ({ ...input, note: caller.id ?? "nobody" }), sell: ({ record, fail }) => { if (record.stock > 90) fail("still-there"); } },
  after: { addDrink: async ({ answer, records, request }) => { await records.system.Order.create({ drink: answer.id, count: 1, paid: answer.price }); const bytes: Uint8Array = request.rawBody; if (bytes.length > 9) throw new Error(request.id); } },
  on: { "drink.gone": async ({ record, event, records }) => { await records.Drink.update(record.id, { note: event.type }); } },
  every: { "5m": { sweep: async ({ records, now }) => { await records.Order.list({ where: { createdAt: { lt: now } } }); } } },
`;

/** Functions of the petstore, which says all that goes over the wire. */
function pets(changed: Readonly<Record<string, string>>): string {
  const functions = {
    listPets: `({ input }) => ({ status: 200, body: [{ id: input.query.limit, name: input.header["X-Trace"] ?? "" }], headers: { "x-next": "/" } })`,
    createPets: `({ input, fail }) => { if (input.body.name === "") fail("bad-request"); return { status: 201 }; }`,
    showPetById: `({ input }) => input.path.petId === 1 ? { status: 404 } : { status: 500, body: { code: 5, message: "no" } }`,
    putNote: `({ input }) => input.body === undefined ? { status: 202, headers: { "X-Job": 1 } } : { status: 200, body: input.body }`,
    ...changed,
  };
  const members = Object.entries(functions).map(([name, text]) => `  ${name}: ${text},\n`);
  return `import { handlers } from "nonet";
import type { SwaggerPetstore } from "./petstore.types.ts";
export default handlers<SwaggerPetstore>({\n${members.join("")}});\n`;
}

/** By what is wrong in it, a module and what the compiler says of it. */
const wrong: Readonly<Record<string, readonly [module: string, said: RegExp]>> = {
  "an operation that there is not": [moduleOf({ qoute: others["quote"] ?? "" }), /qoute/],
  "a member that is not taken": [moduleOf({ refill: "({ record, input, records }) => records.Drink.update(record.id, { stock: input.two })" }), /two/],
  "an answer of another shape": [moduleOf({ quote: "() => ({ total: 5 })" }), /total|number/],
  "an answer with a member too few": [moduleOf({ audit: "() => ({ year: 5 })" }), /drinks/],
  "an error that is not declared": [moduleOf({ closeAll: "({ fail }) => fail('to-few')" }), /to-few/],
  "a resource that there is not": [moduleOf({ closeAll: "({ records }) => records.Drinks.list()" }), /Drinks/],
  "a record that no operation creates": [moduleOf({ closeAll: "({ records }) => records.Order.create({})" }), /create/],
  "a filter by what is no field": [moduleOf({ closeAll: "({ records }) => records.Drink.find({ nmae: 'tea' })" }), /nmae/],
  "a filter of another type": [moduleOf({ closeAll: "({ records }) => records.Drink.find({ stock: 'tea' })" }), /stock|string/],
  "a move that there is not": [moduleOf({ closeAll: "({ records }) => records.Drink.move.drink('a')" }), /drink/],
  "a hook of no operation": [moduleOf({}, "before: { addDink: () => {} },"), /addDink/],
  "a hook that gives another input": [moduleOf({}, "before: { addDrink: () => ({ name: 5 }) },"), /name|number/],
  "an event that there is not": [moduleOf({}, "on: { 'drink.lost': () => {} },"), /drink\.lost/],
  "the body of a request in a function of an event": [moduleOf({}, "on: { 'drink.gone': ({ request }) => request.rawBody },"), /rawBody/],
  "a body as a text": [moduleOf({ closeAll: "({ request, log }) => { const text: string = request.rawBody; log(text); }" }), /Uint8Array/],
  "a record without one at hand": [moduleOf({ closeAll: "({ record }) => record.id" }), /record|undefined/],
  "no function where one is needed": [moduleOf({}).replace(/ {2}quote: .*\n/, ""), /quote/],
  "a status that the wire does not have": [pets({ putNote: "() => ({ status: 204 })" }), /204/],
  "a body of another shape than its status": [pets({ showPetById: "() => ({ status: 200, body: { id: 'a', name: 'b' } })" }), /id|number|body/],
  "a header that the answer does not have": [pets({ listPets: "() => ({ status: 200, body: [], headers: { 'x-nest': '' } })" }), /x-nest/],
  "a parameter that the wire does not have": [pets({ listPets: "({ input }) => ({ status: 200, body: [{ id: input.query.offset, name: '' }] })" }), /offset/],
}; // biome-ignore format: a table

test("functions compile by the types of their document, and each mistake does not", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "nonet-types-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write("kiosk.types.ts", functionTypes(planOf(documentText("kiosk"))));
  await write("lockers.types.ts", functionTypes(flagship));
  await write("library.types.ts", functionTypes(library));
  await write("right.ts", moduleOf({}, around));
  await write("petstore.types.ts", functionTypes(planOf(petstore())));
  await write("right-pets.ts", pets({}));
  await write("kiosk.stubs.ts", functionStubs(planOf(documentText("kiosk")), "./kiosk.types.ts"));
  await write("petstore.stubs.ts", functionStubs(planOf(petstore()), "./petstore.types.ts"));
  for (const [index, [module]] of Object.values(wrong).entries()) await write(`wrong${index}.ts`, module);
  const told = (await compileFunctions(folder, "*.ts")).split(/\n(?=\S)/);
  await t.test("what is right", () => {
    assert.deepEqual(
      told.filter((line) => line !== "" && !line.startsWith("wrong")),
      [],
    );
  });
  for (const [index, [what, [, said]]] of Object.entries(wrong).entries()) {
    await t.test(what, () => {
      const mine = told.filter((line) => line.startsWith(`wrong${index}.ts`)).join("\n");
      assert.match(mine, said);
    });
  }
});

test("of a file that is sent a function sees what the record will say of it, and it can make none", () => {
  const text = functionTypes(planOf(filesText));
  assert.doesNotMatch(text, /unknown/);
  const inputOf = (name: string): string =>
    new RegExp(`${name}: \\{[^]*?(readonly input: [^]*?)readonly record`).exec(text)?.[1] ?? "";
  for (const name of ["createThing", "changeThing", "putPhoto"])
    assert.match(inputOf(`readonly ${name}`), /readonly photo\?: \{[^}]*readonly sha256: string;/, name);
  assert.match(inputOf("readonly createScan"), /readonly page: \{[^}]*readonly bytes: number;/);
  assert.match(text, /readonly createScan: never;/);
  assert.match(text, /readonly made: \{\s*readonly page: never;/);
});
