/** A migration that is killed halfway: the data is unchanged and complete, and its copies can be opened. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { bring, contentOf, copiesOf, fill, newFile, type Parts, planOfParts, recordsIn } from "./data.ts";

const before: Parts = {
  resources: "Note:\n  id: id\n  n: integer\n  text: string\nTag:\n  id: id\n  note: Note",
};
const after: Parts = {
  resources: "Paper:\n  id: id\n  n: string\n  words: string\n  size: integer = 1\nTag:\n  id: id\n  paper: Paper",
  versions: { "2026-01-01": ["rename Note -> Paper", "rename Paper.text -> words", "rename Tag.note -> paper"] },
};
const count = 2_000;
const records = {
  Note: Array.from({ length: count }, (_, n) => ({ id: `n${n}`, n, text: "x".repeat(200) })),
  Tag: Array.from({ length: count }, (_, n) => ({ id: `t${n}`, note: `n${n}` })),
};

/** Brings a file along, and dies by its own hand at the moment that it is told, or waits to be killed. */
const child = `
  import { bring, planOfParts } from ${JSON.stringify(import.meta.resolve("./data.ts"))};
  import { writeSync } from "node:fs";
  const [file, parts, moment] = process.argv.slice(-3);
  const plan = planOfParts(JSON.parse(parts));
  let at = 0;
  writeSync(1, "begins\\n");
  await bring(plan, file, {
    progress: () => {
      at += 1;
      if (at === Number(moment)) process.kill(process.pid, "SIGKILL");
    },
    judge: (schema) => () => true,
  });
  writeSync(1, "done " + at + "\\n");
`;

function run(file: string, moment: number) {
  const args = ["--input-type=module", "-e", child, "--", file, JSON.stringify(after), String(moment)];
  const spawned = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  spawned.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  return { spawned, ended: once(spawned, "close"), output: () => output };
}

function assertIntact(file: string): void {
  const database = new DatabaseSync(file);
  assert.equal(database.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
  assert.deepEqual(database.prepare("PRAGMA foreign_key_check").all(), []);
  database.close();
}

test("killed before each of its pieces of work, and at other moments, it leaves what was", async (t) => {
  const plan = planOfParts(before);
  const wanted = planOfParts(after);
  const file = newFile(t);
  await fill(plan, file, records);
  const original = recordsIn(plan, file);
  const content = contentOf(file);
  let finished = false;
  for (let moment = 1; !finished; moment += 1) {
    const { ended, output } = run(file, moment);
    const [, signal] = (await ended) as [number | null, string | null];
    assertIntact(file);
    finished = output().includes("done");
    assert.equal(signal, finished ? null : "SIGKILL");
    if (!finished) assert.deepEqual(contentOf(file), content, `after ${moment - 1} pieces`);
    assert.ok(moment < 20);
  }
  assert.equal(recordsIn(wanted, file)["Paper"]?.length, count);
  assert.ok(copiesOf(file).length > 1, "a copy was made before anything was written");
  for (const copy of copiesOf(file).filter((name) => !/\.partial(?:-journal)?$/.test(name))) {
    assertIntact(join(dirname(file), copy));
    assert.deepEqual(recordsIn(plan, join(dirname(file), copy)), original);
  }
});

test("killed from outside at any moment, it has happened or it has not", async (t) => {
  const plan = planOfParts(before);
  const wanted = planOfParts(after);
  // The moments come from a seed, so that a failure can be had again: a linear congruential generator.
  let seed = 20_260_601;
  const next = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const [old, brought] = [newFile(t), newFile(t)];
  for (const file of [old, brought]) await fill(plan, file, records);
  const content = contentOf(old);
  await bring(wanted, brought);
  const done = contentOf(brought);
  for (let round = 0; round < 6; round += 1) {
    const file = newFile(t);
    await fill(plan, file, records);
    const { spawned, ended, output } = run(file, -1);
    while (!output().includes("begins")) await once(spawned.stdout, "data");
    const kill = setTimeout(() => spawned.kill("SIGKILL"), Math.floor(next() * 250));
    await ended;
    clearTimeout(kill);
    assertIntact(file);
    const found = contentOf(file);
    const isDone = JSON.stringify(found) === JSON.stringify(done);
    if (!isDone) assert.deepEqual(found, content, `round ${round}`);
    if (output().includes("done")) assert.ok(isDone);
    for (const copy of copiesOf(file).filter((name) => !/\.partial(?:-journal)?$/.test(name))) {
      assert.deepEqual(contentOf(join(dirname(file), copy)), content);
    }
    await bring(wanted, file);
    assert.deepEqual(recordsIn(wanted, file), recordsIn(wanted, brought));
  }
});

test("two at once: one does it, the other waits for it or refuses, and nothing is done twice", async (t) => {
  const plan = planOfParts(before);
  const wanted = planOfParts(after);
  const file = newFile(t);
  await fill(plan, file, records);
  const outcomes = await Promise.allSettled([bring(wanted, file), bring(wanted, file), bring(wanted, file)]);
  const refusals = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason as { kind: string }] : []));
  assert.deepEqual(
    refusals.filter(({ kind }) => kind !== "busy"),
    [],
  );
  assert.equal(outcomes.filter((one) => one.status === "fulfilled" && one.value !== undefined).length, 1);
  assert.equal(recordsIn(wanted, file)["Paper"]?.length, count);
  assert.equal(copiesOf(file).length, 1);
});

test("where no copy can be made, nothing is changed", async (t) => {
  const plan = planOfParts(before);
  const file = newFile(t);
  await fill(plan, file, records);
  const content = contentOf(file);
  // Files may grow to the size of this one's and no more: a disk that is full for the copy. The signal that comes with it
  // is ignored, as it is by whoever runs out of room.
  const limited = spawn(
    "sh",
    [
      "-c",
      `trap '' XFSZ; ulimit -f 100; exec "$0" "$@"`,
      process.execPath,
      "--input-type=module",
      "-e",
      child,
      "--",
      file,
      JSON.stringify(after),
      "-1",
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let said = "";
  limited.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await once(limited, "close");
  assert.match(said, /the data cannot be backed up to .*data\.db\.backup-.*, so nothing was changed/);
  assert.deepEqual(copiesOf(file), []);
  assert.deepEqual(contentOf(file), content);

  const folder = dirname(file);
  chmodSync(folder, 0o555);
  // Root may write everything; for once it is nobody.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    await assert.rejects(bring(planOfParts(after), file), { name: "StoreError" });
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o755);
  }
  assert.deepEqual(copiesOf(file), []);
  assert.deepEqual(contentOf(file), content);
});
