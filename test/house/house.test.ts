/** The rules of the source's names and rooms: a new use of a retired word, or a new import of a higher room, fails here. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import { measures } from "./measures.ts";
import { retiredUses } from "./retired.ts";
import { roomless, rooms, upwardImports } from "./rooms.ts";
import { readSources, root } from "./sources.ts";

const sources = readSources();

test("no identifier and no file name has a retired word", () => {
  assert.deepEqual(
    retiredUses(sources).map(({ name, path }) => `${path}: ${name}`),
    [],
  );
});

for (const folder of Object.keys(rooms))
  test(`imports inside src/${folder} go down`, () => {
    assert.deepEqual(
      upwardImports(sources, folder).map(({ from, to }) => `${from} → ${to}`),
      [],
    );
  });

test("at most 41 files import the whole plan, the others parts of it", () => {
  const users = sources.filter(({ imports }) => imports.some(({ target }) => target === "plan/plan.ts"));
  assert(users.length <= 41, users.map(({ path }) => path).join("\n"));
});

/** Not reached yet. */
const open = ["lines in src without tests"];

for (const { most, name, now } of measures(sources).filter(({ name }) => !open.includes(name)))
  test(`${name}: at most ${most}`, () => assert(now <= most, `${now}`));

test("each file of a folder with rooms is in one of them", () => {
  assert.deepEqual(roomless(sources), []);
});

test("each file that a comment names is there", () => {
  const files = globSync("{src,test,scripts,bench,examples,docs}/**/*.{ts,mjs,md}", {
    cwd: root,
    exclude: (path) => path.includes("node_modules"),
  }).map((path) => `/${path.replaceAll("\\", "/")}`);
  const lost = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/`(?:\.{1,2}\/)*([\w./-]+\.(?:ts|mjs|md))`|\(([a-z]+\/[\w./-]+\.ts)\)/g)]
      .map(([, quoted, bare]) => quoted ?? bare ?? "")
      .filter((name) => !files.some((file) => file.endsWith(`/${name}`)))
      .map((name) => `src/${path}: ${name}`),
  );
  assert.deepEqual(lost, []);
});
