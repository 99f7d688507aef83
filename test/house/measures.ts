/** The size and structure of the source, and its number of retired words: each measure with its maximum. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { retiredUses } from "./retired.ts";
import { rooms, upwardImports } from "./rooms.ts";
import { root, type Source } from "./sources.ts";

export interface Measure {
  readonly name: string;
  readonly now: number;
  readonly most: number;
}

interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
}

const linesOf = (text: string): number => text.split("\n").length - 1;
const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  packages: Readonly<Record<string, Locked>>;
};
const installed = Object.entries(packages).filter(
  ([path, { dev, devOptional, optional }]) => path !== "" && !dev && !devOptional && !optional,
);

const glossary = readFileSync(join(root, "docs/glossary.md"), "utf8").match(/^\| \*\*/gm) ?? [];

export const measures = (sources: readonly Source[]): readonly Measure[] => [
  { name: "lines in src without tests", now: sources.reduce((sum, { text }) => sum + linesOf(text), 0), most: 74_000 },
  { name: "retired words in identifiers and file names", now: retiredUses(sources).length, most: 0 },
  ...Object.keys(rooms).map((folder) => ({
    name: `imports that go up inside src/${folder}`,
    now: upwardImports(sources, folder).length,
    most: 0,
  })),
  {
    name: "files that import the whole plan",
    now: sources.filter(({ imports }) => imports.some(({ target }) => target === "plan/plan.ts")).length,
    most: 41,
  },
  { name: "decision pages", now: globSync("docs/decisions/*.md", { cwd: root }).length, most: 42 },
  { name: "files of 25 lines or fewer", now: sources.filter(({ text }) => linesOf(text) <= 25).length, most: 60 },
  { name: "words in the glossary", now: glossary.length, most: 30 },
  { name: "packages that a user installs", now: installed.length, most: 98 },
];
