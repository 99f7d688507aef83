/** Shared by the tests of the parts' readers: reads a block of YAML as one part, with its findings, and prints it again. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { MapNode } from "../src/document/document.ts";
import { printTree, type Tree } from "../src/document/print.ts";
import { readDocument } from "../src/document/read.ts";
import { createReader, type Reader } from "../src/language/grammar/reader.ts";

type Read<Part> = (reader: Reader, body: MapNode) => Part;

export interface PartReading<Part> {
  readonly part: Part;
  readonly reader: Reader;
  /** `line:column code` and the words that the fault points at, in the order of the text. */
  readonly faults: readonly string[];
}

/** Reads `yaml` as the block of one part; its first line is line 1. */
export function readBlock<Part>(read: Read<Part>, yaml: string): PartReading<Part> {
  const { document, diagnostics } = readDocument("part.yaml", yaml);
  assert.deepEqual(diagnostics, [], yaml);
  assert.equal(document.root?.kind, "map", yaml);
  const reader = createReader();
  const part = read(reader, document.root);
  const sorted = reader.diagnostics.toSorted((one, other) => one.span.start.offset - other.span.start.offset);
  const faults = sorted.map(({ code, span }) => {
    const words = document.text.slice(span.start.offset, span.end.offset).split("\n")[0];
    return `${span.start.line}:${span.start.column} ${code} ${words}`;
  });
  return { part, reader, faults };
}

/** What is printed reads back as the same, without a fault, and prints the same again. */
export function assertRoundTrip<Part>(parts: fc.Arbitrary<Part>, print: (part: Part) => Tree, read: Read<Part>): void {
  fc.assert(
    fc.property(parts, (part) => {
      const yaml = printTree(print(part));
      const reading = readBlock(read, yaml);
      assert.deepEqual(reading.faults, [], yaml);
      // Generated records may be without a prototype; JSON says the same without that.
      assert.deepEqual(JSON.parse(JSON.stringify(reading.part)), JSON.parse(JSON.stringify(part)), yaml);
      assert.equal(printTree(print(reading.part)), yaml);
    }),
    { numRuns: 300 },
  );
}
