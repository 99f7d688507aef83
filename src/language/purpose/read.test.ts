/** Part 1: what each form means, and what is complained about, where. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBlock } from "../../../test/part-block.ts";
import { purpose } from "./grammar.ts";

test("users and operations may be names alone, and what is outside one line", () => {
  const { part, faults, reader } = readBlock(
    purpose.readPart,
    "users: [courier, operator]\noutside: payment, routes\noperations:\n  addSite:\n  collect: not shown\n",
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(part, {
    users: { courier: "", operator: "" },
    outside: ["payment", "routes"],
    operations: { addSite: "" },
  });
  assert.deepEqual(reader.gaps, ["purpose/operations/collect"]);
  assert.equal(reader.places.get("purpose/users/operator")?.start.column, 18);
});

const faults: readonly (readonly [yaml: string, ...faults: string[]])[] = [
  ["nonet: 2", "1:8 purpose/unknown-edition 2"],
  ["service: Parcel Lockers", "1:10 purpose/bad-name Parcel Lockers"],
  ["servise: x", "1:1 purpose/unknown-key servise"],
  ["purpose: [a]", "1:10 purpose/not-a-text [a]"],
  ["users: courier", "1:8 purpose/not-a-map courier"],
  ["operations:\n  2do: x", "2:3 purpose/bad-name 2do"],
  ["outside: none"],
  ["operations: none"],
];

for (const [yaml, ...expected] of faults) {
  test(JSON.stringify(yaml), () => assert.deepEqual(readBlock(purpose.readPart, yaml).faults, expected));
}
