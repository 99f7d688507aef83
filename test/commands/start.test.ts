/** `nonet start`: the commands that it prints for newcomers work. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { addressOf, finished, finishedHere, nonet, type Running, root, temporaryFolder } from "./process.ts";

/** The lines to paste, once there are so many. */
async function linesToPaste(running: Running, count: number): Promise<readonly string[]> {
  await running.says(/Try, in another terminal:\n/);
  const lines: string[] = [];
  while (lines.length < count) lines.push((await running.says(/^curl .*(?=\n)/m))[0]);
  return lines;
}

/** In a shell, as pasted; the status and the body. */
async function paste(line: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const { stdout } = await promisify(execFile)("bash", ["-c", line]);
  const [head = "", body = ""] = stdout.split("\r\n\r\n");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), body: JSON.parse(body) as Record<string, unknown> };
}

async function assertLinesWork(running: Running): Promise<void> {
  const lines = await linesToPaste(running, 3);
  const answers = [];
  for (const line of lines) answers.push(await paste(line));
  const [created, listed, refused] = answers;
  assert.deepEqual(answers.map(({ status }) => status), [201, 200, 409], JSON.stringify(answers)); // biome-ignore format: a row
  assert.equal(created?.body["state"], "announced");
  const items = listed?.body["items"] as { readonly id: string }[];
  assert.ok(items.some(({ id }) => id === created?.body["id"]));
  assert.match(String(refused?.body["type"]), /\/errors\/state-conflict$/);
  assert.equal([...running.output.matchAll(/^curl /gm)].length, 3);
}

test("serves the example in a folder that knows nothing of it; three lines work as pasted, also at the second start", async (t) => {
  const folder = temporaryFolder(t);
  for (const keys of [2, 2]) {
    const running = nonet(t, ["start", "--port", "0"], { folder });
    await addressOf(running);
    const [shown] = await running.says(/Demo keys \(new at each start\):\n( {2}\w+: pl_\w+\n)+/);
    assert.equal([...shown.matchAll(/pl_/g)].length, keys);
    await assertLinesWork(running);
    running.signal("SIGTERM");
    assert.equal(await running.ended, 0);
  }
  assert.ok(existsSync(join(folder, ".nonet", "parcel-lockers.db")));
  const example = join(root, "examples", "parcel-lockers.md");
  const { output } = await finishedHere(["key", "list", example], { folder });
  assert.equal([...output.matchAll(/demo-courier .*valid until/g)].length, 1);
  assert.equal([...output.matchAll(/demo-courier .* revoked \d/g)].length, 1);
});

test("the lines reach this machine, whatever callers are told", async (t) => {
  const options = ["--data", "memory", "--base-url", "https://lockers.example", "--host", "0.0.0.0", "--port", "0"];
  const running = nonet(t, ["start", ...options], { folder: temporaryFolder(t) });
  await running.says(/Parcel Lockers at https:\/\/lockers\.example\n/);
  await assertLinesWork(running);
});

test("serves another document, with a key of each of its roles", async (t) => {
  const options = { folder: temporaryFolder(t) };
  const running = nonet(t, ["start", join(root, "examples", "print-shop.md"), "--port", "0"], options);
  await running.says(/ {2}customer: ps_\w+\n {2}printer: ps_\w+\n {2}packer: ps_\w+\n/);
  const [create = "", list = ""] = await linesToPaste(running, 2);
  assert.equal((await paste(create)).status, 201);
  assert.equal((await paste(list)).status, 200);
});

test("passwords are keys as well; a document's secrets still have to be given", async (t) => {
  const document = join(root, "examples", "weather-stations.md");
  const folder = temporaryFolder(t);
  const environment = { STATION_SECRET: "a secret of at least 32 bytes, for the tests" };
  const running = nonet(t, ["start", document, "--port", "0"], { folder, environment });
  await running.says(/ {2}keeper: demo-keeper:\w+\n/);
  const [list = ""] = await linesToPaste(running, 1);
  assert.equal((await paste(list)).status, 200);
  const refused = await finished(t, ["start", document, "--port", "0"], { folder });
  assert.equal(refused.code, 2);
  assert.match(refused.output, /needs a secret from the environment: set STATION_SECRET\n$/);
});
