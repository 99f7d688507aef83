/**
 * The time of a check grows linearly with a document, not with its square, whatever statement the document repeats. Both sizes
 * are measured in one run, in processor time; a slow result is measured again, since other processes disturb it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { constructs, fileNameOf } from "../../bench/large-documents.ts";
import { printDiagnostics } from "../../src/diagnostics/text.ts";
import { check } from "../../src/language/check.ts";
import { runs } from "../nightly.ts";

/** Of the smaller document. */
const characters = Number(process.env["NONET_GROWTH"] ?? runs(8_000, 15_000));
/** Four times the size takes four times as long, and sixteen times where it grows with the square. */
const times = 4;
const mostGrowth = 8;
/** What the compiler and the collector take at any moment. */
const noise = 60;
const tries = 4;

function milliseconds(name: string, text: string): number {
  const before = process.threadCpuUsage();
  printDiagnostics(check(fileNameOf(name), text), { colour: false });
  const { system, user } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

test("what is repeated four times as often takes about four times as long to check", () => {
  const slow: string[] = [];
  for (const [name, grow] of Object.entries(constructs)) {
    const small = grow(characters);
    const large = grow(characters * times);
    let least = Number.POSITIVE_INFINITY;
    let most = Number.POSITIVE_INFINITY;
    let isSlow = true;
    for (let attempt = 0; isSlow && attempt < tries; attempt += 1) {
      least = Math.min(least, milliseconds(name, small));
      most = Math.min(most, milliseconds(name, large));
      isSlow = most > least * mostGrowth + noise;
    }
    if (isSlow) slow.push(`${name}: ${least.toFixed(0)} ms, ${most.toFixed(0)} ms`);
  }
  assert.deepEqual(slow, []);
});
