/** The JSON Schema of each type of field takes the values that are right on the wire and refuses those that are not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { readDocument } from "../../document/read.ts";
import { readModel } from "../read.ts";
import { fieldsOf } from "./fields.ts";
import { fieldSchema, jsonSchemaOf } from "./json-schema.ts";
import type { Field } from "./model.ts";

function fieldOf(line: string): { field: Field; model: ReturnType<typeof readModel>["model"] } {
  const text = `# T
## What the service does
## Resources and their fields
\`\`\`yaml
Thing:
  id: id(thi)
  it: ${line}
Other: { id: id(oth) }
Counted: { id: id(counter) }
Named: { id: "string(2..4)" }
types:
  Size: { width: integer(1..9), unit: cm | inch = cm, note?: string }
\`\`\`
`;
  const { model, diagnostics } = readModel(readDocument("t.md", text).document);
  assert.deepEqual(
    diagnostics.filter(({ code }) => code.startsWith("resources/")),
    [],
    line,
  );
  const field = fieldsOf(model, "Thing")["it"];
  assert.ok(field, line);
  return { field, model };
}

const ajv = new Ajv2020({ strict: false, formats: fullFormats, logger: false });

const long = "a".repeat(10_001);

const rows: readonly (readonly [type: string, right: readonly unknown[], wrong: readonly unknown[]])[] = [
  ["string", ["", "a", "😀"], [1, null, long, ["a"]]],
  ["string(2..3)", ["ab", "abc", "😀😀"], ["a", "abcd"]],
  ["string(6)", ["123456"], ["12345", "1234567"]],
  ["string /^[0-9]+$/", ["12"], ["1a", ""]],
  ["string /[0-9]/", ["a1b"], ["ab"]],
  ["integer", [0, -5, 9007199254740991], [1.5, "5", 9007199254740992]],
  ["integer(1..)", [1, 9007199254740991], [0]],
  ["decimal(0.1..30)", [0.1, 30, 12.25], [0, 30.1, "1"]],
  ["boolean", [true, false], ["true", 1]],
  ["money", [{ amount: "12.50", currency: "EUR" }, { amount: "-3", currency: "JPY" }], [{ amount: 12.5, currency: "EUR" }, { amount: "1" }, { amount: "1", currency: "EUR", x: 1 }, { amount: "01", currency: "EUR" }, "1 EUR"]],
  ["date", ["2026-11-21"], ["2026-13-01", "21.11.2026"]],
  ["time", ["07:30", "23:59:59"], ["24:00", "7:30", "07:30Z"]],
  ["datetime", ["2026-11-21T07:30:00Z", "2026-11-21T07:30:00.5+01:00"], ["2026-11-21", "2026-11-21T07:30:00"]],
  ["duration", ["PT72H", "P3D"], ["72h"]],
  ["email", ["a@example.org"], ["a", `${"a".repeat(250)}@example.org`]],
  ["uuid", ["0191f6b0-0000-7000-8000-000000000000"], ["x"]],
  ["phone", ["+4712345678"], ["12345678", "+0123"]],
  ["country", ["NO"], ["no", "NOR"]],
  ["language", ["nb", "pt-BR"], ["", "x_y"]],
  ["user", ["u1"], ["", "u".repeat(256)]],
  ["bytes(3..4)", ["AAAA", "AAAAAA=="], ["AAA", "a b c", "AAAAAAAAAAAA"]],
  ["json", [1, null, { a: [] }], []],
  ["small | large", ["small"], ["medium", null]],
  ["small | large | string", ["small", "medium"], ["", 3]],
  ["string(1..3)[](1..2)", [["a"], ["a", "b"]], [[], ["a", "b", "c"], [""], "a"]],
  ["string[]", [[], Array.from({ length: 1000 }, () => "a")], [Array.from({ length: 1001 }, () => "a")]],
  ["map(integer)", [{ a: 1 }, {}], [{ a: "1" }, { "": 1 }, Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, n]))]],
  ["string | null", ["a", null], [1]],
  ["(a | b)[]", [["a"]], [["c"]]],
  ["Other", ["oth_0123456789abcdefghijklmnop"], ["thi_0123456789abcdefghijklmnop", "oth_1", 1]],
  ["Other | null", ["oth_0123456789abcdefghijklmnop", null], [1]],
  ["Counted", [1], [0, "1", 1.5]],
  ["Named", ["abc"], ["a", "abcde"]],
  ["Size", [{ width: 1, unit: "cm" }, { width: 9, unit: "inch", note: "n" }], [{ width: 1, unit: "cm", x: 1 }, { unit: "cm" }, { width: 1, unit: "mm" }, { width: 1, unit: "cm", note: null }]],
  ["{ schema: { type: integer, multipleOf: 5 } }", [10], [11, "10"]],
]; // biome-ignore format: a table

for (const [type, right, wrong] of rows) {
  test(`${type} on the wire`, () => {
    const { field, model } = fieldOf(type);
    const accepts = ajv.compile(jsonSchemaOf(model, field.type, "input"));
    if (type !== "Size")
      for (const value of right) assert.ok(ajv.compile(jsonSchemaOf(model, field.type))(value), JSON.stringify(value));
    for (const value of right) assert.ok(accepts(value), `takes ${JSON.stringify(value).slice(0, 60)}`);
    for (const value of wrong) assert.ok(!accepts(value), `refuses ${JSON.stringify(value).slice(0, 60)}`);
  });
}

test("members of an embedded value that have a default may be left out, and are always given", () => {
  const { field, model } = fieldOf("Size");
  assert.deepEqual(jsonSchemaOf(model, field.type, "input")["required"], ["width"]);
  assert.deepEqual(jsonSchemaOf(model, field.type, "output")["required"], ["width", "unit"]);
});

test("a field's note and example are in its schema", () => {
  const { field, model } = fieldOf("{ type: integer, note: how many, example: 3 }");
  const { description, examples } = fieldSchema(model, field);
  assert.deepEqual([description, examples], ["how many", [3]]);
});
