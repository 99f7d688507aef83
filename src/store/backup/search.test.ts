/** Tests that the search finds a text however a file is split into pieces. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSearch, isInBytes } from "./search.ts";

const shelf = { name: "nonet_file_pieces", columns: ["file", "start", "bytes"], bytes: ["bytes"] } as const;

test("a text stands across pieces of one file, and not across two files", () => {
  const bytes = Buffer.from("before Größe after");
  for (let at = 0; at <= bytes.length; at += 1) {
    const one = createSearch("Größe");
    one.rows(shelf, [["a", 0, bytes.subarray(0, at)], ["a", at, bytes.subarray(at)]]); // biome-ignore format: short
    assert.deepEqual(one.matches.map(({ first }) => first), [["a"]], `split at ${at}`); // biome-ignore format: short
    const two = createSearch("Größe");
    two.rows(shelf, [["a", 0, bytes.subarray(0, at)], ["b", 0, bytes.subarray(at)]]); // biome-ignore format: short
    assert.equal(two.matches.length, at <= 7 || at >= 14 ? 1 : 0, `split at ${at}`);
  }
});

test("it is found as it is and as JSON writes it, in texts, numbers and bytes", async () => {
  const text = 'a "b"\n';
  const cells = [text, JSON.stringify([text]), 5, null, true];
  const columns = ["plain", "json", "number", "nothing", "truth"];
  const search = createSearch(text);
  search.rows({ name: "things", columns }, [cells]);
  assert.deepEqual(search.matches.map(({ column }) => column), ["plain", "json"]); // biome-ignore format: short
  const number = createSearch("5");
  number.rows({ name: "things", columns }, [cells]);
  assert.deepEqual(number.matches.map(({ column }) => column), ["number"]); // biome-ignore format: short
  for (const written of [text, JSON.stringify(text)]) {
    for (const size of [1, 2, 100]) {
      const pieces = async function* (): AsyncGenerator<Uint8Array> {
        const bytes = Buffer.from(`xx${written}yy`);
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      };
      assert.equal(await isInBytes(pieces(), text), true);
      assert.equal(await isInBytes(pieces(), `${text}z`), false);
    }
  }
});
