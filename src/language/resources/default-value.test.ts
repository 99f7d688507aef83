/** The literal of a default is read by the type of its field; one that does not fit is none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../base/json.ts";
import { readDocument } from "../../document/read.ts";
import { readModel } from "../read.ts";
import { defaultValue } from "./default-value.ts";
import { fieldsOf } from "./fields.ts";

const rows: readonly (readonly [line: string, value: Json | undefined])[] = [
  ["string = 007", "007"],
  ["string = no", "no"],
  ["integer = 007", 7],
  ["integer = 1.5", undefined],
  ["integer = many", undefined],
  ["decimal = 0.25", 0.25],
  ["boolean = true", true],
  ["boolean = yes", undefined],
  ["small | large = large", "large"],
  ["small | large = huge", undefined],
  ["small | string = huge", "huge"],
  ["string | null = null", null],
  ["date = 2026-09-01", "2026-09-01"],
  ["datetime = 2026-09-01T02:00:00+02:00", "2026-09-01T00:00:00.000Z"],
  ["money = 12.50 EUR", { amount: "12.50", currency: "EUR" }],
  ["string[] = []", []],
  ["string[] = [a, b]", ["a", "b"]],
  ["integer[] = [1, 2]", [1, 2]],
  ["integer[] = [1, x]", undefined],
  ["json = { \"a\": 1 }", { a: 1 }],
  ["datetime = now", undefined],
]; // biome-ignore format: a table

test("what the literal of a default stands for", () => {
  for (const [line, value] of rows) {
    const text = `# T\n## Resources and their fields\n\`\`\`yaml\nThing:\n  id: id(thi)\n  it: '${line}'\n\`\`\`\n`;
    const { model } = readModel(readDocument("t.md", text).document);
    const field = fieldsOf(model, "Thing")["it"];
    assert.ok(field, line);
    assert.deepEqual(defaultValue(model, field), value, line);
  }
});
