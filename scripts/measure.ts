/**
 * Runs `npm run measure`: the size and structure of the source, and its number of retired words. One line per measure, with its
 * maximum. Measures that take minutes are elsewhere: `npm test` and `npm run bench` print them.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { retiredUses } from "../test/house/retired.ts";
import { rooms, upwardImports } from "../test/house/rooms.ts";
import { readSources, root } from "../test/house/sources.ts";

interface Measure {
  readonly name: string;
  readonly now: number;
  readonly most: number;
}

interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
}

const sources = readSources();
const linesOf = (text: string): number => text.split("\n").length - 1;
const importing = (target: string): number =>
  sources.filter(({ imports }) => imports.some((one) => one.target === target)).length;
const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  packages: Readonly<Record<string, Locked>>;
};
const installed = Object.entries(packages).filter(
  ([path, { dev, devOptional, optional }]) => path !== "" && !dev && !devOptional && !optional,
);

const measures: readonly Measure[] = [
  { name: "lines in src without tests", now: sources.reduce((sum, { text }) => sum + linesOf(text), 0), most: 74_000 },
  { name: "retired words in identifiers and file names", now: retiredUses(sources).length, most: 0 },
  ...Object.keys(rooms).map((folder) => ({
    name: `imports that go up inside src/${folder}`,
    now: upwardImports(sources, folder).length,
    most: 0,
  })),
  { name: "files that import the whole plan", now: importing("plan/plan.ts"), most: 40 },
  { name: "decision pages", now: globSync("docs/decisions/*.md", { cwd: root }).length, most: 26 },
  { name: "files of 25 lines or fewer", now: sources.filter(({ text }) => linesOf(text) <= 25).length, most: 60 },
  { name: "packages that a user installs", now: installed.length, most: 98 },
];

const width = Math.max(...measures.map(({ name }) => name.length));
for (const { most, name, now } of measures)
  process.stdout.write(
    `${name.padEnd(width)}  ${String(now).padStart(6)}  at most ${most}${now > most ? "  ✗" : ""}\n`,
  );
