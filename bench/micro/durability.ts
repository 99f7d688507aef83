/**
 * Grouped commits in WAL: `synchronous=FULL` beside `NORMAL` with one fdatasync of the log file on the thread pool before
 * the answers would leave. A write is an update and an insert; the second way may collect the next group while the disk
 * works, so its figure is per write with the loop kept busy. Run: node bench/micro/durability.ts
 */
import { fdatasync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { median } from "../median.ts";

const ROUNDS = 5;
const SECONDS = 0.6;
const folder = mkdtempSync(join(tmpdir(), "parcel-durable-"));
try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface Way {
  readonly synchronous: string;
  /** none: commit is all. after: the next group waits for the sync. beside: one more group commits while it runs. */
  readonly sync: "none" | "after" | "beside";
}

async function main(): Promise<void> {
  const ways: Record<string, Way> = {
    FULL: { synchronous: "full", sync: "none" },
    NORMAL: { synchronous: "normal", sync: "none" },
    "NORMAL + fdatasync, one after the other": { synchronous: "normal", sync: "after" },
    "NORMAL + fdatasync, next group meanwhile": { synchronous: "normal", sync: "beside" },
  };
  const opened = new Map(
    Object.entries(ways).map(([name, way], i) => [name, { way, ...open(`${i}.db`, way.synchronous) }]),
  );
  for (const size of [1, 8, 32, 64]) {
    const figures = new Map([...opened.keys()].map((name) => [name, [] as Figure[]]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, target] of opened) figures.get(name)?.push(await measure(target, size));
    }
    console.log(`\ngroups of ${size}: µs per write, µs from begin to durable, µs the loop was blocked per write`);
    for (const [name, all] of figures) {
      const middle = (pick: (figure: Figure) => number): string => median(all.map(pick)).toFixed(0).padStart(8);
      console.log(
        `  ${name.padEnd(44)}${middle((f) => f.perWrite)}${middle((f) => f.latency)}${middle((f) => f.blocked)}`,
      );
    }
  }
}

interface Figure {
  readonly perWrite: number;
  readonly latency: number;
  readonly blocked: number;
}

interface Target {
  readonly way: Way;
  readonly write: (size: number) => void;
  readonly log: number;
}

async function measure({ way, write, log }: Target, size: number): Promise<Figure> {
  const begun = performance.now();
  let groups = 0;
  let blocked = 0;
  let waited = 0;
  let pending: Promise<void> | undefined;
  while (performance.now() - begun < SECONDS * 1000) {
    const from = performance.now();
    write(size);
    blocked += performance.now() - from;
    groups++;
    if (way.sync === "none") {
      waited += performance.now() - from;
      continue;
    }
    // A sync that began before this commit does not cover it, so it gets its own once that one is done.
    await pending;
    pending = new Promise<void>((resolve, reject) =>
      fdatasync(log, (error) => {
        waited += performance.now() - from;
        if (error === null) resolve();
        else reject(error);
      }),
    );
    if (way.sync === "after") await pending;
  }
  await pending;
  const elapsed = performance.now() - begun;
  const writes = groups * size;
  return { perWrite: (elapsed * 1000) / writes, latency: (waited * 1000) / groups, blocked: (blocked * 1000) / writes };
}

function open(name: string, synchronous: string): Omit<Target, "way"> {
  const file = join(folder, name);
  const database = new DatabaseSync(file);
  database.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronous};
    create table parcel (seq integer primary key, id text unique, state text, body text, rev integer default 1);
    create table answer (key text unique, body text);`);
  const body = "x".repeat(350);
  const insert = database.prepare("insert into parcel (id, state, body) values (?, 'announced', ?)");
  database.exec("begin");
  for (let i = 0; i < 10_000; i++) insert.run(`par_${i}`, body);
  database.exec("commit");
  const move = database.prepare("update parcel set state = ?, rev = rev + 1 where id = ?");
  const keep = database.prepare("insert into answer values (?, ?)");
  const begin = database.prepare("begin immediate");
  const commit = database.prepare("commit");
  let count = 0;
  const write = (size: number): void => {
    begin.run();
    for (let i = 0; i < size; i++) {
      count++;
      move.run(count % 2 === 0 ? "stored" : "announced", `par_${(count * 7919) % 10_000}`);
      keep.run(`key-${count}`, body);
    }
    commit.run();
  };
  return { write, log: openSync(`${file}-wal`, "r+") };
}
