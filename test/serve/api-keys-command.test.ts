/** `nonet key` with a running `nonet serve`, two processes on one file: a key is valid at once, and revoked at once (R5.4). */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cli } from "../cli.ts";

const document = fileURLToPath(new URL("./documents/relay.md", import.meta.url));

describe("nonet key", () => {
  let folder: string;
  let server: ChildProcess;
  let url = "";

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "nonet-keys-"));
    const args = [cli, "serve", document, "--port", "0", "--data", join(folder, "a.db")];
    server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    for await (const chunk of server.stdout ?? []) {
      said += String(chunk);
      url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? "";
      if (url !== "") break;
    }
    assert.notEqual(url, "", said);
  });
  after(async () => {
    if (server.exitCode === null) {
      const ended = once(server, "exit");
      server.kill("SIGTERM");
      await ended;
    }
    await rm(folder, { recursive: true });
  });

  const key = async (...args: string[]) => {
    const [action = "", ...rest] = args;
    const all = [cli, "key", action, document, "--data", join(folder, "a.db"), ...rest];
    return promisify(execFile)(process.execPath, all);
  };
  /** 404 for a key that counts: it looks for a record that there is not. */
  const status = async (secret: string): Promise<number> =>
    (await fetch(`${url}/halls/none`, { headers: { Authorization: `Bearer ${secret}` } })).status;

  /** Other than 404, or what a request is told that is sent when the time is over. */
  const statusAfter = async (secret: string, milliseconds: number): Promise<number> => {
    const until = performance.now() + milliseconds;
    for (;;) {
      const over = performance.now() >= until;
      const found = await status(secret);
      if (found !== 404 || over) return found;
    }
  };

  test("R5.4 a key counts at once, its secret is shown once and kept nowhere, and once revoked it stops within a second", async () => {
    const made = await key("create", "--user", "ada", "--role", "chief");
    const secret = made.stdout.trim();
    assert.match(secret, /^rl_[0-9A-Za-z]{33}$/);
    assert.doesNotMatch(made.stderr, new RegExp(secret));
    assert.equal(await status(secret), 404);

    const listed = await key("list");
    assert.match(listed.stdout, /ada/);
    assert.match(listed.stdout, new RegExp(`rl_…${secret.slice(-4)}`));
    assert(!listed.stdout.includes(secret) && !listed.stderr.includes(secret));
    for (const name of await readdir(folder)) {
      const bytes = await readFile(join(folder, name));
      assert.equal(bytes.indexOf(secret), -1, name);
      assert.equal(bytes.indexOf(secret.slice(3, -6)), -1, name);
    }

    // Kept in use, so that the service has it in memory when it is revoked.
    assert.equal(await status(secret), 404);
    const revoking = key("revoke", "--user", "ada");
    let over = false;
    void revoking.finally(() => (over = true));
    let last = 404;
    // Once it is refused it is not sent any more: ten failures a minute are answered with 429 (R5.7).
    while (!over && last !== 401) assert([404, 401].includes((last = await status(secret))));
    await revoking;
    if (last !== 401) last = await statusAfter(secret, 1000);
    assert.equal(last, 401);
    assert.match((await key("list")).stdout, /revoked/);
  });

  const refused: readonly (readonly [name: string, args: readonly string[], code: number, said: RegExp])[] = [
    ["nobody's key", ["create"], 2, /--user/],
    ["a role that the document does not have", ["create", "--user", "x", "--role", "king"], 2, /king.*crew/],
    ["a time that is none", ["create", "--user", "x", "--lasts", "soon"], 2, /soon/],
    ["a credential that the document does not have", ["create", "--user", "x", "--credential", "other"], 2, /key/],
    ["a key that there is not", ["revoke", "--id", "key_none"], 1, /0 revoked|no /i],
  ];
  for (const [name, args, code, said] of refused) {
    test(`refuses ${name}`, async () => {
      const failure = (await key(...args).then(
        ({ stdout }) => assert.fail(stdout),
        (thrown: unknown) => thrown,
      )) as {
        code: number;
        stdout: string;
        stderr: string;
      };
      assert.equal(failure.code, code, failure.stderr);
      assert.match(failure.stdout + failure.stderr, said);
    });
  }

  test("a key ends when its time is over", async () => {
    const { stdout } = await key("create", "--user", "brief", "--lasts", "1s");
    const secret = stdout.trim();
    assert.equal(await statusAfter(secret, 3000), 401);
    assert.match((await key("list")).stdout, /brief.*expired/);
  });
});
