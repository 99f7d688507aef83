/** Readers collect faults and never throw, whatever the block is; and what they keep can be printed and read again. */
import { test } from "node:test";
import fc from "fast-check";
import type { MapNode } from "../document/document.ts";
import { printTree, type Tree } from "../document/print.ts";
import { readDocument } from "../document/read.ts";
import { authentication } from "./authentication/grammar.ts";
import { errors } from "./errors/grammar.ts";
import { events } from "./events/grammar.ts";
import { limits } from "./limits/grammar.ts";
import { createReader, type Reader } from "./grammar/reader.ts";
import { versioning } from "./versioning/grammar.ts";

/** The words of the five parts, so that generated blocks get far into the readers. */
const words = [
  ..."credentials roles own allow show unseen kind sent secret user envelope out in delivery webhook stream".split(" "),
  ..."subscribe at with carries when for then retry promise body standard errors rate quota size time keep".split(" "),
  ..."scheme absent policy versions deprecated add rename 2026-09-01 1 first none Parcel.x who if count per".split(" "),
  "after sunset",
  "add value",
  "remove Parcel.x",
  "not shown",
  "__proto__",
  "",
];
const lines = [
  ..."api-key jwt basic all dated numbered 404 header anyone | , -> : / 5/min per disable".split(" "),
  "operator | courier if own",
  "courier if",
  "{field}",
  "5/min per user, burst",
  "300 in a | per user",
  "90d after final, erase",
  "409 No, retry after 5s",
  "Parcel -> stored",
  "POST /x",
  "rename A.b -> c",
  "retype A.b, was string, seen as",
  "since 2026-01-01, sunset",
  "410 version-gone",
  "env X",
  "claim x",
];

const trees = fc.letrec<{ tree: Tree; map: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: "medium" },
    fc.constantFrom(...words, ...lines),
    fc.string({ maxLength: 12 }),
    fc.array(tie("tree"), { maxLength: 3 }),
    tie("map"),
    tie("map"),
  ),
  map: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...words), tie("tree")), { maxLength: 6, selector: ([key]) => key })
    .map((entries): Tree => new Map(entries)),
})).map;

function neverThrows<Part>(
  name: string,
  read: (reader: Reader, body: MapNode) => Part,
  print: (part: Part) => Tree,
): void {
  test(`${name} reads anything`, () => {
    fc.assert(
      fc.property(trees, (tree) => {
        const { root } = readDocument("part.yaml", printTree(tree)).document;
        if (root?.kind !== "map") return;
        printTree(print(read(createReader(), root)));
      }),
      { numRuns: 500 },
    );
  });
}

neverThrows("authentication", authentication.readPart, authentication.print);
neverThrows("events", events.readPart, events.print);
neverThrows("errors", errors.readPart, errors.print);
neverThrows("limits", limits.readPart, limits.print);
neverThrows("versioning", versioning.readPart, versioning.print);
