/**
 * Runs `npm run measure`: the size and structure of the source, and its number of retired words. One line per measure, with its
 * maximum. Measures that take minutes are elsewhere: `npm test` and `npm run bench` print them.
 */
import { processTerminal } from "../src/server/terminal.ts";
import { measures } from "../test/house/measures.ts";
import { readSources } from "../test/house/sources.ts";

const terminal = processTerminal();
const all = measures(readSources());
const width = Math.max(...all.map(({ name }) => name.length));
for (const { most, name, now } of all)
  terminal.out(`${name.padEnd(width)}  ${String(now).padStart(6)}  at most ${most}${now > most ? "  ✗" : ""}\n`);
