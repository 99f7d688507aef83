/** `nonet backup`, `restore`, `find` and `key` with PostgreSQL: from a file to a server and back, while a service runs. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../../src/cli/run.ts";
import { processTerminal } from "../../src/server/terminal.ts";
import { postgresForFile } from "../postgres/for-file.ts";
import { addressOf, nonet, root, type Running, temporaryFolder } from "./process.ts";

const locker = join(root, "examples", "parcel-lockers.md");
const environment = { DOOR_SECRET: "0123456789abcdef0123" };

const { server, admin } = await postgresForFile();

/** One for all: each listens to what becomes of this process's own output. */
const terminal = { ...processTerminal(), environment: { ...process.env, ...environment } };

/** The command in this process; what it says on both streams, and the secret of a key. */
async function command(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  let output = "";
  const write = (text: string): void => void (output += text);
  const code = await run(args, { ...terminal, out: write, err: write });
  return { code, output };
}

async function done(...args: readonly string[]): Promise<string> {
  const { code, output } = await command(...args);
  assert.equal(code, 0, output);
  return output;
}

async function keyFor(data: string, user: string): Promise<string> {
  const made = await done("key", "create", locker, "--data", data, "--user", user, "--role", "operator");
  return /^pl_\w+$/m.exec(made)?.[0] ?? assert.fail(made);
}

interface Caller {
  add(name: string): Promise<number>;
  names(): Promise<readonly string[]>;
}

function callerOf(address: string, key: string): Caller {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  return {
    add: async (name) => {
      const body = JSON.stringify({ name, address: { street: "Springfield 1", postcode: "0150", country: "NO" } });
      const reply = await fetch(`${address}/sites`, { method: "POST", headers, body });
      await reply.text();
      return reply.status;
    },
    names: async () => {
      const reply = await fetch(`${address}/sites?limit=200`, { headers });
      assert.equal(reply.status, 200);
      return ((await reply.json()) as { items: { name: string }[] }).items.map(({ name }) => name).toSorted();
    },
  };
}

async function stop(running: Running): Promise<void> {
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0);
}

test("a service goes from a file to PostgreSQL and back, and its backups are of one moment while it is used", async (t) => {
  const folder = temporaryFolder(t);
  const [file, again] = [join(folder, "a.db"), join(folder, "b.db")];
  const [first, moved] = [join(folder, "first.backup"), join(folder, "moved.backup")];
  const data = `${server.address}?schema=moved`;
  const serve = (where: string): Running =>
    nonet(t, ["serve", locker, "--port", "0", "--data", where], { folder, environment });
  const key = await keyFor(file, "ann");
  const onFile = serve(file);
  const before = callerOf(await addressOf(onFile), key);
  for (const name of ["North", "South"]) assert.equal(await before.add(name), 201);
  await done("backup", first, "--data", file);
  await stop(onFile);

  assert.match(await done("restore", first, "--data", data, "--document", locker), /^restored postgres:\/\/\S+ from /);
  assert.match(await done("doctor", locker, "--port", "0", "--data", data), /migration: the data fits the document/); // biome-ignore format: short
  const onServer = serve(data);
  const there = callerOf(await addressOf(onServer), key);
  assert.deepEqual(await there.names(), ["North", "South"], "keys go with the data");

  // Online: what was answered before it is in it, and it is one moment.
  let isOver = false;
  let during = 0;
  const load = (async () => {
    while (!isOver) assert.equal(await there.add(`During ${(during += 1)}`), 201);
  })();
  const told = await done("backup", moved, "--data", data, "--format", "json");
  isOver = true;
  await load;
  const { rows } = JSON.parse(told) as { rows: { sites: number; nonet_keys: number } };
  assert.ok(rows.sites >= 2 && rows.sites < 2 + during, `${rows.sites} of ${2 + during}`);
  assert.equal(rows.nonet_keys, 1);
  assert.match((await command("find", "Springfield", "--data", data)).output, /^found in postgres:\/\/\S+:\n {2}sites\.address/); // biome-ignore format: short
  assert.equal((await command("find", "Springfield", "--data", data)).code, 1);
  assert.equal((await command("find", "Shelbyville", "--data", data)).code, 0);
  assert.equal((await command("find", "Springfield", "--backup", moved)).code, 1);

  // Never under a service that runs, nor over what is there unless told.
  for (const [args, message] of [
    [["restore", moved, "--data", data], /there is data in postgres:\/\/\S+; --overwrite/],
    [["restore", moved, "--data", data, "--overwrite"], /another process is using .*; stop the service/],
  ] as const) {
    const { code, output } = await command(...args);
    assert.equal(code, 2);
    assert.match(output, message);
  }
  assert.match(await done("key", "revoke", locker, "--data", data, "--user", "ann"), /^revoked 1 key: /);
  await stop(onServer);

  // Back to that moment: what was revoked since is good again, as the page says.
  assert.match(await done("restore", moved, "--data", data, "--overwrite"), /\n {2}before {5}the schema moved_before_restore_/); // biome-ignore format: short
  const restored = serve(data);
  const back = callerOf(await addressOf(restored), key);
  assert.equal((await back.names()).length, rows.sites);
  await stop(restored);

  // And into a file, which is served without the server.
  await done("restore", moved, "--data", again, "--document", locker);
  const last = serve(again);
  const home = callerOf(await addressOf(last), key);
  assert.equal((await home.names()).length, rows.sites);
  assert.equal(await home.add("West"), 201);
  await stop(last);
});

test("what is damaged, is something else's, or cannot be reached changes nothing on a server", async (t) => {
  const folder = temporaryFolder(t);
  const [good, bad] = [join(folder, "good.backup"), join(folder, "bad.backup")];
  const data = `${server.address}?schema=spoilt`;
  await keyFor(data, "ann");
  await done("backup", good, "--data", data);
  const bytes = readFileSync(good);
  const spoilt: Readonly<Record<string, Buffer>> = {
    "cut off": bytes.subarray(0, bytes.length - 9),
    "with a bit changed": bytes.with(Math.floor(bytes.length / 2), (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 1) as Buffer, // biome-ignore format: short
    "of something else": Buffer.from("# Notes\n"),
    empty: Buffer.alloc(0),
  };
  const schemas = async (): Promise<readonly string[]> =>
    (await admin.query<{ name: string }>("SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '^(spoilt|new)' ORDER BY 1")).rows.map(({ name }) => name); // biome-ignore format: short
  const there = await schemas();
  for (const [what, content] of Object.entries(spoilt)) {
    writeFileSync(bad, content);
    for (const args of [
      ["--overwrite", "--data", data],
      ["--data", `${server.address}?schema=new`],
    ]) {
      const { code, output } = await command("restore", bad, ...args);
      assert.equal(code, 2, `${what}: ${output}`);
      assert.match(output, /bad\.backup cannot be (?:read|restored): /);
    }
  }
  assert.deepEqual(await schemas(), there);
  await admin.query("CREATE SCHEMA newer; CREATE TABLE newer.invoices (id int)");
  const away = "postgres://ann:hunter22@127.0.0.1:1/shop";
  const rows: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [["restore", good, "--data", `${server.address}?schema=newer`], /holds what something else made: invoices/],
    [["backup", bad, "--data", `${server.address}?schema=newer`], /bad\.backup exists and is not a backup/],
    [
      ["backup", join(folder, "x"), "--data", `${server.address}?schema=newer`],
      /holds what something else made: invoices/,
    ],
    [["backup", join(folder, "x"), "--data", `${server.address}?schema=nothing`], /there is no data in postgres:/],
    [["find", "ann", "--data", `${server.address}?schema=nothing`], /there is no data in postgres:/],
    ...[
      ["backup", join(folder, "x")],
      ["restore", good],
      ["find", "ann"],
      ["key", "list", locker],
    ].map((args): readonly [readonly string[], RegExp] => [[...args, "--data", away], /the server cannot be reached/]),
  ];
  for (const [args, message] of rows) {
    const { code, output } = await command(...args);
    assert.equal(code, 2, output);
    assert.match(output, message);
    assert.doesNotMatch(output, /hunter22/);
  }
  assert.ok(!existsSync(join(folder, "x")));
});
